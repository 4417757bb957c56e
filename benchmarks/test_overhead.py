"""What a search costs besides its simulations: `pytest benchmarks/test_overhead.py`."""

from typing import Any

import pytest

import fastmcts
from fastmcts import games

pytestmark = pytest.mark.benchmark(group="overhead")

START = games.ConnectFour().new_initial_state()


@pytest.mark.parametrize("strategy", ["recommended", "plain"])
@pytest.mark.parametrize("simulations", [1, 500])
def test_a_short_search(benchmark: Any, simulations: int, strategy: str) -> None:
    options: dict[str, Any] = {"simulations": simulations, "seed": 0, "strategy": strategy}
    fastmcts.search(START, **options)
    result = benchmark(fastmcts.search, START, **options)
    assert result.simulations == simulations


def test_a_short_search_in_a_kept_tree(benchmark: Any) -> None:
    mcts = fastmcts.MCTS(START.game, simulations=1, seed=0)
    mcts.search(START)
    assert benchmark(mcts.search, START).simulations == 1


def test_a_batch_of_one_position(benchmark: Any) -> None:
    fastmcts.search_batch([START], simulations=1, seed=0)
    assert benchmark(fastmcts.search_batch, [START], simulations=1, seed=0).simulations == 1
