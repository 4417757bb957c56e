"""Expansion policies: which untried move a simulation adds to the tree."""

from dataclasses import dataclass

from fastmcts.arrays import Rng
from fastmcts.component import Component
from fastmcts.kernels.rng import below

__all__ = ["Expansion", "Lazy"]


@dataclass(frozen=True)
class Expansion(Component):
    """Base of all expansion policies."""

    def choose(self, waiting: int, rng: Rng) -> int:
        """Which of `waiting` untried moves to try next: 0 to waiting - 1."""
        raise NotImplementedError


@dataclass(frozen=True)
class Lazy(Expansion):
    """One new child a simulation, in random order."""

    def choose(self, waiting: int, rng: Rng) -> int:
        """Any of them, with equal chances."""
        return below(rng, waiting)
