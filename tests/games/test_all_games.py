"""What holds for every game that comes with the package."""

import pickle
import re
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import games
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.rng import make_rng
from fastmcts.testing import check_game


@pytest.mark.parametrize("positions", [100, pytest.param(1_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_every_game_keeps_the_contract(name: str, positions: int) -> None:
    check_game(fastmcts.load_game(name), positions)


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_every_game_has_its_id_and_can_be_pickled(name: str) -> None:
    game = fastmcts.load_game(name)
    assert game.name == name
    assert pickle.loads(pickle.dumps(game)) == game
    assert getattr(games, type(game).__name__) is type(game)
    assert type(game).__name__ in dir(games)


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_priors_are_positive_and_add_up_to_one(name: str) -> None:
    game = fastmcts.load_game(name)
    draw = np.random.default_rng(0)
    state = game.new_initial_state(seed=0)
    priors = np.zeros(game.num_actions)
    decisions = 0
    for _ in range(200):
        if state.is_terminal():
            state = game.new_initial_state(seed=int(draw.integers(2**32)))
        actions = np.array(state.legal_actions(), np.int64)
        if not state.is_chance_node():
            decisions += 1
            priors[:] = np.nan
            game.prior(state.array, actions, len(actions), priors)
            assert (priors[: len(actions)] > 0.0).all()
            assert priors[: len(actions)].sum() == pytest.approx(1.0)
            assert np.isnan(priors[len(actions) :]).all()
        state.apply_action(int(draw.choice(actions)))
    assert decisions > 50


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_every_game_says_what_a_network_sees(name: str) -> None:
    game = fastmcts.load_game(name)
    state = game.new_initial_state(seed=0, draw_chance=True)
    for player in range(game.num_players):
        seen = state.observation_tensor(player)  # refused where float32 cannot hold the ints of a position
        assert (seen.dtype, seen.shape) == (np.float32, game.observation_shape)
        assert np.abs(seen).max() <= 1.0 or not game.has_observation
    assert np.flatnonzero(state.legal_actions_mask()).tolist() == state.legal_actions()
    if not game.has_observation:
        pytest.skip(
            f"{name} leaves it at what observe writes, {game.state_size} ints: fastmcts/games/{name}.py needs"
            " observation_shape and observation, which shows the same in numbers from about -1 to 1"
        )


LARGER_BOARDS = (
    games.ConnectFour(rows=9, columns=9),
    games.DotsAndBoxes(rows=7, columns=7),
    games.Hex(size=4),
    games.Klondike(macro=True),
    games.MNK(15, 15, 5),
    games.OhHell(last_bid_restricted=True),
    games.SOS(rows=5, columns=5),
    games.SOS(rows=12, columns=12),
)


@pytest.mark.parametrize("game", [*map(fastmcts.load_game, fastmcts.registered_games()), *LARGER_BOARDS], ids=str)
def test_random_actions_are_uniform(game: fastmcts.Game) -> None:
    draw = np.random.default_rng(0)
    buffer, rng = np.zeros(game.num_actions, np.int64), make_rng(0)
    counted, freedom, chi_square = 0, 0, 0.0
    state = game.new_initial_state(seed=0)
    while counted < 8:
        if state.is_terminal():
            state = game.new_initial_state(seed=int(draw.integers(2**32)))
        legal = state.legal_actions()
        if not state.is_chance_node() and len(legal) > 1 and draw.random() < 0.2:
            with wrapping_integers():
                drawn = [int(game.random_action(state.array, buffer, rng)) for _ in range(40 * len(legal))]
            counts = np.bincount(drawn, minlength=game.num_actions)
            assert counts[legal].sum() == len(drawn)
            chi_square += ((counts[legal] - 40) ** 2 / 40).sum()
            freedom += len(legal) - 1
            counted += 1
        state.apply_action(int(draw.choice(legal)))
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom), "four standard deviations"


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_arrays_of_the_wrong_kind_are_refused(name: str) -> None:
    game = fastmcts.load_game(name)
    array = game.new_initial_state(seed=0).array
    with pytest.raises(ValueError, match=re.escape(f"shape ({game.state_size},), not ({game.state_size + 1},)")):
        game.state_from_array(np.append(array, 0))
    with pytest.raises(TypeError, match="int64, not float64"):
        game.state_from_array(array.astype(np.float64))  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="int64, not list"):
        game.state_from_array(array.tolist())  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", fastmcts.registered_games())
@pytest.mark.parametrize("wrong", [None, 3, ["pass"]])
def test_a_move_that_is_no_text_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=re.escape(f"a move is a text, as action_to_string writes it, not {wrong!r}")):
        fastmcts.load_game(name).new_initial_state(seed=0).string_to_action(wrong)


def test_an_unknown_game_is_refused_with_the_likely_name() -> None:
    with pytest.raises(ValueError, match="'conect_four'; did you mean 'connect_four'"):
        fastmcts.load_game("conect_four")


def test_an_unknown_option_of_a_game_is_refused() -> None:
    with pytest.raises(TypeError, match="connect_four has no option 'row'; it has: rows, columns, connect"):
        fastmcts.load_game("connect_four", row=3)


def test_an_unknown_class_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Chess'"):
        _ = games.Chess
