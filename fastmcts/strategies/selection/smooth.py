"""UCT, mixed with what it has chosen on average."""

import math
from dataclasses import dataclass

from fastmcts.core.constants import NONE
from fastmcts.core.tree import Tree
from fastmcts.core.types import Rng
from fastmcts.core.validate import real_number
from fastmcts.rng import below, unit
from fastmcts.strategies.selection.base import Selection
from fastmcts.strategies.selection.ucb import UCT


@dataclass(frozen=True)
class SmoothUCT(UCT):
    """Smooth UCT: sometimes by UCT, else as on average so far (Heinrich and Silver 2015).

    At a node with N visits a simulation goes by UCT with the chance max(least, most / (1 + decay sqrt(N))). Else it
    draws a child in proportion to visits: the average of all choices so far. So opponents meet the average of each
    other, as in fictitious play, and in `ISMCTS(observers="all", begins="deal")` visits approach an equilibrium where
    those of UCT go round in circles.

    Args:
        c: The weight of exploration, in UCT.
        most: The chance of UCT at a new node; eta in the paper.
        least: The chance of UCT in the end; gamma in the paper.
        decay: How fast it falls; d in the paper.
    """

    most: float = 0.9
    least: float = 0.1
    decay: float = 0.001

    draws = True

    def __post_init__(self) -> None:
        Selection.__post_init__(self)
        real_number("SmoothUCT's most", self.most, low=0.0, high=1.0)
        real_number("SmoothUCT's least", self.least, low=0.0, high=1.0)
        real_number("SmoothUCT's decay", self.decay, low=0.0)

    def drawn_child(self, tree: Tree, node: int, rng: Rng) -> int:
        """A tried child in proportion to its visits, or NONE where UCT decides."""
        if unit(rng) < max(self.least, self.most / (1.0 + self.decay * math.sqrt(tree.visits[node]))):
            return NONE
        first = int(tree.first_child[node])
        total = 0
        for child in range(first, first + tree.num_tried[node]):
            total += self.tries(tree, child)
        if total == 0:
            return NONE
        left = below(rng, total)
        child = first
        while left >= self.tries(tree, child):
            left -= self.tries(tree, child)
            child += 1
        return child
