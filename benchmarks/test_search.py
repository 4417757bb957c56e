"""Simulations per second with default options, for every game and budget: `pytest benchmarks/test_search.py -m ""`."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import quick

import fastmcts
from fastmcts.testing.strategies import first_decision, searchable_games

BUDGETS = (1_000, 10_000, 100_000)
QUICK_GAMES = ("connect_four", "hex", "othello", "sos", "tic_tac_toe")
QUICK = {("connect_four", 100_000), *((name, 10_000) for name in QUICK_GAMES)}


@pytest.mark.benchmark(group="search")
@pytest.mark.parametrize(
    ("name", "simulations"), quick.thorough_unless(QUICK, itertools.product(searchable_games(), BUDGETS))
)
def test_search(benchmark: Any, note: Callable[..., None], name: str, simulations: int) -> None:
    state = first_decision(fastmcts.load_game(name))
    fastmcts.search(state, simulations=10, seed=0)
    result = benchmark.pedantic(
        fastmcts.search, args=(state,), kwargs={"simulations": simulations, "seed": 0}, rounds=7, iterations=1
    )
    assert result.simulations == simulations
    if benchmark.stats:
        note(simulations_per_second=round(simulations / benchmark.stats.stats.min))
