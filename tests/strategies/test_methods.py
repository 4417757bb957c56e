"""Chance in the tree, and the tree of one player's moves alone; this file runs with the JIT on and off."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmcts
from examples.nim import Nim
from fastmcts import ISMCTS, MCTS, PIMC, UCB1, ExpandAll, PerfectInformation, SinglePerspective, games, spawn_seed
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import children
from fastmcts.games.pig import SCORE, TURN_TOTAL
from fastmcts.testing import check_tree
from tests import naive
from tests.subprocesses import run_python
from tests.toys import ThreePlayers, TwiceInARow


@dataclass(frozen=True)
class Urn(fastmcts.Game):
    """Player 0 stays (worth 0.6) or draws: 1 with probability 0.1, 0.5 with 0.3, 0 with 0.6.  State: [stage, won]."""

    num_players = 1
    num_actions = 2
    num_chance_outcomes = 3
    state_size = 2
    max_game_length = 2
    min_utility = 0.0

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        if state[0] == 2:
            return fastmcts.TERMINAL
        return fastmcts.CHANCE if state[0] == 1 else 0

    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 1
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        for outcome in range(3):
            actions[outcome] = outcome
        probabilities[0] = 0.1
        probabilities[1] = 0.3
        probabilities[2] = 0.6
        return 3

    def apply(self, state, action):
        if state[0] == 1:
            state[1] = 10 - 5 * action
            state[0] = 2
        elif action == 0:
            state[1] = 6
            state[0] = 2
        else:
            state[0] = 1

    def returns(self, state, out):
        out[0] = state[1] / 10.0


# ---- Chance


@pytest.mark.parametrize(
    "game",
    [games.Pig(target=10), Urn(), pytest.param(games.Twenty48(), marks=pytest.mark.slow_to_compile)],
    ids=repr,
)
@pytest.mark.parametrize("seed", [0, 7])
def test_a_tree_with_chance_is_that_of_the_naive_search(game: fastmcts.Game, seed: int) -> None:
    state = decision(game.new_initial_state(seed))
    simulations = 30 if isinstance(game, games.Twenty48) else 300
    result = fastmcts.search(state, simulations=simulations, seed=seed, strategy="plain")
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, naive.Search(state, seed).run(simulations))


def test_outcomes_come_by_their_probability_and_their_values_average() -> None:
    result = fastmcts.search(Urn().new_initial_state(), simulations=6_000, seed=0, selection=UCB1(c=20.0))
    tree = result.tree
    draw = next(child for child in children(tree, ROOT) if tree.action[child] == 1)
    visits = {int(tree.action[child]): int(tree.visits[child]) for child in children(tree, draw)}
    total = sum(visits.values())
    expected = np.array([0.1, 0.3, 0.6]) * total
    assert total > 1_000
    chi_square = sum((visits[outcome] - expected[outcome]) ** 2 / expected[outcome] for outcome in range(3))
    assert chi_square < 13.8, "0.1% of fair draws exceed it"
    assert result.values[1] == pytest.approx(0.25, abs=0.03)
    assert result.values[0] == pytest.approx(0.6)
    assert result.action == 0, "the best outcome is not chosen but drawn"


def test_a_root_where_chance_decides_is_refused() -> None:
    state = games.Pig().new_initial_state().child(0)
    for search in (fastmcts.search, lambda state, **options: fastmcts.search_batch([state], **options)):
        with pytest.raises(ValueError, match="chance decides here: apply an outcome first"):
            search(state, simulations=10)


def test_proofs_are_refused_where_chance_decides() -> None:
    with pytest.raises(ValueError, match="nothing can be proven in pig, a game with chance"):
        fastmcts.search(games.Pig().new_initial_state(), simulations=10, solver=True)


@pytest.mark.slow_to_compile
def test_expansion_at_once_leaves_outcomes_to_chance() -> None:
    result = fastmcts.search(games.Pig(target=10).new_initial_state(), simulations=200, seed=0, expansion=ExpandAll())
    tree = result.tree
    check_tree(tree, own_visits=6)
    parents = np.flatnonzero(tree.num_children[: tree.size[0]])
    rolls = parents[tree.num_children[parents] == 6]
    choices = parents[tree.num_children[parents] <= 2]
    assert len(rolls) + len(choices) == len(parents)
    assert (tree.num_tried[choices] == tree.num_children[choices]).all(), "all moves at once"
    assert (tree.num_tried[rolls] < tree.visits[rolls]).all(), "one outcome for each visit but the first"
    assert (tree.num_tried[rolls] == 1).any()
    often = rolls[tree.visits[rolls].argmax()]
    outcomes = slice(tree.first_child[often], tree.first_child[often] + 6)
    shares = tree.visits[outcomes] / tree.visits[outcomes].sum()
    assert np.abs(shares - 1 / 6).max() < 0.1, "as the die falls"


@pytest.mark.jit
@pytest.mark.thorough
def test_pig_is_played_as_value_iteration_plays_it() -> None:
    target = 30
    wins = pig_values(target)
    rng = np.random.default_rng(0)
    states, best = [], []
    for _ in range(500):
        own, other = (int(score) for score in rng.integers(0, target, 2))
        total = int(rng.integers(0, target - own))
        roll, hold = pig_choices(wins, target, own, other, total)
        if abs(roll - hold) > 0.01:
            state = games.Pig(target=target).new_initial_state()
            state.array[[TURN_TOTAL, SCORE, SCORE + 1]] = total, own, other
            states.append(state)
            best.append(0 if roll > hold else 1)
    assert len(states) > 400
    batch = fastmcts.search_batch(states, simulations=20_000, seed=0, threads=2)
    assert (batch.action == best).mean() >= 0.95


def pig_values(target: int) -> np.ndarray:
    """The chance to win of the player to move, [own score, other score, sum of the turn]."""
    wins = np.full((target, target, target + 6), 0.5)
    for _ in range(1000):
        before = wins.copy()
        for own in range(target):
            for other in range(target):
                wins[own, other, target - own :] = 1.0
                for total in range(target - own - 1, -1, -1):
                    wins[own, other, total] = max(pig_choices(wins, target, own, other, total))
        if np.abs(wins - before).max() < 1e-6:
            return wins
    raise AssertionError("value iteration does not converge")


def pig_choices(wins: np.ndarray, target: int, own: int, other: int, total: int) -> tuple[float, float]:
    """The chances to win after rolling and after holding."""
    lost = 1.0 - wins[other, own, 0]
    roll = (lost + wins[own, other, total + 2 : total + 7].sum()) / 6.0
    hold = 1.0 if own + total >= target else 1.0 - wins[other, own + total, 0]
    return roll, hold


# ---- Single perspective

PERSPECTIVE_GAMES = [
    games.TicTacToe(),
    *(pytest.param(game, marks=pytest.mark.slow_to_compile) for game in (Nim(), TwiceInARow(), ThreePlayers())),
    games.Pig(target=10),
]


@pytest.mark.parametrize("game", PERSPECTIVE_GAMES, ids=lambda game: game.name)
def test_single_perspective_builds_the_tree_of_its_naive_version(game: fastmcts.Game) -> None:
    state = game.new_initial_state(seed=0)
    result = fastmcts.search(state, simulations=300, seed=5, strategy="plain", method=SinglePerspective())
    check_tree(result.tree)
    assert (result.tree.player[: result.tree.size[0]][list(children(result.tree, ROOT))] == 0).all()
    naive.assert_same_tree(result.tree, ROOT, naive.SinglePerspective(state, 5).run(300))


@pytest.mark.parametrize("game", PERSPECTIVE_GAMES, ids=lambda game: game.name)
def test_resampled_replies_build_the_tree_of_their_naive_version(game: fastmcts.Game) -> None:
    state = game.new_initial_state(seed=0)
    result = fastmcts.search(state, simulations=300, seed=5, strategy="plain", method=SinglePerspective(resample=True))
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, naive.Resampled(state, 5).run(300))


@pytest.mark.parametrize("resample", [False, True])
def test_single_perspective_completes_a_column_in_tic_tac_toe(resample: bool) -> None:
    state = games.TicTacToe().new_initial_state()
    for move in ("a1", "b1", "a2", "b2"):
        state.apply_action(state.string_to_action(move))
    for seed in range(10):  # in some, lucky replies make another move look as good
        result = fastmcts.search(state, simulations=300, seed=seed, method=SinglePerspective(resample=resample))
        assert state.action_to_string(result.action) == "a3"


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("resample", [False, True])
def test_single_perspective_puts_a_fourth_on_three_in_connect_four(resample: bool) -> None:
    state = games.ConnectFour().new_initial_state()
    for column in (3, 0, 3, 1, 3, 6):
        state.apply_action(column)
    result = fastmcts.search(state, simulations=500, seed=0, method=SinglePerspective(resample=resample))
    assert result.action == 3
    assert result.values[3] == 1.0


@pytest.mark.slow_to_compile
def test_a_root_on_anothers_turn_is_rolled_forward() -> None:
    state = games.TicTacToe().new_initial_state().child(4)
    before = state.clone()
    method = SinglePerspective(player=0)
    result = fastmcts.search(state, simulations=100, seed=3, method=method)
    assert state == before
    assert result.state.current_player() == 0
    assert result.actions.tolist() == result.state.legal_actions()
    assert len(result.actions) == 7
    assert result.action in result.actions
    again = fastmcts.search(state, simulations=100, seed=3, method=method)
    assert again.state == result.state
    assert again.visits.tolist() == result.visits.tolist()
    others = {tuple(fastmcts.search(state, simulations=1, seed=seed, method=method).actions) for seed in range(20)}
    assert len(others) > 3, "another seed draws another reply"
    own = fastmcts.search(state, simulations=100, seed=3, method=SinglePerspective(player=1))
    default = fastmcts.search(state, simulations=100, seed=3, method=SinglePerspective())
    assert own.visits.tolist() == default.visits.tolist()


@pytest.mark.slow_to_compile
def test_a_chance_root_can_be_rolled_forward_too() -> None:
    state = games.Pig().new_initial_state().child(0)
    result = fastmcts.search(state, simulations=50, seed=0, method=SinglePerspective(player=1))
    assert result.state.current_player() == 1


def test_there_is_no_move_in_a_finished_game() -> None:
    state = games.TicTacToe().new_initial_state()
    for action in (0, 3, 1, 4, 2):
        state.apply_action(action)
    for player in (None, 0, 1):
        result = fastmcts.search(state, simulations=10, method=SinglePerspective(player=player))
        assert result.action is None
        assert str(result) == "no move to make: the game is over"


EVERY_SEAT = """
import json
from fastmcts import RandomRollout, SinglePerspective, load_game, registered_games, search
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import children
wrong = []
for name in registered_games():
    game = load_game(name)
    state = game.new_initial_state(1)
    for player in range(game.num_players):
        for resample in (False, True):
            options = {"method": SinglePerspective(player, resample), "rollout": RandomRollout(max_length=4)}
            result = search(state, simulations=25, seed=2, search_forced=True, **options)
            movers, open_nodes = set(), [ROOT]
            while open_nodes:
                below = children(result.tree, open_nodes.pop())
                movers.update(int(result.tree.player[child]) for child in below)
                open_nodes += below
            legal = result.action in result.state.legal_actions()
            if not legal or result.state.current_player() != player or movers != {player}:
                wrong.append((name, player, resample))
print(json.dumps([len(registered_games()), wrong]))
"""


def test_every_game_can_be_played_from_every_seat_alone(tmp_path: Path) -> None:
    # Without the JIT: this is about the rules, and would compile each game for each seat.
    count, wrong = run_python(EVERY_SEAT, tmp_path, NUMBA_DISABLE_JIT="1")
    assert count >= 10
    assert wrong == []


@pytest.mark.slow_to_compile
def test_single_perspective_batches_are_its_searches() -> None:
    states = [games.TicTacToe().new_initial_state().child(action) for action in range(4)]
    for method in (SinglePerspective(), SinglePerspective(player=0), SinglePerspective(player=0, resample=True)):
        batch = fastmcts.search_batch(states, simulations=60, seed=2, method=method)
        for index, state in enumerate(states):
            single = fastmcts.search(state, simulations=60, seed=spawn_seed(2, index), method=method)
            assert batch.visits[index, single.actions].tolist() == single.visits.tolist()


def test_an_mcts_object_searches_every_position_from_one_perspective() -> None:
    state = games.TicTacToe().new_initial_state()
    mcts = MCTS(state.game, simulations=50, seed=0, method=SinglePerspective())
    while not state.is_terminal():
        result = mcts.search(state)
        assert result.reused == 0.0, "what was learnt about drawn replies does not hold for the real one"
        assert str(result)
        assert result.action is not None
        mcts.advance(result.action)
        state.apply_action(result.action)
    assert mcts.search(state).action is None


# ---- What does not fit


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        (ISMCTS(), {}, "nothing is hidden in tic_tac_toe: leave method out"),
        (PIMC(), {"simulations": 100}, "nothing is hidden in tic_tac_toe: leave method out"),
        (SinglePerspective(player=2), {}, "tic_tac_toe has the players 0 to 1, not 2"),
        (SinglePerspective(), {"solver": True}, "SinglePerspective leaves replies to chance"),
        (SinglePerspective(resample=True), {"selection": fastmcts.PUCT()}, "compares moves that were not tried"),
    ],
    ids=repr,
)
def test_a_method_that_does_not_fit_is_refused(method: fastmcts.Method, options: dict[str, Any], message: str) -> None:
    budget: dict[str, Any] = {"simulations": 10, **options}
    with pytest.raises(ValueError, match=message):
        fastmcts.search(games.TicTacToe().new_initial_state(), **budget, method=method)


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="SinglePerspective's player must be at least 0"):
        SinglePerspective(player=-1)
    with pytest.raises(TypeError, match="resample must be True or False"):
        SinglePerspective(resample=1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="PIMC's worlds must be from 1 to 4,096"):
        PIMC(worlds=0)
    with pytest.raises(ValueError, match="PIMC's vote must be one of visits, value, majority"):
        PIMC(vote="all")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="ISMCTS's observers must be"):
        ISMCTS(observers="nobody")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"method must be a Method, such as PerfectInformation\(\)"):
        fastmcts.search(games.TicTacToe().new_initial_state(), simulations=10, method="ismcts")  # pyright: ignore[reportArgumentType]


def test_the_default_method_is_named_perfect_information() -> None:
    state = games.TicTacToe().new_initial_state()
    default = fastmcts.search(state, simulations=100, seed=0)
    named = fastmcts.search(state, simulations=100, seed=0, method=PerfectInformation())
    assert default.visits.tolist() == named.visits.tolist()
    assert default.method == PerfectInformation()


def decision(state: fastmcts.State) -> fastmcts.State:
    """The position after chance has decided whatever it decides first."""
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state
