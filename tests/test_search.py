import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import UCB1, UCT, Lazy, RandomRollout, games
from fastmcts.options import Options, SearchOptions
from fastmcts.testing import check_tree
from tests.toys import OneShot, Shuffled, ThreePlayers, TwiceInARow

START = games.TicTacToe().new_initial_state()


def test_the_same_seed_gives_the_same_tree_and_another_seed_another() -> None:
    first, again, other = (fastmcts.search(START, simulations=500, seed=seed) for seed in (1, 1, 2))
    assert first.visits.tolist() == again.visits.tolist() != other.visits.tolist()
    assert first.tree.value_sum[: first.nodes].tobytes() != other.tree.value_sum[: first.nodes].tobytes()


def test_without_a_seed_one_is_drawn_and_told() -> None:
    drawn = fastmcts.search(START, simulations=300)
    assert drawn.seed != fastmcts.search(START, simulations=300).seed
    assert fastmcts.search(START, simulations=300, seed=drawn.seed).visits.tolist() == drawn.visits.tolist()


def test_exactly_as_many_simulations_as_asked_for() -> None:
    for simulations in (1, 2, 15, 16, 17, 1000):
        result = fastmcts.search(START, simulations=simulations, seed=0)
        assert result.simulations == simulations == result.tree.visits[0] == result.visits.sum()
        check_tree(result.tree)


def test_seconds_end_a_search() -> None:
    result = fastmcts.search(START, seconds=0.05, seed=0)
    assert result.simulations > 0
    assert result.seconds >= 0.05


def test_of_two_budgets_the_first_to_end_counts() -> None:
    assert fastmcts.search(START, simulations=20, seconds=60.0, seed=0).simulations == 20
    assert fastmcts.search(START, simulations=2_000_000_000, seconds=0.02, seed=0).seconds < 10.0


def test_the_position_is_not_modified() -> None:
    state = START.child(4)
    before = state.array.copy()
    result = fastmcts.search(state, simulations=100, seed=0)
    assert np.array_equal(state.array, before)
    assert result.state == state
    assert result.state is not state


def test_the_statistics_of_a_result_fit_together() -> None:
    state = START.child(4).child(0)
    result = fastmcts.search(state, simulations=2_000, seed=0)
    assert result.actions.tolist() == state.legal_actions()
    assert result.action == result.actions[result.visits.argmax()]
    assert result.policy.shape == (9,)
    assert result.policy[result.actions].tolist() == (result.visits / 2_000).tolist()
    assert math.isclose(result.policy.sum(), 1.0)
    assert math.isclose(result.value, (result.values * result.visits).sum() / 2_000)
    assert result.nodes == result.tree.size[0]
    assert 1 <= result.max_depth <= 7
    assert result.reused == 0.0
    line = result.principal_variation()
    assert line[0] == result.action
    for action in line:
        state = state.child(action)


def test_values_are_those_of_the_player_to_move() -> None:
    # X has two in column a; O, to move, must lose or block: for O all but the block are bad.
    state = START.child(0).child(4).child(3)
    result = fastmcts.search(state, simulations=3_000, seed=0)
    assert result.action == 6
    values = dict(zip(result.actions.tolist(), result.values, strict=True))
    assert max(value for action, value in values.items() if action != 6) < values[6]


@pytest.mark.slow_to_compile
def test_a_player_who_moves_twice_in_a_row_helps_himself() -> None:
    state = TwiceInARow().new_initial_state()
    for action in (1, 0, 2, 2, 0, 1, 1):
        state.apply_action(action)
    assert state.current_player() == 1
    result = fastmcts.search(state, simulations=500, seed=0)
    assert result.values.tolist() == [1.0, 1.0, 0.0]  # the sum is 7: adding 2 gives player 0 the game


def test_each_of_three_players_goes_for_his_own_reward() -> None:
    state = ThreePlayers(stones=3).new_initial_state()
    result = fastmcts.search(state, simulations=2_000, seed=0)
    assert result.action == 2
    assert result.values[2] == 1.0


def test_a_finished_game_has_no_move() -> None:
    state = OneShot().new_initial_state().child(1)
    result = fastmcts.search(state, simulations=100, seed=0)
    assert result.action is None
    assert result.actions.size == result.visits.size == result.values.size == result.simulations == 0
    assert str(result) == "no move to make: the game is over"
    assert result.principal_variation() == []


def test_fewer_simulations_than_moves_leave_moves_without_a_value() -> None:
    result = fastmcts.search(START, simulations=4, seed=0)
    assert sorted(result.visits.tolist()) == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert np.isnan(result.values[result.visits == 0]).all()
    assert "-" in str(result)


def test_ties_fall_to_the_higher_mean_then_to_the_lower_action() -> None:
    from fastmcts.strategies.final import best_index

    assert best_index("visits", np.array([0, 1, 2]), np.array([3, 5, 5]), np.array([0.9, 0.1, 0.2])) == 2
    assert best_index("visits", np.array([4, 7]), np.array([5, 5]), np.array([0.2, 0.2])) == 0
    assert best_index("visits", np.array([4, 7]), np.array([0, 0]), np.array([np.nan, np.nan])) == 0


def test_a_result_prints_a_table_in_the_games_notation() -> None:
    state = games.ConnectFour().new_initial_state()
    lines = str(fastmcts.search(state, simulations=2_000, seed=0, strategy="plain")).splitlines()
    assert lines[0].split() == ["move", "visits", "share", "value"]
    assert lines[1].startswith("d ")
    assert len({len(line) for line in lines[:8]}) == 1, "the columns are aligned"
    assert lines[8].startswith("best line: d ")


@pytest.mark.slow_to_compile
def test_a_long_table_is_cut() -> None:
    @dataclass(frozen=True)
    class Wide(OneShot):
        num_actions = 30

        def legal_actions(self, state, actions):
            for action in range(30):
                actions[action] = action
            return self.num_actions

        def returns(self, state, out):
            out[0] = state[1] / 30.0

    text = str(fastmcts.search(Wide().new_initial_state(), simulations=300, seed=0))
    assert "... and 20 more" in text


def test_the_seed_of_a_state_decides_the_deal() -> None:
    deals = {int(Shuffled().new_initial_state(seed=seed).array[0]) for seed in range(100)}
    assert deals == set(range(1, 10))


def test_the_options_for_type_checkers_are_the_options() -> None:
    assert list(SearchOptions.__annotations__) == [option.name for option in dataclasses.fields(Options)]
    for option in dataclasses.fields(Options):
        assert f"{option.name}:" in (Options.__doc__ or "")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "needs a budget"),
        ({"simulations": 0}, ValueError, "simulations must be from 1 to .* not 0"),
        ({"simulations": -5}, ValueError, "not -5"),
        ({"simulations": 2.5}, TypeError, "simulations must be a whole number, not 2.5"),
        ({"simulations": True}, TypeError, "whole number, not True"),
        ({"simulations": 2**31}, ValueError, "simulations must be from 1 to 2,147,483,647"),
        ({"seconds": 0}, ValueError, "seconds must be above 0, not 0"),
        ({"seconds": -1.0}, ValueError, "seconds must be above 0, not -1"),
        ({"seconds": math.nan}, ValueError, "seconds must be finite"),
        ({"seconds": "1"}, TypeError, "seconds must be a number, not '1'"),
        ({"simulations": 1, "seed": 1.5}, TypeError, "seed must be a whole number"),
        ({"simulations": 1, "selection": "uct"}, TypeError, "selection must be a Selection, such as UCT"),
        (
            {"simulations": 1, "rollout": Lazy()},
            TypeError,
            "rollout must be a Rollout, such as RandomRollout",
        ),
        ({"simulation": 1}, TypeError, "no search option 'simulation'; did you mean 'simulations'"),
        ({"simulations": 1, "colour": 1}, TypeError, "no search option 'colour'; there are: simulations"),
    ],
)
def test_bad_options_are_refused_in_words(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fastmcts.search(START, **options)


@pytest.mark.parametrize("rule", [UCT, UCB1])
@pytest.mark.parametrize("c", [math.nan, math.inf, -1.0, "1", None])
def test_a_constant_that_is_no_finite_number_is_refused(rule: Any, c: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"{rule.__name__}'s c must be"):
        rule(c=c)


def test_a_rollout_length_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="max_length must be at least 0, not -1"):
        RandomRollout(max_length=-1)


def test_a_search_takes_a_state() -> None:
    with pytest.raises(TypeError, match="search takes a State"):
        fastmcts.search(games.TicTacToe(), simulations=10)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class TooManyMoves(OneShot):
    def current_player(self, state):
        return fastmcts.TERMINAL if state[0] == 2 else 0

    def apply(self, state, action):
        state[0] += 1

    def legal_actions(self, state, actions):
        for action in range(2 + 3 * state[0]):
            actions[action] = action
        return 2 + 3 * state[0]


@dataclass(frozen=True)
class NoMoves(OneShot):
    def apply(self, state, action):
        state[1] = 1

    def legal_actions(self, state, actions):
        actions[0] = 0
        return 1 - state[1]


@dataclass(frozen=True)
class Endless(OneShot):
    def apply(self, state, action):
        state[1] = 1 - state[1]


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize(
    ("game", "message"),
    [
        pytest.param(
            TooManyMoves(),
            "TooManyMoves breaks the rules for games: legal_actions found more moves",
            marks=pytest.mark.jit,
        ),
        pytest.param(
            NoMoves(),
            "NoMoves breaks the rules for games: legal_actions found no move",
            marks=pytest.mark.slow_to_compile,
        ),
        pytest.param(
            Endless(),
            "Endless breaks the rules for games: a game went on for more than max_game_length",
            marks=pytest.mark.slow_to_compile,
        ),
    ],
    ids=lambda value: value.name if isinstance(value, fastmcts.Game) else None,
)
def test_a_game_that_breaks_the_contract_deep_in_a_search_is_reported(game: Any, message: str) -> None:
    with pytest.raises(fastmcts.GameError, match=message):
        fastmcts.search(game.new_initial_state(), simulations=100, search_forced=True)


@pytest.mark.usefixtures("untried")
def test_an_overflow_at_the_root_is_reported_before_any_work() -> None:
    state = TooManyMoves().new_state(np.array([1, 0]))
    with pytest.raises(fastmcts.GameError, match="wrote past the end of its buffer, which has num_actions = 2"):
        fastmcts.search(state, simulations=100)
