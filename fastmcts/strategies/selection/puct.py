"""The mean plus a bonus in proportion to a prior."""

from dataclasses import dataclass
from typing import Any

from fastmcts.compiler.lanes import at, sqrt
from fastmcts.core.tree import Tree
from fastmcts.strategies.selection.base import Selection


@dataclass(frozen=True)
class PUCT(Selection):
    """Mean + c P sqrt(N) / (1 + n), with the prior P of the game: uniform unless it has its own.

    Args:
        c: The weight of exploration.
        first_play: What an untried child is taken to be worth.
    """

    c: float = 1.4
    first_play: float | None = 0.5

    @property
    def uses_prior(self) -> bool:
        """Always."""
        return True

    def exploration(self, trials: int) -> float:
        """C sqrt(N)."""
        return self.c * sqrt(trials)

    def scores(self, tree: Tree, children: Any, exploration: Any) -> Any:
        """The mean reward, or the first-play urgency, plus the bonus."""
        visits = self.tries(tree, children)
        value = self.first_played(self.mean(tree, children), visits)
        return self.with_bonus(value, tree, children, visits, exploration)

    def untried_score(self, tree: Tree, node: int, child: int) -> float:
        """The first-play urgency plus the bonus for no visits."""
        return self.with_bonus(self.urgency, tree, child, 0, self.exploration(tree.visits[node]))

    def with_bonus(self, value: Any, tree: Tree, children: Any, visits: Any, exploration: Any) -> Any:
        """What children are worth, plus a bonus in proportion to their priors."""
        bonus = exploration * at(tree.prior, children) / (1 + visits)
        return self.biased(value + bonus, tree, children, visits)
