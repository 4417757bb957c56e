"""Simulations per second, for every game and budget: `pytest benchmarks/test_search.py`."""

from typing import Any

import pytest

import fastmcts
from fastmcts.testing.strategies import first_decision, searchable_games


@pytest.mark.parametrize("simulations", [1_000, 10_000, 100_000])
@pytest.mark.parametrize("name", searchable_games())
def test_search(benchmark: Any, name: str, simulations: int) -> None:
    state = first_decision(fastmcts.load_game(name))
    fastmcts.search(state, simulations=10, seed=0)
    result = benchmark.pedantic(
        fastmcts.search, args=(state,), kwargs={"simulations": simulations, "seed": 0}, rounds=5, iterations=1
    )
    assert result.simulations == simulations
    if benchmark.stats:
        benchmark.extra_info["simulations_per_second"] = round(simulations / benchmark.stats.stats.median)
