"""Values that change without compiling anew."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmcts
from examples.maze import Maze, drawn_maze
from fastmcts import GameError, RunTime
from fastmcts.engine.trial import trial_key
from fastmcts.rng import spawn_seed
from fastmcts.testing import check_game
from tests.subprocesses import run_python


@dataclass(frozen=True)
class Piles(fastmcts.Game):
    """Nim with a pile that is a run-time value, and a table of what may be taken, which is one too.

    State: [stones left, player to move].
    """

    stones: RunTime[int] = 21
    takes: RunTime[np.ndarray] = None  # pyright: ignore[reportAssignmentType]  # set by __post_init__
    prize: float = 1.0
    num_players = 2
    num_actions = 3
    state_size = 2

    def __post_init__(self) -> None:
        if self.takes is None:
            object.__setattr__(self, "takes", np.array([1, 2, 3]))

    @property
    def half(self) -> RunTime[int]:
        return self.stones // 2

    @cached_property
    def bonus(self) -> RunTime[np.ndarray]:
        return np.ones((self.stones, 2), np.float32)

    def initial(self, state, rng):
        state[0] = self.half + (self.stones - self.half)

    def current_player(self, state):
        return state[1] if state[0] > 0 else fastmcts.TERMINAL

    def legal_actions(self, state, actions):
        count = 0
        for action in range(self.takes.size):
            if self.takes[action] <= state[0]:
                actions[count] = action
                count += 1
        return count

    def apply(self, state, action):
        state[0] -= self.takes[action]
        state[1] = 1 - state[1]

    def returns(self, state, out):
        out[state[1]] = -self.prize
        out[1 - state[1]] = self.prize * self.bonus[self.stones - 1, 1]


@pytest.mark.parametrize("game", [Piles(), Piles(9, np.array([1, 2])), drawn_maze(0)], ids=["piles", "other", "maze"])
def test_games_with_run_time_values_keep_the_contract(game: fastmcts.Game) -> None:
    check_game(game, positions=200)


def test_they_are_part_of_no_type_but_their_kinds_are() -> None:
    first, second = Piles(), Piles(10, np.array([1, 2]))
    assert first.numba_type is second.numba_type
    assert set(first.numba_type.fields) == {"bonus", "half", "prize", "stones", "takes"}
    assert Piles(takes=np.array([1.0, 2.0])).numba_type != first.numba_type
    assert drawn_maze(0).numba_type is drawn_maze(1, side=9).numba_type
    assert trial_key(first) != trial_key(second)  # each is tried, since its rules may fail with its own values


@pytest.mark.parametrize("stones", [9, 10, 11])
def test_the_search_plays_by_the_values_of_its_game(stones: int) -> None:
    state = Piles(stones).new_initial_state()
    result = fastmcts.search(state, simulations=2_000, seed=0)
    assert result.action == stones % 4 - 1
    narrow = fastmcts.search(Piles(stones, np.array([1, 2])).new_initial_state(), simulations=2_000, seed=0)
    assert len(narrow.actions) == 2
    if stones % 3:
        assert narrow.action == stones % 3 - 1


COUNTED = """
import json
import fastmcts
from examples.maze import drawn_maze
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, found):
        compiled.append(str(found.data["dispatcher"]))

    def on_end(self, found):
        pass

event.register("numba:compile", Listener())
states = [drawn_maze(seed, side=4 + seed % 4).new_initial_state() for seed in range(100)]
batch = fastmcts.search_batch(states, simulations=50, seed=0)
print(json.dumps([len(batch), len({game.walls.tobytes() for game in batch.games}), compiled]))
"""


@pytest.mark.thorough
@pytest.mark.jit
def test_a_hundred_instances_in_one_batch_are_one_compilation(tmp_path: Path) -> None:
    count, different, compiled = run_python(COUNTED, tmp_path)
    assert count == 100
    assert different > 95
    assert len([name for name in compiled if "run_batch" in name]) == 1, compiled


@pytest.mark.jit
@pytest.mark.thorough
def test_a_process_compiles_nothing_for_other_values(tmp_path: Path) -> None:
    code = """
import json, fastmcts
from examples.maze import drawn_maze
from fastmcts.kernels.loop import run
fastmcts.search(drawn_maze({seed}).new_initial_state(), simulations=10, seed=0)
print(json.dumps([sum(run.stats.cache_misses.values()), sum(run.stats.cache_hits.values())]))
"""
    assert run_python(code.format(seed=0), tmp_path) == [1, 0]
    assert run_python(code.format(seed=1), tmp_path) == [0, 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_each_position_of_a_batch_is_searched_by_the_values_of_its_own_game(threads: int) -> None:
    walls = [drawn_maze(seed, side=4 + seed % 2) for seed in range(3)]
    chosen = [walls[0], walls[1], walls[0], walls[2], Maze(walls[1].walls.copy()), walls[0]]
    states = [game.new_initial_state() for game in chosen]
    states[2].apply_action(1)
    batch = fastmcts.search_batch(states, simulations=60, seed=7, threads=threads)
    for number, state in enumerate(states):
        alone = fastmcts.search(state, simulations=60, seed=spawn_seed(7, number))
        assert batch.visits[number].tolist() == alone.visits.tolist()
        assert batch[number].values.tolist() == alone.values.tolist()
        assert batch.value[number] == alone.value
        assert batch[number].state == alone.state
        assert batch.action[number] == alone.action
    assert batch.simulations == 6 * 60
    timed = fastmcts.search_batch(states[:2], simulations=30, seconds=5.0, seed=7, threads=threads)
    assert timed.visits.sum(axis=1).tolist() == [30, 30]


def test_instances_that_need_other_code_are_refused() -> None:
    states = [Piles().new_initial_state(), Piles(takes=np.array([1.0, 2.0])).new_initial_state()]
    with pytest.raises(ValueError, match="only floats, and what is marked RunTime, may differ"):
        fastmcts.search_batch(states, simulations=10)


def test_a_saved_search_knows_its_values(tmp_path: Path) -> None:
    game = drawn_maze(3)
    mcts = fastmcts.MCTS(game, simulations=100, seed=0)
    first = mcts.search(game.new_initial_state())
    mcts.save(tmp_path / "maze.npz")
    loaded = fastmcts.MCTS.load(tmp_path / "maze.npz")
    assert isinstance(loaded.game, Maze)
    assert loaded.game.walls.tolist() == game.walls.tolist()
    again, on = loaded.search(game.new_initial_state()), mcts.search(game.new_initial_state())
    assert again.visits.tolist() == on.visits.tolist() != first.visits.tolist()
    with pytest.raises(fastmcts.LoadError, match="the game handed over is"):
        fastmcts.MCTS.load(tmp_path / "maze.npz", drawn_maze(4))


def test_tables_are_frozen_and_may_be_laid_out_in_any_way() -> None:
    walls = np.asfortranarray(drawn_maze(5).walls)
    state = Maze(walls).new_initial_state()
    other = drawn_maze(5).new_initial_state()
    found = [fastmcts.search(one, simulations=50, seed=0).visits.tolist() for one in (state, other)]
    assert found[0] == found[1]
    with pytest.raises(ValueError, match="read-only"):
        walls[0, 0] = 1


@dataclass(frozen=True)
class Patient(fastmcts.RandomRollout):
    """A policy with a value of any kind."""

    patience: RunTime[Any] = 3


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            True,
            TypeError,
            "Patient.patience is marked RunTime, which is for ints, floats and arrays of numbers, not True",
        ),
        (2**70, ValueError, "Patient.patience must fit into 64 bits"),
        (np.array(["a"]), TypeError, "Patient.patience is marked RunTime"),
        ("long", TypeError, "Patient.patience is marked RunTime"),
    ],
)
def test_what_cannot_be_a_run_time_value_is_refused(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        _ = Patient(patience=value).numba_type
    assert Patient(patience=4.5).numba_type != Patient(patience=4).numba_type


@dataclass(frozen=True)
class Wide(Piles):
    """Has a size that is none."""

    num_actions: RunTime[int] = 3


def test_a_size_stays_a_constant() -> None:
    with pytest.raises(GameError, match=r"Wide.num_actions cannot be RunTime: arrays have that size"):
        fastmcts.search(Wide().new_initial_state(), simulations=10)


def test_the_marker_is_seen_in_postponed_annotations_too() -> None:
    namespace: dict[str, Any] = {"fastmcts": fastmcts}
    exec(  # as a module with `from __future__ import annotations` is
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass(frozen=True)\n"
        "class Policy(fastmcts.RandomRollout):\n"
        "    patience: fastmcts.RunTime[int] = 3\n",
        namespace,
    )
    assert namespace["Policy"](patience=4).numba_type is namespace["Policy"](patience=9).numba_type
