"""How long the first search of a game takes to compile, in a fresh process with an empty cache.

    python benchmarks/compile_times.py                          # every game, the default search: some minutes
    python benchmarks/compile_times.py --only whist hex --rounds 3
    python benchmarks/compile_times.py --kernels                # what further kernels compile on top, for each game
    python benchmarks/compile_times.py --suite                  # the tests instead, all of them: some minutes

Times are seconds of the processor, so that other work on the machine matters little. They are given as multiples of
what Numba takes for the plain kernel of benchmarks/plain_kernel.py, which is compiled before each game in turn.

`--kernels` has a column for each further thing that a user may ask for: a tree that is kept and
advanced, a batch, two trees, proofs, and a tree that two threads share; "-" where a game does not allow it.

`--suite` runs `pytest` with an empty cache. Its time is that of the clock, since it is waited for, on a machine that
does nothing else; it is to be at most five minutes on two cores.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import page_tables

from fastmcts.testing.strategies import searchable_games

FOLDER = Path(__file__).parent

FIRST = """
import sys
import time

import fastmcts
from fastmcts.testing.strategies import first_decision

game = fastmcts.load_game(sys.argv[1])
state = first_decision(game)
start = time.process_time()
first = fastmcts.search(state, simulations=10, seed=0, search_forced=True)
seconds = time.process_time() - start
"""

#: What is run after the first search, and timed.
FURTHER = {
    "advance": "mcts = fastmcts.MCTS(game, simulations=10, seed=0); mcts.search(state); mcts.advance(first.action)",
    "batch": "fastmcts.search_batch([state, state], simulations=10, seed=0)",
    "trees": "fastmcts.search(state, simulations=10, seed=0, trees=2, threads=2)",
    "solver": "fastmcts.search(state, simulations=10, seed=0, solver=True)",
    "shared": "fastmcts.search(state, simulations=10, seed=0, threads=2, parallel='shared')",
}

TIMED = """
start = time.process_time()
try:
    {code}
except ValueError:
    print("nan")
else:
    print(time.process_time() - start)
"""


def seconds_of(*command: str) -> float:
    """Run Python with an empty cache; return the seconds that it prints."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def multiple(game: str, code: str, rounds: int) -> float:
    """The median time of a game's code as a multiple of the plain kernel's, each round with one of both."""
    pairs = [(seconds_of(str(FOLDER / "plain_kernel.py")), seconds_of("-c", code, game)) for _ in range(rounds)]
    return statistics.median(own / plain for plain, own in pairs)


def suite_row() -> tuple[str, ...]:
    """How long the tests take, with what they say at their end."""
    plain = seconds_of(str(FOLDER / "plain_kernel.py"))
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        before, start = os.times(), time.perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=FOLDER.parent, env=environment, capture_output=True, text=True, check=False)
        seconds, after = time.perf_counter() - start, os.times()
    processor = sum(after[2:4]) - sum(before[2:4])
    outcome = (done.stdout or done.stderr).rstrip().rpartition("\n")[2]
    return outcome, f"{seconds:.0f}", f"{seconds / plain:.0f}x", f"{processor:.0f}", f"{processor / plain:.0f}x"


def rows(arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """A row for each game."""
    codes = [FIRST + "print(seconds)"]
    if arguments.kernels:
        codes += [FIRST + TIMED.format(code=code) for code in FURTHER.values()]
    for game in arguments.only:
        times = [multiple(game, code, arguments.rounds) for code in codes]
        yield f"`{game}`", *("-" if time != time else f"{time:.1f}x" for time in times)


def main() -> None:
    """Measure and print the table, a row as soon as it is known."""
    names = searchable_games()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="GAME", help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=1, help="for each number, of which the median counts")
    parser.add_argument("--kernels", action="store_true", help="also what further kernels take")
    parser.add_argument("--suite", action="store_true", help="the tests instead")
    arguments = parser.parse_args()
    if arguments.suite:
        header = ("the tests, from an empty cache", "seconds", "plain kernels", "of all cores", "plain kernels")
        lines = page_tables.table(header, [suite_row()])
    else:
        header = ("game", "first search", *(FURTHER if arguments.kernels else ()))
        lines = page_tables.table(header, rows(arguments))
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
