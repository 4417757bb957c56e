"""Markov decision processes and puzzles, searched, against exact value iteration and a solver's optimum."""

from collections import deque
from typing import Any

import numpy as np
import pytest

import fastmcts
from examples.frozen_lake import FrozenLake
from examples.river_swim import RIGHT, RiverSwim
from examples.score_2048 import Score2048
from examples.sliding_puzzle import SlidingPuzzle
from examples.taxi import Taxi
from fastmcts import UCT, ExpandAll, RandomRollout
from fastmcts.games.twenty48 import CELL, PLAYER
from fastmcts.testing import check_game
from tests.helpers.value_iteration import Exact

GAMES = [
    RiverSwim(),
    FrozenLake(),
    FrozenLake(size=8, slippery=False),
    Taxi(horizon=20),
    SlidingPuzzle(),
    SlidingPuzzle(rows=2, columns=4),
    Score2048(max_tile=32),
]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_games_keep_the_contract(game: fastmcts.Game) -> None:
    check_game(game, positions=300)


def step(state: fastmcts.State, **options: Any) -> None:
    """Make the move that a search finds."""
    action = fastmcts.search(state, seed=0, **options).action
    assert action is not None
    state.apply_action(action)


def published_river_swim(horizon: int, discount: float) -> np.ndarray:
    """Values of all actions in all places, by the table of Osband, Russo and Van Roy (2013), figure 3."""
    chances, rewards = np.zeros((6, 2, 6)), np.zeros((6, 2))
    chances[range(6), 0, [0, 0, 1, 2, 3, 4]] = 1.0
    chances[0, 1, :2] = 0.4, 0.6
    chances[5, 1, 4:] = 0.4, 0.6
    for place in range(1, 5):
        chances[place, 1, place - 1 : place + 2] = 0.05, 0.6, 0.35
    rewards[0, 0], rewards[5, 1] = 0.005, 1.0
    values, actions = np.zeros(6), np.zeros((6, 2))
    for _ in range(horizon):
        actions = rewards + discount * chances @ values
        values = actions.max(axis=1)
    return actions


@pytest.mark.parametrize("discount", [1.0, 0.95])
def test_the_rules_of_river_swim_have_the_published_values(discount: float) -> None:
    state, exact = RiverSwim().new_initial_state(), Exact(discount)
    values = [exact.after(state, action) for action in state.legal_actions()]
    assert values == pytest.approx(published_river_swim(20, discount)[0])


@pytest.mark.jit
@pytest.mark.parametrize("discount", [0.95, pytest.param(1.0, marks=pytest.mark.thorough)])
def test_the_search_swims_and_knows_what_it_is_worth_within_2_percent(discount: float) -> None:
    state = RiverSwim().new_initial_state()
    rollout = fastmcts.GameRollout(discount=discount)
    result = fastmcts.search(state, simulations=300_000, seed=0, rollout=rollout)
    exact = published_river_swim(20, discount)[0].max()
    assert result.action == RIGHT
    assert result.value == pytest.approx(exact, rel=0.02)
    assert result.values[RIGHT] == pytest.approx(exact, rel=0.02)


@pytest.mark.jit
@pytest.mark.thorough
@pytest.mark.parametrize("cell", [9, 13, 14])
def test_on_the_frozen_lake_the_search_finds_the_best_steps_near_the_goal(cell: int) -> None:
    game, exact = FrozenLake(), Exact(0.99)
    state = game.state_from_array(np.array([cell, game.horizon - 6, 0, 0]))
    options: dict[str, Any] = {"selection": UCT(c=1.0), "rollout": RandomRollout(discount=0.99)}
    result = fastmcts.search(state, simulations=2_000_000, seed=0, **options)
    assert result.action in exact.best(state)
    assert result.values.max() == pytest.approx(exact.value(state), rel=0.05)


@pytest.mark.slow_to_compile
def test_on_firm_ice_the_search_finds_the_shortest_way() -> None:
    state = FrozenLake(slippery=False, horizon=12).new_initial_state()
    result = fastmcts.search(state, simulations=2_000, seed=0, final="value")
    assert Exact(0.99).value(state) == pytest.approx(0.99**5)
    for _ in range(6):
        step(state, simulations=1_500, final="value")
    assert state.returns() == [1.0]
    assert result.action in Exact(0.99).best(state.game.new_initial_state())


@pytest.mark.parametrize(
    ("passengers", "simulations"),
    [
        pytest.param(3, 400, marks=pytest.mark.slow_to_compile),
        pytest.param(6, 3_000, marks=[pytest.mark.jit, pytest.mark.thorough]),
    ],
)
def test_the_taxi_takes_the_best_way(passengers: int, simulations: int) -> None:
    exact = Exact()
    for seed in range(passengers):
        state = Taxi(horizon=25).new_initial_state(seed)
        best = exact.value(state)
        while not state.is_terminal():
            step(state, simulations=simulations)
        assert state.returns() == [best]


@pytest.mark.slow_to_compile
def test_the_sliding_puzzle_is_solved_in_the_fewest_moves() -> None:
    for seed in range(4):
        state = SlidingPuzzle(shuffles=14).new_initial_state(seed)
        fewest = shortest(state)
        while not state.is_terminal():
            step(state, simulations=1_500)
        assert state.returns() == [-float(fewest)]


def shortest(state: fastmcts.State) -> int:
    """The moves of the shortest solution, by breadth-first search with positions as tuples."""
    columns, start = state.game.columns, tuple(state.array[2:].tolist())  # pyright: ignore[reportAttributeAccessIssue]
    goal = (*range(1, len(start)), 0)
    distance, waiting = {start: 0}, deque([start])
    while goal not in distance:
        tiles = waiting.popleft()
        empty = tiles.index(0)
        for step in (-columns, columns, -1, 1):
            other = empty + step
            is_row = abs(step) == columns or other // columns == empty // columns
            if 0 <= other < len(tiles) and is_row:
                swapped = list(tiles)
                swapped[empty], swapped[other] = swapped[other], 0
                if (found := tuple(swapped)) not in distance:
                    distance[found] = distance[tiles] + 1
                    waiting.append(found)
    return distance[goal]


@pytest.mark.slow_to_compile
def test_2048_pays_its_score_and_an_end_game_has_the_exact_value() -> None:
    game = Score2048(max_tile=32)
    state = game.new_initial_state(seed=1, draw_chance=True)
    chooser = np.random.default_rng(0)
    while not state.is_terminal():
        state.apply_action(int(chooser.choice(state.legal_actions())))
    assert state.returns() == [float(state.array[1])] != [0.0]
    end = np.array([0, 0, *(4, 3, 4, 2), *(2, 4, 1, 3), *(4, 3, 4, 1), *(1, 2, 3, 3)])
    end = game.state_from_array(end)
    assert end.array[PLAYER] == 0
    assert end.array[CELL] == 4
    exact = Exact(0.9)
    rollout = RandomRollout(discount=0.9)
    result = fastmcts.search(end, simulations=3_000, seed=0, rollout=rollout, selection=UCT(c=0.3, normalize=True))
    assert result.action in exact.best(end)
    assert result.values.max() == pytest.approx(exact.value(end), rel=0.1)


def test_expanding_at_once_is_among_what_river_swim_recommends() -> None:
    assert isinstance(RiverSwim().recommended["expansion"], ExpandAll)
