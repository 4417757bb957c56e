"""Bytes per node of the search tree, measured on a tree that a search has filled."""

import tracemalloc
from typing import Any

import fastmcts
from fastmcts import games
from fastmcts.core.tree import BYTES_PER_NODE, allocate


def test_memory_per_node(benchmark: Any) -> None:
    state = games.ConnectFour().new_initial_state()
    result = benchmark.pedantic(
        fastmcts.search, args=(state,), kwargs={"simulations": 100_000, "seed": 0}, rounds=1, iterations=1
    )
    tracemalloc.start()
    tree = allocate(result.nodes)
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    benchmark.extra_info["bytes_per_node"] = allocated / tree.visits.size
    benchmark.extra_info["nodes_per_simulation"] = result.nodes / result.simulations
    assert abs(allocated / tree.visits.size - BYTES_PER_NODE) < 1
    assert BYTES_PER_NODE <= 40
