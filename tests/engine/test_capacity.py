from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fastmcts
from fastmcts import MCTS, games
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core import tree as trees
from fastmcts.core.constants import FULL, NONE, ROOT
from fastmcts.core.tree import Tree, children
from fastmcts.engine import capacity
from fastmcts.kernels.loop import run
from fastmcts.kernels.shrink import compact, threshold
from fastmcts.testing import check_tree
from tests.helpers.trees import assert_same_subtree, copied, megabytes

GAME = games.TicTacToe()
START = GAME.new_initial_state()
CONNECT_FOUR = games.ConnectFour().new_initial_state()


def hanging() -> NDArray[np.int64]:
    """Scratch for recycling."""
    return np.zeros(threshold.NUM_STEPS, np.int64)


def test_a_search_with_too_little_memory_goes_on_within_it() -> None:
    for nodes in (60, 100, 300):
        result = fastmcts.search(START, simulations=2_000, seed=0, memory_mb=megabytes(nodes))
        assert result.simulations == result.visits.sum() == 2_000
        assert result.recycled > 0
        assert result.nodes <= result.tree.visits.size <= nodes
        assert result.memory_mb <= megabytes(nodes)
        check_tree(result.tree, recycled=True)


def test_a_squeezed_search_still_finds_the_move() -> None:
    # X has two in column a; O must block.
    state = START.child(0).child(4).child(3)
    assert fastmcts.search(state, simulations=3_000, seed=0, memory_mb=megabytes(80)).action == 6


def test_with_enough_memory_nothing_is_recycled() -> None:
    result = fastmcts.search(START, simulations=1_000, seed=0)
    assert result.recycled == 0
    assert result.memory_mb == result.nodes * trees.BYTES_PER_NODE / 1e6


def test_until_the_limit_is_reached_it_makes_no_difference() -> None:
    wanted = fastmcts.search(START, simulations=1_000, seed=0)
    tight = fastmcts.search(START, simulations=1_000, seed=0, memory_mb=megabytes(wanted.nodes + 9))
    assert tight.recycled == 0
    assert_same_subtree(wanted.tree, ROOT, tight.tree, ROOT)


def test_recycling_does_not_depend_on_how_the_search_is_cut() -> None:
    options: Any = {"seed": 0, "memory_mb": megabytes(200)}
    whole = fastmcts.search(START, simulations=1_000, **options)
    mcts = MCTS(GAME, simulations=50, **options)
    cut = [mcts.search(START) for _ in range(20)][-1]
    assert cut.recycled == whole.recycled > 0
    assert_same_subtree(whole.tree, ROOT, cut.tree, ROOT)


def test_recycling_drops_the_children_of_the_least_visited_and_nothing_else() -> None:
    tree = fastmcts.search(START, simulations=1_500, seed=0).tree
    before = copied(tree)
    size = int(before.size[0])
    fields, places = capacity.fields_and_places(tree)
    dropped = compact.recycle(tree, fields, places, hanging(), size // 3)
    check_tree(tree, recycled=True)
    assert size - dropped == tree.size[0] <= size // 3
    kept, lost = [], []
    compare(tree, ROOT, before, ROOT, kept, lost)
    assert max(lost) < min(kept), "who keeps its children was visited more often than who loses them"
    assert tree.size[0] + next_block(before, max(lost)) > size // 3, "no more than needed went"


def compare(tree: Tree, node: int, before: Tree, old: int, kept: list[int], lost: list[int]) -> None:
    """Collect the visits of nodes that kept and that lost their children; all else is as before."""
    for name in ("visits", "value_sum", "player"):
        assert getattr(tree, name)[node] == getattr(before, name)[old]
    if before.first_child[old] == NONE:
        return
    if tree.first_child[node] == NONE:
        lost.append(int(before.visits[old]))
        assert tree.num_children[node] == tree.num_tried[node] == 0
        return
    kept.append(int(before.visits[old]))
    for child, twin in zip(children(tree, node), children(before, old), strict=True):
        assert tree.action[child] == before.action[twin]
        compare(tree, child, before, twin, kept, lost)


def next_block(before: Tree, visits: int) -> int:
    """How many children nodes with exactly so many visits had."""
    count = 0
    level = [ROOT]
    while level:
        node = level.pop()
        level += children(before, node)
        count += int(before.num_children[node]) * (before.visits[node] == visits)
    return count


def test_the_root_keeps_its_children_even_if_they_are_too_many() -> None:
    tree = fastmcts.search(START, simulations=500, seed=0).tree
    fields, places = capacity.fields_and_places(tree)
    compact.recycle(tree, fields, places, hanging(), 2)
    assert tree.size[0] == 10
    assert tree.depth[0] == 1
    check_tree(tree, recycled=True)


def test_fields_with_several_entries_a_node_move_with_it() -> None:
    tree = fastmcts.search(START, simulations=300, seed=0).tree
    fields, places = capacity.fields_and_places(tree)
    pairs = np.repeat(tree.visits, 2).astype(np.float32)
    compact.recycle(tree, (*fields, pairs), places, hanging(), 100)
    size = int(tree.size[0])
    assert pairs[: 2 * size : 2].tolist() == pairs[1 : 2 * size : 2].tolist() == tree.visits[:size].tolist()


def test_recycled_visits_are_all_that_check_tree_forgives() -> None:
    tree = fastmcts.search(START, simulations=500, seed=0, memory_mb=megabytes(100)).tree
    with pytest.raises(AssertionError, match="visits, its children"):
        check_tree(tree)
    tree.visits[children(tree, ROOT)[0]] += 10_000
    with pytest.raises(AssertionError, match="visits, its children"):
        check_tree(tree, recycled=True)


def test_arrays_start_small_and_double_up_to_the_limit() -> None:
    tree = trees.allocate(1_000)
    assert capacity.next_capacity(tree, 32_000) == 2_000
    assert capacity.next_capacity(tree, 31_999) == 31_999, "only a small part of the limit is copied"
    large = capacity.DOUBLED_BYTES // trees.BYTES_PER_NODE
    assert capacity.next_capacity(trees.allocate(large), 100 * large) == 100 * large


@pytest.mark.jit
def test_neither_growth_nor_recycling_compiles_anything() -> None:
    fastmcts.search(CONNECT_FOUR, simulations=10, seed=0)
    MCTS(CONNECT_FOUR.game, simulations=10, memory_mb=megabytes(100), seed=0).search(CONNECT_FOUR)
    compiled: Any = (run, compact.recycle)
    before = [len(kernel.signatures) for kernel in compiled]
    result = fastmcts.search(CONNECT_FOUR, simulations=50_000, seed=0, memory_mb=megabytes(20_000))
    assert result.recycled > 0
    assert [len(kernel.signatures) for kernel in compiled] == before


def test_a_clock_does_not_wait_for_room() -> None:
    simulations = 20_000 if JIT_ENABLED else 500
    mcts = MCTS(CONNECT_FOUR.game, simulations=simulations, seed=0, memory_mb=megabytes(2_000))
    mcts.search(CONNECT_FOUR)
    searcher = mcts.forest.searchers[0]
    searcher.seconds_per_node = 1.0
    added = searcher.simulate(100_000, deadline=0.0)
    assert added < 100_000
    assert searcher.stopped == FULL


def test_a_clock_does_not_keep_a_full_tree_from_going_on() -> None:
    mcts = MCTS(CONNECT_FOUR.game, seconds=0.02, seed=0, memory_mb=megabytes(2_000))
    searcher = mcts.forest.searchers[0]
    mcts.search(CONNECT_FOUR)
    while searcher.stopped != FULL:
        searcher.run_kernel(100)
    searcher.seconds_per_node = 1.0
    assert mcts.search(CONNECT_FOUR).simulations > 0


def test_a_search_by_the_clock_has_a_tree_that_it_can_compact_in_time() -> None:
    def limit(**options: Any) -> int:
        return MCTS(CONNECT_FOUR.game, seed=0, **options).forest.searchers[0].limit

    assert limit(seconds=0.1) * capacity.SECONDS_PER_NODE == pytest.approx(0.05)
    assert limit(seconds=0.1, trees=4) == limit(seconds=0.1, trees=4, threads=2) == limit(seconds=0.1) // 4
    assert limit(seconds=1e-9) * capacity.SECONDS_PER_NODE == pytest.approx(capacity.LEAST_SECONDS)
    assert limit(seconds=100.0) == limit(simulations=10)
    assert limit(seconds=0.1, memory_mb=megabytes(100)) == 100


def test_memory_is_shared_by_all_trees() -> None:
    result = fastmcts.search(START, simulations=2_000, seed=0, trees=4, memory_mb=megabytes(400))
    assert result.nodes <= 400
    assert all(tree.visits.size <= 100 for tree in result.trees)
    with pytest.raises(ValueError, match="shared by 10 trees, is too small"):
        fastmcts.search(START, simulations=2_000, seed=0, trees=10, memory_mb=megabytes(100))


def test_advancing_frees_the_room_of_what_is_left_behind() -> None:
    mcts = MCTS(GAME, simulations=400, seed=0)
    first = mcts.search(START)
    nodes = first.nodes
    mcts.advance(4)
    assert mcts.forest.trees[0].size[0] < nodes / 2
