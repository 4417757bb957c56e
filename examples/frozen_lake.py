"""Gymnasium's FrozenLake as a game: cross a slippery lake without falling into a hole."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import fastmcts
from fastmcts import UCT, RandomRollout
from fastmcts.rng import below

CELL, TIME, MOVER, WISH = range(4)  # of a position
LEFT, DOWN, RIGHT, UP = range(4)
HOLE, GOAL = 1, 2

LAKES = {
    4: "SFFF FHFH FFFH HFFG",
    8: "SFFFFFFF FFFFFFFF FFFHFFFF FFFFFHFF FFFHFFFF FHHFFFHF FHFFHFHF FFFHFFFG",
}


@dataclass(frozen=True)
class FrozenLake(fastmcts.Game):
    """Walk from the start to the goal, which pays 1; a hole ends it.

    On slippery ice a step goes where it should, or to one of the two sides, with equal chances.

    State: [cell, steps made, the player or CHANCE, where the step should go].
    """

    size: int = 4
    slippery: bool = True
    horizon: int = 100

    num_players = 1
    num_actions = 4
    num_chance_outcomes = 3
    state_size = 4
    min_utility = 0.0

    @cached_property
    def cells(self):
        """The lake, row by row."""
        return np.array([{"H": HOLE, "G": GOAL}.get(cell, 0) for cell in LAKES[self.size].replace(" ", "")])

    @property
    def max_game_length(self) -> int:
        """A step and a slip."""
        return 2 * self.horizon

    def initial(self, state, rng):
        state[CELL] = 0

    def current_player(self, state):
        return state[MOVER]

    def legal_actions(self, state, actions):
        for action in range(4):
            actions[action] = action
        return 4

    def random_action(self, state, actions, rng):
        return below(rng, 4)

    def chance_outcomes(self, state, actions, probabilities):
        for slip in range(3):
            actions[slip] = slip
            probabilities[slip] = 1.0 / 3.0
        return 3

    def apply(self, state, action):
        if state[MOVER] == fastmcts.CHANCE:
            self.step(state, (state[WISH] + action - 1) % 4)
            return
        state[TIME] += 1
        if self.slippery:
            state[WISH] = action
            state[MOVER] = fastmcts.CHANCE
        else:
            self.step(state, action)

    def step(self, state, direction):
        """Go to the next cell, if there is one."""
        row, column = state[CELL] // self.size, state[CELL] % self.size
        if direction == LEFT:
            column = max(0, column - 1)
        elif direction == DOWN:
            row = min(self.size - 1, row + 1)
        elif direction == RIGHT:
            column = min(self.size - 1, column + 1)
        else:
            row = max(0, row - 1)
        state[CELL] = row * self.size + column
        state[WISH] = 0
        is_over = self.cells[state[CELL]] != 0 or state[TIME] == self.horizon
        state[MOVER] = fastmcts.TERMINAL if is_over else 0

    def rewards(self, state, action, after, out):
        has_moved = after[MOVER] != fastmcts.CHANCE
        out[0] = 1.0 if has_moved and self.cells[after[CELL]] == GOAL else 0.0

    def returns(self, state, out):
        out[0] = 0.0

    @property
    def recommended(self):
        """Far-off returns are small numbers, so that the range that is seen counts."""
        return {"selection": UCT(c=0.3, normalize=True), "rollout": RandomRollout(discount=0.99)}

    def action_to_string(self, state, action):
        if state[MOVER] == fastmcts.CHANCE:
            return ("to one side", "straight on", "to the other side")[action]
        return ("left", "down", "right", "up")[action]

    def render(self, state):
        text = list(LAKES[self.size].replace(" ", ""))
        text[state[CELL]] = text[state[CELL]].lower()
        return "\n".join("".join(text[row : row + self.size]) for row in range(0, len(text), self.size))


def main(simulations: int = 20_000) -> None:
    """Cross the lake once."""
    state = FrozenLake().new_initial_state()
    dice = np.random.default_rng(0)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(dice.integers(3)))
        else:
            action = fastmcts.search(state, simulations=simulations, seed=0).action
            assert action is not None  # since it is not over
            state.apply_action(action)
    print(state)
    print(f"{state.array[TIME]} steps, {state.returns()[0]:g} reached")


if __name__ == "__main__":
    main()
