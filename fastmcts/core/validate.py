"""Checks of what users pass in; each error names the value and what would be right."""

import math
import operator
from typing import Any

import numpy as np


def whole_number(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """Return `value`, an integer of any type, as Python's own from `low` to `high`, or raise.

    What is returned is to be used: NumPy's small integers overflow.
    """
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if (low is not None and number < low) or (high is not None and number > high):
        if high is None:
            bounds = f"at least {low:,}"
        else:
            bounds = f"at most {high:,}" if low is None else f"from {low:,} to {high:,}"
        raise ValueError(f"{name} must be {bounds}, not {number:,}")
    return number


def real_number(
    name: str, value: Any, low: float = -math.inf, above: float = -math.inf, high: float = math.inf
) -> float:
    """Return `value` as a finite float of at least `low`, more than `above` and at most `high`, or raise."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, not {number}")
    if number < low:
        raise ValueError(f"{name} must be at least {low:g}, not {number:g}")
    if number <= above:
        raise ValueError(f"{name} must be above {above:g}, not {number:g}")
    if number > high:
        raise ValueError(f"{name} must be at most {high:g}, not {number:g}")
    return number
