"""Sets of small numbers as the bits of an int64, for rules that keep a board in words.

A word holds the numbers 0 to 63; one with bit 63 is negative, so shifting it to the right fills it with
ones from above. Compiled rules get the processor's own instructions; plain Python gives the same results.
"""

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target

from fastmcts.compiler.vectors import INT64, declare

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


def has_fast_pdep() -> bool:
    """Whether the processor that Numba generates code for has a fast `pdep`."""
    target: Any = cpu_target.target_context
    _, processor, features = target.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in SLOW_PDEP


def emit_count_bits(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """One instruction where the processor has it."""
    return builder.ctpop(args[0])


def emit_lowest_bit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """One instruction where the processor has it; 64 for a word of zeros."""
    return builder.cttz(args[0], cgutils.false_bit)


def emit_two_words(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A rotation where both words are the same, which most processors have; else two shifts and an `or`."""
    low, high, start = args
    return call_intrinsic(builder, "llvm.fshr.i64", high, low, start)


def emit_nth_bit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The fastest way on this processor."""
    return (nth_bit_by_pdep if has_fast_pdep() else nth_bit_by_halves)(builder, *args)


def nth_bit_by_pdep(builder: Any, word: Any, n: Any) -> Any:
    """In two instructions: 2 ns. The one bit of `1 << n` is put where the word has its n-th."""
    deposited = call_intrinsic(builder, "llvm.x86.bmi.pdep.64", builder.shl(INT64(1), n), word)
    return builder.cttz(deposited, cgutils.false_bit)


def nth_bit_by_halves(builder: Any, word: Any, n: Any) -> Any:
    """In six steps without a branch: 11 ns. A loop that clears bits mispredicts its end: 11 to 18 ns."""
    index = INT64(0)
    for width in (32, 16, 8, 4, 2, 1):
        below = builder.ctpop(builder.and_(word, INT64((1 << width) - 1)))
        is_above = builder.icmp_signed(">=", n, below)
        n = builder.select(is_above, builder.sub(n, below), n)
        index = builder.select(is_above, builder.add(index, INT64(width)), index)
        word = builder.select(is_above, builder.lshr(word, INT64(width)), word)
    return index


def call_intrinsic(builder: Any, name: str, *words: Any) -> Any:
    """Call a function of LLVM's that makes a word of words."""
    function_type = ir.FunctionType(INT64, [INT64] * len(words))
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), words)


declare(count_bits, lambda word: types.int64(types.int64), emit_count_bits)
declare(lowest_bit, lambda word: types.int64(types.int64), emit_lowest_bit)
declare(two_words, lambda low, high, start: types.int64(types.int64, types.int64, types.int64), emit_two_words)
declare(nth_bit, lambda word, n: types.int64(types.int64, types.int64), emit_nth_bit)
