"""The logarithm of a count, fast.

All that happens at a node waits for it: with that of the C library, which is exact to the last bit of a float64,
Connect Four takes an eighth longer. This one follows 256 parabolas from each power of two to the next; they meet the
logarithm at both ends and in the middle.
"""

import math
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from fastmcts.compiler.vectors import DOUBLE, INT64, declare

COUNT_BITS = 40  # a count has at most so many
ROW_BITS = 8
REST_BITS = COUNT_BITS - 1 - ROW_BITS
ROWS = 1 << ROW_BITS
REST = (1 << REST_BITS) - 1


@cache
def parabolas() -> NDArray[np.float64]:
    """Start, slope and bend of each parabola: float64 [256, 3], for the bits of a count behind those of its row."""
    table = np.empty((ROWS, 3))
    for row in range(ROWS):
        start, middle, end = (math.log1p((row + part) / ROWS) for part in (0.0, 0.5, 1.0))
        table[row] = start, 4.0 * middle - 3.0 * start - end, 2.0 * (start + end) - 4.0 * middle
    return table * np.ldexp(1.0, [0, -REST_BITS, -2 * REST_BITS])


POWERS = np.array([max(0, length - 1) * math.log(2.0) for length in range(COUNT_BITS + 1)])


def log(count: Any) -> float:
    """The natural logarithm of a count below 2**40, to within 1e-9; 0 for 0."""
    count = int(count)
    length = count.bit_length()
    aligned = count << (COUNT_BITS - length)
    start, slope, bend = parabolas()[(aligned >> REST_BITS) & (ROWS - 1)].tolist()
    rest = float(aligned & REST)
    return (float(POWERS[length]) + start) + rest * (slope + rest * bend)


#: Counts below this are looked up in a table, as most counts deep in a tree are: 8% on tic-tac-toe, 3% on Connect Four.
SMALL = 1024


def emit_log(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The same bits, from a table for small counts."""
    count = args[0]
    with builder.if_else(builder.icmp_unsigned("<", count, INT64(SMALL))) as (small, large):
        with small:
            table = constant_table(builder, "logarithms", np.array([log(number) for number in range(SMALL)]))
            found = builder.load(builder.gep(table, [count]))
            after_small = builder.block
        with large:
            computed = emit_parabola(builder, count)
            after_large = builder.block
    result = builder.phi(DOUBLE)
    result.add_incoming(found, after_small)
    result.add_incoming(computed, after_large)
    return result


def emit_parabola(builder: Any, count: Any) -> Any:
    """Without a branch; what stands in front of the sum of start and power is on the longest way."""
    zeros = builder.ctlz(count, ir.IntType(1)(0))
    aligned = builder.shl(count, builder.sub(zeros, INT64(64 - COUNT_BITS)))
    row = builder.and_(builder.lshr(aligned, INT64(REST_BITS)), INT64(ROWS - 1))
    rest = builder.sitofp(builder.and_(aligned, INT64(REST)), DOUBLE)
    table = constant_table(builder, "parabolas", parabolas())
    place = builder.mul(row, INT64(parabolas().shape[1]))
    start, slope, bend = (builder.load(builder.gep(table, [builder.add(place, INT64(part))])) for part in range(3))
    powers = constant_table(builder, "powers", POWERS)
    power = builder.load(builder.gep(powers, [builder.sub(INT64(64), zeros)]))
    line = builder.fadd(slope, builder.fmul(rest, bend))
    return builder.fadd(builder.fadd(power, start), builder.fmul(rest, line))


def constant_table(builder: Any, name: str, table: NDArray[np.float64]) -> Any:
    """The address of a table in the code."""
    content = bytearray(table.tobytes())
    kind = ir.ArrayType(ir.IntType(8), len(content))
    constant = cgutils.global_constant(builder, name, ir.Constant(kind, content))
    constant.align = table.itemsize  # pyright: ignore[reportAttributeAccessIssue]
    return builder.bitcast(constant, DOUBLE.as_pointer())


declare(log, lambda count: types.float64(types.int64), emit_log)
