"""Intervals of 95% around what was measured, and how they are written."""

DEVIATIONS = 1.96  # of the mean, for an interval of 95%


def wilson(mean: float, coins: float) -> tuple[float, float]:
    """Wilson's 95% interval for the chance of a coin, of which `coins` throws had this mean; within 0 and 1."""
    z2 = DEVIATIONS**2
    centre = (mean + z2 / (2 * coins)) / (1 + z2 / coins)
    margin = DEVIATIONS * (mean * (1 - mean) / coins + z2 / (4 * coins**2)) ** 0.5 / (1 + z2 / coins)
    return max(0.0, min(mean, centre - margin)), min(1.0, max(mean, centre + margin))  # in spite of rounding


def share(mean: float, interval: tuple[float, float]) -> str:
    """A share with its interval."""
    low, high = interval
    return f"{mean:.1%} ({low:.1%} to {high:.1%})"
