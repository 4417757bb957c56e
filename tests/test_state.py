from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import State, games
from tests.toys import OneShot, TwiceInARow, position

GAME = games.ConnectFour()


def test_an_illegal_action_is_refused_with_the_legal_ones() -> None:
    state = GAME.new_initial_state()
    for action in (7, -1, 100):
        with pytest.raises(ValueError, match=rf"action {action} is not legal here; legal are \[0, 1, 2, 3, 4, 5, 6\]"):
            state.apply_action(action)
    assert state == GAME.new_initial_state()


def test_no_action_can_be_played_when_the_game_is_over() -> None:
    state = OneShot().new_initial_state().child(1)
    assert state.is_terminal()
    assert state.current_player() == fastmcts.TERMINAL
    assert state.legal_actions() == []
    with pytest.raises(ValueError, match="the game is over"):
        state.apply_action(0)


def test_a_child_leaves_its_parent_alone_and_a_clone_is_independent() -> None:
    state = GAME.new_initial_state()
    child, clone = state.child(3), state.clone()
    clone.apply_action(3)
    assert clone == child != state
    assert state.array.tolist() == GAME.new_initial_state().array.tolist()


def test_texts_of_moves_read_back() -> None:
    state = GAME.new_initial_state()
    assert state.action_to_string(3) == "d"
    assert state.string_to_action(" d ") == 3
    with pytest.raises(ValueError, match="'x' is not a legal move here; legal are: a, b, c, d, e, f, g"):
        state.string_to_action("x")


def test_returns_are_zero_while_the_game_goes_on() -> None:
    assert GAME.new_initial_state().returns() == [0.0, 0.0]


def test_a_position_can_be_rebuilt_from_its_array() -> None:
    state = GAME.new_initial_state().child(3).child(3)
    rebuilt = GAME.state_from_array(state.array)
    assert rebuilt == state
    rebuilt.apply_action(0)
    assert rebuilt != state, "the array was copied"


def test_states_of_different_games_differ() -> None:
    array = np.zeros(4, np.int64)
    assert games.ConnectFour(rows=5).new_state(array) != games.ConnectFour(rows=6).new_state(array)
    assert games.ConnectFour().new_state(array) != "a string"


def test_in_a_game_without_hidden_information_everybody_knows_everything() -> None:
    state = GAME.new_initial_state().child(2)
    assert state.determinize(0, seed=5) == state
    assert state.information_state_string(0) == state.information_state_string(1)
    assert state.information_state_string(0) != state.child(1).information_state_string(0)
    with pytest.raises(ValueError, match="player must be from 0 to 1, not 2"):
        state.information_state_string(2)


def test_chance_outcomes_are_asked_for_at_chance_nodes_only() -> None:
    state = GAME.new_initial_state()
    assert not state.is_chance_node()
    with pytest.raises(ValueError, match="no chance decides here"):
        state.chance_outcomes()


def test_the_attributes_of_a_game_are_those_of_the_contract() -> None:
    assert (GAME.name, GAME.num_players, GAME.num_actions, GAME.state_size) == ("connect_four", 2, 7, 4)
    assert (GAME.max_game_length, GAME.min_utility, GAME.max_utility) == (42, -1.0, 1.0)
    assert repr(GAME.new_initial_state()).startswith("State(ConnectFour(rows=6, columns=7, connect=4), [0, -1")


def test_no_action_is_written_as_none() -> None:
    state = games.TicTacToe().new_initial_state()
    assert state.action_to_string(None) == "none"
    with pytest.raises(TypeError, match="whole number, not 'b2'"):
        state.action_to_string("b2")  # pyright: ignore[reportArgumentType]


def test_a_bad_move_is_answered_with_some_of_the_legal_ones_and_their_number() -> None:
    with pytest.raises(ValueError, match=r"legal are: a1S, .*, \.\.\. \(128 moves\)$") as caught:
        games.SOS().new_initial_state().string_to_action("z9X")
    assert len(str(caught.value)) < 120


def test_a_deal_is_drawn_at_random_and_its_seed_repeats_it() -> None:
    game = games.Whist()
    deals = [game.new_initial_state() for _ in range(3)]
    assert len({str(deal) for deal in deals}) == len({deal.seed for deal in deals}) == 3
    assert [game.new_initial_state(deal.seed) for deal in deals] == deals
    assert game.new_initial_state(seed=np.int64(5)).seed == 5  # pyright: ignore[reportArgumentType]
    for wrong in (0.5, "a", True):
        with pytest.raises(TypeError, match="seed must be a whole number"):
            game.new_initial_state(seed=wrong)  # pyright: ignore[reportArgumentType]


def test_the_seed_of_a_deal_stays_with_the_game_but_not_with_what_a_player_may_see() -> None:
    state = games.Whist().new_initial_state(seed=5)
    move = state.legal_actions()[0]
    assert state.child(move).seed == state.clone().seed == 5
    assert state.view(0).seed is None
    assert state.determinize(0, seed=1).seed is None
    assert GAME.new_initial_state(seed=5).view(0).seed is None
    assert state.game.state_from_array(state.array).seed is None


def test_chance_that_comes_first_is_drawn_if_asked_for() -> None:
    game = games.Twenty48()
    assert game.new_initial_state().is_chance_node()
    starts = {str(game.new_initial_state(seed, draw_chance=True)) for seed in range(20)}
    assert len(starts) > 10
    assert game.new_initial_state(3, draw_chance=True) == game.new_initial_state(3, draw_chance=True)
    result = fastmcts.search(game.new_initial_state(draw_chance=True), simulations=5, seed=0)
    assert result.action is not None


class Answering(TwiceInARow):
    """Its rules return what they should not; which of them, the state's first entry says."""

    def current_player(self, state):
        return None if state[0] == 1 else super().current_player(state)

    def legal_actions(self, state, actions):  # pyright: ignore[reportIncompatibleMethodOverride]
        return [0, 1] if state[0] == 2 else super().legal_actions(state, actions)

    def apply(self, state, action):
        return state.copy()

    def returns(self, state, out):  # pyright: ignore[reportIncompatibleMethodOverride]
        return [1.0, -1.0]


@pytest.mark.parametrize(
    ("entries", "ask", "message"),
    [
        ((1, 0), State.current_player, "current_player returns None, not the player to move.* end without a return"),
        ((2, 0), State.legal_actions, r"legal_actions returns the list \[0, 1\], not how many actions it has written"),
        ((0, 0), lambda state: state.apply_action(0), "apply returns the ndarray .*; it must change `state` in place"),
        ((0, 8), State.returns, "returns returns the list .*; it must write each player's utility into `out`"),
    ],
)
def test_an_answer_that_no_rule_gives_is_named(entries: Any, ask: Any, message: str) -> None:
    with pytest.raises(fastmcts.GameError, match=f"Answering: {message}"):
        ask(position(Answering(), *entries))
