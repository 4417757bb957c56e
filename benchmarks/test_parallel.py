"""Two threads gain what `two_threads.py` asks for, on a machine that does nothing else."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
import two_threads


@pytest.mark.thorough
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two threads need two cores")
@pytest.mark.benchmark(group="parallel", timer=time.perf_counter)
@pytest.mark.parametrize("name", list(two_threads.COMPARISONS))
def test_two_threads(benchmark: Any, note: Callable[..., None], name: str) -> None:
    comparison = two_threads.COMPARISONS[name]
    found = two_threads.measure(comparison)
    note(times_as_fast=found.median, low_quartile=found.low, high_quartile=found.high, goal=comparison.goal)
    benchmark.pedantic(comparison.other, rounds=1, iterations=1)
    assert found.median >= comparison.goal
