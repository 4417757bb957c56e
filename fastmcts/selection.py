"""Selection rules: which child a simulation goes down to.

A rule is a component with one method, `score`; the search takes the child with the highest score. It is
asked only where every child was visited at least once.
"""

import math
from dataclasses import dataclass

from fastmcts.checks import real_number
from fastmcts.component import Component
from fastmcts.tree import Tree

__all__ = ["UCB1", "UCT", "Selection"]


@dataclass(frozen=True)
class Selection(Component):
    """Base of all selection rules."""

    def score(self, tree: Tree, node: int, child: int) -> float:
        """How much a simulation at `node` wants to go on to `child`."""
        raise NotImplementedError


@dataclass(frozen=True)
class UCB1(Selection):
    """Mean + c sqrt(2 ln N / n), with N visits of the node and n of the child.

    Args:
        c: The weight of exploration.
    """

    c: float = 1.4

    def __post_init__(self) -> None:
        real_number("UCB1's c", self.c, low=0.0)

    def score(self, tree: Tree, node: int, child: int) -> float:
        """The child's mean reward plus its exploration bonus."""
        visits = tree.visits[child]
        mean = tree.value_sum[child] / visits
        return mean + self.c * math.sqrt(2.0 * math.log(tree.visits[node]) / visits)


@dataclass(frozen=True)
class UCT(Selection):
    """Mean + c sqrt(ln N / n), with N visits of the node and n of the child.

    Args:
        c: The weight of exploration.
    """

    c: float = 1.4

    def __post_init__(self) -> None:
        real_number("UCT's c", self.c, low=0.0)

    def score(self, tree: Tree, node: int, child: int) -> float:
        """The child's mean reward plus its exploration bonus."""
        visits = tree.visits[child]
        mean = tree.value_sum[child] / visits
        return mean + self.c * math.sqrt(math.log(tree.visits[node]) / visits)
