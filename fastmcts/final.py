"""Which move to play after the search."""

import numpy as np
from numpy.typing import NDArray

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
    open_moves = np.flatnonzero((lower < upper) & (upper > lower.max()))
    decided = np.flatnonzero(lower == upper)
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
    means = np.nan_to_num(values, nan=-1.0)
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
