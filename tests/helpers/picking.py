"""A game whose outcome is known, and those who play it."""

from dataclasses import dataclass

import numpy as np

from fastmcts import Game, State
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.experiments import Agent


@dataclass(frozen=True)
class HighestPick(Game):
    """Everybody picks a number in turn; it is added to what was dealt, and the sum is the utility.

    Position: [picks made, pick + 1 [P], the deal].
    """

    num_players: int = 2
    num_deals: int = 1

    num_actions = 3
    min_utility = 0.0

    @property
    def max_utility(self) -> float:
        return max(10.0, 2.0 + self.num_deals)

    @property
    def state_size(self) -> int:
        return 2 + self.num_players

    def initial(self, state: Position, rng: Rng) -> None:
        state[1 + self.num_players] = int(rng[0] % np.uint64(self.num_deals))

    def current_player(self, state: Position) -> int:
        return state[0] if state[0] < self.num_players else TERMINAL

    def legal_actions(self, state: Position, actions: Actions) -> int:
        for action in range(3):
            actions[action] = action
        return 3

    def apply(self, state: Position, action: int) -> None:
        state[1 + state[0]] = action + 1
        state[0] += 1

    def returns(self, state: Position, out: Utilities) -> None:
        for player in range(self.num_players):
            out[player] = state[1 + player] + state[1 + self.num_players]


@dataclass(frozen=True)
class Pick(Agent):
    """Always picks the same."""

    action: int

    def choose(self, state: State, seed: int = 0) -> int:
        return self.action
