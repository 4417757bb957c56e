"""Sets inside a position do what Python's sets do."""

import numpy as np
import pytest

from fastmcts.games._bit_set import (
    WORD,
    ahead,
    behind,
    count,
    fill,
    is_empty,
    members,
    nth,
    toggle,
    window,
    words_for,
    write_all,
)

START = 3


@pytest.mark.parametrize("size", [1, 9, 63, 64, 65, 127, 128, 129, 225, 400])
def test_a_set_that_empties_agrees_with_pythons(size: int) -> None:
    draw = np.random.default_rng(size)
    words = words_for(size)
    state = np.zeros(START + words + 1, np.int64)
    buffer = np.zeros(size, np.int64)
    fill(state, START, size)
    expected = set(range(size))
    while expected:
        assert members(state, START, size) == expected
        assert count(state, START, words) == len(expected)
        assert not is_empty(state, START, words)
        assert buffer[: write_all(state, START, words, buffer)].tolist() == sorted(expected)
        assert [int(nth(state, START, words, n)) for n in range(len(expected))] == sorted(expected)
        distance = int(draw.integers(1, WORD))
        for word in range(words):
            inside = range(WORD * word, min(WORD * word + WORD, WORD * words - distance))
            moved = int(ahead(state, START, words, word, distance))
            assert {number for number in inside if moved >> number % WORD & 1} == {
                number for number in inside if number + distance in expected
            }
            moved = int(behind(state, START, words, word, distance))
            assert {number for number in range(WORD * word, WORD * word + WORD) if moved >> number % WORD & 1} == {
                number for number in range(WORD * word, WORD * word + WORD) if number - distance in expected
            }
        first = int(draw.integers(1 - WORD, size))
        inside = [number for number in range(first, first + WORD) if 0 <= number < size]
        seen = int(window(state, START, words, first))
        assert [number for number in inside if seen >> number - first & 1] == sorted(expected.intersection(inside))
        number = int(draw.choice(sorted(expected)))
        toggle(state, START, words, number)
        assert members(state, START, size) == expected - {number}
        toggle(state, START, words, number)
        assert members(state, START, size) == expected
        toggle(state, START, words, number)
        expected.remove(number)
    assert is_empty(state, START, words)
    assert not state.any()


@pytest.mark.parametrize(("size", "words"), [(9, [1 << 9]), (63, [-1]), (65, [0, 2]), (65, [0, -1])])
def test_a_bit_for_no_number_is_refused(size: int, words: list[int]) -> None:
    with pytest.raises(ValueError, match=f"not a set of numbers from 0 to {size - 1}"):
        members(np.array(words, np.int64), 0, size)
