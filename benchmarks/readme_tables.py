"""Measure, and write the tables of docs/benchmarks.md, and the three rows of the README that come from them.

python benchmarks/readme_tables.py             # speed: a few minutes
python benchmarks/readme_tables.py --peers     # speed beside OpenSpiel and plain Python
python benchmarks/readme_tables.py --rows      # measure nothing: write the rows of the README anew
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import native
import native_limit
import page_tables
import peer_speed
import two_threads

import fastmcts
from fastmcts.testing.strategies import first_decision, searchable_games

README = Path(__file__).parent.parent / "README.md"
PAGE = README.parent / "docs" / "benchmarks.md"
ROWS = page_tables.markers("speed")
SPEED = page_tables.markers("tables")
PEERS = page_tables.markers("peers")
ROUNDS = 7
GAME_SIMULATIONS = 20_000  # for each game: some have long rollouts
GAME_ROUNDS = 3

FIRST_SEARCH = """
import fastmcts, time
start = time.process_time()
fastmcts.search(fastmcts.load_game("connect_four").new_initial_state(), simulations=1000, seed=0)
print(time.process_time() - start)
"""


def games_table() -> Iterator[str]:
    """Simulations per second of every game, with default options."""

    def rows() -> Iterator[tuple[str, ...]]:
        for name in searchable_games():
            game = fastmcts.load_game(name)
            state = first_decision(game)
            fastmcts.search(state, simulations=100, seed=0)
            seconds, nodes = zip(*(one_search(state, seed) for seed in range(GAME_ROUNDS)), strict=True)
            yield f"`{game!r}`", f"{GAME_SIMULATIONS / min(seconds):,.0f}", f"{nodes[0] / GAME_SIMULATIONS:.1f}"

    return page_tables.table(
        (f"{GAME_SIMULATIONS:,} simulations from the start, one core", "simulations/s", "nodes each"), rows()
    )


def one_search(state: fastmcts.State, seed: int) -> tuple[float, int]:
    """Seconds of the processor for a search, and how many nodes it made."""
    start = time.process_time()
    result = fastmcts.search(state, simulations=GAME_SIMULATIONS, seed=seed)
    return time.process_time() - start, result.nodes


def native_table() -> Iterator[str]:
    """Ours as a multiple of C++ written for each game."""
    if native.compiler() is None:
        sys.exit(f"no C++ compiler was found: none of {', '.join(native.COMPILERS)}")
    for name in native.GAMES:
        native_limit.check(name)
    return native_limit.ratio_table(list(native.GAMES), ROUNDS)


def first_search_table() -> Iterator[str]:
    """Seconds of the processor after the import, up to the end of a search of 1,000 simulations, in fresh processes."""
    with tempfile.TemporaryDirectory() as cache:
        cold = first_search(cache)
        cached = min(first_search(cache) for _ in range(ROUNDS))
    extra = min(import_seconds("fastmcts") for _ in range(ROUNDS)) - min(import_seconds("numba") for _ in range(ROUNDS))
    rows = [
        ("`import fastmcts`, beyond `import numba`", f"{max(0.0, extra):.2f}"),
        ("first search ever: compiled", f"{cold:.1f}"),
        ("first search of a later process: from the disk cache", f"{cached:.2f}"),
    ]
    return page_tables.table(("starting up (Connect Four, 1,000 simulations)", "seconds of the processor"), rows)


def first_search(cache: str) -> float:
    """Seconds of the first search in a fresh process."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", FIRST_SEARCH]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def import_seconds(module: str) -> float:
    """Seconds that an import takes in a fresh process."""
    code = f"import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def peer_table() -> Iterator[str]:
    """Ours beside OpenSpiel and plain Python."""
    return peer_speed.speed_table(ROUNDS)


def rewrite(markers: tuple[str, str], makers: tuple[Callable[[], Iterator[str]], ...]) -> None:
    """Replace what stands between two markers of the page, and the rows of the README."""
    tables = ["\n".join(shown(make())) for make in makers]
    page_tables.rewrite(PAGE, markers, "\n\n".join(tables))
    write_rows()


def write_rows() -> None:
    """Replace the rows of the README."""
    page_tables.rewrite(README, ROWS, "\n".join(headline_table(PAGE.read_text())))


def headline_table(page: str) -> Iterator[str]:
    """What the README tells of a page with all tables."""
    boards = ("Connect Four 7x6", "Hex 11x11", "SOS 8x8")
    peers = ("Connect Four", "Hex 11x11", "Othello")
    pairs = ("`trees=2`, Connect Four", '`parallel="shared"`, `Othello()`', "a batch, 1,024 x 64 simulations")
    by_hand = [cell(page, board, "one by one") for board in boards]
    bots = [cell(page, f"{name}: OpenSpiel's MCTSBot", "ratio") for name in peers]
    threads = [cell(page, row, "times as fast") for row in pairs]
    rows = [
        ("C++ by hand that scores one child at a time: Connect Four, Hex 11x11, SOS 8x8", ", ".join(by_hand)),
        ("OpenSpiel's C++ bot: Connect Four, Hex 11x11, Othello", ", ".join(bots)),
        ("itself, two threads beside one: two trees, one tree, a batch", ", ".join(threads)),
    ]
    return page_tables.table(("beside", "times as fast"), rows)


def cell(page: str, row: str, column: str) -> str:
    """What stands in a table of a page, in the row that starts with `row` and under the heading `column`.

    Raises:
        ValueError: If no table has both.
    """
    heading: list[str] = []
    for line in page.splitlines():
        cells = [one.strip() for one in line.strip("| ").split(" | ")] if line.startswith("|") else []
        if not cells or not heading:
            heading = cells
        elif cells[0] == row and column in heading:
            return cells[heading.index(column)]
    raise ValueError(f"no table has the row {row!r} and the column {column!r}")


def shown(lines: Iterator[str]) -> Iterator[str]:
    """Lines, each printed when it is there: they take their time."""
    for line in lines:
        print(line, flush=True)
        yield line


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="beside other programs instead")
    parser.add_argument("--rows", action="store_true", help="only the rows of the README")
    arguments = parser.parse_args()
    if arguments.rows:
        write_rows()
    elif arguments.peers:
        rewrite(PEERS, (peer_table,))
    else:
        rewrite(SPEED, (native_table, two_threads.speed_up_table, games_table, first_search_table))


if __name__ == "__main__":
    main()
