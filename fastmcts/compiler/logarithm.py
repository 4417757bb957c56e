"""The logarithm of a count, fast.

All that happens at a node waits for it: with that of the C library, which is exact to the last bit of a float64,
Connect Four takes an eighth longer. This one follows 256 parabolas from each power of two to the next; they meet the
logarithm at both ends and in the middle.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from fastmcts.compiler.jit import compiled
from fastmcts.compiler.vectors import declare

COUNT_BITS = 40  # a count has fewer
ROW_BITS = 8
REST_BITS = COUNT_BITS - 1 - ROW_BITS
ROWS = 1 << ROW_BITS
REST = (1 << REST_BITS) - 1


def parabolas() -> NDArray[np.float64]:
    """Start, slope and bend of each parabola: float64 [256, 3], for the bits of a count behind those of its row."""
    table = np.empty((ROWS, 3))
    for row in range(ROWS):
        start, middle, end = (math.log1p((row + part) / ROWS) for part in (0.0, 0.5, 1.0))
        table[row] = start, 4.0 * middle - 3.0 * start - end, 2.0 * (start + end) - 4.0 * middle
    return table * np.ldexp(1.0, [0, -REST_BITS, -2 * REST_BITS])


PARABOLAS = parabolas()
POWERS = np.array([max(0, length - 1) * math.log(2.0) for length in range(COUNT_BITS + 1)])


@compiled
def log(count):
    """The natural logarithm of a count below 2**40, to within 1e-9; 0 for 0."""
    length = bit_length(count)
    aligned = np.int64(count) << (COUNT_BITS - length)
    row, rest = (aligned >> REST_BITS) & (ROWS - 1), aligned & REST
    return float((POWERS[length] + PARABOLAS[row, 0]) + rest * (PARABOLAS[row, 1] + rest * PARABOLAS[row, 2]))


def bit_length(count: Any) -> int:
    """How many bits a count has, up to the highest that is set."""
    return int(count).bit_length()


def emit_bit_length(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """All bits but the zeros in front."""
    return builder.sub(ir.IntType(64)(64), builder.ctlz(args[0], ir.IntType(1)(0)))


declare(bit_length, lambda count: types.int64(types.int64), emit_bit_length)
