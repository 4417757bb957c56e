"""A set of whole numbers inside a position, one bit each: the places still open on a board that fills up.

The set takes `words_for(size)` entries of the position from `start` on, for the numbers 0 to size - 1.
Drawing from it at random needs no list of moves.
"""

from fastmcts.bits import count_bits, lowest_bit, nth_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Actions, Position

#: Numbers per entry. The sign bit stays clear, so that compiled code and Python's integers agree.
WORD = 63
FULL_WORD = 2**WORD - 1


def words_for(size: int) -> int:
    """How many entries a set of the numbers below `size` takes."""
    return -(-size // WORD)


def members(state: Position, start: int, size: int) -> set[int]:
    """The numbers in a set, for texts and checks; ValueError if a bit stands for none below `size`."""
    words = [int(word) for word in state[start : start + words_for(size)]]
    found = {WORD * index + bit for index, word in enumerate(words) for bit in range(WORD) if word >> bit & 1}
    if min(words) < 0 or max(found, default=0) >= size:
        raise ValueError(f"the words {words} are not a set of numbers from 0 to {size - 1}")
    return found


@compiled
def fill(state: Position, start: int, size: int) -> None:
    """Put all numbers below `size` into an empty set."""
    for word in range(size // WORD):
        state[start + word] = FULL_WORD
    if size % WORD:
        state[start + size // WORD] = FULL_WORD >> (WORD - size % WORD)


@compiled
def remove(state: Position, start: int, number: int) -> None:
    """Take a number that is in a set out of it."""
    state[start + number // WORD] ^= 1 << number % WORD


@compiled
def is_empty(state: Position, start: int, words: int) -> bool:
    """Whether nothing is left in a set of so many words."""
    union = state[start]
    for word in range(1, words):
        union |= state[start + word]
    return union == 0


@compiled
def count(state: Position, start: int, words: int) -> int:
    """How many numbers are in a set."""
    total = 0
    for word in range(words):
        total += count_bits(state[start + word])
    return total


@compiled
def nth(state: Position, start: int, n: int) -> int:
    """The n-th smallest number of a set, counted from 0; the set must have more than n."""
    word = 0
    inside = count_bits(state[start])
    while n >= inside:
        n -= inside
        word += 1
        inside = count_bits(state[start + word])
    return WORD * word + nth_bit(state[start + word], n)


@compiled
def window(state: Position, start: int, first: int, width: int) -> int:
    """Which of the numbers from `first` on, of a window of at most WORD, are in a set: bit 0 is `first`."""
    word, shift = first // WORD, first % WORD
    bits = state[start + word] >> shift
    if shift + width > WORD:
        bits |= state[start + word + 1] << (WORD - shift)
    return bits & ((1 << width) - 1)


@compiled
def write_all(state: Position, start: int, words: int, out: Actions) -> int:
    """Write the numbers of a set into `out` in ascending order and return how many there are."""
    total = 0
    for word in range(words):
        left = state[start + word]
        while left:
            out[total] = WORD * word + lowest_bit(left)
            total += 1
            left &= left - 1
    return total
