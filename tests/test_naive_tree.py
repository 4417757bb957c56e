"""The kernels build, bit for bit, the tree of the naive search; this file runs with the JIT on and off."""

import pytest

import fastmcts
from examples.nim import Nim
from fastmcts import UCB1, UCT, RandomRollout, games
from fastmcts.constants import ROOT
from fastmcts.testing import check_tree
from tests import naive
from tests.toys import ThreePlayers, TwiceInARow

GAMES = [games.TicTacToe(), games.ConnectFour(), Nim(), TwiceInARow(), ThreePlayers()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_search_builds_the_tree_of_the_naive_search(game: fastmcts.Game, seed: int) -> None:
    state = game.new_initial_state()
    result = fastmcts.search(state, simulations=400, seed=seed, selection=UCT(c=1.4))
    assert_equal_and_whole(result, naive.search(state, 400, seed, naive.uct(1.4)))


def test_ucb1_builds_the_tree_of_the_naive_ucb1() -> None:
    state = games.TicTacToe().new_initial_state()
    result = fastmcts.search(state, simulations=500, seed=3, selection=UCB1(c=0.7))
    assert_equal_and_whole(result, naive.search(state, 500, 3, naive.ucb1(0.7)))


def test_a_cut_off_rollout_scores_one_half_for_everyone() -> None:
    state = games.ConnectFour().new_initial_state()
    result = fastmcts.search(state, simulations=300, seed=5, rollout=RandomRollout(max_length=6))
    root = naive.search(state, 300, 5, naive.uct(1.4), max_length=6)
    assert_equal_and_whole(result, root)
    assert root.value_sum != 150.0, "some rollouts end within six moves"


def test_the_search_of_a_position_far_into_the_game_agrees_too() -> None:
    state = games.ConnectFour(rows=4, columns=5).new_initial_state()
    for column in (2, 2, 1, 3, 1, 0):
        state.apply_action(column)
    result = fastmcts.search(state, simulations=600, seed=8)
    assert_equal_and_whole(result, naive.search(state, 600, 8, naive.uct(1.4)))


def assert_equal_and_whole(result: fastmcts.SearchResult, root: naive.Node) -> None:
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, root)
