"""What a network sees of a position."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from examples.nim import Nim
from fastmcts import games
from fastmcts.kernels.observation import write_observations
from tests.toys import COIN, Coin, Peek, TwiceInARow


@dataclass(frozen=True)
class SeenNim(Nim):
    """Nim for a network: one plane for the stones that are left, one that says who is to move."""

    @property
    def observation_shape(self):
        return (2, self.stones)

    def observation(self, state, player, out):
        for stone in range(state[0]):
            out[stone] = 1.0
            out[self.stones + stone] = 1.0 if state[1] == player else -1.0


def test_a_game_says_what_a_network_sees() -> None:
    state = SeenNim(stones=4).new_initial_state().child(1)
    assert state.game.observation_shape == (2, 4)
    seen = state.observation_tensor(1)
    assert seen.dtype == np.float32
    assert seen.tolist() == [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]
    assert state.observation_tensor(0).tolist() == [[1.0, 1.0, 0.0, 0.0], [-1.0, -1.0, 0.0, 0.0]]
    assert state.observation_tensor().tolist() == seen.tolist(), "player 1 is to move"
    seen[:] = 7.0
    assert state.observation_tensor(1).max() == 1.0, "an array of one's own"


def test_without_a_rule_of_its_own_a_network_sees_the_position() -> None:
    state = TwiceInARow().new_initial_state().child(2)
    assert state.game.observation_shape == (2,)
    assert state.observation_tensor(1).tolist() == [2.0, 1.0]


def test_without_a_rule_of_its_own_a_network_sees_no_more_than_the_player() -> None:
    state = Coin().new_initial_state(seed=0)
    heads, tails = (state.clone() for _ in range(2))
    heads.array[COIN], tails.array[COIN] = 0, 1
    assert heads.observation_tensor(0).tolist() == tails.observation_tensor(0).tolist()
    assert heads.observation_tensor(1).tolist() != tails.observation_tensor(1).tolist()


def test_without_a_rule_of_its_own_a_position_of_large_ints_is_refused() -> None:
    state = Nim().new_state(np.array([2**24, 1]))
    assert state.observation_tensor().tolist() == [2.0**24, 1.0]
    state.array[0] = -(2**24) - 1
    with pytest.raises(fastmcts.GameError, match=r"entry 0 is too large to be exact in float32, .* write observation"):
        state.observation_tensor(0)


@dataclass(frozen=True)
class Undrawn(Coin):
    observe = fastmcts.Game.observe


def test_a_game_that_hides_something_and_does_not_say_from_whom_is_refused() -> None:
    with pytest.raises(fastmcts.GameError, match=r"Undrawn hides something, .* Write observe, .* or observation with"):
        Undrawn().new_initial_state(seed=0).observation_tensor(0)


def test_a_view_is_seen_as_the_position_is_by_its_player() -> None:
    state = Peek().new_initial_state(seed=0)
    for player in range(state.game.num_players):
        if state.game.supports_views:
            view = state.view(player)
            assert view.observation_tensor(player).tolist() == state.observation_tensor(player).tolist()
    view = games.KuhnPoker().new_initial_state(seed=0, draw_chance=True).view(1)
    with pytest.raises(ValueError, match="view of player 1, which does not contain what player 0 knows"):
        view.observation_tensor()


def test_where_no_player_is_to_move_one_says_whose_eyes_are_meant() -> None:
    state = Nim(stones=1).new_initial_state().child(0)
    with pytest.raises(ValueError, match=r"no player is to move here: .* as in observation_tensor\(0\), observation_"):
        state.observation_tensor()
    assert state.observation_tensor(0).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match="player must be from 0 to 1, not 2"):
        state.observation_tensor(2)


@pytest.mark.parametrize("shape", [None, [2, 3], (), (2, 0), (2, 3.0), (True,), 6, (2**40,)])
def test_a_shape_that_no_array_has_is_refused(shape: Any) -> None:
    @dataclass(frozen=True)
    class Odd(Nim):
        observation_shape = shape

        def observation(self, state, player, out):
            out[0] = 1.0

    with pytest.raises(fastmcts.GameError, match=r"Odd\.observation_shape"):
        Odd().new_initial_state()


def test_the_rule_and_the_shape_go_together() -> None:
    @dataclass(frozen=True)
    class Shapeless(Nim):
        def observation(self, state, player, out):
            out[0] = 1.0

    @dataclass(frozen=True)
    class Unseen(Nim):
        observation_shape = (2, 3)

    with pytest.raises(fastmcts.GameError, match="or neither: observation_shape is missing"):
        Shapeless().new_initial_state()
    with pytest.raises(fastmcts.GameError, match="or neither: observation is missing"):
        Unseen().new_initial_state()


def test_the_mask_tells_which_actions_are_legal() -> None:
    state = Nim(stones=2).new_initial_state()
    mask = state.legal_actions_mask()
    assert mask.dtype == np.bool_
    assert mask.tolist() == [True, True, False]
    assert state.child(1).legal_actions_mask().tolist() == [False, False, False], "the game is over"
    rolled = games.Pig().new_initial_state(seed=0)
    while not rolled.is_chance_node():
        rolled.apply_action(rolled.legal_actions()[0])
    assert rolled.legal_actions_mask().shape == (rolled.game.num_chance_outcomes,)
    assert np.flatnonzero(rolled.legal_actions_mask()).tolist() == rolled.legal_actions()


@dataclass(frozen=True)
class Interpreted(SeenNim):
    """Shown by a rule that only Python can run."""

    def observation(self, state, player, out):
        out[len(str(state[0]))] = 1.0


@pytest.mark.jit
@pytest.mark.thorough
def test_a_search_without_a_network_does_not_compile_what_networks_see() -> None:
    state = Interpreted(stones=7).new_initial_state()
    assert fastmcts.search(state, simulations=20, seed=0).simulations == 20
    known, out = np.zeros(2, np.int64), np.zeros((1, 14), np.float32)
    with pytest.raises(fastmcts.CompileError, match=r"Interpreted\.observation cannot be compiled"):
        write_observations(state.game, state.array[None], np.zeros(1, np.int64), known, out)


@pytest.mark.parametrize("game", [SeenNim(), Nim(), Coin()], ids=lambda game: game.name)
def test_kernels_write_what_the_state_tells(game: fastmcts.Game) -> None:
    state = game.new_initial_state(seed=1)
    states = [state, state.child(state.legal_actions()[-1])]
    positions = np.array([state.array for state in states for _ in range(2)])
    players = np.array([0, 1, 0, 1], np.int64)
    out = np.full((4, game.observation_size), np.nan, np.float32)
    write_observations(game, positions, players, np.zeros(game.state_size, np.int64), out)
    told = [state.observation_tensor(player).ravel() for state in states for player in range(2)]
    assert out.tobytes() == np.array(told).tobytes()
