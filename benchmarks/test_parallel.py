"""What two threads gain, everything interleaved in one run; only ratios count.

Neighbours on a shared machine slow down now one core and now the other, by half at times. So what is compared with
two threads runs on one core and on the other, just before and just after, and the median of many such rounds counts.
"""

import os
import statistics
from collections.abc import Callable
from typing import Any

import pytest

import fastmcts
from fastmcts import games

FEWEST_ROUNDS = 15
SECONDS = 10.0  # of measuring, where rounds are short

pytestmark = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two threads need two cores")

START = games.ConnectFour().new_initial_state()


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


def compare(benchmark: Any, names: tuple[str, str], one: Callable[[], float], other: Callable[[], float]) -> float:
    """How many times as fast the other is: the median over interleaved rounds."""

    def ratio() -> float:
        before, took, after = on_core(0, one), other(), on_core(1, one)
        return statistics.harmonic_mean([before, after]) / took

    one()
    rounds = max(FEWEST_ROUNDS, int(SECONDS / (2 * one() + other())))
    ratios = [ratio() for _ in range(rounds)]
    low, median, high = statistics.quantiles(ratios, n=4)
    benchmark.extra_info.update(low=round(low, 2), median=round(median, 2), high=round(high, 2))
    print(f"{names[0]} / {names[1]}: {median:.2f} (half of {rounds} rounds {low:.2f} to {high:.2f})")
    benchmark.pedantic(other, rounds=1, iterations=1)
    return median


def search_seconds(**options: Any) -> float:
    return fastmcts.search(START, seed=0, **options).seconds


def batch_seconds(threads: int, positions: int = 1_024) -> float:
    return fastmcts.search_batch([START] * positions, simulations=64, seed=0, threads=threads).seconds


@pytest.mark.benchmark(group="parallel")
def test_two_trees(benchmark: Any) -> None:
    ratio = compare(
        benchmark,
        ("sequential search", "trees=2, threads=2"),
        lambda: search_seconds(simulations=400_000),
        lambda: search_seconds(simulations=400_000, trees=2, threads=2),
    )
    assert ratio >= 1.7


@pytest.mark.benchmark(group="parallel")
@pytest.mark.parametrize(
    ("game", "simulations", "least"),
    [(games.ConnectFour(), 400_000, 1.4), (games.Othello(), 60_000, 1.5), (games.MNK(15, 15, 5), 30_000, 1.7)],
)
def test_shared_tree(benchmark: Any, game: fastmcts.Game, simulations: int, least: float) -> None:
    """Counters near the root bounce between the cores, the less the longer rollouts are."""
    state = game.new_initial_state()
    ratio = compare(
        benchmark,
        (f"{game.name}, sequential", "two threads in one tree"),
        lambda: fastmcts.search(state, seed=0, simulations=simulations).seconds,
        lambda: fastmcts.search(state, seed=0, simulations=simulations, threads=2, parallel="shared").seconds,
    )
    assert ratio >= least


@pytest.mark.benchmark(group="parallel")
def test_batch_on_two_threads(benchmark: Any) -> None:
    ratio = compare(
        benchmark,
        ("batch of 1,024 x 64 on one thread", "on two"),
        lambda: batch_seconds(threads=1),
        lambda: batch_seconds(threads=2),
    )
    assert ratio >= 1.7


@pytest.mark.benchmark(group="parallel")
def test_batch_against_one_long_search(benchmark: Any) -> None:
    ratio = compare(
        benchmark,
        ("one search of 65,536", "batch of 1,024 x 64 on one thread"),
        lambda: search_seconds(simulations=65_536),
        lambda: batch_seconds(threads=1),
    )
    assert ratio >= 1.0
