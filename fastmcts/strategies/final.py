"""Which move to play after the search."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree, children

CONFIDENCE = 1.96  # standard deviations, for the lower confidence bound


def final_index(
    how: str,
    actions: NDArray[np.int64],
    visits: NDArray[np.int64],
    values: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> int:
    """The index of the move to play.

    What is proven comes first: a move that is certainly no worse than any other is played, and one that
    is certainly worse than another is not.

    Args:
        how: "visits", "value", "robust_max" or "lcb".
        actions: int64 [L], the legal actions in ascending order.
        visits: int64 [L].
        values: float64 [L], mean rewards, NaN without visits.
        lower: float64 [L], the least reward that each move is proven to bring; 0 where nothing is.
        upper: float64 [L], the most reward; 1 where nothing is proven.
    """
    decided = (lower == upper).nonzero()[0]
    if len(decided) == 0 and not lower.any():  # nothing is known, as in most searches
        return best_index(how, actions, visits, values)
    open_moves = np.flatnonzero((lower < upper) & (upper > lower.max()))
    if len(open_moves) == 0:
        return int(np.lexsort((actions, -visits, -lower))[0])
    best_open = open_moves[best_index(how, actions[open_moves], visits[open_moves], values[open_moves])]
    if len(decided) == 0:
        return int(best_open)
    best_decided = decided[np.lexsort((actions[decided], -visits[decided], -lower[decided]))[0]]
    is_certain = lower[best_decided] >= np.nan_to_num(values[best_open], nan=0.0)
    return int(best_decided if is_certain else best_open)


def best_index(how: str, actions: NDArray[np.integer], visits: NDArray[np.integer], values: NDArray[np.float64]) -> int:
    """The best by one criterion; of equals the higher mean, then the lower action."""
    if how in ("visits", "robust_max"):
        leaders = (visits == visits.max()).nonzero()[0]
        if len(leaders) == 1:
            return int(leaders[0])
    means = np.where(np.isnan(values), -1.0, values)
    if how == "value":
        criterion = means
    elif how == "lcb":
        criterion = lower_confidence_bound(visits, means)
    else:
        criterion = visits
    return int(np.lexsort((actions, -means, -criterion))[0])


def lower_confidence_bound(visits: NDArray[np.integer], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wilson's lower bound of the mean; rewards in [0, 1] vary no more than a coin with the same mean."""
    n = np.maximum(visits, 1)
    z2 = CONFIDENCE**2
    p = np.clip(means, 0.0, 1.0)
    centre = p + z2 / (2 * n)
    margin = CONFIDENCE * np.sqrt(p * (1 - p) / n + z2 / (4 * n**2))
    return np.where(visits > 0, (centre - margin) / (1 + z2 / n), -1.0)


def voted_index(vote: str, trees: Sequence[Tree], actions: NDArray[np.int64]) -> int:
    """The index of the move that the worlds of several trees vote for; of equals the most visited.

    Args:
        vote: "value" for the mean of each move's value over the worlds, "majority" for the most worlds in which
            it is the most visited move.
        trees: A tree for each world.
        actions: int64 [L], the legal actions in ascending order.
    """
    votes, totals = np.zeros(len(actions)), np.zeros(len(actions), np.int64)
    worlds = np.zeros(len(actions), np.int64)
    for tree in trees:
        visits, value_sums = root_statistics(tree, actions)
        totals += visits
        values = value_sums / np.maximum(1, visits)
        if vote == "value":
            votes += values
            worlds += visits > 0
        elif visits.any():
            votes[best_index("visits", actions, visits, values)] += 1
    if vote == "value":
        votes = np.where(worlds > 0, votes / np.maximum(1, worlds), -1.0)
    return int(np.lexsort((actions, -totals, -votes))[0])


def root_statistics(tree: Tree, actions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Visits and reward sums of the root's children, for each legal action.

    Args:
        tree: A tree.
        actions: int64 [L], the legal actions at its root, in ascending order.

    Returns:
        int64 [L] and float64 [L].
    """
    visits = np.zeros(len(actions), np.int64)
    value_sums = np.zeros(len(actions), np.float64)
    tried = children(tree, ROOT)
    if len(tried) > 0 and len(actions) > 0:
        block = slice(tried.start, tried.stop)
        index = actions.searchsorted(tree.action[block])
        index[index == len(actions)] = 0
        legal = actions[index] == tree.action[block]  # others are legal in other worlds
        visits[index[legal]] = tree.visits[block][legal]
        value_sums[index[legal]] = tree.value_sum[block][legal]
    return visits, value_sums
