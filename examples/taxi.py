"""Gymnasium's Taxi as a game: fetch a passenger, and bring it where it wants to go."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import fastmcts
from fastmcts import UCT, RandomRollout
from fastmcts.rng import below

ROW, COLUMN, PASSENGER, GOAL, TIME = range(5)  # of a position
SOUTH, NORTH, EAST, WEST, PICK_UP, DROP_OFF = range(6)
IN_TAXI = 4  # of a passenger, who else waits at one of four places
SIDE = 5
PLACES = np.array([[0, 0], [0, 4], [4, 0], [4, 3]])
WALLS = ("01000", "01000", "00000", "10100", "10100")  # 1: no way to the east of it


@dataclass(frozen=True)
class Taxi(fastmcts.Game):
    """Five by five cells with some walls. A step costs 1, a wrong pick-up or drop-off 10; the right drop-off pays 20.

    State: [row, column, where the passenger is, where it wants to go, steps made].
    """

    horizon: int = 200

    num_players = 1
    num_actions = 6
    state_size = 5

    @cached_property
    def walls(self):
        """Whether there is no way to the east, [row, column]."""
        return np.array([[int(wall) for wall in row] for row in WALLS])

    @property
    def places(self):
        """Where passengers wait, [place, row or column]."""
        return PLACES

    @property
    def max_game_length(self) -> int:
        """No step is left to chance."""
        return self.horizon

    @property
    def min_utility(self) -> float:
        """As if every step were wrong."""
        return -10.0 * self.horizon

    @property
    def max_utility(self) -> float:
        """For a drop-off at once."""
        return 20.0

    def initial(self, state, rng):
        state[ROW], state[COLUMN] = below(rng, SIDE), below(rng, SIDE)
        state[PASSENGER] = below(rng, 4)
        state[GOAL] = (state[PASSENGER] + 1 + below(rng, 3)) % 4

    def current_player(self, state):
        return fastmcts.TERMINAL if state[PASSENGER] == state[GOAL] or state[TIME] == self.horizon else 0

    def legal_actions(self, state, actions):
        for action in range(6):
            actions[action] = action
        return 6

    def is_at(self, state, place):
        """Whether the taxi is at one of the four places."""
        return state[ROW] == self.places[place, 0] and state[COLUMN] == self.places[place, 1]

    def apply(self, state, action):
        state[TIME] += 1
        if action == SOUTH:
            state[ROW] = min(SIDE - 1, state[ROW] + 1)
        elif action == NORTH:
            state[ROW] = max(0, state[ROW] - 1)
        elif action == EAST:
            if state[COLUMN] < SIDE - 1 and self.walls[state[ROW], state[COLUMN]] == 0:
                state[COLUMN] += 1
        elif action == WEST:
            if state[COLUMN] > 0 and self.walls[state[ROW], state[COLUMN] - 1] == 0:
                state[COLUMN] -= 1
        elif action == PICK_UP:
            if state[PASSENGER] < IN_TAXI and self.is_at(state, state[PASSENGER]):
                state[PASSENGER] = IN_TAXI
        elif state[PASSENGER] == IN_TAXI:
            for place in range(4):
                if self.is_at(state, place):
                    state[PASSENGER] = place

    def rewards(self, state, action, after, out):
        out[0] = -1.0
        if action == DROP_OFF and after[PASSENGER] == after[GOAL]:
            out[0] = 20.0
        elif action >= PICK_UP and after[PASSENGER] == state[PASSENGER]:
            out[0] = -10.0

    def returns(self, state, out):
        out[0] = 0.0

    @cached_property
    def ways(self):
        """How many steps it takes to each place, [place, row, column]."""
        ways = np.full((4, SIDE, SIDE), SIDE * SIDE)
        ways[range(4), self.places[:, 0], self.places[:, 1]] = 0
        for _ in range(SIDE * SIDE):
            ways[:, 1:] = np.minimum(ways[:, 1:], ways[:, :-1] + 1)
            ways[:, :-1] = np.minimum(ways[:, :-1], ways[:, 1:] + 1)
            for row, column in np.argwhere(self.walls[:, :-1] == 0):
                nearer = ways[:, row, column : column + 2].min(axis=1) + 1
                ways[:, row, column : column + 2] = np.minimum(ways[:, row, column : column + 2], nearer[:, None])
        return ways

    def evaluate(self, state, out):
        """The way that is left, if it can still be made."""
        goal, row, column, steps = state[GOAL], state[ROW], state[COLUMN], 1
        if state[PASSENGER] < IN_TAXI:
            place = state[PASSENGER]
            steps += self.ways[place, row, column] + 1
            row, column = self.places[place, 0], self.places[place, 1]
        steps += self.ways[goal, row, column]
        left = self.horizon - state[TIME]
        out[0] = 21.0 - steps if steps <= left else -float(left)

    @property
    def recommended(self):
        """No rollouts: at random nobody ever arrives."""
        return {"selection": UCT(c=0.03, normalize=True), "rollout": RandomRollout(max_length=0)}

    def action_to_string(self, state, action):
        return ("south", "north", "east", "west", "pick up", "drop off")[action]


def main(simulations: int = 3_000, seed: int = 2) -> None:
    """Take one passenger."""
    state = Taxi().new_initial_state(seed)
    moves = []
    while not state.is_terminal():
        action = fastmcts.search(state, simulations=simulations, seed=0).action
        assert action is not None  # since it is not over
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    print(", ".join(moves))
    print(f"return {state.returns()[0]:g}")


if __name__ == "__main__":
    main()
