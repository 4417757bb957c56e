"""What is kept of trees that stand side by side: whole, and the same as a tree that is advanced by itself."""

from typing import Any

import numpy as np
import pytest

from fastmcts import MCTS, games
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.tree import Tree, children
from fastmcts.engine.kept import Kept, cut, most_together, plant_kept
from fastmcts.engine.plan import Plan, plan_for
from fastmcts.engine.searcher import empty_tree
from fastmcts.kernels.plant import plant
from fastmcts.rng import make_rng
from fastmcts.testing.tree_checks import check_tree
from tests.helpers.trees import assert_same_subtree, copied

GAME = games.TicTacToe()
GENERATOR = make_rng(1)


def grown(seed: int, **options: Any) -> tuple[Plan, MCTS]:
    """A search that has a tree."""
    search = MCTS(GAME, simulations=200, seed=seed, **options)
    search.search(GAME.new_initial_state().child(0).child(3))
    return search.driver.plan, search


def most_visited_path(tree: Tree, length: int) -> list[int]:
    """The actions that lead to the most visited node so many moves below the root, step by step."""
    node, path = ROOT, list[int]()
    for _ in range(length):
        node = max(children(tree, node), key=lambda child: int(tree.visits[child]))
        path.append(int(tree.action[node]))
    return path


def planted(plan: Plan, kept: list[Kept | None], capacity: int = 4000) -> Tree:
    """Arrays with a root for each tree, and what is kept of it."""
    tree = empty_tree(plan, capacity)
    plant(GAME, tree, 0)
    for root in range(1, len(kept)):
        for name in ("parent", "first_child", "num_children", "num_tried", "action", "player"):
            getattr(tree, name)[root] = getattr(tree, name)[ROOT]
    tree.size[0] = len(kept)
    plant_kept(tree, kept)
    return tree


@pytest.mark.parametrize("solver", [False, True])
def test_what_is_kept_is_the_tree_that_is_advanced_by_itself(solver: bool) -> None:
    plan, search = grown(1, solver=solver)
    before = copied(search.forest.trees[0])
    for length in range(4):
        path = most_visited_path(before, length)
        for action in path:
            search.advance(action)
        (kept,) = cut(plan, before, [ROOT], [path], [GENERATOR])
        alone = planted(plan, [kept])
        check_tree(alone)
        assert kept.nodes == int(alone.size[0]) == int(search.forest.trees[0].size[0])
        assert alone.depth[0] == search.forest.trees[0].depth[0]
        assert_same_subtree(alone, ROOT, search.forest.trees[0], ROOT)
        if solver:
            bounds = alone.lower[: 2 * kept.nodes], alone.upper[: 2 * kept.nodes]
            assert sorted(bounds[0].tolist()) == sorted(search.forest.trees[0].lower[: 2 * kept.nodes].tolist())
            assert path or bounds[0].max() == 1.0, "something must be proven"
        _, search = grown(1, solver=solver)
    assert before.size[0] == search.forest.trees[0].size[0], "trees stay as they are"


def test_trees_of_several_origins_stand_side_by_side_and_can_be_taken_apart_again() -> None:
    plan, first = grown(1)
    _, second = grown(2)
    trees = [first.forest.trees[0], second.forest.trees[0]]
    kept = [
        cut(plan, trees[index], [ROOT], [path], [GENERATOR])[0] for index, path in ((0, [4]), (1, [1]), (0, [2, 4]))
    ]
    both = planted(plan, [kept[0], None, kept[1], kept[2]])
    assert both.num_children[1] == 0
    assert both.parent[:4].tolist() == both.action[:4].tolist() == [NONE] * 4
    parts = cut(plan, both, [0, 2, 3], [[], [8], []], [GENERATOR] * 3)
    for part, (index, path) in zip(parts, ((0, [4]), (1, [1, 8]), (0, [2, 4])), strict=True):
        alone = planted(plan, [part])
        check_tree(alone)
        node = ROOT
        for action in path:
            node = next(child for child in children(trees[index], node) if trees[index].action[child] == action)
        assert_same_subtree(alone, ROOT, trees[index], node)
        own = part.by_itself(plan)
        assert own.arrays is not None
        assert own.arrays.size[0] == own.nodes == part.nodes
    assert cut(plan, both, [1], [[3]], [GENERATOR])[0].nodes == 0, "a path that leaves the tree"


def test_as_many_trees_grow_together_as_find_room_and_a_large_one_grows_alone() -> None:
    def evaluate(observations: Any, legal: Any) -> Any:
        return np.ones(legal.shape), np.zeros(len(legal))

    plan, _ = plan_for(GAME, None, {"simulations": 10, "evaluator": evaluate, "memory_mb": 0.2}, "batch")
    few = most_together(plan, [0] * 50, 0)
    assert few == list(range(len(few)))
    assert 2 < len(few) < 50
    assert len(most_together(plan, [50] * 50, 800)) < len(most_together(plan, [50] * 50, 250))
    assert most_together(plan, [10**6, 0, 0], 10**6) == [0]
    assert most_together(plan, [0, 10**6, 0], 100) == [0, 2]
    assert most_together(plan, [0, 0], 10**6) == [0], "somebody always goes on"
