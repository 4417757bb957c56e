"""Whatever is an integer works everywhere, and gives what Python's own gives; what is none is refused in words."""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import games
from fastmcts.core.validate import whole_number
from fastmcts.experiments import Greedy, Random, Search, play_deals, play_match
from fastmcts.rng import make_rng, spawn_seeds
from fastmcts.testing import check_game, perft, signature
from tests.toys import OneShot, Shuffled, TwiceInARow

TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp, np.array]
BOARD = games.TicTacToe().new_initial_state()
POKER = games.KuhnPoker().new_initial_state(seed=1)


def given(number: Any) -> Any:
    """A number of whatever type; the package is typed for Python's own."""
    return number


def found(**options: Any) -> list[Any]:
    """What a search finds, as plain values."""
    chosen: dict[str, Any] = {"simulations": 20, "seed": 5, **options}
    result = fastmcts.search(BOARD, **chosen)
    json.dumps([result.seed, result.simulations, result.nodes])
    return [result.visits.tolist(), result.seed, result.simulations, result.action]


def batch(**options: Any) -> list[Any]:
    chosen: dict[str, Any] = {"simulations": 20, "seed": 5, **options}
    result = fastmcts.search_batch([BOARD, BOARD.child(0)], **chosen)
    json.dumps(result.seed)
    return [result.visits.tolist(), result.simulations]


def advanced(action: int) -> list[Any]:
    mcts = fastmcts.MCTS(BOARD.game, simulations=30, seed=1)
    mcts.search(BOARD)
    mcts.advance(action)
    return mcts.result().visits.tolist()


def match(**options: Any) -> dict[str, Any]:
    chosen: dict[str, Any] = {"games": 2, **options}
    result = play_match(BOARD.game, "random", Random(), **chosen).as_dictionary()
    json.dumps(result)
    return {name: value for name, value in result.items() if name != "seconds_per_move"}


#: What takes a whole number -> a call of it with the number, whose result is compared.
CALLS: dict[str, Callable[[Any], Any]] = {
    "seed of search": lambda n: found(seed=n),
    "simulations of search": lambda n: found(simulations=n),
    "trees of search": lambda n: found(trees=n),
    "threads of search": lambda n: found(threads=n, trees=4),
    "seed of a batch": lambda n: batch(seed=n),
    "simulations of a batch": lambda n: batch(simulations=n),
    "threads of a batch": lambda n: batch(threads=n),
    "seed of MCTS": lambda n: fastmcts.MCTS(BOARD.game, simulations=9, seed=n).search(BOARD).visits.tolist(),
    "action of advance": advanced,
    "seed of new_initial_state": lambda n: games.Whist().new_initial_state(n).array.tolist(),
    "action of apply_action": lambda n: BOARD.child(n).array.tolist(),
    "action of action_to_string": lambda n: BOARD.action_to_string(n),
    "player of determinize": lambda n: POKER.determinize(n, 4).array.tolist(),
    "seed of determinize": lambda n: POKER.determinize(0, n).array.tolist(),
    "player of view": lambda n: repr(POKER.view(n)),
    "player of information_state_string": lambda n: POKER.information_state_string(n),
    "viewer of state_from_array": lambda n: repr(POKER.game.state_from_array(POKER.view(1).array, n)),
    "seed of sample": lambda n: fastmcts.search(BOARD, simulations=50, seed=0).sample(seed=n),
    "seed of spawn_seed": lambda n: fastmcts.spawn_seed(n, 2),
    "index of spawn_seed": lambda n: fastmcts.spawn_seed(7, n),
    "seed of spawn_seeds": lambda n: spawn_seeds(n, 3).tolist(),
    "seed of make_rng": lambda n: make_rng(n).tolist(),
    "depth of perft": lambda n: perft(BOARD, n),
    "positions of check_game": lambda n: check_game(OneShot(), positions=n),
    "seed of check_game": lambda n: check_game(OneShot(), positions=2, seed=n),
    "a size of a game": lambda n: repr(games.ConnectFour(rows=n)),
    "a size of a game by name": lambda n: fastmcts.load_game("mnk", m=n, n=3, k=3).new_initial_state().array.tolist(),
    "visits of ExpandAll": lambda n: found(expansion=fastmcts.ExpandAll(visits=n)),
    "visits of Prioritized": lambda n: repr(fastmcts.Prioritized(visits=n)),
    "worlds of PIMC": lambda n: fastmcts.search(
        POKER, simulations=20, seed=0, method=fastmcts.PIMC(worlds=n)
    ).visits.tolist(),
    "player of SinglePerspective": lambda n: found(method=fastmcts.SinglePerspective(player=n)),
    "max_length of a rollout": lambda n: found(rollout=fastmcts.RandomRollout(max_length=n)),
    "simulations of an agent": lambda n: repr(Search(simulations=n)),
    "seed of an agent": lambda n: [Greedy().choose(games.Othello().new_initial_state(), n), Random().choose(BOARD, n)],
    "games of a match": lambda n: match(games=n),
    "seed of a match": lambda n: match(seed=n),
    "opening moves of a match": lambda n: match(opening_moves=n),
    "threads of a match": lambda n: match(threads=n),
    "deals": lambda n: play_deals(Shuffled(), "random", deals=n).utilities,
    "seed of deals": lambda n: play_deals(Shuffled(), "random", deals=2, seed=n).utilities,
    "player of what one knows": lambda n: repr(games.KuhnPoker().state_from_knowledge(n, "K")),
    "leader of what one knows": lambda n: repr(games.Whist(hand_size=1).state_from_knowledge(0, "QC", leader=n)),
    "bids of what one knows": lambda n: repr(
        games.OhHell(num_players=2, hand_size=3, dealer=0).state_from_knowledge(0, "QC 2C 3C", "AC", bids=[n])
    ),
}


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", CALLS)
def test_integers_of_every_type_give_what_pythons_own_gives(name: str) -> None:
    expected = CALLS[name](1)
    for kind in TYPES:
        assert CALLS[name](kind(1)) == expected, kind


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(1.0), "1"], ids=repr)
def test_what_is_no_integer_is_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match="whole number"):
        CALLS[name](value)


@pytest.mark.parametrize("seed", [-1, -(2**63), 2**64 - 1, np.int64(-(2**63)), np.uint64(2**64 - 1), np.int8(-1)])
def test_negative_and_large_seeds_mean_their_lowest_64_bits(seed: Any) -> None:
    assert fastmcts.spawn_seed(seed, 1) == fastmcts.spawn_seed(int(seed) % 2**64, 1)
    assert make_rng(seed).tolist() == make_rng(int(seed) % 2**64).tolist()
    assert found(seed=seed)[0] == found(seed=int(seed))[0]


def test_small_integers_do_not_overflow() -> None:
    game = TwiceInARow()
    result = fastmcts.search(
        game.new_initial_state(), simulations=given(np.int16(300)), seed=0, trees=given(np.int8(100))
    )
    assert result.simulations == 300
    assert type(result.simulations) is int
    assert games.SOS(rows=given(np.int8(20)), columns=given(np.int8(20))).num_actions == 2 * 20 * 20


def test_a_component_holds_pythons_numbers_whatever_it_is_given() -> None:
    assert type(fastmcts.UCT(c=given(np.float32(0.5))).c) is float
    assert type(games.Hex(given(np.int8(3))).size) is int
    assert fastmcts.SinglePerspective(resample=given(np.bool_(True))).resample is True
    assert games.Hex(given(np.int8(3))).numba_type is games.Hex(3).numba_type
    assert list(inspect.signature(games.Hex).parameters) == ["size"]


def test_options_hold_pythons_numbers_so_that_clocks_are_exact() -> None:
    options = fastmcts.Options(
        simulations=given(np.int8(9)), seconds=given(np.float32(0.5)), memory_mb=given(np.int64(16))
    )
    assert [type(options.simulations), type(options.seconds), type(options.memory_mb)] == [int, float, float]


def test_a_rule_may_have_the_name_of_something_that_classes_have() -> None:
    @dataclass(frozen=True)
    class Registering(OneShot):
        def register(self, state, action):
            state[1] = action

    assert "register" in Registering().numba_type.declaration.functions


def test_sizes_of_a_game_are_pythons_integers() -> None:
    @dataclass(frozen=True)
    class Truly(OneShot):
        num_actions = True

    with pytest.raises(fastmcts.GameError, match="num_actions must be an int from 1 to 32767, not True"):
        Truly().check_declaration()


def test_a_whole_number_says_what_would_be_right() -> None:
    assert whole_number("n", np.uint8(200)) == 200
    with pytest.raises(ValueError, match="n must be at least 1, not 0"):
        whole_number("n", 0, low=1)
    with pytest.raises(ValueError, match="n must be at most 2, not 3"):
        whole_number("n", 3, high=2)
    with pytest.raises(TypeError, match="seed must be a whole number, not None"):
        signature(None)  # pyright: ignore[reportArgumentType]
