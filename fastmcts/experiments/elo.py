"""Elo: how a share of points is written as a difference of strength."""

import math

SCALE = 400.0 / math.log(10.0)  # Elo for each unit of log odds


def elo_of(share: float) -> float:
    """The difference in Elo that brings a share of points on average; infinite for 0 and 1."""
    if math.isnan(share):
        return share
    if not 0.0 < share < 1.0:
        return math.copysign(math.inf, share - 0.5)
    return SCALE * math.log(share / (1.0 - share))


def share_of(elo: float) -> float:
    """The share of points that a difference in Elo brings on average."""
    return 1.0 / (1.0 + math.exp(-elo / SCALE))
