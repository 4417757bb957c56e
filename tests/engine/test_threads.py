import time
from types import SimpleNamespace

import pytest

import fastmcts
from fastmcts import MCTS, games, spawn_seed
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import ROOT
from fastmcts.engine import budget
from fastmcts.testing import check_tree
from tests.helpers.trees import assert_same_subtree

GAME = games.TicTacToe()
START = GAME.new_initial_state()


@pytest.mark.parametrize("trees", [2, 3, 5])
def test_the_result_is_the_same_for_any_number_of_threads(trees: int) -> None:
    first = fastmcts.search(START, simulations=1_001, trees=trees, seed=9)
    for threads in (2, 3, 8):
        other = fastmcts.search(START, simulations=1_001, trees=trees, threads=threads, seed=9)
        assert other.visits.tolist() == first.visits.tolist()
        assert other.values.tobytes() == first.values.tobytes()
        assert other.principal_variation() == first.principal_variation()
        for ours, theirs in zip(first.trees, other.trees, strict=True):
            assert_same_subtree(ours, ROOT, theirs, ROOT)


def test_each_tree_is_a_search_of_its_own_and_the_roots_are_added_up() -> None:
    result = fastmcts.search(START, simulations=1_000, trees=3, threads=2, seed=5)
    assert result.simulations == result.visits.sum() == 1_000
    alone = [
        fastmcts.search(START, simulations=simulations, seed=spawn_seed(5, index))
        for index, simulations in enumerate((334, 333, 333))
    ]
    for tree, search in zip(result.trees, alone, strict=True):
        check_tree(tree)
        assert_same_subtree(tree, ROOT, search.tree, ROOT)
    assert result.visits.tolist() == sum(search.visits for search in alone).tolist()  # pyright: ignore
    assert result.nodes == sum(search.nodes for search in alone)
    assert result.max_depth == max(search.max_depth for search in alone)
    assert result.principal_variation()[0] == result.action


def test_one_tree_uses_the_seed_itself() -> None:
    single = fastmcts.search(START, simulations=100, trees=1, seed=5)
    assert single.visits.tolist() == fastmcts.search(START, simulations=100, seed=5).visits.tolist()


def test_all_trees_advance_together() -> None:
    mcts = MCTS(GAME, simulations=900, trees=3, threads=2, seed=0)
    state = START.clone()
    result = mcts.search(state)
    for _ in range(4):
        result = mcts.search(state)
        assert result.action is not None
        mcts.advance(result.action)
        state.apply_action(result.action)
        for tree in mcts.forest.trees:
            check_tree(tree)
        assert mcts.forest.root_visits == result.visits[result.actions.tolist().index(result.action)]
    assert result.reused > 0.0


def test_a_tree_that_never_tried_the_move_starts_anew_there() -> None:
    mcts = MCTS(GAME, simulations=3, trees=3, seed=0)
    mcts.search(START)
    mcts.advance(4)
    for tree in mcts.forest.trees:
        check_tree(tree)
    assert mcts.search(START.child(4)).simulations == 3


def test_stoppers_and_traces_see_the_sum_of_the_trees() -> None:
    results = [
        fastmcts.search(START, simulations=5_000, trees=3, threads=threads, seed=2, trace=True, stop=fastmcts.Decided())
        for threads in (1, 2)
    ]
    for result in results:
        assert result.trace is not None
        assert result.trace.visits.sum(axis=1).tolist() == result.trace.simulations.tolist()
    assert results[0].simulations == results[1].simulations


def test_a_clock_ends_a_search_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    fastmcts.search(START, simulations=100, trees=2, threads=2, seed=0)
    # By the time that this process has had, other work on the machine makes no difference.
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=time.process_time))
    result = fastmcts.search(START, seconds=0.05, trees=2, threads=2, seed=0)
    assert result.stopped_by == "seconds"
    assert 0.05 <= result.seconds < 0.15
    assert result.simulations > (1_000 if JIT_ENABLED else 1)
