"""What a search looks like from outside while it goes on, and what it has looked like."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastmcts.strategies.final import best_index


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a search between two chunks, for stoppers and progress callbacks.

    Attributes:
        actions: int64 [L], the legal actions at the root in ascending order.
        visits: int64 [L], how often each was visited, reused visits included.
        values: float64 [L], the mean reward in [0, 1] after each, for the player to move; NaN without visits. (Also
            where a game pays rewards on the way, and results have its own units.)
        simulations: How many simulations this search has run.
        simulations_left: How many it may still run; with a clock an estimate.
        visits_left: The most visits that those can add to one move.
        seconds: How long it has run.
        seconds_left: How long it may still run; None without a clock.
        previous: What a stopper was shown before; None at the first time.
    """

    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    simulations: int
    simulations_left: int
    visits_left: int
    seconds: float
    seconds_left: float | None
    previous: "Snapshot | None" = field(default=None, repr=False)

    @property
    def action(self) -> int:
        """The move that would be made now."""
        return int(self.actions[best_index("visits", self.actions, self.visits, self.values)])

    @property
    def value(self) -> float:
        """The mean reward in [0, 1] of the move that would be made now."""
        return float(self.values[best_index("visits", self.actions, self.visits, self.values)])

    @property
    def rate(self) -> float:
        """Simulations a second."""
        return self.simulations / max(self.seconds, 1e-9)


@dataclass(frozen=True, eq=False)
class Trace:
    """The statistics of the root at 1, 2, 4, ... simulations.

    Attributes:
        simulations: int64 [T].
        visits: int64 [T, L], a column for each legal action in ascending order.
        values: float64 [T, L], the mean rewards in [0, 1], in every game; NaN without visits.
    """

    simulations: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]


def make_trace(snapshots: Sequence[Snapshot], moves: int) -> Trace:
    """Stack what was seen of a root with so many moves."""
    count = len(snapshots)
    return Trace(
        simulations=np.array([snapshot.simulations for snapshot in snapshots], np.int64),
        visits=np.array([snapshot.visits for snapshot in snapshots], np.int64).reshape(count, moves),
        values=np.array([snapshot.values for snapshot in snapshots], np.float64).reshape(count, moves),
    )
