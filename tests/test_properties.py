"""Whatever is done to a search, in whatever order, every invariant holds."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fastmcts
from fastmcts import MCTS, games
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core import tree as trees
from fastmcts.core.constants import ROOT
from fastmcts.engine import capacity
from fastmcts.testing import check_tree
from tests.helpers.trees import assert_same_subtree, copied, megabytes
from tests.toys import ThreePlayers, TwiceInARow

STEPS = ("search", "search", "advance", "advance", "reset", "save and load", "grow", "recycle", "elsewhere")
EXAMPLES = 100 if JIT_ENABLED else 40


def check(mcts: MCTS) -> None:
    """The trees are whole, within their memory, and stand where they should."""
    for searcher in mcts.forest.searchers:
        if searcher.is_planted:
            check_tree(searcher.tree, recycled=searcher.recycled > 0)
        assert searcher.tree.visits.size <= searcher.limit


def grow(mcts: MCTS) -> None:
    for searcher in mcts.forest.searchers:
        nodes = capacity.next_capacity(searcher.tree, searcher.limit)
        searcher.tree = trees.grown(searcher.tree, max(nodes, searcher.tree.visits.size))


def recycle(mcts: MCTS) -> None:
    for searcher in mcts.forest.searchers:
        if searcher.is_planted:
            before = copied(searcher.tree)
            searcher.recycled += capacity.drop_least_visited(searcher.tree)
            assert searcher.tree.visits[ROOT] == before.visits[ROOT]
            assert searcher.tree.num_children[ROOT] == before.num_children[ROOT]


def saved_and_loaded(mcts: MCTS) -> MCTS:
    with tempfile.TemporaryDirectory() as folder:
        mcts.save(Path(folder) / "search")
        loaded = MCTS.load(Path(folder) / "search")
    for first, second in zip(mcts.forest.searchers, loaded.forest.searchers, strict=True):
        assert first.is_planted == second.is_planted
        if first.is_planted:
            assert np.array_equal(first.root, second.root)
            assert_same_subtree(first.tree, ROOT, second.tree, ROOT)
    return loaded


@pytest.mark.parametrize("game", [games.TicTacToe(), TwiceInARow(), ThreePlayers()], ids=lambda game: game.name)
@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_any_sequence_of_steps_keeps_every_invariant(game: fastmcts.Game, data: st.DataObject) -> None:
    mcts = MCTS(
        game,
        simulations=data.draw(st.integers(3, 120), "simulations"),
        seed=data.draw(st.integers(0, 2**32), "seed"),
        memory_mb=data.draw(st.sampled_from([megabytes(150), megabytes(400), 10.0]), "memory_mb"),
        trees=data.draw(st.sampled_from([1, 1, 3]), "trees"),
    )
    state = game.new_initial_state(seed=0)
    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=12), "steps"):
        if step == "search":
            before = mcts.forest.root_visits if mcts.forest.is_planted else 0
            here = mcts.forest.is_planted and np.array_equal(mcts.forest.root, state.array)
            result = mcts.search(state)
            assert result.actions.tolist() == state.legal_actions()
            if here:
                assert mcts.forest.root_visits == before + result.simulations
            if result.stopped_by == "simulations":
                assert result.simulations == mcts.options.simulations
            else:
                assert len(result.actions) <= 1
        elif step == "advance" and mcts.forest.is_planted and np.array_equal(mcts.forest.root, state.array):
            legal = state.legal_actions()
            if legal:
                action = data.draw(st.sampled_from(legal), "action")
                mcts.advance(action)
                state.apply_action(action)
                assert np.array_equal(mcts.forest.root, state.array)
        elif step == "reset":
            mcts.reset()
        elif step == "save and load":
            mcts = saved_and_loaded(mcts)
        elif step == "grow":
            grow(mcts)
        elif step == "recycle":
            recycle(mcts)
        elif step == "elsewhere":
            legal = state.legal_actions()
            state = state.child(data.draw(st.sampled_from(legal), "move")) if legal else game.new_initial_state(seed=0)
        check(mcts)
