"""A hundred instances of one puzzle: the walls of a maze are a run-time value, so that nothing is compiled anew."""

from dataclasses import dataclass

import numpy as np

import fastmcts
from fastmcts import UCT, RandomRollout, RunTime

CELL, STEPS = 0, 1  # of a position
DIRECTIONS = ("up", "right", "down", "left")


@dataclass(frozen=True)
class Maze(fastmcts.Game):
    """Find the way from the top left to the bottom right of a maze; each step costs 1.

    Args:
        walls: int64 [rows, columns], 1 where there is a wall.
        horizon: After so many steps it is given up.

    State: [the cell, steps made].
    """

    walls: RunTime[np.ndarray]
    horizon: RunTime[int] = 60

    num_players = 1
    num_actions = 4
    state_size = 2
    max_game_length = 1000
    max_utility = 0.0

    @property
    def min_utility(self) -> float:
        """All steps, and as many for not arriving."""
        return -2.0 * self.horizon

    def initial(self, state, rng):
        state[CELL] = 0

    def current_player(self, state):
        is_over = state[CELL] == self.walls.size - 1 or state[STEPS] >= self.horizon
        return fastmcts.TERMINAL if is_over else 0

    def legal_actions(self, state, actions):
        for action in range(4):
            actions[action] = action
        return 4

    def apply(self, state, action):
        rows, columns = self.walls.shape
        row, column = state[CELL] // columns, state[CELL] % columns
        if action == 0:
            row -= 1
        elif action == 1:
            column += 1
        elif action == 2:
            row += 1
        else:
            column -= 1
        if 0 <= row < rows and 0 <= column < columns and self.walls[row, column] == 0:
            state[CELL] = row * columns + column
        state[STEPS] += 1

    def rewards(self, state, action, after, out):
        out[0] = -1.0

    def returns(self, state, out):
        out[0] = 0.0 if state[CELL] == self.walls.size - 1 else -float(self.horizon)

    def evaluate(self, state, out):
        """The way that is left, as if there were no walls."""
        rows, columns = self.walls.shape
        out[0] = -float(rows - 1 - state[CELL] // columns + columns - 1 - state[CELL] % columns)

    @property
    def recommended(self):
        """No rollouts: at random nobody ever arrives."""
        return {"selection": UCT(c=0.1, normalize=True), "rollout": RandomRollout(max_length=0), "final": "value"}

    def action_to_string(self, state, action):
        return DIRECTIONS[action]


def drawn_maze(seed: int, side: int = 6) -> Maze:
    """A maze in which one cell of four is a wall, but for the way along the top and the right."""
    walls = (np.random.default_rng(seed).random((side, side)) < 0.25).astype(np.int64)
    walls[0], walls[:, -1] = 0, 0
    return Maze(walls)


def main(simulations: int = 500, mazes: int = 100) -> None:
    """Find the first step in every maze."""
    states = [drawn_maze(seed, side=4 + seed % 4).new_initial_state() for seed in range(mazes)]
    batch = fastmcts.search_batch(states, simulations=simulations, seed=0)
    steps = np.bincount(batch.action, minlength=4)
    print(", ".join(f"{name} {count}" for name, count in zip(DIRECTIONS, steps, strict=True)))


if __name__ == "__main__":
    main()
