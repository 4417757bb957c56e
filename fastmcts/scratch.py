"""The buffers in which one thread plays its simulations."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Scratch(NamedTuple):
    """Reused from simulation to simulation, so that kernels allocate nothing."""

    state: NDArray[np.int64]  # [state_size] the position that the simulation has reached
    actions: NDArray[np.int64]  # [at least num_actions] the legal actions there
    rewards: NDArray[np.float64]  # [num_players] how the simulation ended, in [0, 1]


def make_scratch(state_size: int, num_actions: int, num_players: int) -> Scratch:
    """Allocate the buffers for a game.

    The actions have slack behind them: a game that lists too many moves is caught by its count, and
    what it wrote too much hurts nobody.
    """
    return Scratch(
        state=np.zeros(state_size, np.int64),
        actions=np.zeros(2 * num_actions + 1024, np.int64),
        rewards=np.zeros(num_players, np.float64),
    )
