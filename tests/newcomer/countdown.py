"""A game of one's own."""

from dataclasses import dataclass

import fastmcts
from fastmcts.core.types import Actions, Position, Rng, Utilities


@dataclass(frozen=True)
class Countdown(fastmcts.Game):
    """Subtract one or two from a number; whoever reaches 0 wins.  State: [number, player to move]."""

    number: int = 10

    num_players = 2
    num_actions = 2
    state_size = 2

    def initial(self, state: Position, rng: Rng) -> None:
        state[0] = self.number

    def current_player(self, state: Position) -> int:
        return int(state[1]) if state[0] > 0 else fastmcts.TERMINAL

    def legal_actions(self, state: Position, actions: Actions) -> int:
        for action in range(min(2, int(state[0]))):
            actions[action] = action
        return min(2, int(state[0]))

    def apply(self, state: Position, action: int) -> None:
        state[0] -= action + 1
        state[1] = 1 - state[1]

    def returns(self, state: Position, out: Utilities) -> None:
        loser = int(state[1])
        out[loser] = -1.0
        out[1 - loser] = 1.0
