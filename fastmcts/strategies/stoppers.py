"""Reasons to stop a search before its budget is used up.

A stopper is an object with one method. It is asked after fixed numbers of simulations, eight times for
each doubling of their number, so that a stop does not depend on the speed of the machine.
"""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fastmcts.core.validate import real_number
from fastmcts.strategies.final import best_index
from fastmcts.strategies.snapshot import Snapshot

__all__ = ["Agreed", "Converged", "Decided", "Stopper"]

CHECKS_PER_DOUBLING = 8
FIRST_CHECK = 16  # simulations


class Stopper(ABC):
    """Base of all stoppers; write your own with a `check`."""

    def started(self) -> "Stopper":
        """The stopper that watches one search: a copy, so that what it counts is for that search alone.

        Override it if it has to begin with more than a copy of its attributes, such as an empty list of its own.
        """
        return copy.copy(self)

    @abstractmethod
    def check(self, snapshot: Snapshot) -> str | None:
        """The reason to stop now, which `result.stopped_by` will tell, or None to go on."""


@dataclass(frozen=True)
class Decided(Stopper):
    """Stop when the most visited move cannot be caught in the rest of the budget.

    With a clock the rest is an estimate from the speed so far.
    """

    def check(self, snapshot: Snapshot) -> str | None:
        """Compare the two most visited moves."""
        if len(snapshot.visits) < 2:
            return "decided"
        second, first = np.sort(snapshot.visits)[-2:]
        return "decided" if first - second > snapshot.visits_left else None


@dataclass(frozen=True)
class Agreed(Stopper):
    """Stop when the most visited move also has the highest mean."""

    def check(self, snapshot: Snapshot) -> str | None:
        """Compare the two."""
        arrays = (snapshot.actions, snapshot.visits, snapshot.values)
        return "agreed" if best_index("visits", *arrays) == best_index("value", *arrays) else None


@dataclass(frozen=True)
class Converged(Stopper):
    """Stop when the shares of visits hardly move any more.

    Args:
        kl_gain: Stop below this: the Kullback-Leibler divergence of the shares now from those at the
            check before, per simulation in between.
    """

    kl_gain: float = 1e-6

    def __post_init__(self) -> None:
        real_number("Converged's kl_gain", self.kl_gain, above=0.0)

    def check(self, snapshot: Snapshot) -> str | None:
        """Compare the shares of visits with those of the check before."""
        before = snapshot.previous
        if before is None or not before.visits.any() or not snapshot.visits.all():
            return None
        visited = before.visits > 0
        old = before.visits[visited] / before.visits.sum()
        new = snapshot.visits[visited] / snapshot.visits.sum()
        gain = float((old * np.log(old / new)).sum()) / (snapshot.simulations - before.simulations)
        return "converged" if gain < self.kl_gain else None


def next_check(simulations: int) -> int:
    """After how many simulations stoppers are asked again."""
    doubling = 1 << max(0, simulations.bit_length() - 1)
    step = max(FIRST_CHECK, doubling // CHECKS_PER_DOUBLING)
    return simulations - simulations % step + step


def next_trace(simulations: int) -> int:
    """The next power of two, at which a trace is taken."""
    return 1 << simulations.bit_length()
