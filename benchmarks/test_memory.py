"""Bytes per node of the search tree, measured on a tree that a search has filled."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import fastmcts
from fastmcts import games
from fastmcts.core.tree import BYTES_PER_NODE, allocate


@pytest.mark.benchmark(group="memory")
def test_memory_per_node(benchmark: Any, note: Callable[..., None]) -> None:
    state = games.ConnectFour().new_initial_state()
    fastmcts.search(state, simulations=10, seed=0)
    result = benchmark.pedantic(
        fastmcts.search, args=(state,), kwargs={"simulations": 100_000, "seed": 0}, rounds=1, iterations=1
    )
    tracemalloc.start()
    tree = allocate(result.nodes)
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    note(bytes_per_node=allocated / tree.visits.size, nodes_per_simulation=result.nodes / result.simulations)
    assert abs(allocated / tree.visits.size - BYTES_PER_NODE) < 1
    assert BYTES_PER_NODE <= 40
