"""A set of whole numbers inside a position, one bit each: the places still open on a board that fills up.

The set takes `words_for(size)` entries of the position from `start` on, for the numbers 0 to size - 1.
Drawing from it at random needs no list of moves.
"""

import numpy as np

from fastmcts.bits import ALL_BITS, NATURAL, count_bits, lowest_bit, nth_bit, two_words
from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Actions, Position

#: Numbers per entry, and which bits of a number tell it inside an entry. The last one is the sign.
WORD, INSIDE = 64, 63
SHIFT = 6


def words_for(size: int) -> int:
    """How many entries a set of the numbers below `size` takes."""
    return -(-size // WORD)


def members(state: Position, start: int, size: int) -> set[int]:
    """The numbers in a set, for texts and checks; ValueError if a bit stands for none below `size`."""
    words = [int(word) & ALL_BITS for word in state[start : start + words_for(size)]]
    found = {WORD * index + bit for index, word in enumerate(words) for bit in range(WORD) if word >> bit & 1}
    if max(found, default=0) >= size:
        raise ValueError(f"the words {words} are not a set of numbers from 0 to {size - 1}")
    return found


@compiled
def fill(state: Position, start: int, size: int) -> None:
    """Put all numbers below `size` into an empty set."""
    for word in range(size >> SHIFT):
        state[start + word] = -1
    if size & INSIDE:
        state[start + (size >> SHIFT)] = (1 << (size & INSIDE)) - 1


@compiled
def toggle(state: Position, start: int, words: int, number: int) -> None:
    """Take a number that is in a set of so many words out of it, or put one that is not into it."""
    # In all words instead of one: a store to an address that is not known at once delays the loads after it.
    bit = np.int64(1) << (number & INSIDE)
    if words == 1:
        state[start] ^= bit
    elif words == 2:
        # By arithmetic: a comparison may become a branch, which no processor could predict.
        is_second = number >> SHIFT
        state[start] ^= bit & (is_second - 1)
        state[start + 1] ^= bit & -is_second
    else:
        for word in range(words):
            state[start + word] ^= bit if word == number >> SHIFT else 0


@compiled
def is_empty(state: Position, start: int, words: int) -> bool:
    """Whether nothing is left in a set of so many words."""
    union = state[start]
    for word in range(1, words):
        union |= state[start + word]
    return union == 0


@compiled
def count(state: Position, start: int, words: int) -> int:
    """How many numbers are in a set of so many words."""
    total = 0
    for word in range(words):
        total += count_bits(state[start + word])
    return total


@compiled
def nth(state: Position, start: int, words: int, n: int) -> int:
    """The n-th smallest number of a set of so many words, counted from 0; the set must have more than n."""
    # Without a branch on n, which is random: no processor could predict it.
    word = 0
    earlier = 0
    counted = 0
    for index in range(words - 1):
        counted += count_bits(state[start + index])
        is_behind = n >= counted
        word += is_behind
        earlier = counted if is_behind else earlier
    return WORD * word + nth_bit(state[start + word], n - earlier)


@compiled
def window(state: Position, start: int, words: int, first: int) -> int:
    """64 numbers from `first` on, as the bits of a word; what it has for numbers that no set could hold means nothing.

    `first` is above -WORD and below the size of the set. The position has an entry before the set, and one behind it.
    """
    if words == 1:
        return two_words(state[start], state[start], first)
    entry = (start + (first >> SHIFT)) & NATURAL
    return two_words(state[entry], state[entry + 1], first)


@compiled
def ahead(state: Position, start: int, words: int, word: int, distance: int) -> int:
    """A word of a set that is moved: it has a bit for each number that is in the set if `distance` is added to it.

    The distance is from 1 to WORD - 1. In the last word, bits for sums outside of it mean nothing.
    """
    bits = state[start + word] >> distance
    if word + 1 < words:
        # The sign has filled the bits from above.
        bits = bits & ((1 << (WORD - distance)) - 1) | state[start + word + 1] << (WORD - distance)
    return bits


@compiled
def behind(state: Position, start: int, words: int, word: int, distance: int) -> int:
    """The same for each number that is in the set if `distance` is subtracted from it."""
    bits = state[start + word] << distance
    if word > 0:
        bits |= state[start + word - 1] >> (WORD - distance) & ((1 << distance) - 1)
    return bits


@compiled
def write_all(state: Position, start: int, words: int, out: Actions) -> int:
    """Write the numbers of a set of so many words into `out` in ascending order and return how many there are."""
    total = 0
    for word in range(words):
        left = state[start + word]
        while left != 0:
            bit = lowest_bit(left)
            out[total] = WORD * word + bit
            total += 1
            left ^= np.int64(1) << bit
    return total
