"""Rollout policies: how a simulation plays on where the tree ends."""

from dataclasses import dataclass

from fastmcts.arrays import Actions, Position, Rng
from fastmcts.checks import whole_number
from fastmcts.component import Component
from fastmcts.game import Game

__all__ = ["RandomRollout", "Rollout"]

UNLIMITED = 2**62


@dataclass(frozen=True)
class Rollout(Component):
    """Base of all rollout policies.

    Args:
        max_length: After so many moves the game's `evaluate` decides; None plays to the end.
    """

    max_length: int | None = None

    def __post_init__(self) -> None:
        if self.max_length is not None:
            whole_number(f"{type(self).__name__}'s max_length", self.max_length, low=0)

    @property
    def limit(self) -> int:
        """The number of moves after which a rollout is cut off."""
        return UNLIMITED if self.max_length is None else int(self.max_length)

    def choose(
        self,
        game: Game,
        state: Position,
        actions: Actions,
        rng: Rng,
    ) -> int:
        """The next move; `actions` is a buffer to list moves in."""
        raise NotImplementedError


@dataclass(frozen=True)
class RandomRollout(Rollout):
    """Every legal move with equal chances.

    Args:
        max_length: After so many moves the game's `evaluate` decides; None plays to the end.
    """

    def choose(
        self,
        game: Game,
        state: Position,
        actions: Actions,
        rng: Rng,
    ) -> int:
        """Any legal move, with equal chances."""
        return game.random_action(state, actions, rng)
