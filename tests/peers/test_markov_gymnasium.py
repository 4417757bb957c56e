"""FrozenLake and Taxi have the transitions and rewards of Gymnasium, in every state, and its optimal values."""

from typing import Any

import numpy as np
import pytest

import fastmcts
from examples.frozen_lake import CELL, FrozenLake
from examples.taxi import IN_TAXI, Taxi
from tests.helpers.value_iteration import Exact

frozen_lake = pytest.importorskip("gymnasium.envs.toy_text.frozen_lake")
taxi = pytest.importorskip("gymnasium.envs.toy_text.taxi")

#: A state and an action -> how likely each (next state, reward, is it over) is.
Table = dict[tuple[int, int], dict[tuple[int, float, bool], float]]


def table_of(environment: Any) -> Table:
    """Gymnasium's own table."""
    found: Table = {}
    for state, actions in environment.P.items():
        for action, outcomes in actions.items():
            row = found.setdefault((int(state), int(action)), {})
            for chance, after, reward, is_over in outcomes:
                key = int(after), float(reward), bool(is_over)
                row[key] = row.get(key, 0.0) + chance
    return found


def outcomes_of(state: fastmcts.State, number: Any) -> dict[tuple[int, float, bool], float]:
    """What may come of a step that was chosen, with all that it pays."""
    if not state.is_chance_node():
        return {(number(state), state.rewards()[0], state.is_terminal()): 1.0}
    row: dict[tuple[int, float, bool], float] = {}
    for outcome, chance in state.chance_outcomes():
        for key, more in outcomes_of(state.child(outcome), number).items():
            row[key] = row.get(key, 0.0) + chance * more
    return row


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("slippery", [True, False])
def test_frozen_lake_is_that_of_gymnasium(size: int, slippery: bool) -> None:
    table = table_of(frozen_lake.FrozenLakeEnv(map_name=f"{size}x{size}", is_slippery=slippery))
    game = FrozenLake(size=size, slippery=slippery)
    for (cell, action), row in table.items():
        if game.cells[cell] == 0:
            after = game.state_from_array(np.array([cell, 0, 0, 0])).child(action)
            assert outcomes_of(after, lambda state: int(state.array[CELL])) == pytest.approx(row)


def test_taxi_is_that_of_gymnasium() -> None:
    game = Taxi()

    def number(state: fastmcts.State) -> int:
        row, column, passenger, goal, _ = state.array.tolist()
        return ((row * 5 + column) * 5 + passenger) * 4 + goal

    for (state, action), row in table_of(taxi.TaxiEnv()).items():
        rest, goal = divmod(state, 4)
        rest, passenger = divmod(rest, 5)
        if passenger == goal:
            continue  # it is over
        position = game.state_from_array(np.array([*divmod(rest, 5), passenger, goal, 0]))
        assert number(position) == state
        assert passenger <= IN_TAXI
        assert outcomes_of(position.child(action), number) == row


def values_by_their_table(table: Table, horizon: int, discount: float) -> list[dict[int, float]]:
    """Finite-horizon value iteration on Gymnasium's table: the values with so many steps left."""
    states = {state for state, _ in table}
    values = [dict.fromkeys(states, 0.0)]
    for _ in range(horizon):
        later = values[-1]
        actions = {
            key: sum(p * (reward + discount * later[after] * (not over)) for (after, reward, over), p in row.items())
            for key, row in table.items()
        }
        values.append(
            {state: max(actions[state, action] for action in range(len(table) // len(states))) for state in states}
        )
    return values


def test_both_have_the_values_of_gymnasiums_table() -> None:
    lake = values_by_their_table(table_of(frozen_lake.FrozenLakeEnv(is_slippery=True)), 100, 0.99)
    assert Exact(0.99).value(FrozenLake().new_initial_state()) == pytest.approx(lake[100][0])
    assert lake[100][0] == pytest.approx(0.542, abs=0.03)  # what it comes to without a horizon
    cabs = values_by_their_table(table_of(taxi.TaxiEnv()), 20, 0.95)
    state = Taxi(horizon=20).new_initial_state(seed=0)
    row, column, passenger, goal, _ = state.array.tolist()
    assert Exact(0.95).value(state) == pytest.approx(cabs[20][((row * 5 + column) * 5 + passenger) * 4 + goal])
