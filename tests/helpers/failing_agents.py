"""Agents that fail once, in a way that a run has to survive; a file remembers that they did."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from fastmcts import State
from fastmcts.experiments import Agent


@dataclass(frozen=True)
class FailingOnce(Agent):
    """Plays the first legal move, but the first time it is asked it dies or hangs."""

    marker: str
    how: str
    times: int = 1

    def choose(self, state: State, seed: int = 0) -> int:
        marker = Path(self.marker)
        failed = len(marker.read_text()) if marker.exists() else 0
        if failed < self.times:
            marker.write_text("x" * (failed + 1))
            if self.how == "die":
                os._exit(3)
            elif self.how == "hang":
                time.sleep(600)
            raise ValueError("I give up")
        return state.legal_actions()[0]

    def __repr__(self) -> str:
        return "failing_once"
