"""An agent that fails in a way that a run has to survive."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from fastmcts import State
from fastmcts.experiments import Agent


@dataclass(frozen=True)
class Failing(Agent):
    """Plays the first legal move, but some times it dies, hangs or raises; a file counts its moves.

    Args:
        counter: The file.
        how: "die", "hang" or "raise".
        after: So many moves before go well.
        times: So many fail.
    """

    counter: str
    how: str
    after: int = 0
    times: int = 1

    def choose(self, state: State, seed: int = 0) -> int:
        counter = Path(self.counter)
        moves = counter.stat().st_size if counter.exists() else 0
        with counter.open("a") as file:
            file.write("x")
        if self.after <= moves < self.after + self.times:
            if self.how == "die":
                os._exit(3)
            elif self.how == "hang":
                time.sleep(600)
            raise ValueError("I give up")
        return state.legal_actions()[0]

    def __repr__(self) -> str:
        return "failing"
