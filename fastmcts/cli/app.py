"""The app that the commands belong to, and what all of them share."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated, Any

import typer
from rich.console import Console

import fastmcts
from fastmcts.engine.trial import try_out
from fastmcts.experiments.named_games import find_game
from fastmcts.experiments.store import StoreError
from fastmcts.experiments.text import parse_component
from fastmcts.experiments.work import RunError
from fastmcts.game import Game
from fastmcts.options import STRATEGIES
from fastmcts.strategies.methods import PerfectInformation

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode="markdown", help=fastmcts.__doc__)
console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

REFUSED = 2  # the exit code for bad input
FAILED = 1  # and for what went wrong on the way

GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="The id of a game (`fastmcts games` lists them), or your own as path/to/file.py:ClassName.",
    ),
]
GameOption = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="An option of the game, as rows=5; repeatable.")
]
Seconds = Annotated[float | None, typer.Option(help="How long to search a move.")]
Selection = Annotated[str | None, typer.Option(help='A selection rule, such as "UCB1(c=1.4)" or "PUCT".')]
Expansion = Annotated[str | None, typer.Option(help='An expansion policy, such as "Prioritized(value=0.8)".')]
Rollout = Annotated[str | None, typer.Option(help='A rollout policy, such as "GameRollout(max_length=20)".')]
Method = Annotated[str | None, typer.Option(help='What the search knows, such as "PIMC(worlds=20)".')]
Solver = Annotated[bool | None, typer.Option("--solver/--no-solver", help="Keep proofs of what is decided.")]
Strategy = Annotated[
    str | None, typer.Option(help="What you leave out: the game's recommended strategy, or the plain one.")
]
Final = Annotated[str | None, typer.Option(help="Which move to play: visits, value, robust_max or lcb.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show hidden cards too.")]


def show_version(asked: bool) -> None:
    """Print the version and end, if asked."""
    if asked:
        typer.echo(version("fastmcts-numba"))
        raise typer.Exit


@app.callback()
def main(
    is_version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Monte Carlo tree search: play, analyse positions, and let strategies compete.

    `fastmcts play connect_four` is a good start.
    """


@contextmanager
def refusing() -> Iterator[None]:
    """Tell what is wrong with the input in words, without a traceback."""
    try:
        yield
    except (ValueError, TypeError, ImportError, fastmcts.GameError, fastmcts.CompileError) as error:
        errors.print(f"error: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(REFUSED) from None


@contextmanager
def explaining() -> Iterator[None]:
    """Tell what went wrong with the results or the workers in words, without a traceback."""
    try:
        yield
    except (StoreError, RunError) as error:
        errors.print(f"error: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None


def read_game(name: str, options: list[str] | None) -> Game:
    """The game that the command line names."""
    game = find_game(name, **game_options(options or []))
    game.check_declaration()
    try_out(game)
    return game


def game_options(texts: list[str]) -> dict[str, Any]:
    """Read `name=value` pairs."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"an option of the game is written name=value, not {text!r}")
        try:
            options[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            options[name.strip()] = value.strip()
    return options


def refuse_open_cards(game: Game, options: dict[str, Any], reveal: bool) -> None:
    """Raise if a search would look at what is hidden, unless everything may be seen."""
    if isinstance(options.get("method"), PerfectInformation) and game.has_hidden_information and not reveal:
        raise ValueError(f"PerfectInformation looks at what {game.name} hides: add --reveal to allow it")


def search_options(extra: list[type], **texts: Any) -> dict[str, Any]:
    """The options of a search that were given; components are read from their text.

    Args:
        extra: Classes of components that may be written besides those in the box.
        **texts: Options by name; None where nothing was given.
    """
    return {
        name: parse_component(value, extra) if name in STRATEGIES else value
        for name, value in texts.items()
        if value is not None
    }
