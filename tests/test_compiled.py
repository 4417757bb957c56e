"""Compiled searches do, to the last bit, what plain Python does: of every game, with chance, in hidden worlds.

With `tests/kernels/test_naive_tree.py`, for every strategy, this is what has to be compiled; most other tests are about
logic and may run either way.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fastmcts import MCTS, PIMC, UCT, GameRollout, State, games, search
from fastmcts.games import load_game, registered_games
from fastmcts.testing.strategies import first_decision
from tests.helpers.trees import whole_trees
from tests.subprocesses import run_python

SMALL = games.OhHell(num_players=3, hand_size=3)
PLAYER: dict[str, Any] = {"selection": UCT(c=0.7), "rollout": GameRollout(max_length=10), "simulations": 40}


def moves_of_one_player(state: State, moves: int, **options: Any) -> list[Any]:
    """Play with one tree, which is advanced after each move; at others' turns the first move is made."""
    mcts = MCTS(state.game, seed=3, **options)
    player, found = state.current_player(), []
    for _ in range(moves):
        result = mcts.search(state)
        found.append(whole_trees(result))
        if result.action is None:
            break
        mcts.advance(result.action)
        state.apply_action(result.action)
        while not state.is_terminal() and state.current_player() != player:
            mcts.advance(state.legal_actions()[0])
            state.apply_action(state.legal_actions()[0])
    return found


def klondike() -> list[Any]:
    """Games of Klondike with a tree that is advanced, and dropped where a card is turned up."""
    return [moves_of_one_player(games.Klondike().new_initial_state(seed), 20, **PLAYER) for seed in range(2)]


def oh_hell() -> list[Any]:
    """A game in which the tree is advanced over the moves of all three players."""
    options = {"simulations": 400, "search_forced": True, "strategy": "plain", "selection": UCT(c=1.4)}
    return [moves_of_one_player(SMALL.new_initial_state(14), 3, **options)]


def voting_worlds() -> list[Any]:
    """Searches with open cards in several worlds of Klondike and of Oh Hell."""
    states = games.Klondike().new_initial_state(5), SMALL.new_initial_state(5)
    rollout = GameRollout(max_length=10)
    return [[whole_trees(search(s, simulations=80, seed=1, rollout=rollout, method=PIMC(worlds=4)))] for s in states]


def every_game() -> dict[str, list[Any]]:
    """A search of each game in the box, with what it recommends."""
    return {name: one_game(name) for name in registered_games()}


def one_game(name: str) -> list[Any]:
    """A search of one game, with what it recommends."""
    return whole_trees(search(first_decision(load_game(name)), simulations=40, seed=3, search_forced=True))


@pytest.fixture(scope="module")
def in_plain_python(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What plain Python finds in every game."""
    code = "import json, tests.test_compiled as t; print(json.dumps(t.every_game()))"
    return run_python(code, tmp_path_factory.mktemp("plain"), NUMBA_DISABLE_JIT="1")


@pytest.mark.jit
@pytest.mark.parametrize("name", registered_games())
def test_every_game_is_searched_as_in_plain_python(name: str, in_plain_python: dict[str, list[Any]]) -> None:
    assert one_game(name) == in_plain_python[name]


@pytest.mark.jit
@pytest.mark.parametrize(
    ("searches", "fewest_kept"),
    [
        (oh_hell, 2),
        pytest.param(klondike, 10, marks=pytest.mark.thorough),
        pytest.param(voting_worlds, 0, marks=pytest.mark.thorough),
    ],
)
def test_compiled_searches_find_what_plain_python_finds(searches: Any, fewest_kept: int, tmp_path: Path) -> None:
    code = f"import json, tests.test_compiled as t; print(json.dumps(t.{searches.__name__}()))"
    found = searches()
    assert found == run_python(code, tmp_path, NUMBA_DISABLE_JIT="1")
    reused = [[share for _, share, *_ in game] for game in found]
    twice = sum(one > 0 and two > 0 for game in reused for one, two in pairwise(game))
    assert sum(share > 0 for game in reused for share in game) >= fewest_kept
    assert twice > 0 or fewest_kept == 0, "a tree that was advanced is advanced again"
