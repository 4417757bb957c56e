"""Proofs: small games are solved, with the exact value, and nothing wrong is ever proven."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import UCT, games
from tests.games.solving import solve
from tests.toys import OneShot, ThreePlayers


def proven(game: fastmcts.Game, simulations: int, **options: Any) -> fastmcts.SearchResult:
    return fastmcts.search(game.new_initial_state(), simulations=simulations, seed=0, solver=True, **options)


def root_value(result: fastmcts.SearchResult) -> float:
    """The proven reward of the player to move."""
    assert not np.isnan(result.proven).all()
    return float(np.nanmax(result.proven))


@pytest.mark.jit
def test_tic_tac_toe_is_a_draw() -> None:
    result = proven(games.TicTacToe(), 200_000)
    assert result.simulations < 200_000, "a decided root ends the search"
    assert root_value(result) == 0.5
    assert result.action is not None


@pytest.mark.jit
def test_connect_four_on_4x4_is_a_draw() -> None:
    result = proven(games.ConnectFour(rows=4, columns=4), 5_000_000)
    assert result.simulations < 5_000_000
    assert root_value(result) == 0.5


@pytest.mark.jit
def test_hex_3x3_has_exactly_the_known_winning_openings() -> None:
    winning = {index for index, mark in enumerate("001111100") if mark == "1"}
    game = games.Hex(size=3)
    state = game.new_initial_state()
    found = set()
    for action in state.legal_actions():
        result = fastmcts.search(state.child(action), simulations=200_000, seed=0, solver=True)
        if root_value(result) == 0.0:
            found.add(action)
    assert found == winning
    whole = proven(game, 200_000)
    assert root_value(whole) == 1.0
    assert whole.action in winning


@pytest.mark.jit
@pytest.mark.parametrize(("columns", "value"), [(3, 0.5), (4, 0.5), (5, 0.5), (6, 0.5), (7, 1.0), (8, 0.5), (9, 1.0)])
def test_strips_of_sos_have_the_known_values(columns: int, value: float) -> None:
    result = proven(games.SOS(rows=1, columns=columns), 5_000_000, selection=UCT(c=0.1))
    assert result.simulations < 5_000_000
    assert root_value(result) == value


@pytest.mark.jit
def test_dots_and_boxes_2x2_is_won_by_the_first_player() -> None:
    result = proven(games.DotsAndBoxes(rows=2, columns=2), 5_000_000, selection=UCT(c=0.1))
    assert result.simulations < 5_000_000
    assert root_value(result) == 1.0


@pytest.mark.parametrize("moves", ["", "4", "0 4", "0 8 2", "4 0 8", "1 4 3 5"])
def test_what_is_proven_is_true(moves: str) -> None:
    state = games.TicTacToe().new_initial_state()
    for move in moves.split():
        state.apply_action(int(move))
    sign = 1.0 if state.current_player() == 0 else -1.0
    for seed in range(3):
        result = fastmcts.search(state, simulations=700, seed=seed, solver=True)
        for action, reward in zip(result.actions, result.proven, strict=True):
            if not np.isnan(reward):
                assert reward == (sign * solve(state.child(int(action))) + 1.0) / 2.0


def test_a_proven_win_is_played_and_a_proven_loss_is_not() -> None:
    state = games.ConnectFour().new_initial_state()
    for column in (3, 4, 3, 4, 3, 4):
        state.apply_action(column)
    result = fastmcts.search(state, simulations=200, seed=0, solver=True)
    assert result.action == 3
    assert result.proven[3] == 1.0
    assert result.simulations < 200
    threatened = state.child(0)  # now the other may complete four
    answer = fastmcts.search(threatened, simulations=200, seed=0, solver=True)
    assert answer.action == 4
    assert answer.proven[4] == 1.0


def test_three_players_are_solved_by_what_each_wants() -> None:
    game = ThreePlayers(stones=5)
    result = proven(game, 20_000)
    assert result.simulations < 20_000
    outcomes = max_n(game.new_initial_state())
    assert root_value(result) in {outcome[0] / 2.0 for outcome in outcomes}


def max_n(state: fastmcts.State) -> set[tuple[float, ...]]:
    """All outcomes of play in which nobody could do better for himself, for any way to break ties."""
    if state.is_terminal():
        return {tuple(state.returns())}
    player = state.current_player()
    below = [max_n(state.child(action)) for action in state.legal_actions()]
    outcomes = set()
    for chosen in itertools.product(*below):
        best = max(outcome[player] for outcome in chosen)
        outcomes |= {outcome for outcome in chosen if outcome[player] == best}
    return outcomes


def test_games_that_do_not_sum_to_a_constant_are_proven_too() -> None:
    @dataclass(frozen=True)
    class Gift(OneShot):
        """Action 0 gives both players nothing, action 1 both of them all."""

        num_players = 2
        constant_sum = False

        def returns(self, state, out):
            out[0] = out[1] = 1.0 if state[1] == 1 else -1.0

    result = proven(Gift(), 50)
    assert result.proven[1] == 1.0
    assert result.action == 1


def test_the_solver_loses_nothing_where_nothing_is_proven() -> None:
    state = games.ConnectFour().new_initial_state()
    plain = fastmcts.search(state, simulations=150, seed=0, selection=UCT(c=1.4))
    solved = fastmcts.search(state, simulations=150, seed=0, selection=UCT(c=1.4), solver=True)
    assert plain.visits.tolist() == solved.visits.tolist()
    assert np.isnan(solved.proven).all()
