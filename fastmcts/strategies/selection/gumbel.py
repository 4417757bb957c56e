"""Moves sampled without replacement and halved at the root, and a policy that improves on the prior below it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Rng
from fastmcts.core.validate import real_number, whole_number
from fastmcts.kernels.contest import competes
from fastmcts.rng import unit
from fastmcts.strategies.selection.base import Roots, Selection

LEAST_PRIOR = 1e-300  # so that a prior of zero has a logarithm
LEAST_RANGE = 1e-8  # by which values are divided
LEAST_SCORE = -1e9  # of a move that is considered; below it are only those that are not
HALF_STEP = 2.0**-54  # so that no draw is 0


@dataclass(frozen=True)
class Gumbel(Selection):
    """Planning with Gumbel (Danihelka et al. 2022), for evaluators: it improves on a policy with few simulations.

    At the root as many moves as `considered` are sampled without replacement, by the highest ln P + G with Gumbel
    noise G, and share the simulations by sequential halving: after each phase the half with the highest ln P + G +
    s(q) stays. The last one of them is played. Elsewhere a simulation goes to the child with the highest P'(a) - n /
    (1 + sum of n) where P' = softmax(ln P + s(q)), which is also `result.improved_policy` at the root. Here q are the
    mean rewards of the children, with the node's mixed value (appendix D) for those without visits, stretched to [0,
    1] over the children, and s(q) = (visit_offset + most visits of a child) value_scale q.

    The number of simulations has to be known (`simulations=`), and each search starts with a new tree.

    Args:
        considered: How many moves are sampled at the root.
        scale: The weight of the noise; 0 always takes the same moves, for play.
        value_scale: The weight of values beside priors.
        visit_offset: How much it is before the first visit.
    """

    considered: int = 16
    scale: float = 1.0
    value_scale: float = 0.1
    visit_offset: float = 50.0

    by_node = True
    starts_anew = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("Gumbel's considered", self.considered, low=1, high=2**15 - 1)
        real_number("Gumbel's scale", self.scale, low=0.0)
        real_number("Gumbel's value_scale", self.value_scale, above=0.0)
        real_number("Gumbel's visit_offset", self.visit_offset, low=0.0)
        if self.first_play is not None or self.bias != 0.0 or self.normalize:
            raise ValueError(
                "Gumbel has rules of its own for untried moves and values: leave first_play, bias, normalize out"
            )

    @property
    def untried_first(self) -> bool:
        """Never: the prior decides."""
        return False

    @property
    def uses_prior(self) -> bool:
        """Always."""
        return True

    @property
    def statistics(self) -> tuple[str, ...]:
        """Priors, the noise at the root, and how many simulations there will be."""
        return ("prior", "gumbel", "budget")

    def begin(self, tree: Tree, root: int, rng: Rng) -> None:
        """Draw the noise."""
        first = tree.first_child[root]
        for child in range(first, first + tree.num_children[root]):
            tree.gumbel[child] = -self.scale * math.log(-math.log(unit(rng) + HALF_STEP))

    def choice(self, proofs: Any, tree: Tree, node: int, player: int, scratch: Scratch) -> int:
        """By sequential halving at the root, elsewhere by the improved policy."""
        first, count = int(tree.first_child[node]), int(tree.num_children[node])
        visited = self.set_logits(tree, node, first, count, scratch)
        if tree.parent[node] == NONE:
            rounds = considered_visits(min(self.considered, count), visited, tree.budget[0])
            return self.halved(proofs, tree, node, player, scratch, rounds)
        best_logit = -math.inf
        for index in range(count):
            best_logit = max(best_logit, scratch.weights[index])
        total = 0.0
        for index in range(count):
            total += math.exp(scratch.weights[index] - best_logit)
        best = NONE
        best_score = -math.inf
        for index in range(count):
            child = first + index
            if competes(proofs, tree, node, child, player, scratch):
                probability = math.exp(scratch.weights[index] - best_logit) / total
                score = probability - tree.visits[child] / (1.0 + visited)
                if best == NONE or score > best_score:
                    best, best_score = child, score
        return best

    def halved(self, proofs: Any, tree: Tree, node: int, player: int, scratch: Scratch, rounds: int) -> int:
        """The best move of the root among those with as many visits as is their turn, or else with the fewest."""
        first = tree.first_child[node]
        best = NONE
        best_score = -math.inf
        is_due = False
        for index in range(tree.num_children[node]):
            child = first + index
            if competes(proofs, tree, node, child, player, scratch):
                score = max(LEAST_SCORE, tree.gumbel[child] + scratch.weights[index])
                due = tree.visits[child] == rounds
                better = score > best_score if due == is_due else due
                if not due and not is_due and best != NONE and tree.visits[child] != tree.visits[best]:
                    better = tree.visits[child] < tree.visits[best]
                if best == NONE or better:
                    best, best_score, is_due = child, score, due
        return best

    def set_logits(self, tree: Tree, node: int, first: int, count: int, scratch: Scratch) -> int:
        """Write ln P + s(q) of all children into `scratch.weights`; return how many visits they have."""
        visited, rewarded, most = 0, 0, 0
        tried, weighted = 0.0, 0.0
        for child in range(first, first + count):
            visits = self.rewarded(tree, child)
            visited += tree.visits[child]
            most = max(most, tree.visits[child])
            if visits > 0:
                prior = max(LEAST_PRIOR, tree.prior[child])
                rewarded += visits
                tried += prior
                weighted += prior * (tree.value_sum[child] / visits)
        mixed = tree.estimate[node]
        if rewarded > 0:
            mixed = (mixed + rewarded * (weighted / tried)) / (rewarded + 1)
        low, high, best = math.inf, -math.inf, 0.0
        for index in range(count):
            child = first + index
            visits = self.rewarded(tree, child)
            value = tree.value_sum[child] / visits if visits > 0 else mixed
            scratch.weights[index] = value
            low, high = min(low, value), max(high, value)
            best = max(best, tree.prior[child])
        scale = (self.visit_offset + most) * self.value_scale / max(high - low, LEAST_RANGE)
        for index in range(count):
            logit = math.log(max(LEAST_PRIOR, tree.prior[first + index]) / max(LEAST_PRIOR, best))
            scratch.weights[index] = logit + scale * (scratch.weights[index] - low)
        return visited

    def improved(self, roots: Roots) -> NDArray[np.float64]:
        """The softmax of ln P + s(q)."""
        logits = self.improved_logits(roots)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def improved_logits(self, roots: Roots) -> NDArray[np.float64]:
        """Ln P + s(q) of the moves of roots, less the highest ln P; float64 [B, A], -infinity for illegal moves."""
        visits, legal = roots.visits, roots.legal
        priors = np.maximum(LEAST_PRIOR, roots.priors)
        values = roots.value_sums / np.maximum(1, visits)
        tried = np.where(visits > 0, priors, 0.0)
        count = visits.sum(axis=1)
        of_tried = (tried * values).sum(axis=1) / np.maximum(LEAST_PRIOR, tried.sum(axis=1))
        mixed = (roots.estimates + count * of_tried) / (count + 1)
        values = np.where(visits > 0, values, mixed[:, None])
        low = np.where(legal, values, np.inf).min(axis=1, keepdims=True)
        high = np.where(legal, values, -np.inf).max(axis=1, keepdims=True)
        values = (values - low) / np.maximum(high - low, LEAST_RANGE)
        scale = (self.visit_offset + visits.max(axis=1, keepdims=True)) * self.value_scale
        logits = np.log(priors / priors.max(axis=1, keepdims=True)) + scale * values
        return np.where(legal, logits, -np.inf)


@compiled
def considered_visits(considered: int, simulation: int, simulations: int) -> int:
    """How many visits the moves have whose turn is in a simulation, by sequential halving (Karnin et al. 2013).

    Args:
        considered: With how many moves it begins.
        simulation: Which one: 0, 1, ...
        simulations: How many there will be.
    """
    if considered <= 1:
        return simulation
    phases = 0
    while 1 << phases < considered:
        phases += 1
    start, visits = 0, 0
    while True:
        rounds = max(1, simulations // (phases * considered))
        if simulation < start + rounds * considered:
            return visits + (simulation - start) // considered
        start += rounds * considered
        visits += rounds
        considered = max(2, considered // 2)
