"""Sets of small numbers as the bits of an int64, for rules that keep a board in words.

A word is not negative, so it holds the numbers 0 to 62. Compiled rules get the processor's own
instructions; plain Python gives the same results.
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from fastmcts.jit import OPTIONS


def count_bits(word: int) -> int:
    """How many bits of a word are set."""
    return int(word).bit_count()


def lowest_bit(word: int) -> int:
    """The index of the lowest set bit; 64 if there is none."""
    word = int(word)
    return (word & -word).bit_length() - 1 if word else 64


def nth_bit(word: int, n: int) -> int:
    """The index of the n-th lowest set bit, counted from 0; the word must have more than n of them."""
    word = int(word)
    for _ in range(n):
        word &= word - 1
    return lowest_bit(word)


@intrinsic
def population_count(typing_context: Any, word: Any) -> Any:
    """One instruction where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """One instruction where the processor has it; 64 for a word of zeros."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.int64), generate


@overload(count_bits, jit_options=OPTIONS)
def compile_count_bits(word):
    """Let compiled code call `count_bits`."""
    return lambda word: population_count(word)


@overload(lowest_bit, jit_options=OPTIONS)
def compile_lowest_bit(word):
    """Let compiled code call `lowest_bit`."""
    return lambda word: trailing_zeros(word)


@overload(nth_bit, jit_options=OPTIONS)
def compile_nth_bit(word, n):
    """Let compiled code call `nth_bit`."""

    def halve(word, n):
        # Halving the word without a branch: clearing the lowest bit n times mispredicts where it ends.
        index = 0
        for width in (32, 16, 8, 4, 2, 1):
            below = population_count(word & ((1 << width) - 1))
            upper = n >= below
            n -= below * upper
            index += width * upper
            word >>= width * upper
        return index

    return halve
