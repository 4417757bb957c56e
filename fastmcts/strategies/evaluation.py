"""Evaluators: what says how good a position is, and how likely each of its moves, in place of a rollout."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.core.validate import real_number
from fastmcts.game import Game
from fastmcts.kernels.evaluate import MOST_OUTCOMES_IN_A_ROW, evaluate_leaf, is_unexpanded, refuse_long_chance
from fastmcts.strategies.expansion import Expansion

__all__ = ["Evaluator", "RootNoise"]


@dataclass(frozen=True)
class Evaluator(Component):
    """Base of evaluators that are compiled into the search: one of your own overrides `evaluate`.

    Functions of whole batches, such as networks, need no class: `evaluator=` takes them as they are.
    """

    #: Whether leaves are judged where they are found, and need not wait.
    answers_at_once = True

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
        """Judge an unfinished position.

        Args:
            game: The game.
            state: The position; not modified.
            player: The player to move.
            actions: The first `count` are the legal actions.
            count: How many there are.
            policy: Filled with a weight for each of them, at least 0; they need not add up to one.
            values: Filled with each player's expected utility.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class NoEvaluator(Evaluator):
    """Nobody is asked: rollouts tell what a leaf is worth, or a function of whole batches."""

    answers_at_once = False


@dataclass(frozen=True)
class RootNoise:
    """Dirichlet noise in the priors of the root's moves, so that self-play tries everything now and then.

    A prior P becomes (1 - weight) P + weight X, with X drawn anew for each search from a Dirichlet distribution.

    Args:
        alpha: Its concentration: 10 divided by the usual number of moves is a good start.
        weight: The share of the noise.
    """

    alpha: float = 0.3
    weight: float = 0.25

    def __post_init__(self) -> None:
        real_number("RootNoise's alpha", self.alpha, above=0.0)
        real_number("RootNoise's weight", self.weight, above=0.0, high=1.0)


@dataclass(frozen=True)
class Evaluated(Expansion):
    """Expand a leaf into all its moves, with the priors and the value that an evaluator gives it.

    Args:
        blend: The weight of a rollout beside the value.
        noise_weight: The share of noise in the priors at the root.
        noise_alpha: The concentration of the noise.
    """

    blend: float = 0.0
    noise_weight: float = 0.0
    noise_alpha: float = 1.0

    at_once = True
    evaluates = True

    @property
    def blends(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether a rollout is played from each leaf."""
        return self.blend > 0.0

    @property
    def adds_noise(self) -> bool:
        """Whether there is noise at the root."""
        return self.noise_weight > 0.0

    @property
    def statistics(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """What the evaluator says of a position; the priors before noise, to add other noise in the next search."""
        return ("estimate", "own_prior") if self.adds_noise else ("estimate",)

    def ends_at(self, strategy: Any, tree: Tree, node: int, scratch: Scratch) -> bool:
        """Where a move has no child yet."""
        return is_unexpanded(strategy, tree, node, scratch)  # pyright: ignore[reportReturnType]

    def more_new_nodes(self, game: Game) -> int:
        """Outcomes of chance on the way to a leaf."""
        return (MOST_OUTCOMES_IN_A_ROW + 1) * game.num_chance_outcomes

    def check_room(self, game: Game, tree: Tree, size: int) -> None:
        """Outcomes of chance must come to an end."""
        if game.has_chance:
            refuse_long_chance(game, tree, size)

    def play(self, strategy: Any, tree: Tree, leaf: int, scratch: Scratch, rng: Rng) -> None:
        """Ask the evaluator, and back up what it says."""
        evaluate_leaf(strategy, tree, leaf, scratch, rng)
