import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import MCTS, games
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import child_for
from fastmcts.testing import check_tree
from tests.helpers.faulty_games import Fragile
from tests.helpers.trees import assert_same_subtree, copied
from tests.toys import OneShot, Shuffled, ThreePlayers, TwiceInARow

GAME = games.TicTacToe()
START = GAME.new_initial_state()


def test_the_first_search_is_that_of_the_search_function() -> None:
    kept = MCTS(GAME, simulations=300, seed=7).search(START)
    once = fastmcts.search(START, simulations=300, seed=7)
    assert_same_subtree(kept.tree, ROOT, once.tree, ROOT)
    assert kept.reused == 0.0


def test_searching_on_is_one_long_search() -> None:
    mcts = MCTS(GAME, simulations=200, seed=1)
    for share in (0.0, 1 / 2, 2 / 3):
        result = mcts.search(START)
        assert result.simulations == 200
        assert result.reused == share
    assert_same_subtree(result.tree, ROOT, fastmcts.search(START, simulations=600, seed=1).tree, ROOT)


@pytest.mark.parametrize("game", [GAME, games.ConnectFour(), TwiceInARow(), ThreePlayers()], ids=lambda game: game.name)
def test_advancing_keeps_exactly_the_statistics_of_the_subtree(game: fastmcts.Game) -> None:
    state = game.new_initial_state()
    mcts = MCTS(game, simulations=500, seed=0)
    while not state.is_terminal():
        result = mcts.search(state)
        assert result.action is not None
        before = copied(mcts.forest.trees[0])
        check_tree(before)
        mcts.advance(result.action)
        state.apply_action(result.action)
        tree = mcts.forest.trees[0]
        check_tree(tree)
        assert_same_subtree(tree, ROOT, before, child_for(before, ROOT, result.action))
        assert np.array_equal(mcts.forest.root, state.array)


def test_reused_is_the_share_of_visits_that_were_kept() -> None:
    mcts = MCTS(GAME, simulations=400, seed=0)
    first = mcts.search(START)
    assert first.action is not None
    kept = int(first.visits.max())
    mcts.advance(first.action)
    second = mcts.search(START.child(first.action))
    assert second.reused == kept / (kept + 400)
    assert second.visits.sum() == kept - 1 + 400, "the first visit of a node goes no further"
    assert second.simulations == 400


@pytest.mark.parametrize("moves", [1, 2, 3])
def test_a_position_a_few_moves_below_is_recognised(moves: int) -> None:
    mcts = MCTS(GAME, simulations=2_000, seed=0)
    result = mcts.search(START)
    state = START.clone()
    node = ROOT
    for action in result.principal_variation()[:moves]:
        state.apply_action(action)
        node = child_for(result.tree, node, action)
    visits = int(result.tree.visits[node])
    below = mcts.search(state)
    assert below.reused == visits / (visits + 2_000) > 0.0
    check_tree(below.tree)


def test_any_other_position_starts_anew() -> None:
    mcts = MCTS(GAME, simulations=300, seed=3)
    mcts.search(START)
    far = START.child(0).child(1).child(2).child(3).child(4)
    result = mcts.search(far)
    assert result.reused == 0.0
    assert_same_subtree(result.tree, ROOT, fastmcts.search(far, simulations=300, seed=3).tree, ROOT)


def test_advancing_to_a_move_that_was_never_tried_starts_anew_there() -> None:
    mcts = MCTS(GAME, simulations=1, seed=0)
    visits = mcts.search(START).visits
    action = int(np.flatnonzero(visits == 0)[0])
    mcts.advance(action)
    assert np.array_equal(mcts.forest.root, START.child(action).array)
    assert mcts.search(START.child(action)).reused == 0.0


def test_a_reset_forgets_everything() -> None:
    mcts = MCTS(GAME, simulations=300, seed=3)
    first = mcts.search(START)
    visits = first.visits.tolist()
    mcts.reset()
    again = mcts.search(START)
    assert again.reused == 0.0
    assert again.visits.tolist() == visits
    mcts.reset()
    with pytest.raises(ValueError, match=r"no position to advance from: search\(state\) comes first"):
        mcts.advance(0)


def test_a_result_stays_as_it_was_when_the_tree_goes_on() -> None:
    mcts = MCTS(GAME, simulations=300, seed=3)
    kept, twin = mcts.search(START), fastmcts.search(START, simulations=300, seed=3)
    mcts.advance(8)
    mcts.search(START.child(8))
    assert kept.principal_variation() == twin.principal_variation()
    assert str(kept) == str(twin)


def test_an_illegal_action_is_refused_and_the_tree_untouched() -> None:
    mcts = MCTS(GAME, simulations=100, seed=0)
    mcts.search(START.child(4))
    before = copied(mcts.forest.trees[0])
    for action in (4, 9, -1):
        with pytest.raises(ValueError, match="is not legal here; legal are"):
            mcts.advance(action)
    for what in (0.5, "a", np.array([0, 1])):
        with pytest.raises(TypeError, match="an action must be a whole number, not"):
            mcts.advance(what)  # pyright: ignore[reportArgumentType]
    assert_same_subtree(mcts.forest.trees[0], ROOT, before, ROOT)
    assert np.array_equal(mcts.forest.root, START.child(4).array)


@pytest.mark.slow_to_compile
def test_a_state_of_another_game_is_refused_and_the_tree_untouched() -> None:
    mcts = MCTS(games.ConnectFour(rows=4, columns=5), simulations=100, seed=0)
    state = mcts.game.new_initial_state()
    visits = mcts.search(state).visits.tolist()
    for other in (START, games.ConnectFour().new_initial_state()):
        with pytest.raises(ValueError, match=r"searches ConnectFour\(rows=4, columns=5.* but the state is one of"):
            mcts.search(other)
    with pytest.raises(TypeError, match="search takes a State"):
        mcts.search(state.array)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="MCTS takes a Game"):
        MCTS(state, simulations=10)  # pyright: ignore[reportArgumentType]
    assert mcts.search(state).reused == 0.5
    assert sum(visits) == 100


@pytest.mark.slow_to_compile
def test_a_single_legal_move_is_returned_without_search_unless_asked() -> None:
    state = Shuffled().new_initial_state(seed=0)
    result = fastmcts.search(state, simulations=50, seed=0)
    assert (result.action, result.stopped_by, result.simulations) == (0, "single move", 0)
    assert result.policy.tolist() == [1.0]
    searched = fastmcts.search(state, simulations=50, seed=0, search_forced=True)
    assert (searched.action, searched.stopped_by, searched.simulations) == (0, "simulations", 50)


@pytest.mark.slow_to_compile
def test_a_finished_game_says_so() -> None:
    mcts = MCTS(OneShot(), simulations=50, seed=0)
    mcts.search(OneShot().new_initial_state())
    mcts.advance(1)
    result = mcts.search(OneShot().new_initial_state().child(1))
    assert (result.action, result.stopped_by) == (None, "game over")


@dataclass(frozen=True)
class FaceDown(OneShot):
    """Action 1 is to look at something; then the same choice again, for good."""

    state_size = 3
    max_game_length = 2

    def current_player(self, state):
        return fastmcts.TERMINAL if state[0] == 2 else 0

    def apply(self, state, action):
        state[0] += 1
        state[1] = action

    def reveals(self, state, action):
        return state[0] == 0 and action == 1


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(("action", "kept"), [(0, True), (1, False)])
def test_what_a_move_reveals_makes_the_statistics_below_worthless(action: int, kept: bool) -> None:
    game = FaceDown()
    state = game.new_initial_state(seed=0)
    by_advance, by_search = (MCTS(game, simulations=100, seed=0) for _ in range(2))
    for mcts in (by_advance, by_search):
        mcts.search(state)
    by_advance.advance(action)
    for mcts in (by_advance, by_search):
        assert (mcts.search(state.child(action)).reused > 0.0) is kept


@pytest.mark.jit
@pytest.mark.usefixtures("untried")
def test_after_a_failure_of_the_game_the_next_search_starts_anew() -> None:
    game = Fragile()
    mcts = MCTS(game, simulations=10_000, seed=0)
    with pytest.raises(fastmcts.GameError, match="Fragile breaks the rules for games"):
        mcts.search(game.new_initial_state())
    safe = game.new_initial_state().child(0)
    result = mcts.search(safe)
    assert result.reused == 0.0
    check_tree(result.tree)


def test_visits_beyond_what_int32_counts_are_refused() -> None:
    mcts = MCTS(GAME, simulations=100, seed=0)
    mcts.search(START)
    mcts.forest.trees[0].visits[ROOT] = 2**31 - 50
    with pytest.raises(ValueError, match="and can count 49 more: reset"):
        mcts.search(START)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threads": 0}, ValueError, "threads must be from 1 to"),
        ({"threads": 2}, ValueError, "threads=2 have only one tree to work on: set trees=2"),
        ({"trees": 0}, ValueError, "trees must be from 1 to"),
        ({"trees": 20}, ValueError, "trees=20 cannot share simulations=10"),
        ({"parallel": "sideways"}, ValueError, "parallel must be one of trees, shared, not 'sideways'"),
        ({"memory_mb": 0}, ValueError, "memory_mb must be above 0"),
        ({"memory_mb": 1e-4}, ValueError, r"memory_mb=0\.0001 is too small for tic_tac_toe: .* at least 0\.002"),
        ({"memory_mb": "1"}, TypeError, "memory_mb must be a number"),
        ({"stop": "now"}, TypeError, "stop must be a Stopper or several, such as Decided"),
        ({"stop": fastmcts.UCT()}, TypeError, "stop must be a Stopper"),
        ({"progress": 3}, TypeError, "progress must be True, False, None or a function"),
        ({"trace": 1}, TypeError, "trace must be True or False"),
        ({"search_forced": None}, TypeError, "search_forced must be True or False"),
    ],
    ids=lambda value: re.sub(r"\W+", "-", repr(value)) if isinstance(value, dict) else None,
)
def test_bad_options_are_refused_in_words(options: Any, error: type[Exception], message: str) -> None:
    for make in (
        lambda: MCTS(GAME, simulations=10, **options),
        lambda: fastmcts.search(START, simulations=10, **options),
    ):
        with pytest.raises(error, match=message):
            make()


def test_choose_tells_the_move_in_words_and_none_at_the_end() -> None:
    game = games.TicTacToe()
    state = game.new_initial_state(seed=0)
    mcts = MCTS(game, simulations=50, seed=0)
    texts = []
    while (text := mcts.choose(state)) is not None:
        texts.append(text)
        state.apply_action(state.string_to_action(text))
    assert state.is_terminal()
    assert len(texts) >= 5


def test_a_search_may_have_a_budget_of_its_own() -> None:
    state = games.TicTacToe().new_initial_state()
    mcts = MCTS(state.game, simulations=100, seed=0)
    assert mcts.search(state, simulations=30).simulations == 30
    assert mcts.search(state).simulations == 100
    by_clock = mcts.search(state, seconds=0.02)
    assert by_clock.stopped_by == "seconds"
    assert mcts.search(state, simulations=10, seconds=60.0).simulations == 10
    assert mcts.choose(state, simulations=1) in ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
    once = MCTS(state.game, seconds=60.0, seed=0).search(state, simulations=130)
    assert_same_subtree(once.tree, ROOT, fastmcts.search(state, simulations=130, seed=0).tree, ROOT)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"simulations": 0}, "simulations must be from 1 to"),
        ({"seconds": -1.0}, "seconds must be above 0"),
        ({"simulations": 1}, "trees=2 cannot share simulations=1"),
    ],
)
def test_a_budget_for_one_search_is_checked_before_anything_happens(budget: dict[str, Any], message: str) -> None:
    mcts = MCTS(games.TicTacToe(), simulations=100, seed=0, trees=2)
    first = mcts.search(games.TicTacToe().new_initial_state())
    with pytest.raises(ValueError, match=message):
        mcts.search(games.TicTacToe().new_initial_state(), **budget)
    assert first.tree.visits[ROOT] == 50
