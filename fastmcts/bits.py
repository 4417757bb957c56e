"""Sets of small numbers as the bits of an int64, for rules that keep a board in words.

A word holds the numbers 0 to 63; one with bit 63 is negative, so shifting it to the right fills it with
ones from above. Compiled rules get the processor's own instructions; plain Python gives the same results.
"""

from functools import partial
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.registry import cpu_target

from fastmcts.compiler.jit import INNER_OPTIONS

# Untyped, because Numba's annotations do not know what these decorators return.
intrinsic: Any = extending.intrinsic
overload: Any = partial(extending.overload, jit_options=INNER_OPTIONS)  # pyright: ignore[reportArgumentType]

#: A set as rules hold it: an entry of a position, or a constant.
Word: TypeAlias = int | np.int64

ALL_BITS = 2**64 - 1

#: `number & NATURAL` is a small number that is never negative, and compiled code then knows it: otherwise it looks at
#: every index whether it counts from the end, as in Python. That is a tenth of the time of a rollout.
NATURAL = 2**31 - 1

#: Processors that have `pdep`, but as a slow program inside instead of a circuit.
SLOW_PDEP = frozenset({"bdver4", "znver1", "znver2"})


def count_bits(word: Word) -> int:
    """How many bits of a word are set."""
    return (int(word) & ALL_BITS).bit_count()


def lowest_bit(word: Word) -> int:
    """The index of the lowest set bit; 64 if there is none."""
    word = int(word) & ALL_BITS
    return (word & -word).bit_length() - 1 if word else 64


def nth_bit(word: Word, n: int) -> int:
    """The index of the n-th lowest set bit, counted from 0; the word must have more than n of them."""
    word = int(word) & ALL_BITS
    for _ in range(n):
        word &= word - 1
    return lowest_bit(word)


def two_words(low: Word, high: Word, start: int) -> int:
    """64 bits of two words side by side, from a bit of the lower one on: bit `start` modulo 64.

    Twice the same word is one that is turned around.
    """
    bits = (int(high) & ALL_BITS) << 64 | (int(low) & ALL_BITS)
    found = bits >> (int(start) & 63) & ALL_BITS
    return found - 2**64 if found >> 63 else found


@intrinsic
def population_count(typing_context, word):
    """One instruction where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """One instruction where the processor has it; 64 for a word of zeros."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.int64), generate


@intrinsic
def funnel_shift(typing_context, high, low, start):
    """A rotation where both words are the same, which most processors have; else two shifts and an `or`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(args[0].type, [word.type for word in args])
        return builder.call(cgutils.get_or_insert_function(builder.module, function_type, "llvm.fshr.i64"), args)

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def deposit_bits(typing_context, bits, word):
    """The lowest bits of `bits` put where `word` has its set bits: the x86 instruction `pdep`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word_type = ir.IntType(64)
        function_type = ir.FunctionType(word_type, (word_type, word_type))
        pdep = cgutils.get_or_insert_function(builder.module, function_type, "llvm.x86.bmi.pdep.64")
        return builder.call(pdep, args)

    return types.int64(types.int64, types.int64), generate


def has_fast_pdep() -> bool:
    """Whether the processor that Numba generates code for has a fast `pdep`."""
    target: Any = cpu_target.target_context
    _, processor, features = target.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in SLOW_PDEP


@overload(count_bits)
def compile_count_bits(word):
    """Let compiled code call `count_bits`."""
    return lambda word: population_count(word)


@overload(lowest_bit)
def compile_lowest_bit(word):
    """Let compiled code call `lowest_bit`."""
    return lambda word: trailing_zeros(word)


@overload(two_words)
def compile_two_words(low, high, start):
    """Let compiled code call `two_words`."""
    return lambda low, high, start: funnel_shift(high, low, start)


@overload(nth_bit)
def compile_nth_bit(word, n):
    """Let compiled code call `nth_bit`."""
    return nth_bit_by_pdep if has_fast_pdep() else nth_bit_by_halves


def nth_bit_by_pdep(word, n):
    """In two instructions: 2 ns."""
    return trailing_zeros(deposit_bits(1 << n, word))


def nth_bit_by_halves(word, n):
    """In six steps without a branch: 11 ns. A loop that clears bits mispredicts its end: 11 to 18 ns."""
    index = 0
    for width in (32, 16, 8, 4, 2, 1):
        below = population_count(word & ((1 << width) - 1))
        is_above = n >= below
        n -= below * is_above
        index += width * is_above
        word >>= width * is_above
    return index
