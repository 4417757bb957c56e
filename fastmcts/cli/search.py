"""`fastmcts search`: the best moves of a position."""

import json
import math
from typing import Annotated, Any

import typer

import fastmcts
from fastmcts.cli.app import (
    AsJson,
    Expansion,
    Final,
    GameName,
    GameOption,
    Method,
    Reveal,
    Rollout,
    Seconds,
    Selection,
    Solver,
    Strategy,
    app,
    console,
    errors,
    read_game,
    refuse_open_cards,
    refusing,
    search_options,
)
from fastmcts.experiments.named_games import strategies_beside
from fastmcts.game import Game
from fastmcts.result import SearchResult
from fastmcts.state import State
from fastmcts.view.seen import drawn, seen

DEFAULT_SIMULATIONS = 100_000


@app.command()
def search(
    game: GameName,
    moves: Annotated[
        str,
        typer.Option(help="Moves from the start, by commas: actions or the game's notation, as 3,3,2 or d,d,c."),
    ] = "",
    option: GameOption = None,
    simulations: Annotated[int | None, typer.Option(help="How many simulations; 100,000 if no --seconds.")] = None,
    seconds: Seconds = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tree (and the same deal).")] = 0,
    strategy: Strategy = None,
    selection: Selection = None,
    expansion: Expansion = None,
    rollout: Rollout = None,
    method: Method = None,
    solver: Solver = None,
    final: Final = None,
    checked: Annotated[
        bool, typer.Option(help="Compile with bounds checks, to find what is wrong with a game of your own.")
    ] = False,
    reveal: Reveal = False,
    as_json: AsJson = False,
) -> None:
    """Search a position and show the best moves.

    What you leave out follows the game's recommended strategy. Where cards are hidden you see what the player to move
    sees; --reveal shows all. Ctrl-C shows what was found so far.

    For example:

    - `fastmcts search connect_four --moves d,d,c --seconds 1`
    - `fastmcts search sos --selection "UCB1(c=1.4)" --expansion "Prioritized(value=0.8)" --simulations 20000`
    - `fastmcts search oh_hell -o hand_size=5 --seed 7 --method "PIMC(worlds=20)" --json`
    - `fastmcts search path/to/my_game.py:MyGame -o size=5 --solver`
    """
    if simulations is None and seconds is None:
        simulations = DEFAULT_SIMULATIONS
    with refusing():
        searched = read_game(game, option)
        options = search_options(
            strategies_beside(searched),
            simulations=simulations,
            seconds=seconds,
            strategy=strategy,
            selection=selection,
            expansion=expansion,
            rollout=rollout,
            method=method,
            solver=solver,
            final=final,
            checked=checked,
        )
        refuse_open_cards(searched, options, reveal)
        state = position(searched, moves, seed)
        result = fastmcts.search(state, seed=seed, on_interrupt="return", progress=errors.is_terminal, **options)
    shown = result.state if reveal else seen(result.state, result.state.current_player())
    if as_json:
        typer.echo(json.dumps(as_dictionary(result, shown)))
    else:
        show(result, shown)


def position(game: Game, moves: str, seed: int) -> State:
    """Play moves, in the game's notation or as numbers of actions, from the start of a game.

    Where chance decides first and no moves are given, as in 2048, the seed decides.
    """
    texts = [part.strip() for part in moves.split(",") if part.strip()]
    state = game.new_initial_state(seed, draw_chance=not texts)
    for number, move in enumerate(texts, start=1):
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
        if not text.lstrip("-").isdecimal():
            raise
        return int(text)


def show(result: SearchResult, shown: State) -> None:
    """Print the position, the table of moves and the speed."""
    console.print(f"{drawn(shown)}\n", markup=False, soft_wrap=True)
    console.print(str(result), markup=False, soft_wrap=True)
    if result.action is None:
        console.print(f"returns: {result.state.returns()}")
        return
    rate = result.simulations / max(result.seconds, 1e-9)
    interrupted = " (interrupted)" if result.stopped_by == "interrupted" else ""
    console.print(
        f"{result.simulations:,} simulations{interrupted} in {result.seconds:.2f} s: {rate:,.0f} a second;"
        f" {result.nodes:,} nodes, depth {result.max_depth};"
        f" compiling or loading took {result.compile_seconds:.2f} s",
        soft_wrap=True,
    )


def number(value: float) -> float | None:
    """A number as JSON can hold it: None instead of NaN."""
    return None if math.isnan(value) else float(value)


def as_dictionary(result: SearchResult, shown: State) -> dict[str, Any]:
    """What a search found, as JSON can hold it; `shown` is the position as far as it may be seen."""
    state = result.state
    return {
        "game": repr(state.game),
        "state": shown.array.tolist(),
        "current_player": state.current_player(),
        "action": result.action,
        "move": None if result.action is None else state.action_to_string(result.action),
        "moves": [
            {
                "action": int(action),
                "move": state.action_to_string(int(action)),
                "visits": int(visits),
                "value": number(value),
                "proven": number(proven),
            }
            for action, visits, value, proven in zip(
                result.actions, result.visits, result.values, result.proven, strict=True
            )
        ],
        "value": number(result.value),
        "proven_value": number(result.proven_value),
        "principal_variation": result.moves_of_best_line() if result.action is not None else [],
        "simulations": result.simulations,
        "seconds": result.seconds,
        "compile_seconds": result.compile_seconds,
        "nodes": result.nodes,
        "max_depth": result.max_depth,
        "seed": result.seed,
        "strategy": result.strategy,
        "stopped_by": result.stopped_by,
    }
