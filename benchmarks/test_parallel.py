"""Two threads gain what `two_threads.py` asks for."""

import os
from typing import Any

import pytest
import two_threads


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two threads need two cores")
@pytest.mark.benchmark(group="parallel")
@pytest.mark.parametrize("name", list(two_threads.COMPARISONS))
def test_two_threads(benchmark: Any, name: str) -> None:
    comparison = two_threads.COMPARISONS[name]
    found = two_threads.measure(comparison)
    benchmark.extra_info.update(low=round(found.low, 2), median=round(found.median, 2), high=round(found.high, 2))
    print(f"{comparison.title}: {found.median:.2f} ({found.low:.2f} to {found.high:.2f} in half of the rounds)")
    benchmark.pedantic(comparison.other, rounds=1, iterations=1)
    assert found.median >= comparison.goal
