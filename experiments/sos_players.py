"""Opponents for SOS: one that takes points, and a search that knows nothing but points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts import PUCT, State, spawn_seed
from fastmcts.core.types import Actions, Position
from fastmcts.experiments import Search
from fastmcts.games.sos import SOS


@dataclass(frozen=True)
class TakesPoints:
    """Takes a point if there is one, and else moves at random."""

    def choose(self, state: State, seed: int) -> int:
        """Any of the moves that score, or of all."""
        legal = state.legal_actions()
        candidates = [action for action in legal if state.game.is_promising(state.array, action)] or legal
        return candidates[spawn_seed(seed, 0) % len(candidates)]


@dataclass(frozen=True)
class SixLines(SOS):
    """SOS with a prior that knows points only."""

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Fifty to one for a move that scores."""
        total = 0.0
        for index in range(count):
            out[index] = 50.0 if self.completed(state, actions[index]) > 0 else 1.0
            total += out[index]
        for index in range(count):
            out[index] /= total


@dataclass(frozen=True)
class SixLinesSearch:
    """Searches with the prior of six lines, `PUCT(c=3)` and random rollouts."""

    simulations: int

    @property
    def search(self) -> Search:
        """The search, for positions of `SixLines`."""
        return Search(simulations=self.simulations, strategy="plain", selection=PUCT(c=3.0))

    def choose(self, state: State, seed: int) -> int:
        """The move of a search."""
        return self.choose_many([state], [seed])[0]

    def choose_many(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """The moves of searches in one batch."""
        game: Any = SixLines(states[0].game.rows, states[0].game.columns)  # pyright: ignore[reportAttributeAccessIssue]
        return list(self.search.choose_many([game.state_from_array(state.array) for state in states], seeds))
