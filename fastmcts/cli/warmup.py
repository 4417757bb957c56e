"""`fastmcts warmup`: compile ahead."""

from rich.progress import track

import fastmcts
from fastmcts.cli.app import app, console, errors
from fastmcts.game import Game
from fastmcts.testing.strategies import first_decision, searchable_games


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
