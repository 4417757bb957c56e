"""A rollout policy of one's own."""

from dataclasses import dataclass
from typing import Any

import fastmcts
from fastmcts.core.scratch import Scratch
from fastmcts.core.types import Rng


@dataclass(frozen=True)
class LargeSteps(fastmcts.Rollout):
    """Always the last of the legal moves."""

    def choose(self, game: Any, player: int, tree: fastmcts.Tree, scratch: Scratch, rng: Rng) -> int:
        count = game.legal_actions(scratch.state, scratch.actions)
        return int(scratch.actions[count - 1])
