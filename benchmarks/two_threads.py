"""What two threads gain, everything interleaved in one run; only ratios count.

    python benchmarks/two_threads.py

Neighbours on a shared machine slow down now one core and now the other, by half at times. So what is compared with
two threads runs on one core and on the other, just before and just after, and the median of many such rounds counts.
"""

import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import page_tables

import fastmcts
from fastmcts import games

FEWEST_ROUNDS = 15
SECONDS = 10.0  # of measuring, where rounds are short


@dataclass(frozen=True)
class Comparison:
    """Two ways to run as many simulations.

    Args:
        title: What is compared.
        one: Runs the first way, on one core; returns the seconds.
        other: Runs the other way; returns the seconds.
        goal: How many times as fast the other should be.
    """

    title: str
    one: Callable[[], float]
    other: Callable[[], float]
    goal: float


@dataclass(frozen=True)
class SpeedUp:
    """How many times as fast the other way is: quartiles over interleaved rounds."""

    low: float
    median: float
    high: float
    rounds: int


def searching(game: fastmcts.Game, simulations: int, **options: Any) -> Callable[[], float]:
    """Search from the start of a game; the seconds."""
    state = game.new_initial_state()
    return lambda: fastmcts.search(state, simulations=simulations, seed=0, strategy="plain", **options).seconds


def searching_batch(threads: int) -> Callable[[], float]:
    """Search 1,024 positions of Connect Four with 64 simulations each; the seconds."""
    states = [games.ConnectFour().new_initial_state()] * 1_024
    return lambda: fastmcts.search_batch(states, simulations=64, seed=0, threads=threads, strategy="plain").seconds


def sharing(game: fastmcts.Game, simulations: int, goal: float) -> Comparison:
    """Two threads in one tree: counters near the root go from core to core, the less the longer rollouts are."""
    return Comparison(
        f'`parallel="shared"`, `{game!r}`',
        searching(game, simulations),
        searching(game, simulations, threads=2, parallel="shared"),
        goal,
    )


COMPARISONS = {
    "trees": Comparison(
        "`trees=2`, Connect Four",
        searching(games.ConnectFour(), 400_000, trees=2),
        searching(games.ConnectFour(), 400_000, trees=2, threads=2),
        1.7,
    ),
    "shared_connect_four": sharing(games.ConnectFour(), 200_000, 1.4),
    "shared_othello": sharing(games.Othello(), 60_000, 1.5),
    "shared_mnk": sharing(games.MNK(15, 15, 5), 30_000, 1.7),
    "batch": Comparison("a batch, 1,024 x 64 simulations", searching_batch(1), searching_batch(2), 1.7),
    "batch_against_search": Comparison(
        "that batch on one thread, beside one search of 65,536",
        searching(games.ConnectFour(), 65_536),
        searching_batch(1),
        1.0,
    ),
}


def on_core(number: int, work: Callable[[], float]) -> float:
    """What work returns if it has only one core; any, where a system does not let us choose."""
    if not hasattr(os, "sched_setaffinity"):
        return work()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[number % len(cores)]})
    try:
        return work()
    finally:
        os.sched_setaffinity(0, cores)


def measure(comparison: Comparison) -> SpeedUp:
    """Run both ways in turn, many times."""
    one, other = comparison.one, comparison.other

    def ratio() -> float:
        before, took, after = on_core(0, one), other(), on_core(1, one)
        return statistics.harmonic_mean([before, after]) / took

    one()
    rounds = max(FEWEST_ROUNDS, int(SECONDS / (2 * one() + other())))
    low, median, high = statistics.quantiles([ratio() for _ in range(rounds)], n=4)
    return SpeedUp(low, median, high, rounds)


def speed_up_table() -> Iterator[str]:
    """All comparisons, a line each as soon as it is measured."""

    def rows() -> Iterator[tuple[str, ...]]:
        for comparison in COMPARISONS.values():
            found = measure(comparison)
            middle = f"{found.low:.2f} to {found.high:.2f}"
            yield comparison.title, f"{found.median:.2f}", middle, f"{comparison.goal:g}"

    return page_tables.table(("two threads against one", "times as fast", "half of the rounds", "goal"), rows())


def main() -> None:
    """Measure and print the table."""
    for line in speed_up_table():
        print(line, flush=True)


if __name__ == "__main__":
    main()
