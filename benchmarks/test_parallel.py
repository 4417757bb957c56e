"""What two threads gain, everything interleaved in one run; only ratios count.

The speed-up that two independent processes get at the same moment is measured beside it: no thread can
gain more than the machine gives.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import fastmcts
from fastmcts import games

FEWEST_ROUNDS = 9
SECONDS = 4.0  # of measuring, where rounds are short
ENOUGH_CORES = 1.8  # what two processes must gain before two threads can be judged
START = games.ConnectFour().new_initial_state()
BUSY = "x = 0\nfor i in range(3_000_000): x += i"


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def machine_speed_up() -> float:
    """How much faster two processes are than one after the other."""

    def run(count: int) -> None:
        processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
        for process in processes:
            process.wait()

    return 2 * seconds(lambda: run(1)) / seconds(lambda: run(2))


def compare(benchmark: Any, names: tuple[str, str], one: Callable[[], float], other: Callable[[], float]) -> float:
    """The ratio of two times, best of each and median over interleaved rounds; the first is warmed up."""
    one()
    rounds = max(FEWEST_ROUNDS, int(SECONDS / (one() + other())))
    pairs = [(one(), other()) for _ in range(rounds)]
    best = min(first for first, _ in pairs) / min(second for _, second in pairs)
    median = statistics.median(first / second for first, second in pairs)
    machine = max(machine_speed_up() for _ in range(3))
    benchmark.extra_info.update(best=round(best, 2), median=round(median, 2), machine=round(machine, 2))
    print(f"{names[0]} / {names[1]}: best {best:.2f}, median {median:.2f}; two processes gain {machine:.2f}")
    benchmark.pedantic(other, rounds=1, iterations=1)
    if machine < ENOUGH_CORES:
        pytest.skip(f"two processes gain only {machine:.2f} here and now: nothing can be said about two threads")
    return best


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
    [(games.ConnectFour(), 400_000, 1.4), (games.Othello(), 60_000, 1.5), (games.MNK(15, 15, 5), 15_000, 1.7)],
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
