"""A stopper of one's own."""

from dataclasses import dataclass

import fastmcts


@dataclass(frozen=True)
class FirstTo(fastmcts.Stopper):
    """Stop when a move has so many visits."""

    visits: int = 100

    def check(self, snapshot: fastmcts.Snapshot) -> str | None:
        return "first" if snapshot.visits.max() >= self.visits else None
