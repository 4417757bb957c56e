"""Arithmetic on eight children at a time.

The children of a node stand side by side, so what is kept of eight of them is one vector. A formula over *lanes*,

    at(tree.value_sum, children) / visits + sqrt(exploration / visits)

has the scores of up to eight children at once, in float32. It compiles to vector instructions, which LLVM splits where
a processor has only short ones, and runs on NumPy arrays with the JIT off. Both give the same bits: division and square
root are exactly rounded, and nothing is contracted. The same formula takes the index of one child in place of a block
of children, and then computes in float64.
"""

import math
import operator
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from fastmcts.compiler import vectors
from fastmcts.compiler.vectors import (
    LANES,
    LANES_TYPE,
    LEADERS_TYPE,
    MASK_TYPE,
    NOBODY,
    Block,
    declare,
    declare_operator,
)

EVERYBODY = -1  # the bits of a block whose members all compete


class Lanes:
    """A number for each member of a block.

    Args:
        values: float32 [8]; what is behind the last member means nothing.
    """

    __slots__ = ("values",)
    __array_ufunc__ = None  # NumPy's own numbers leave operators to this class

    def __init__(self, values: NDArray[np.float32]) -> None:
        self.values = values

    def __add__(self, other: "Lanes | float") -> "Lanes":
        return Lanes(self.values + single(other))

    def __radd__(self, other: float) -> "Lanes":
        return Lanes(single(other) + self.values)

    def __sub__(self, other: "Lanes | float") -> "Lanes":
        return Lanes(self.values - single(other))

    def __rsub__(self, other: float) -> "Lanes":
        return Lanes(single(other) - self.values)

    def __mul__(self, other: "Lanes | float") -> "Lanes":
        return Lanes(self.values * single(other))

    def __rmul__(self, other: float) -> "Lanes":
        return Lanes(single(other) * self.values)

    def __truediv__(self, other: "Lanes | float") -> "Lanes":
        return quotient(self.values, single(other))

    def __rtruediv__(self, other: float) -> "Lanes":
        return quotient(single(other), self.values)

    def __gt__(self, other: "Lanes | float") -> NDArray[np.bool_]:
        return self.values > single(other)

    def __lt__(self, other: "Lanes | float") -> NDArray[np.bool_]:
        return self.values < single(other)


def single(number: Any) -> Any:
    """A number, or those of lanes, in float32."""
    return number.values if isinstance(number, Lanes) else np.float32(number)


def quotient(numerator: Any, denominator: Any) -> Lanes:
    """The quotient; what is untried has no visits to divide by, and what comes of that is not used."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return Lanes(numerator / denominator)


def block(first: Any, end: Any) -> Block:
    """As many of those from `first` to `end` - 1 as fit into lanes, the first ones."""
    return Block(first, min(LANES, end - first))


def at(array: Any, place: Any) -> Any:
    """The entries of a block as lanes, or one entry as it is.

    Compiled code reads eight entries even where a block has fewer members, so there must be as many from its first on.
    """
    if not isinstance(place, Block):
        return array[place]
    first, size = place
    if first < 0 or first + LANES > array.size:
        raise IndexError(f"an array of {array.size} has no {LANES} entries from {first} on")
    values = np.zeros(LANES, np.float32)
    values[:size] = array[first : first + size]
    return Lanes(values)


def sqrt(number: Any) -> Any:
    """The square root."""
    return Lanes(np.sqrt(number.values)) if isinstance(number, Lanes) else math.sqrt(number)


def where(condition: Any, positive: Any, negative: Any) -> Any:
    """One number where a condition holds and another where it does not; both are computed."""
    if isinstance(condition, np.ndarray):
        return Lanes(np.where(condition, single(positive), single(negative)))
    return positive if condition else negative


def maximum(first: Any, second: Any) -> Any:
    """The higher of two numbers; the second if one is NaN."""
    return where(first > second, first, second)


def minimum(first: Any, second: Any) -> Any:
    """The lower of two numbers; the second if one is NaN."""
    return where(first < second, first, second)


def spread(number: float) -> Any:
    """Lanes that all have the same number."""
    return Lanes(np.full(LANES, number, np.float32))


def replaced(lanes: Any, lane: int, number: float) -> Any:
    """Lanes with another number in one of them."""
    values = lanes.values.copy()
    values[lane] = number
    return Lanes(values)


def nobody() -> Any:
    """The leaders of a contest before anybody has entered it."""
    return -math.inf, NOBODY


def challenged(leaders: Any, scores: Any, challengers: Any, competing: int) -> Any:
    """The leaders after a block of challengers; who came first stays ahead of equals.

    Args:
        leaders: Those before.
        scores: Lanes, for the block.
        challengers: The block.
        competing: A bit for each of them that takes part; what is behind the last one does not matter.
    """
    best_score, best = leaders
    for lane in range(challengers.size):
        if competing >> lane & 1 and scores.values[lane] > best_score:
            best_score, best = scores.values[lane], challengers.first + lane
    return best_score, best


def leader(leaders: Any) -> int:
    """Who has the highest score; NOBODY if none is above -inf."""
    return leaders[1]


declare_operator(operator.add, LANES_TYPE, lambda builder, first, second: builder.fadd(first, second))
declare_operator(operator.sub, LANES_TYPE, lambda builder, first, second: builder.fsub(first, second))
declare_operator(operator.mul, LANES_TYPE, lambda builder, first, second: builder.fmul(first, second))
declare_operator(operator.truediv, LANES_TYPE, lambda builder, first, second: builder.fdiv(first, second))
declare_operator(operator.gt, MASK_TYPE, lambda builder, first, second: builder.fcmp_ordered(">", first, second))
declare_operator(operator.lt, MASK_TYPE, lambda builder, first, second: builder.fcmp_ordered("<", first, second))
declare(block, lambda first, end: vectors.BLOCK_TYPE(types.int64, types.int64), vectors.emit_block)
declare(at, vectors.entry_signature, vectors.emit_entry)
declare(sqrt, vectors.operation_signature, vectors.emit_sqrt)
declare(where, vectors.where_signature, vectors.emit_where)
declare(maximum, vectors.operation_signature, vectors.emit_choice(">"))
declare(minimum, vectors.operation_signature, vectors.emit_choice("<"))
declare(spread, lambda number: LANES_TYPE(types.float64), vectors.emit_spread)
declare(replaced, lambda lanes, lane, number: LANES_TYPE(lanes, types.int64, types.float64), vectors.emit_replaced)
declare(nobody, lambda: LEADERS_TYPE(), vectors.emit_nobody)
declare(
    challenged,
    lambda leaders, scores, challengers, competing: LEADERS_TYPE(leaders, scores, challengers, types.int64),
    vectors.emit_challenged,
)
declare(leader, lambda leaders: types.int64(leaders), vectors.emit_leader)
