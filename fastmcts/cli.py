"""The command line: look at the games, search a position, compile ahead."""

import ast
import dataclasses
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

import fastmcts
from fastmcts.game import Game
from fastmcts.games import class_in_file
from fastmcts.result import SearchResult
from fastmcts.state import State
from fastmcts.testing.strategies import first_decision, searchable_games

app = typer.Typer(no_args_is_help=True, add_completion=False, help=fastmcts.__doc__)
console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

DEFAULT_SIMULATIONS = 100_000


@app.command("games")
def list_games() -> None:
    """List the games, their options and what each is about."""
    for name in fastmcts.registered_games():
        game_class = class_in_file(name)
        fields = dataclasses.fields(game_class)  # pyright: ignore[reportArgumentType]
        options = "  ".join(f"{field.name}={field.default}" for field in fields)
        summary = (game_class.__doc__ or "").splitlines()[0]
        console.print(f"[bold]{name}[/bold]  {options}\n    {summary}", soft_wrap=True)


@app.command()
def search(
    game: Annotated[str, typer.Argument(help="The id of a game; `fastmcts games` lists them.")],
    moves: Annotated[
        str,
        typer.Option(help="Moves from the start, by commas: actions or the game's notation, as 3,3,2 or d,d,c."),
    ] = "",
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="An option of the game, as rows=5; repeatable.")
    ] = None,
    simulations: Annotated[int | None, typer.Option(help="How many simulations; 100,000 if no --seconds.")] = None,
    seconds: Annotated[float | None, typer.Option(help="How long to search.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tree (and the same deal).")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Search a position and show the best moves.

    For example: `fastmcts search connect_four --moves d,d,c --seconds 1`
    """
    if simulations is None and seconds is None:
        simulations = DEFAULT_SIMULATIONS
    try:
        state = position(fastmcts.load_game(game, **game_options(option or [])), moves, seed)
        result = fastmcts.search(state, simulations=simulations, seconds=seconds, seed=seed)
    except (ValueError, TypeError, fastmcts.GameError) as error:
        errors.print(f"error: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps(as_dictionary(result)))
    else:
        show(result)


@app.command()
def warmup() -> None:
    """Compile all games ahead, so that later searches start at once."""
    names = searchable_games()
    total = 0.0
    for name in track(names, description="compiling", console=errors, transient=True):
        seconds = compile_game(fastmcts.load_game(name))
        console.print(f"{name}: {seconds:.1f} s", soft_wrap=True)
        total += seconds
    console.print(f"{len(names)} games ready in {total:.1f} s")


def compile_game(game: Game) -> float:
    """Compile a game with the default strategy; return the seconds it took."""
    return fastmcts.search(first_decision(game), simulations=1, seed=0, search_forced=True).compile_seconds


def game_options(texts: list[str]) -> dict[str, Any]:
    """Read `name=value` pairs."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"an option of the game is written name=value, not {text!r}")
        try:
            options[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            options[name.strip()] = value.strip()
    return options


def position(game: Game, moves: str, seed: int) -> State:
    """Play moves, in the game's notation or as numbers of actions, from the start of a game."""
    state = game.new_initial_state(seed)
    for number, move in enumerate(filter(None, (part.strip() for part in moves.split(","))), start=1):
        try:
            state.apply_action(read_action(state, move))
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from None
    return state


def read_action(state: State, text: str) -> int:
    """A move in the game's notation, or else the number of an action."""
    try:
        return state.string_to_action(text)
    except ValueError:
        if not text.lstrip("-").isdigit():
            raise
        return int(text)


def show(result: SearchResult) -> None:
    """Print the position, the table of moves and the speed."""
    console.print(f"{result.state}\n", markup=False, soft_wrap=True)
    console.print(str(result), markup=False, soft_wrap=True)
    if result.action is None:
        console.print(f"returns: {result.state.returns()}")
        return
    rate = result.simulations / max(result.seconds, 1e-9)
    console.print(
        f"{result.simulations:,} simulations in {result.seconds:.2f} s: {rate:,.0f} a second;"
        f" {result.nodes:,} nodes, depth {result.max_depth};"
        f" compiling or loading took {result.compile_seconds:.2f} s",
        soft_wrap=True,
    )


def as_dictionary(result: SearchResult) -> dict[str, Any]:
    """What a search found, as JSON can hold it."""
    state = result.state
    return {
        "game": repr(state.game),
        "state": state.array.tolist(),
        "current_player": state.current_player(),
        "action": result.action,
        "move": None if result.action is None else state.action_to_string(result.action),
        "moves": [
            {
                "action": int(action),
                "move": state.action_to_string(int(action)),
                "visits": int(visits),
                "value": float(value) if visits else None,
            }
            for action, visits, value in zip(result.actions, result.visits, result.values, strict=True)
        ],
        "value": None if result.simulations == 0 else result.value,
        "principal_variation": result.moves_of_best_line() if result.action is not None else [],
        "simulations": result.simulations,
        "seconds": result.seconds,
        "compile_seconds": result.compile_seconds,
        "nodes": result.nodes,
        "max_depth": result.max_depth,
        "seed": result.seed,
    }
