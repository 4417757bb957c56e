"""The sliding puzzle: each move costs 1, so that the best return is minus the length of the shortest solution."""

from dataclasses import dataclass

import fastmcts
from fastmcts import UCT, RandomRollout
from fastmcts.rng import below

UP, DOWN, LEFT, RIGHT = range(4)  # where the empty place goes
MOVES, EMPTY, TILE = 0, 1, 2  # of a position


@dataclass(frozen=True)
class SlidingPuzzle(fastmcts.Game):
    """Order the tiles 1, 2, 3, ... row by row, with the empty place last.

    Args:
        rows: Of tiles.
        columns: Of tiles.
        shuffles: How many random moves lead away from the solution.
        horizon: After so many moves the puzzle is given up.

    State: [moves made, the empty place, the tile at each place, 0 for the empty one].
    """

    rows: int = 3
    columns: int = 3
    shuffles: int = 20
    horizon: int = 40

    num_players = 1
    num_actions = 4
    max_utility = 0.0

    @property
    def places(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    @property
    def state_size(self) -> int:
        """A tile for each place."""
        return TILE + self.places

    @property
    def max_game_length(self) -> int:
        """The moves, until it is given up."""
        return self.horizon

    @property
    def min_utility(self) -> float:
        """Twice the moves: `evaluate` may guess the same once more."""
        return -2.0 * self.horizon

    def initial(self, state, rng):
        for place in range(self.places - 1):
            state[TILE + place] = place + 1
        state[EMPTY] = self.places - 1
        for _ in range(self.shuffles):
            direction = below(rng, 4)
            while not self.can_move(state, direction):
                direction = below(rng, 4)
            self.apply(state, direction)
        state[MOVES] = 0

    def is_solved(self, state):
        """Whether all tiles are in order."""
        for place in range(self.places - 1):
            if state[TILE + place] != place + 1:
                return False
        return True

    def can_move(self, state, direction):
        """Whether the empty place can go there."""
        row, column = state[EMPTY] // self.columns, state[EMPTY] % self.columns
        if direction == UP:
            return row > 0
        if direction == DOWN:
            return row < self.rows - 1
        if direction == LEFT:
            return column > 0
        return column < self.columns - 1

    def current_player(self, state):
        return fastmcts.TERMINAL if state[MOVES] == self.horizon or self.is_solved(state) else 0

    def legal_actions(self, state, actions):
        count = 0
        for direction in range(4):
            if self.can_move(state, direction):
                actions[count] = direction
                count += 1
        return count

    def apply(self, state, action):
        empty = state[EMPTY]
        if action == UP:
            place = empty - self.columns
        elif action == DOWN:
            place = empty + self.columns
        elif action == LEFT:
            place = empty - 1
        else:
            place = empty + 1
        state[TILE + empty] = state[TILE + place]
        state[TILE + place] = 0
        state[EMPTY] = place
        state[MOVES] += 1

    def rewards(self, state, action, after, out):
        out[0] = -1.0

    def returns(self, state, out):
        out[0] = 0.0 if self.is_solved(state) else -float(self.horizon)

    def evaluate(self, state, out):
        """Minus the steps that all tiles are away from their places."""
        steps = 0
        for place in range(self.places):
            tile = state[TILE + place]
            if tile > 0:
                steps += abs((tile - 1) // self.columns - place // self.columns)
                steps += abs((tile - 1) % self.columns - place % self.columns)
        out[0] = -float(steps)

    @property
    def recommended(self):
        """No rollouts: at random nobody ever arrives."""
        return {"selection": UCT(c=0.1), "rollout": RandomRollout(max_length=0), "final": "value"}

    def action_to_string(self, state, action):
        return ("up", "down", "left", "right")[action]

    def render(self, state):
        tiles = [f"{tile or '.':>2}" for tile in state[TILE:]]
        return "\n".join(" ".join(tiles[row : row + self.columns]) for row in range(0, self.places, self.columns))


def main(simulations: int = 20_000, seed: int = 1) -> None:
    """Solve one puzzle."""
    state = SlidingPuzzle().new_initial_state(seed)
    print(state)
    moves = []
    while not state.is_terminal():
        action = fastmcts.search(state, simulations=simulations, seed=0).action
        assert action is not None  # since it is not over
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    print(f"{len(moves)} moves: {', '.join(moves)}")


if __name__ == "__main__":
    main()
