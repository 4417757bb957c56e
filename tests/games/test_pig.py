"""Pig: turns, the die, and how games end."""

import numpy as np
import pytest

from fastmcts.core.constants import CHANCE
from fastmcts.games import Pig
from fastmcts.games.pig import DECISIONS, PLAYER, SCORE, TURN_PLAYER, TURN_TOTAL, WINNER
from fastmcts.state import State
from fastmcts.testing import check_game


def play(state: State, moves: str) -> State:
    """Play moves such as `roll 6 hold`, a number being what the die shows."""
    for move in moves.split():
        state.apply_action(state.string_to_action(move))
    return state


@pytest.mark.parametrize("game", [Pig(), Pig(target=20, num_players=4, horizon=30)], ids=str)
def test_the_game_keeps_the_contract(game):
    check_game(game, positions=300)


def test_holding_scores_the_sum_of_the_turn():
    state = play(Pig().new_initial_state(), "roll 6 roll 2")
    assert str(state) == "scores 0 0; player 0 has 8 in this turn"
    play(state, "hold")
    assert state.current_player() == 1
    assert str(state) == "scores 8 0; player 1 has 0 in this turn"


def test_a_one_loses_the_sum_and_the_turn():
    state = play(Pig().new_initial_state(), "roll 6 hold roll 5 roll 1")
    assert state.current_player() == 0
    assert state.array[SCORE:].tolist() == [6, 0]
    assert state.array[TURN_TOTAL] == 0


def test_a_roll_is_decided_by_a_fair_die():
    state = play(Pig().new_initial_state(), "roll")
    assert state.current_player() == CHANCE
    assert state.chance_outcomes() == [(face, 1 / 6) for face in range(6)]


def test_who_reaches_the_target_can_only_hold_and_wins():
    state = play(Pig(target=10).new_initial_state(), "roll 5 hold hold roll 4 roll 3")
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["hold"]
    assert play(state, "hold").returns() == [1.0, -1.0]
    assert str(state) == "scores 12 0; player 0 wins"


def test_the_losers_share_the_loss():
    game = Pig(target=2, num_players=3)
    state = play(game.new_initial_state(), "hold roll 2 hold")
    assert state.returns() == [-0.5, 1.0, -0.5]
    assert (game.min_utility, game.max_utility) == (-0.5, 1.0)


def test_the_game_is_drawn_at_the_horizon():
    game = Pig(horizon=3)
    state = play(game.new_initial_state(), "roll 2 roll 2 roll")
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    assert str(state) == "scores 0 0; a draw"
    assert game.max_game_length == 5


def test_the_estimate_favours_whoever_is_ahead_and_stays_in_range():
    game = Pig()
    out = np.zeros(2)
    for moves, ahead in (("roll 6", 0), ("roll 6 hold roll 6 roll 2", 1)):
        game.evaluate(play(game.new_initial_state(), moves).array, out)
        assert out[ahead] > 0.0 > out[1 - ahead]
        assert abs(out.sum()) < 1e-12


def test_the_chance_of_winning_from_small_positions_is_that_of_value_iteration():
    """With a target of 2 any roll but a 1 wins, so the player to move wins 6/7 of the games."""

    def value(state: State, depth: int) -> float:
        """The chance that player 0 wins if all roll until they must hold."""
        if state.is_terminal() or depth == 0:
            return (state.returns()[0] + 1) / 2
        if state.is_chance_node():
            return sum(p * value(state.child(outcome), depth - 1) for outcome, p in state.chance_outcomes())
        return value(state.child(state.legal_actions()[0]), depth - 1)

    # Between the horizon's draws, worth half, and infinitely many turns.
    assert value(Pig(target=2, horizon=9).new_initial_state(), 99) == pytest.approx(6 / 7, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 0}, "target must be from 1"),
        ({"num_players": 1}, "num_players must be from 2"),
        ({"horizon": 0}, "horizon"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Pig(**options)


@pytest.mark.parametrize(
    ("index", "entry", "message"),
    [
        (PLAYER, 1, "1 decides"),
        (TURN_PLAYER, 2, "from 0 to 1, not 2"),
        (TURN_TOTAL, -1, "scores and sums"),
        (TURN_TOTAL, 105, "on top of 8"),
        (DECISIONS, 1001, "decisions"),
        (WINNER, 0, "the winner is not 0"),
        (SCORE, 100, "the winner is not -1"),
    ],
)
def test_an_array_that_is_no_position_is_refused(index, entry, message):
    array = play(Pig().new_initial_state(), "roll 6 roll 2 hold hold").array
    array[index] = entry
    with pytest.raises(ValueError, match=message):
        Pig().state_from_array(array)
