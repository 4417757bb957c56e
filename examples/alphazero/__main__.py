"""The command: `python -m examples.alphazero`."""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastmcts
from examples.alphazero.settings import DEFAULTS

DESCRIPTION = """\
Learn a game by playing against itself, as AlphaZero does.

  python -m examples.alphazero                            learns tic-tac-toe in a few minutes
  python -m examples.alphazero --game connect_four --minutes 60 --out runs/connect_four

Each iteration plays games against itself (self-play), trains the network on the last ones, and lets it play against the
best network so far; at least half of the points make it the best. Now and then its strength is measured: tic-tac-toe
against exact play in all positions, other games in a match against UCT with rollouts. The folder then has

  checkpoint.npz   all that the run needs to go on
  games/           the games of the last iterations
  curve.jsonl      a line for each measurement, and
  curve.svg        the same as a picture

Ctrl-C stops at once, and the same command goes on from there. It needs pip install "fastmcts-numba[alphazero]".
"""


def main(
    game: str = "tic_tac_toe",
    out: str | Path | None = None,
    iterations: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    final_games: int = 400,
    **changes: Any,
) -> int:
    """Learn a game in a folder, or go on with it; returns what the process shall.

    Args:
        game: Which one; `settings.DEFAULTS` has those that are known.
        out: The folder; None for one named after the game.
        iterations: When to stop. None for the game's default, or for no limit if there are minutes.
        minutes: When to stop, too: minutes of learning, without those that measure the curve.
        seed: The same seed gives the same run.
        final_games: How many games the last match against UCT has.
        **changes: Settings that are to be others than the game's defaults.
    """
    try:
        from examples.alphazero.learn import Run
    except ImportError as error:
        raise ImportError(f'{error}: pip install "fastmcts-numba[alphazero]"') from error
    if game not in DEFAULTS:
        raise ValueError(
            f"game must be one of {', '.join(DEFAULTS)}, not {game!r}; settings.py is the place for others"
        )
    for name, value in (("iterations", iterations), ("minutes", minutes), ("final_games", final_games)):
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be above 0, not {value!r}")
    settings = replace(DEFAULTS[game], **changes)
    folder = Path(out or f"alphazero_{game}")
    if iterations is None and minutes is None:
        iterations = settings.iterations
    start = time.perf_counter()
    run = Run(settings, folder, seed, tell, show if sys.stderr.isatty() else None)
    try:
        run.learn(iterations, minutes)
        run.finish(final_games)
    except KeyboardInterrupt:
        tell(f"stopped; the same command goes on after iteration {run.progress.iteration}")
        return 130
    tell(f"{(time.perf_counter() - start) / 60:.1f} minutes in all; see {folder}")
    return 0


def tell(line: str) -> None:
    """Print a line, over what shows the progress."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    print(line, flush=True)


def show(look: fastmcts.SelfPlaySnapshot) -> None:
    """Show how far self-play has come, on one line of a terminal."""
    rate = look.simulations / max(look.seconds, 1e-9)
    line = f"self-play: {look.games:,} of {look.total:,} games, {rate:,.0f} simulations/s"
    print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command's arguments."""
    parser = argparse.ArgumentParser(
        "python -m examples.alphazero", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=tuple(DEFAULTS), default="tic_tac_toe", help="what to learn")
    parser.add_argument("--out", metavar="FOLDER", help="where to keep everything (default: alphazero_<game>)")
    parser.add_argument("--minutes", type=float, help="how long to learn, in all; measuring is not counted")
    parser.add_argument("--iterations", type=int, help="how many iterations, in all (default: enough for the game)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same run (default: 0)")
    parser.add_argument("--final-games", type=int, default=400, help="games of the last match with UCT (default: 400)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(**vars(parse())))
    except (ImportError, ValueError) as error:
        sys.exit(f"error: {error}")
