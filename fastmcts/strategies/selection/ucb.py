"""The mean plus a bonus that grows with how little a child is known: upper confidence bounds."""

from dataclasses import dataclass
from typing import Any

from fastmcts.compiler.lanes import at, maximum, minimum, sqrt
from fastmcts.compiler.logarithm import log
from fastmcts.core.constants import NONE
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.game import Game
from fastmcts.kernels.payments import reward_at
from fastmcts.strategies.selection.base import Selection


@dataclass(frozen=True)
class ConfidenceBound(Selection):
    """Mean + sqrt(exploration / n); what a node's exploration is, members of the family say."""

    def scores(self, tree: Tree, children: Any, exploration: Any) -> Any:
        """The mean reward plus the bonus."""
        visits = self.tries(tree, children)
        score = self.mean(tree, children) + sqrt(exploration / visits)
        return self.biased(self.first_played(score, visits), tree, children, visits)


@dataclass(frozen=True)
class UCB1(ConfidenceBound):
    """Mean + c sqrt(2 ln N / n), with N visits of the node and n of the child.

    Args:
        c: The weight of exploration.
    """

    c: float = 1.4

    def exploration(self, trials: int) -> float:
        """2 c^2 ln N."""
        return 2.0 * self.c * self.c * log(trials)


@dataclass(frozen=True)
class UCT(ConfidenceBound):
    """Mean + c sqrt(ln N / n), with N visits of the node and n of the child.

    `UCT()` explores as textbooks do. A search that is not told how to select has `UCT(c=0.5)`, which wins 60% to 73% of
    the games against it, the more the longer both think (experiments/exploration_budgets.toml).

    Args:
        c: The weight of exploration.
    """

    c: float = 1.4

    def exploration(self, trials: int) -> float:
        """c^2 ln N."""
        return self.c * self.c * log(trials)


@dataclass(frozen=True)
class UCB1Tuned(Selection):
    """Mean + c sqrt(ln N / n * min(1/4, variance + sqrt(2 ln N / n))) (Auer et al. 2002).

    Args:
        c: The weight of exploration; 1 is the published rule.
    """

    c: float = 1.0

    @property
    def statistics(self) -> tuple[str, ...]:
        """The squares of rewards, for the variance."""
        return (*super().statistics, "square_sum")

    def exploration(self, trials: int) -> float:
        """Ln N."""
        return log(trials)

    def scores(self, tree: Tree, children: Any, exploration: Any) -> Any:
        """The mean reward plus a bonus that is small where rewards vary little."""
        visits = self.tries(tree, children)
        averaged = self.averaged(tree, children)
        mean = at(tree.value_sum, children) / averaged
        variance = maximum(at(tree.square_sum, children) / averaged - mean * mean, 0.0)
        share = exploration / visits
        bonus = self.c * sqrt(share * minimum(variance + sqrt(2.0 * share), 0.25))
        score = self.first_played(self.mean(tree, children) + bonus, visits)
        return self.biased(score, tree, children, visits)

    def learn(self, game: Game, tree: Tree, leaf: int, depth: int, scratch: Scratch) -> None:
        """Add the squared reward to every node that the simulation passed."""
        self.note_range(game, tree, scratch)
        node = leaf
        level = depth
        while node != NONE:
            level = max(0, level - 1)
            reward = reward_at(game, scratch, level, tree.player[node])
            tree.square_sum[node] += reward * reward
            node = tree.parent[node]
