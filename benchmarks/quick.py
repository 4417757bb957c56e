"""Parameters of benchmarks, of which a few make up the first answer and the others are thorough."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def thorough_unless(quick: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Values for `pytest.mark.parametrize`, marked as thorough where they are not among the quick ones.

    Args:
        quick: What takes little time; a tuple stands for several parameters.
        values: All values, or tuples of values.
    """
    found = []
    for value in values:
        arguments = value if isinstance(value, tuple) else (value,)
        found.append(pytest.param(*arguments, marks=() if value in quick else pytest.mark.thorough))
    return found
