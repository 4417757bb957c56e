"""The best line starts with the move to make, and keeps what is proven to the end of the game."""

from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import ISMCTS, PIMC, SinglePerspective, games
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree, child_for, children
from tests.helpers.solving import all_positions, solve
from tests.toys import RandomPayoffs

TIC_TAC_TOE = [state for state in all_positions(games.TicTacToe()) if not state.is_terminal()]


def check_line(result: fastmcts.SearchResult) -> bool:
    """Check the best line of a search with a solver; whether something was proven on it."""
    line = result.principal_variation()
    assert line[:1] == [result.action]
    tree, game, state, node = result.tree, result.state.game, result.state.clone(), ROOT
    promised = np.full(game.num_players, np.nan)
    for action in line:
        player = state.current_player()
        least = max(bounds(tree, child, game)[0][player] for child in children(tree, node))
        node = child_for(tree, node, action)
        lower, upper = bounds(tree, node, game)
        assert upper[player] >= least, "no move that is certainly worse than another"
        state.apply_action(action)
        decided = lower == upper
        assert (np.isnan(promised) | (decided & (lower == promised))).all(), "what is proven stays so"
        promised = np.where(decided, lower, promised)
    if state.is_terminal():
        rewards = (np.array(state.returns()) - game.min_utility) / (game.max_utility - game.min_utility)
        assert rewards.tolist() == promised.tolist()
    else:
        assert np.isnan(promised[state.current_player()]), "a proven line goes on to the end"
    return not np.isnan(promised).any()


def bounds(tree: Tree, node: int, game: fastmcts.Game) -> tuple[np.ndarray, np.ndarray]:
    own = slice(node * game.num_players, (node + 1) * game.num_players)
    return tree.lower[own], tree.upper[own]


def some(states: list[fastmcts.State], plain_python: int) -> list[fastmcts.State]:
    """All positions where searches are compiled; else about so many."""
    return states if JIT_ENABLED else states[:: max(1, len(states) // plain_python)]


@pytest.mark.thorough
def test_in_every_position_of_tic_tac_toe() -> None:
    proven = 0
    for state in some(TIC_TAC_TOE, plain_python=60):
        for simulations in (40, 160, 2_000):
            if simulations <= 160 or JIT_ENABLED:
                result = fastmcts.search(state, simulations=simulations, seed=1, solver=True, search_forced=True)
                proven += check_line(result)
                if not np.isnan(result.proven_value):
                    sign = 1.0 if state.current_player() == 0 else -1.0
                    assert result.proven_value == (sign * solve(state) + 1.0) / 2.0
                    assert result.proven[result.actions.tolist().index(result.action)] == result.proven_value
    assert proven > 50


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("k", [3, 4])
def test_on_a_board_of_4x4(k: int) -> None:
    rng = np.random.default_rng(0)
    proven = 0
    for number in range(200 if JIT_ENABLED else 40):
        state = games.MNK(m=4, n=4, k=k).new_initial_state()
        for _ in range(8 + number % 6):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            result = fastmcts.search(state, simulations=150, seed=number, solver=True, search_forced=True)
            proven += check_line(result)
    assert proven > 10


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("players", [2, 3])
def test_where_one_players_gain_is_not_the_others_loss(players: int) -> None:
    game = RandomPayoffs(num_players=players)
    for seed in range(100):
        state = game.new_initial_state(seed)
        result = fastmcts.search(state, simulations=300, seed=seed, solver=True, search_forced=True)
        assert result.stopped_by == "proven"
        assert check_line(result)


def test_a_move_that_is_not_the_most_visited_starts_the_line_and_the_table() -> None:
    # O must block; X has a proven draw, and has visited moves that lose more often before it knew.
    found = False
    for state in TIC_TAC_TOE[::75]:
        result = fastmcts.search(state, simulations=150, seed=1, solver=True, search_forced=True)
        rows = str(result).splitlines()
        assert rows[0].split() == ["move", "visits", "share", "value", "proven"]
        move = result.state.action_to_string(result.action)
        assert rows[1].split()[0] == move
        index = result.actions.tolist().index(result.action)
        assert rows[1].split()[-1] == ("-" if np.isnan(result.proven[index]) else f"{result.proven[index]:.3f}")
        assert result.moves_of_best_line()[0] == move
        found = found or result.visits[index] < result.visits.max()
    assert found


def test_the_table_says_nothing_of_proofs_where_nobody_asked_for_them() -> None:
    assert "proven" not in str(fastmcts.search(TIC_TAC_TOE[0], simulations=20, seed=0))


CASES: list[tuple[fastmcts.State, dict[str, Any]]] = [
    *((games.TicTacToe().new_initial_state(), {"final": final}) for final in ("visits", "value", "robust_max", "lcb")),
    (games.TicTacToe().new_initial_state(), {"trees": 3}),
    (games.TicTacToe().new_initial_state(), {"parallel": "shared"}),
    (games.TicTacToe().new_initial_state(), {"expansion": fastmcts.ExpandAll()}),
    *((games.TicTacToe().new_initial_state(), {"method": SinglePerspective(resample=r)}) for r in (False, True)),
    (games.ConnectFour(rows=4, columns=4).new_initial_state(), {"final": "lcb", "memory_mb": 0.02}),
    (games.Pig(target=20).new_initial_state(), {}),
    *(
        (games.Whist(hand_size=3).new_initial_state(3), {"method": PIMC(9, vote)})
        for vote in ("visits", "value", "majority")
    ),
    (games.Whist(hand_size=3).new_initial_state(3), {"method": ISMCTS()}),
    (games.Whist(hand_size=3).new_initial_state(3), {"method": SinglePerspective()}),
    (games.KuhnPoker().new_initial_state(2), {"method": ISMCTS(observers="all")}),
]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    ("state", "options"), CASES, ids=lambda value: getattr(getattr(value, "game", None), "name", value)
)
def test_the_line_starts_with_the_move_to_make(state: fastmcts.State, options: dict[str, Any]) -> None:
    for seed in range(12):
        result = fastmcts.search(state, simulations=60 + 5 * seed, seed=seed, **options)
        assert result.principal_variation()[0] == result.action
        assert result.moves_of_best_line()[0] == state.action_to_string(result.action)
        assert str(result).splitlines()[1].startswith(state.action_to_string(result.action))
        position = state.clone()
        if result.method.keeps_below and not result.method.draws_worlds:
            for action in result.principal_variation():
                position.apply_action(action)


def test_an_only_move_is_the_line() -> None:
    state = next(state for state in TIC_TAC_TOE if len(state.legal_actions()) == 1)
    result = fastmcts.search(state, simulations=10, seed=0)
    assert result.simulations == 0
    assert result.principal_variation() == [result.action]
    assert "best line: " + state.action_to_string(result.action) in str(result)


def test_the_line_of_a_kept_tree_stays_when_the_tree_moves_on() -> None:
    state = games.TicTacToe().new_initial_state().child(0).child(1)
    mcts = fastmcts.MCTS(state.game, simulations=300, seed=0, solver=True)
    result = mcts.search(state)
    twin = fastmcts.search(state, simulations=300, seed=0, solver=True)
    assert result.action is not None
    mcts.advance(result.action)
    after = mcts.search(state.child(result.action))
    assert result.principal_variation() == twin.principal_variation()
    assert after.principal_variation()[0] == after.action
    check_line(after)
