"""How close is fastmcts to C++ that was written by hand for one game?

    python benchmarks/native_limit.py [--rounds 9] [--only connect_four hex]

Both run the same UCT, with the same budget, in turn, each in a process of its own: seconds of the processor count, for
the whole search, allocation and page faults included. The C++ scores children one by one in float64, or eight at once
in float32: the second is the limit. Only ratios count; they compare the best round of each, since whatever else the
machine does only slows down.

First some random games of each program are played again by our rules, and then searches must agree on the value of the
start and on the visits of its moves.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import native
import one_search
import page_tables

C = 1.4
GOAL = 0.9

#: What is searched: the game's program, what to call it, simulations.
SEARCHES = (
    ("connect_four", "Connect Four 7x6", 100_000),
    ("connect_four", "Connect Four 7x6", 1_000_000),
    ("hex", "Hex 11x11", 100_000),
    ("sos", "SOS 8x8", 100_000),
)

REPLAYED = 30  # random games
CHECKED_SIMULATIONS = 100_000
MOST_DIFFERENT_VALUE = 0.02
MOST_DIFFERENT_VISITS = 0.2  # two seeds of one program differ in a tenth of the visits


@dataclass(frozen=True)
class Comparison:
    """Seconds of each round: ours, and of the C++ with each scoring; and with which of them the trees were the same."""

    simulations: int
    ours: list[float]
    native: dict[str, list[float]]
    same_tree: list[str]

    @property
    def rate(self) -> float:
        """Our simulations a second, in the best round."""
        return self.simulations / min(self.ours)

    def ratio(self, scoring: str) -> float:
        """How fast ours is as a multiple of the C++, in the best rounds."""
        return min(self.native[scoring]) / min(self.ours)

    def median(self, scoring: str) -> float:
        """The same, as the median over rounds."""
        return statistics.median(native / ours for native, ours in zip(self.native[scoring], self.ours, strict=True))


def check(name: str) -> None:
    """Let a program prove that it plays the same game and searches alike; AssertionError if it does not."""
    native.replay(name, REPLAYED, seed=0)
    ours = one_search.search_apart(name, CHECKED_SIMULATIONS, 0, C)
    for scoring in native.SCORINGS:
        run = native.search(name, scoring, CHECKED_SIMULATIONS, 0, C)
        assert sum(run.visits) == CHECKED_SIMULATIONS
        assert abs(run.value - ours.value) < MOST_DIFFERENT_VALUE, f"{name}, {scoring}: {run.value}, ours {ours.value}"
        moved = native.difference(run, ours)
        assert moved < MOST_DIFFERENT_VISITS, f"{name}, {scoring}: {moved:.1%} of visits went to other moves"


def compare(name: str, simulations: int, rounds: int) -> Comparison:
    """Search by turns, with another seed in each round."""
    ours, theirs = [], {scoring: [] for scoring in native.SCORINGS}
    same_tree = set(native.SCORINGS)
    for seed in range(rounds):
        run = one_search.search_apart(name, simulations, seed, C)
        ours.append(run.seconds)
        for scoring in native.SCORINGS:
            other = native.search(name, scoring, simulations, seed, C)
            theirs[scoring].append(other.seconds)
            if other.visits != run.visits:
                same_tree.discard(scoring)
    return Comparison(simulations, ours, theirs, sorted(same_tree))


def ratio_table(names: Sequence[str], rounds: int) -> Iterator[str]:
    """Ours beside C++ written for each game, a line as soon as it is measured.

    Raises:
        RuntimeError: If there is no C++ compiler.
    """
    header = ("as a multiple of C++", "simulations", "simulations/s", "one by one", "eight at once")
    header += ("median of rounds", "goal", "same tree")

    def rows() -> Iterator[tuple[str, ...]]:
        for name, title, simulations in SEARCHES:
            if name in names:
                found = compare(name, simulations, rounds)
                limit = found.ratio(native.EIGHT_AT_ONCE), found.median(native.EIGHT_AT_ONCE)
                ratios = (found.ratio(native.ONE_BY_ONE), *limit, GOAL)
                trees = ", ".join(found.same_tree).replace("_", " ") or "no"
                yield title, f"{simulations:,}", f"{found.rate:,.0f}", *(f"{ratio:.2f}" for ratio in ratios), trees

    return page_tables.table(header, rows())


def main() -> None:
    """Check the programs, then print the table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="how often each runs")
    parser.add_argument("--only", nargs="+", choices=native.GAMES, default=list(native.GAMES), help="the games")
    arguments = parser.parse_args()
    if native.compiler() is None:
        sys.exit(f"no C++ compiler was found: none of {', '.join(native.COMPILERS)}")
    for name in arguments.only:
        check(name)
    for line in ratio_table(arguments.only, arguments.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
