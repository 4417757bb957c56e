"""The kernels build, bit for bit, the tree of the naive search; this file runs with the JIT on and off."""

from typing import Any

import pytest

import fastmcts
from examples.nim import Nim
from fastmcts import (
    GRAVE,
    MAST,
    PUCT,
    UCB1,
    UCT,
    CarefulRollout,
    Decisive,
    ExpandAll,
    GameRollout,
    OpenLoop,
    PerfectInformation,
    Prioritized,
    RandomRollout,
    SinglePerspective,
    SmoothUCT,
    UCB1Tuned,
    games,
)
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import ROOT
from fastmcts.games import load_game, registered_games
from fastmcts.testing import check_tree
from fastmcts.testing.strategies import allowed_strategies, first_decision
from tests import naive
from tests.toys import ThreePlayers, TwiceInARow

GAMES = [games.TicTacToe(), games.ConnectFour(), Nim(), TwiceInARow(), ThreePlayers()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_search_builds_the_tree_of_the_naive_search(game: fastmcts.Game, seed: int) -> None:
    state = game.new_initial_state()
    result = fastmcts.search(state, simulations=400, seed=seed, strategy="plain")
    assert_equal_and_whole(result, naive.Search(state, seed).run(400))


STRATEGIES: list[tuple[dict[str, Any], Any, dict[str, Any]]] = [
    ({"selection": UCT(c=1.4)}, naive.Search, {"score": naive.uct(1.4)}),
    ({"selection": UCB1(c=0.7)}, naive.Search, {"score": naive.ucb1(0.7)}),
    ({"selection": UCB1Tuned()}, naive.Search, {"score": naive.ucb1_tuned}),
    ({"selection": PUCT()}, naive.Puct, {}),
    ({"selection": GRAVE()}, naive.Grave, {}),
    ({"selection": SmoothUCT(c=0.5)}, naive.Smooth, {}),
    ({"expansion": ExpandAll()}, naive.ExpandAll, {}),
    ({"rollout": MAST()}, naive.Mast, {}),
    ({"rollout": Decisive()}, naive.Decisive, {}),
    ({"solver": True}, naive.Solver, {}),
    ({"rollout": RandomRollout(max_length=6)}, naive.Search, {"max_length": 6}),
]


@pytest.mark.parametrize(
    "game",
    [
        games.TicTacToe(),
        pytest.param(games.SOS(rows=3, columns=3), marks=pytest.mark.slow_to_compile),
        pytest.param(ThreePlayers(), marks=pytest.mark.slow_to_compile),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    ("options", "search", "arguments"), STRATEGIES, ids=lambda value: str(value).split(" at 0x")[0][:40]
)
def test_every_strategy_builds_the_tree_of_its_naive_version(
    game: fastmcts.Game, options: dict[str, Any], search: Any, arguments: dict[str, Any]
) -> None:
    state = game.new_initial_state()
    result = fastmcts.search(state, simulations=300, seed=3, strategy="plain", **options)
    assert_equal_and_whole(result, search(state, 3, **arguments).run(300))


def test_prioritized_builds_the_tree_of_its_naive_version() -> None:
    state = games.SOS(rows=3, columns=4).new_initial_state()
    options: dict[str, Any] = {"strategy": "plain", "selection": UCB1(c=1.4), "expansion": Prioritized()}
    result = fastmcts.search(state, simulations=300, seed=3, **options)
    root = naive.Prioritized(state, 3, naive.ucb1(1.4)).run(300)
    naive.assert_same_tree(result.tree, ROOT, root)
    check_tree(result.tree)


@pytest.mark.slow_to_compile
def test_prioritized_with_first_play_urgency_builds_the_tree_of_its_naive_version() -> None:
    state = games.SOS(rows=3, columns=4).new_initial_state()
    options: dict[str, Any] = {"strategy": "plain", "selection": PUCT(), "expansion": Prioritized()}
    result = fastmcts.search(state, simulations=300, seed=3, **options)
    naive.assert_same_tree(result.tree, ROOT, naive.PrioritizedPuct(state, 3).run(300))
    check_tree(result.tree)


def test_the_games_own_rollouts_build_the_tree_of_the_naive_version() -> None:
    # With open cards, since the naive search sees everything.
    state = games.Whist(hand_size=3).new_initial_state(seed=1)
    options: dict[str, Any] = {"rollout": GameRollout(), "method": PerfectInformation()}
    result = fastmcts.search(state, simulations=200, seed=3, strategy="plain", **options)
    assert_equal_and_whole(result, naive.GamePolicy(state, 3).run(200))


@pytest.mark.slow_to_compile
def test_the_search_of_a_position_far_into_the_game_agrees_too() -> None:
    state = games.ConnectFour(rows=4, columns=5).new_initial_state()
    for column in (2, 2, 1, 3, 1, 0):
        state.apply_action(column)
    result = fastmcts.search(state, simulations=600, seed=8, strategy="plain")
    assert_equal_and_whole(result, naive.Search(state, 8).run(600))


#: What the naive version of each component is; what is left out is plain UCT's.
NAIVE: dict[type, tuple[Any, dict[str, Any]]] = {
    UCT: (naive.Search, {"score": naive.uct(1.4)}),
    UCB1: (naive.Search, {"score": naive.ucb1(1.4)}),
    UCB1Tuned: (naive.Search, {"score": naive.ucb1_tuned}),
    PUCT: (naive.Puct, {}),
    GRAVE: (naive.Grave, {}),
    SmoothUCT: (naive.Smooth, {"score": naive.uct(1.4)}),
    ExpandAll: (naive.ExpandAll, {}),
    Prioritized: (naive.Prioritized, {}),
    GameRollout: (naive.GamePolicy, {}),
    CarefulRollout: (naive.CarefulPolicy, {}),
    MAST: (naive.Mast, {}),
    Decisive: (naive.Decisive, {}),
    SinglePerspective: (naive.SinglePerspective, {}),
    OpenLoop: (naive.OpenLoop, {}),
    bool: (naive.Solver, {}),
}


#: Smaller boards, where plain Python would take minutes.
SMALLER = {"hex": games.Hex(size=4), "sos": games.SOS(rows=4, columns=4)}


#: Compiled by the thorough group; as plain Python where everything is.
MATRIX = [pytest.param(name, marks=[pytest.mark.thorough] if JIT_ENABLED else []) for name in registered_games()]


@pytest.mark.parametrize("name", MATRIX)
def test_every_game_and_strategy_that_is_allowed_builds_the_tree_of_its_naive_version(name: str) -> None:
    game = SMALLER.get(name) or load_game(name)
    state = first_decision(game)
    open_cards = {"method": PerfectInformation()} if game.has_hidden_information else {}
    compared = 0
    for options in allowed_strategies(game):
        [component] = options.values()
        if game.has_hidden_information and "method" in options:
            continue  # they have tests of their own
        search, arguments = NAIVE.get(type(component), (naive.Search, {}))
        result = fastmcts.search(state, simulations=25, seed=5, strategy="plain", **open_cards, **options)
        assert_equal_and_whole(result, search(state, 5, **arguments).run(25))
        compared += 1
    assert compared >= 8


def assert_equal_and_whole(result: fastmcts.SearchResult, root: naive.Node) -> None:
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, root)
