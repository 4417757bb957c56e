"""The mean plus a bonus in proportion to a prior."""

import dataclasses
import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.lanes import at, sqrt
from fastmcts.core.constants import NONE
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.validate import real_number
from fastmcts.kernels.contest import competes
from fastmcts.strategies.selection.base import Roots, Selection


@dataclass(frozen=True, repr=False)
class PUCT(Selection):
    """Mean + c P sqrt(N) / (1 + n), with the prior P of an evaluator, or of the game: uniform unless it has its own.

    N are the visits of the node and n those of the child. Below an evaluator N counts the evaluation of the node too,
    so that it is one more than the visits of its children, at the root as anywhere.

    Args:
        c: The weight of exploration.
        first_play: What an untried child is taken to be worth.
        c_init: In place of c, a weight that grows with the visits: c_init + ln((N + c_base + 1) / c_base).
        c_base: How slowly it grows.
        fpu_reduction: In place of first_play, by how much less an untried child is taken to be worth than the node:
            V - fpu_reduction sqrt(S), with the mean reward V of the node for the player to move and the sum S of the
            priors of those children that were tried.
        forced_playouts: At the root, a child that was tried gets at least sqrt(forced_playouts P N) visits; 2 is usual,
            0 forces nothing. `result.improved_policy` leaves out what nothing but this has brought about
            (Wu 2020: forced playouts and policy target pruning).
        offset: What is added to N below the root sign; sqrt(N + 1) is known from several programs.
    """

    c: float = 1.4
    first_play: float | None = 0.5
    _: KW_ONLY
    c_init: float | None = None
    c_base: float = 19652.0
    fpu_reduction: float | None = None
    forced_playouts: float = 0.0
    offset: float = 0.0

    def __repr__(self) -> str:
        """What every rule has, the constant, and what is not left out."""
        always = ("first_play", "bias", "normalize", "c")
        fields = [field for field in dataclasses.fields(self) if field.name not in always]
        shown = [*always, *(field.name for field in fields if getattr(self, field.name) != field.default)]
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __post_init__(self) -> None:
        super().__post_init__()
        name = type(self).__name__
        if self.c_init is not None:
            real_number(f"{name}'s c_init", self.c_init, low=0.0)
        real_number(f"{name}'s c_base", self.c_base, above=0.0)
        if self.fpu_reduction is not None:
            real_number(f"{name}'s fpu_reduction", self.fpu_reduction)
        real_number(f"{name}'s forced_playouts", self.forced_playouts, low=0.0)
        real_number(f"{name}'s offset", self.offset, low=0.0)

    @property
    def uses_prior(self) -> bool:
        """Always."""
        return True

    @property
    def grows(self) -> bool:
        """Whether the weight of exploration grows with the visits."""
        return self.c_init is not None

    @property
    def first_weight(self) -> float:
        """`c_init` as a number."""
        return 0.0 if self.c_init is None else float(self.c_init)

    @property
    def reduces(self) -> bool:
        """Whether untried children are compared with their parent."""
        return self.fpu_reduction is not None

    @property
    def reduction(self) -> float:
        """`fpu_reduction` as a number."""
        return 0.0 if self.fpu_reduction is None else float(self.fpu_reduction)

    @property
    def forces(self) -> bool:
        """Whether children of the root have a claim to visits."""
        return self.forced_playouts > 0.0

    @property
    def by_node(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether one child depends on the others."""
        return self.reduces or self.forces

    def exploration(self, trials: int) -> float:
        """C sqrt(N)."""
        if self.grows:
            return (self.first_weight + math.log((trials + self.c_base + 1.0) / self.c_base)) * sqrt(
                trials + self.offset
            )
        return self.c * sqrt(trials + self.offset)

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

    def choice(self, proofs: Any, tree: Tree, node: int, player: int, scratch: Scratch) -> int:
        """The highest score, where the urgency of untried children depends on the tried ones."""
        first = tree.first_child[node]
        end = first + (tree.num_tried[node] if tree.spans_positions else tree.num_children[node])
        urgency = self.reduced_urgency(tree, node, first, end) if self.reduces else self.urgency
        best = NONE
        best_score = -math.inf
        for child in range(first, end):
            if competes(proofs, tree, node, child, player, scratch):
                exploration = self.exploration(self.trials(tree, node, child))
                visits = self.tries(tree, child)
                value = self.mean(tree, child) if visits > 0 else urgency
                score = self.with_bonus(value, tree, child, visits, exploration)
                if self.forces and self.is_owed(tree, node, child, visits):
                    score = math.inf
                if best == NONE or score > best_score:
                    best, best_score = child, score
        return best

    def is_owed(self, tree: Tree, node: int, child: int, visits: int) -> bool:
        """Whether a child of the root was tried, but less often than it has a claim to."""
        claim = math.sqrt(self.forced_playouts * tree.prior[child] * tree.visits[node])
        return tree.parent[node] == NONE and visits > 0 and visits < claim

    def reduced_urgency(self, tree: Tree, node: int, first: int, end: int) -> float:
        """What an untried child is taken to be worth, by what the node is worth to the player to move."""
        total, count, tried = 0.0, 0, 0.0
        if tree.estimate.size > 0:
            total, count = tree.estimate[node], 1
        for child in range(first, end):
            if tree.visits[child] > 0:
                total += tree.value_sum[child]
                count += self.rewarded(tree, child)
                tried += tree.prior[child]
        value = total / count if count > 0 else self.urgency
        return value - self.reduction * math.sqrt(tried)

    def improved(self, roots: Roots) -> NDArray[np.float64]:
        """The shares of visits, without those that were only forced."""
        if not self.forces:
            return super().improved(roots)
        return np.array([self.unforced(*row) for row in zip(*roots[:3], strict=True)])

    def unforced(
        self, visits: NDArray[np.int64], value_sums: NDArray[np.float64], priors: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The same for one root: float64 [A]."""
        # A move may lose what it was forced to have, until it would have been chosen over the most visited one.
        kept = visits.astype(np.float64)
        means = value_sums / np.maximum(1, visits)
        exploration = self.exploration(int(visits.sum()) + 1)
        best = int(visits.argmax())
        limit = means[best] + exploration * priors[best] / (1 + visits[best])
        forced = np.floor(np.sqrt(self.forced_playouts * priors * (visits.sum() + 1)))
        for move in np.flatnonzero(visits > 0).tolist():
            if move != best:
                wanted = (
                    exploration * priors[move] / max(limit - means[move], 1e-12) - 1 if limit > means[move] else np.inf
                )
                kept[move] = max(visits[move] - forced[move], min(float(visits[move]), np.ceil(wanted)))
                if kept[move] <= 1:
                    kept[move] = 0.0
        return kept / kept.sum()
