"""Which move to play after the search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree, children

CONFIDENCE = 1.96  # standard deviations of the mean, for an interval of 95%


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
    if how in ("visits", "robust_max") and (leader := sole_leader(visits)) is not None:
        return leader
    known = np.where(np.isnan(values), -1.0, values)
    if how == "value":
        criterion = known
    elif how == "lcb":
        criterion = lower_confidence_bound(visits, known)
    else:
        criterion = visits
    return int(np.lexsort((actions, -known, -criterion))[0])


def sole_leader(visits: NDArray[np.integer]) -> int | None:
    """The index of the move that has more visits than any other; None if several have the most."""
    leader = int(visits.argmax())
    return leader if np.count_nonzero(visits == visits[leader]) == 1 else None


def means(value_sums: NDArray[np.float64], visits: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean rewards; NaN without visits."""
    return np.divide(value_sums, visits, out=np.full(visits.shape, np.nan), where=visits > 0)


def lower_confidence_bound(visits: NDArray[np.integer], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wilson's lower bound of the mean; rewards in [0, 1] vary no more than a coin with the same mean."""
    lower, _ = wilson(np.clip(means, 0.0, 1.0), np.maximum(visits, 1))
    return np.where(visits > 0, lower, -1.0)


def wilson(mean: Any, coins: Any) -> tuple[Any, Any]:
    """Wilson's interval of 95% for the chance of a coin, of which `coins` throws had this mean.

    Args:
        mean: A number from 0 to 1, or an array of them.
        coins: A number above 0, or an array of them.

    Returns:
        The lower and the upper bound; by rounding they may be a little outside of 0 and 1.
    """
    z2 = CONFIDENCE**2
    centre = mean + z2 / (2 * coins)
    margin = CONFIDENCE * np.sqrt(mean * (1 - mean) / coins + z2 / (4 * coins**2))
    return (centre - margin) / (1 + z2 / coins), (centre + margin) / (1 + z2 / coins)


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
    """Visits and reward sums of the root's children, for each legal action, without what waits for a network.

    Args:
        tree: A tree.
        actions: int64 [L], the legal actions at its root, in ascending order.

    Returns:
        int64 [L] and float64 [L].
    """
    visits, value_sums = np.zeros(len(actions), np.int64), np.zeros(len(actions), np.float64)
    tried = children(tree, ROOT)
    if len(tried) > 0 and len(actions) > 0:
        block = slice(tried.start, tried.stop)
        made = tree.action[block]
        index = actions.searchsorted(made)
        is_legal = actions.take(index, mode="clip") == made
        if not is_legal.all():  # others are legal in other worlds
            index, block = index[is_legal], np.arange(tried.start, tried.stop)[is_legal]
        visits[index] = tree.visits[block]
        if tree.pending.size > 0:  # their rewards are yet to come
            visits[index] -= tree.pending[block]
        value_sums[index] = tree.value_sum[block]
    return visits, value_sums


def root_bounds(
    tree: Tree, actions: NDArray[np.int64], player: int, num_players: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What is proven about the root's children: the least and the most reward of the player to move.

    Args:
        tree: A tree that keeps proofs.
        actions: int64 [L], the legal actions at its root, in ascending order.
        player: The player to move.
        num_players: How many play.

    Returns:
        float64 [L] and float64 [L]: 0 and 1 where nothing is proven.
    """
    lower, upper = np.zeros(len(actions)), np.ones(len(actions))
    for child in children(tree, ROOT):
        index = np.searchsorted(actions, tree.action[child])
        lower[index] = tree.lower[child * num_players + player]
        upper[index] = tree.upper[child * num_players + player]
    return lower, upper
