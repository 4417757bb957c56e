"""Intervals of 95% around what was measured, and how they are written."""

from fastmcts.strategies import final

DEVIATIONS = final.CONFIDENCE  # of the mean, for an interval of 95%


def wilson(mean: float, coins: float) -> tuple[float, float]:
    """Wilson's 95% interval for the chance of a coin, of which `coins` throws had this mean; within 0 and 1."""
    low, high = final.wilson(mean, coins)
    return max(0.0, min(mean, float(low))), min(1.0, max(mean, float(high)))  # in spite of rounding


def share(mean: float, interval: tuple[float, float]) -> str:
    """A share with its interval."""
    low, high = interval
    return f"{mean:.1%} ({low:.1%} to {high:.1%})"
