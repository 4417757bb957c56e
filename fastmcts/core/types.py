"""Names for the arrays that rules and kernels exchange."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: int64 [state_size]: a position of a game.
Position: TypeAlias = NDArray[np.int64]

#: int64 [num_actions]: a buffer in which moves are listed.
Actions: TypeAlias = NDArray[np.int64]

#: float64 [num_players]: what each player gets.
Utilities: TypeAlias = NDArray[np.float64]

#: uint64 [2]: a random number generator; see `fastmcts.rng`.
Rng: TypeAlias = NDArray[np.uint64]

#: float32 [observation_size]: what a network sees of a position.
Observation: TypeAlias = NDArray[np.float32]
