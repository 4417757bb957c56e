"""Proofs: small games are solved, with the exact value, and nothing wrong is ever proven."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import UCT, games
from fastmcts.core.tree import Tree, children
from tests.helpers.solving import solve
from tests.toys import OneShot, RandomPayoffs, ThreePlayers


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


@pytest.mark.thorough
@pytest.mark.jit
def test_connect_four_on_4x4_is_a_draw() -> None:
    result = proven(games.ConnectFour(rows=4, columns=4), 5_000_000)
    assert result.simulations < 5_000_000
    assert root_value(result) == 0.5


@pytest.mark.thorough
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
@pytest.mark.thorough
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


@pytest.mark.parametrize(
    ("moves", "simulations"),
    [("", 3_000), ("4", 1_500), ("0 4", 700), ("0 8 2", 700), ("4 0 8", 700), ("1 4 3 5", 700)],
)
def test_what_is_proven_is_true(moves: str, simulations: int) -> None:
    state = games.TicTacToe().new_initial_state()
    for move in moves.split():
        state.apply_action(int(move))
    sign = 1.0 if state.current_player() == 0 else -1.0
    proven = 0
    for seed in range(3):
        result = fastmcts.search(state, simulations=simulations, seed=seed, solver=True)
        for action, reward in zip(result.actions, result.proven, strict=True):
            if not np.isnan(reward):
                proven += 1
                assert reward == (sign * solve(state.child(int(action))) + 1.0) / 2.0
    assert proven > 0


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


@pytest.mark.slow_to_compile
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


@dataclass(frozen=True)
class Offer(OneShot):
    """Player 0 goes left or right, then player 1; both would like what is right on the left of the right side.

    State: [moves made, the moves as bits].
    """

    num_players = 2
    max_game_length = 2

    def current_player(self, state):
        return fastmcts.TERMINAL if state[0] == 2 else state[0]

    def apply(self, state, action):
        state[0] += 1
        state[1] = 2 * state[1] + action

    def returns(self, state, out):
        out[0] = (0.2, 0.0, 1.0, -1.0)[state[1]]
        out[1] = (0.2, 0.0, 1.0, 0.5)[state[1]]


@dataclass(frozen=True)
class DeclaredOffer(Offer):
    constant_sum = False


@pytest.mark.slow_to_compile
def test_games_that_do_not_sum_to_a_constant_are_proven_too() -> None:
    result = proven(DeclaredOffer(), 50)
    assert result.action == 1
    assert result.proven[1] == 1.0
    assert result.stopped_by == "proven"


@pytest.mark.slow_to_compile
def test_utilities_that_do_not_sum_to_the_constant_are_noticed_at_the_first_finished_game() -> None:
    game = Offer()
    mcts = fastmcts.MCTS(game, simulations=1, seed=0, solver=True)
    with pytest.raises(fastmcts.GameError, match=r"Offer breaks .* add up to .* write constant_sum = False"):
        mcts.search(game.new_initial_state())
    with pytest.raises(ValueError, match="nothing is known"):
        mcts.result()
    with pytest.raises(fastmcts.GameError, match="constant_sum = False"):
        fastmcts.search_batch([game.new_initial_state()], simulations=1, seed=0, solver=True)
    with pytest.raises(fastmcts.GameError, match="constant_sum = False"):
        proven(game, 1, expansion=fastmcts.ExpandAll())
    assert fastmcts.search(game.new_initial_state(), simulations=50, seed=0).action == 1


@pytest.mark.slow_to_compile
@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("utility", [1.1, -1.1, np.nan, np.inf])
def test_utilities_outside_their_range_are_noticed(utility: float) -> None:
    @dataclass(frozen=True)
    class Generous(OneShot):
        most: float = 1.0

        def returns(self, state, out):
            out[0] = self.most if state[1] == 1 else 0.0

    with pytest.raises(fastmcts.GameError, match="from min_utility to max_utility"):
        proven(Generous(utility), 50)
    assert proven(Generous(1.0 + 1e-9), 50).action == 1, "rounding is no mistake"


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("options", [{}, {"expansion": fastmcts.ExpandAll()}, {"selection": UCT(c=0.1)}], ids=repr)
@pytest.mark.parametrize("players", [2, 3])
def test_proofs_are_those_of_backward_induction_where_one_players_gain_is_not_the_others_loss(
    players: int, options: dict[str, Any]
) -> None:
    game = RandomPayoffs(num_players=players)
    tied = 0
    for seed in range(60):
        state = game.new_initial_state(seed)
        result = fastmcts.search(state, simulations=400, seed=seed, solver=True, search_forced=True, **options)
        assert result.stopped_by == "proven"
        tied += len(max_n(state)) > 1
        for node, position in positions(result.tree, state):
            lower, upper = (
                bound[node * players : (node + 1) * players] for bound in (result.tree.lower, result.tree.upper)
            )
            outcomes = np.array([rewards_of(game, outcome) for outcome in max_n(position)])
            assert ((lower <= outcomes) & (outcomes <= upper)).all(axis=1).any(), "some outcome is within the bounds"
            if not position.is_terminal():
                within = (lower <= outcomes) & (outcomes <= upper)
                assert within[:, position.current_player()].any()
        player = state.current_player()
        values = {rewards_of(game, outcome)[player] for outcome in max_n(state)}
        assert root_value(result) in values
        assert result.proven[result.actions.tolist().index(result.action)] == root_value(result)
    assert tied > 5, "ties are among them"


def positions(tree: Tree, state: fastmcts.State, node: int = 0) -> Iterator[tuple[int, fastmcts.State]]:
    """All tried nodes, each with its position."""
    yield node, state
    for child in children(tree, node):
        yield from positions(tree, state.child(int(tree.action[child])), child)


def rewards_of(game: fastmcts.Game, utilities: tuple[float, ...]) -> list[float]:
    return [(utility - game.min_utility) / (game.max_utility - game.min_utility) for utility in utilities]


@pytest.mark.slow_to_compile
def test_what_is_proven_is_what_the_game_said() -> None:
    @dataclass(frozen=True)
    class Fraction(OneShot):
        """Two players; the second gets what the first does not."""

        num_players = 2
        min_utility = 0.0

        def returns(self, state, out):
            out[0] = 0.4 if state[1] == 1 else 0.1
            out[1] = 1.0 - out[0]

    result = proven(Fraction(), 50)
    assert result.proven.tolist() == [0.1, 0.4]
    assert result.tree.upper.dtype == np.float64


def test_the_solver_loses_nothing_where_nothing_is_proven() -> None:
    state = games.ConnectFour().new_initial_state()
    plain = fastmcts.search(state, simulations=150, seed=0, selection=UCT(c=1.4))
    solved = fastmcts.search(state, simulations=150, seed=0, selection=UCT(c=1.4), solver=True)
    assert plain.visits.tolist() == solved.visits.tolist()
    assert np.isnan(solved.proven).all()
