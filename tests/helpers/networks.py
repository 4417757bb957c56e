"""Functions that answer as networks do: anything, but always the same for a position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def mixed(observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """A number for each observation, the same in batches of any size."""
    flat = observations.reshape(len(observations), -1).astype(np.float64)
    return (flat * np.sin(1.7 * np.arange(flat.shape[1]) + 1.0)).sum(axis=1)


def judge(observations: NDArray[np.float32], legal: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Policies, and values for the player to move."""
    number = mixed(observations)
    policy = 0.01 + np.abs(np.sin(12.9 * number[:, None] + np.arange(legal.shape[1])))
    return policy.astype(np.float32), np.sin(number).astype(np.float32)


def judge_three(observations: NDArray[np.float32], legal: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Policies, and values from 0 to 2 for each of three players."""
    policy, _ = judge(observations, legal)
    return policy, 1.0 + np.sin(mixed(observations)[:, None] + np.arange(3))


def judge_four(observations: NDArray[np.float32], legal: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Policies, and values for each of four players."""
    policy, _ = judge(observations, legal)
    return policy, np.sin(mixed(observations)[:, None] + np.arange(4))
