"""Read what the trees of a search say about its root, and which move to make."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree, children
from fastmcts.core.types import Position
from fastmcts.engine.plan import Plan
from fastmcts.strategies.final import (
    best_index,
    final_index,
    means,
    root_bounds,
    root_statistics,
    sole_leader,
    voted_index,
)
from fastmcts.strategies.selection import Gumbel
from fastmcts.strategies.selection.base import Roots


class Readout:
    """What was found about the L legal moves of a position.

    Attributes:
        actions: int64 [L], in ascending order.
        visits: int64 [L].
        value_sums: float64 [L], the rewards in [0, 1] for the player to move, summed.
        lower: float64 [L], the least reward that each is proven to bring; None where no proofs are kept.
        upper: float64 [L], the most.
    """

    def __init__(
        self,
        actions: NDArray[np.int64],
        visits: NDArray[np.int64],
        value_sums: NDArray[np.float64],
        lower: NDArray[np.float64] | None = None,
        upper: NDArray[np.float64] | None = None,
    ) -> None:
        self.actions = actions
        self.visits = visits
        self.value_sums = value_sums
        self.lower = lower
        self.upper = upper

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64 [L], the mean rewards; NaN without visits."""
        return means(self.value_sums, self.visits)


def read_root(plan: Plan, trees: Sequence[Tree], actions: NDArray[np.int64], player: int) -> Readout:
    """Add up what all trees have found about the legal actions at their root, where a player is to move."""
    visits, value_sums = root_statistics(trees[0], actions)
    for tree in trees[1:]:
        more_visits, more_value_sums = root_statistics(tree, actions)
        visits += more_visits
        value_sums += more_value_sums
    if not plan.options.solver:
        return Readout(actions, visits, value_sums)
    # Proofs are kept in one tree alone.
    return Readout(actions, visits, value_sums, *root_bounds(trees[0], actions, player, plan.game.num_players))


def chosen_action(plan: Plan, position: Position, found: Readout, trees: Sequence[Tree] = ()) -> int | None:
    """The move to make in a position; None if there is none.

    Args:
        plan: How it was searched.
        position: The position.
        found: What was found.
        trees: Those of the worlds, which may have a vote each.
    """
    if len(found.actions) == 0:
        return None
    return int(found.actions[chosen_index(plan, position, found, trees)])


def chosen_index(plan: Plan, position: Position, found: Readout, trees: Sequence[Tree]) -> int:
    """The index of the move to make among the legal ones."""
    if plan.strategy.selection.starts_anew and len(trees) == 1:
        tree = trees[0]
        noise = root_field(tree, tree.gumbel, found.actions)
        return int(halved(plan, one_root(found, trees), noise[None])[0])
    if plan.goes_by_visits and (leader := sole_leader(found.visits)) is not None:
        return leader
    if plan.method.vote != "visits":
        return voted_index(plan.method.vote, trees, found.actions)
    how, statistics = plan.options.final, (found.actions, found.visits, found.values)
    if found.lower is None or found.upper is None:
        best = best_index(how, *statistics)
    else:
        best = final_index(how, *statistics, found.lower, found.upper)
    return plan.method.played_index(plan.game, position, found.actions, found.values, best)


def halved(plan: Plan, roots: Roots, noise: NDArray[np.float64]) -> NDArray[np.int64]:
    """The moves that sequential halving leaves over: the best one of those with the most visits.

    Args:
        plan: How the B positions were searched.
        roots: What was found about them.
        noise: float64 [B, A], the Gumbel noise.

    Returns:
        int64 [B].
    """
    selection = plan.strategy.selection
    assert isinstance(selection, Gumbel)
    scores = noise + selection.improved_logits(roots)
    is_left = roots.visits == roots.visits.max(axis=1, keepdims=True)
    return np.where(is_left, scores, -np.inf).argmax(axis=1)


def one_root(found: Readout, trees: Sequence[Tree]) -> Roots:
    """What was found about one position, and its legal moves alone."""
    priors = np.mean([root_priors(tree, found.actions) for tree in trees], axis=0)
    estimates = np.array([np.mean([tree.estimate[ROOT] for tree in trees])], np.float64)
    legal = np.ones((1, len(found.actions)), np.bool_)
    return Roots(found.visits[None], found.value_sums[None], priors[None], estimates, legal)


def root_field(tree: Tree, values: NDArray[np.float64], actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a field of a tree says of the legal moves at its root; 0 for those that have no child."""
    found = np.zeros(len(actions))
    tried = children(tree, ROOT)
    made = tree.action[tried.start : tried.stop]
    index = actions.searchsorted(made)
    is_legal = actions.take(index, mode="clip") == made if len(actions) > 0 else np.zeros(len(made), bool)
    found[index[is_legal]] = values[tried.start : tried.stop][is_legal]
    return found


def improved_shares(plan: Plan, trees: Sequence[Tree], found: Readout) -> NDArray[np.float64] | None:
    """What an evaluator should learn from a search, float64 [L]; None if there was none, or nothing was found."""
    if plan.options.evaluator is None or not found.visits.any():
        return None
    return plan.strategy.selection.improved(one_root(found, trees))[0]


def root_priors(tree: Tree, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """The priors that an evaluator gave the legal moves at a root, without noise; 0 where nobody keeps them."""
    priors = tree.own_prior if tree.own_prior.size > 0 else tree.prior
    return root_field(tree, priors, actions) if priors.size > 0 else np.zeros(len(actions))


def most_visited(visits: NDArray[np.int64], value_sums: NDArray[np.float64]) -> NDArray[np.int64]:
    """What `chosen_action` says where the plan goes by visits, for many positions at once.

    Args:
        visits: int64 [B, A].
        value_sums: float64 [B, A].

    Returns:
        int64 [B], the actions; anything where nothing was visited.
    """
    leading = visits == visits.max(axis=1, keepdims=True)
    return np.where(leading & (visits > 0), value_sums / np.maximum(1, visits), -np.inf).argmax(axis=1)
