"""Evaluators that are compiled into the search."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.types import Actions, Position, Utilities
from fastmcts.game import Game
from fastmcts.strategies.evaluation import Evaluator


@dataclass(frozen=True)
class GameEvaluator(Evaluator):
    """What the game itself says: its `prior` and its `evaluate`."""

    def evaluate(
        self,
        game: Game,
        state: Position,
        player: int,
        actions: Actions,
        count: int,
        policy: NDArray[np.float64],
        values: Utilities,
    ) -> None:
        """Ask the game."""
        game.prior(state, actions, count, policy)
        game.evaluate(state, values)


@dataclass(frozen=True)
class UniformEvaluator(Evaluator):
    """Every move is as likely as any other, and every position even: in a `Blend` the rollout tells more."""

    def evaluate(
        self,
        game: Game,
        state: Position,
        player: int,
        actions: Actions,
        count: int,
        policy: NDArray[np.float64],
        values: Utilities,
    ) -> None:
        """Know nothing."""
        for index in range(count):
            policy[index] = 1.0 / count
        for index in range(game.num_players):
            values[index] = 0.5 * (game.min_utility + game.max_utility)
