"""A selection rule of one's own."""

import math
from dataclasses import dataclass

import fastmcts


@dataclass(frozen=True)
class Boldness(fastmcts.Selection):
    """The mean, plus a bonus that fades with the root of the visits."""

    c: float = 0.5

    def score(self, tree: fastmcts.Tree, node: int, child: int) -> float:
        visits = int(tree.visits[child])
        return float(tree.value_sum[child]) / visits + self.c / math.sqrt(visits)
