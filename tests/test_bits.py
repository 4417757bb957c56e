"""Bit functions give the same numbers in plain Python and in compiled rules."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numba import njit, types

import fastmcts
from fastmcts.bits import count_bits, lowest_bit, nth_bit, nth_bit_by_halves, two_words
from fastmcts.compiler.jit import compiled, entry
from fastmcts.compiler.vectors import declare
from fastmcts.core.constants import TERMINAL

LARGEST = 2**63 - 1


def sample_words() -> list[int]:
    """Words with few, half and most bits set, the extremes, and some with the sign bit."""
    draw = random.Random(0)
    words = [1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**62, LARGEST, LARGEST - 1, -1, -2, -LARGEST, -LARGEST - 1]
    for _ in range(300):
        words.append(draw.getrandbits(63) | 1 << draw.randrange(63))
        words.append(draw.getrandbits(63) & draw.getrandbits(63) & draw.getrandbits(63) | 1 << 62)
        words.append(1 << draw.randrange(63) | 1 << draw.randrange(63))
        words.append(~draw.getrandbits(63))
    return words


def set_bits(word: int) -> list[int]:
    return [index for index in range(64) if word >> index & 1]


@compiled
def describe_word(word, out):
    """A helper as rules have them; fills `out` [66] with count, lowest bit and all bits in order."""
    out[0] = count_bits(word)
    out[1] = lowest_bit(word)
    for n in range(count_bits(word)):
        out[2 + n] = nth_bit(word, n)


@entry
def describe(words, out):
    for index in range(words.size):
        describe_word(words[index], out[index])


def test_kernels_find_the_bits_that_a_scan_finds() -> None:
    words = np.array(sample_words(), np.int64)
    found = np.zeros((words.size, 66), np.int64)
    describe(words, found)
    for word, row in zip(words.tolist(), found.tolist(), strict=True):
        bits = set_bits(word)
        assert row[: 2 + len(bits)] == [len(bits), bits[0], *bits]


@pytest.mark.jit
def test_processors_without_pdep_find_the_same_bits() -> None:
    def select(word: int, n: int) -> int:
        raise NotImplementedError  # compiled code alone calls it

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return nth_bit_by_halves(builder, *args)

    declare(select, lambda word, n: types.int64(types.int64, types.int64), emit)
    compiled_select = njit(lambda word, n: select(word, n))
    for word in sample_words():
        bits = set_bits(word)
        assert [compiled_select(word, n) for n in range(len(bits))] == bits


@entry
def join(words, starts, out):
    """Fill `out` with the bits of neighbours among words, from a bit of the lower one on."""
    for index in range(out.size):
        out[index] = two_words(words[index], words[index + 1], starts[index])


def test_two_words_side_by_side_are_read_from_any_bit_on() -> None:
    words = np.array(sample_words(), np.int64)
    starts = np.arange(words.size - 1) % 150 - 70
    found = np.zeros(words.size - 1, np.int64)
    join(words, starts, found)
    for index, start in enumerate(starts.tolist()):
        low, high = words[index : index + 2].tolist()
        bits = [low >> bit & 1 for bit in range(64)] + [high >> bit & 1 for bit in range(64)]
        assert [found[index] >> bit & 1 for bit in range(64)] == bits[start % 64 : start % 64 + 64]
        assert found[index] == two_words(low, high, start) == two_words(words[index], words[index + 1], starts[index])


@pytest.mark.parametrize("kind", [int, np.int64])
def test_plain_python_finds_the_bits_that_a_scan_finds(kind: type) -> None:
    for word in sample_words():
        bits = set_bits(word)
        assert count_bits(kind(word)) == len(bits)
        assert lowest_bit(kind(word)) == bits[0]
        assert [nth_bit(kind(word), kind(n)) for n in range(len(bits))] == bits


def test_an_empty_word_has_no_bits() -> None:
    found = np.full((1, 66), -1, np.int64)
    describe(np.zeros(1, np.int64), found)
    assert (count_bits(0), lowest_bit(0)) == (found[0, 0], found[0, 1]) == (0, 64)


@dataclass(frozen=True)
class TakeBits(fastmcts.Game):
    """Nim in bits: a player removes the one, two or three lowest; who removes the last one wins."""

    num_players = 2
    num_actions = 3
    state_size = 2
    max_game_length = 9

    def initial(self, state, rng):
        state[1] = 0b1_1011_0101 << 50 | 0b1_0101

    def current_player(self, state):
        return TERMINAL if count_bits(state[1]) == 0 else state[0]

    def legal_actions(self, state, actions):
        count = min(3, count_bits(state[1]))
        for action in range(count):
            actions[action] = action
        return count

    def apply(self, state, action):
        self.remove_up_to(state, nth_bit(state[1], action))
        state[0] = 1 - state[0]

    def remove_up_to(self, state, index):
        while lowest_bit(state[1]) <= index:
            state[1] &= state[1] - 1

    def returns(self, state, out):
        winner = 1 - state[0]
        out[winner] = 1.0
        out[1 - winner] = -1.0


def test_methods_of_games_may_use_them() -> None:
    result = fastmcts.search(TakeBits().new_initial_state(), simulations=300, seed=0, selection=fastmcts.UCT(c=1.4))
    assert result.action == 0  # of nine bits, it leaves eight
    # The same numbers in the suite with the JIT off pin the compiled code.
    assert result.visits.tolist() == [222, 37, 41]
