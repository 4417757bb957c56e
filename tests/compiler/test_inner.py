"""Functions that kernels call are compiled as Numba would compile them."""

import math
from typing import NamedTuple

import numba
import numpy as np
import pytest

import fastmcts
from fastmcts.compiler.bundle import register_bundle
from fastmcts.compiler.jit import compiled, entry
from fastmcts.errors import GameError


@compiled
def scaled(number, factor=3, offset=0):
    return number * factor + offset


@entry
def call_with_defaults(number):
    return scaled(number) + scaled(number, offset=1) + scaled(offset=2, number=number, factor=5)


def test_arguments_have_names_and_defaults() -> None:
    assert call_with_defaults(2) == 6 + 7 + 12


@compiled
def fail_below(number):
    if number < 0:
        raise GameError("too low")
    return number


@compiled
def pass_on(number):
    return fail_below(number) + 1


@compiled
def fill(array, number):
    array[0] = pass_on(number)


@entry
def call_failing(array, number):
    fill(array, number)
    return array[0]


def test_errors_come_through_all_functions_in_between() -> None:
    array = np.zeros(1, np.int64)
    assert call_failing(array, 4) == 5
    with pytest.raises(GameError, match="too low"):
        call_failing(array, -1)
    assert array[0] == 5


@compiled
def is_small(number):
    return number < 10


@compiled
def kind(number):
    return 1 if is_small(number) and number != 4 else 2


@entry
def call_with_kinds(numbers):
    total = 0
    for index in range(numbers.size):
        total = 10 * total + kind(numbers[index])
    return total


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.float32])
def test_small_numbers_are_passed_on_without_loss(dtype: type) -> None:
    assert call_with_kinds(np.array([4, 9, 100], dtype)) == 212


@entry
def call_lambda(number):
    return with_lambda(number)


@compiled
def with_lambda(number):
    double = lambda value: 2 * value  # noqa: E731
    return double(number)


def test_functions_within_functions_compile() -> None:
    assert call_lambda(4) == 8


@compiled
def deep(number):
    return 1 if number == 0 else number * deep(number - 1)


@entry
def call_deep(number):
    return deep(number)


@pytest.mark.jit
def test_a_function_that_calls_itself_is_refused_in_words() -> None:
    with pytest.raises(Exception, match="deep calls itself"):
        call_deep(4)


@numba.njit("int64(int64[::1])")
def own_sum(array):
    total = 0
    for entry_of_array in array:
        total += entry_of_array
    return total


@entry
def call_own(array):
    return own_of(array)


@compiled
def own_of(array):
    return own_sum(array)


def test_functions_with_a_signature_of_their_own_take_arrays() -> None:
    assert call_own(np.arange(5)) == 10


# ---- Arrays


@entry
def read(array, index):
    return read_entry(array, index)


@compiled
def read_entry(array, index):
    return array[index]


@entry
def write(array, index, value):
    write_entry(array, index, value)


@compiled
def write_entry(array, index, value):
    array[index] = value


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint64, np.float32, np.float64, np.bool_])
def test_entries_are_read_and_written(dtype: type) -> None:
    array = np.array([0, 1, 1, 0], dtype)
    assert read(array, 1) == 1
    assert read(array, -1) == 0
    assert read(array, np.uint8(2)) == 1
    write(array, -1, dtype(1))
    write(array, np.int8(0), dtype(1))
    assert array.tolist() == [1, 1, 1, 1]


@entry
def describe(array):
    return describe_array(array)


@compiled
def describe_array(array):
    last = 0
    for value in array:
        last = value
    return array.size, len(array), array.shape[0], array.sum(), array[1:].size, last, array.itemsize


def test_arrays_are_arrays_in_all_other_ways() -> None:
    assert describe(np.arange(5)) == (5, 5, 5, 10, 4, 4, 8)


@compiled
def fill_slices(array):
    array[:] = 1
    array[2:4] = 7


@entry
def call_fill_slices(array):
    fill_slices(array)


def test_slices_are_filled() -> None:
    array = np.zeros(5, np.int32)
    call_fill_slices(array)
    assert array.tolist() == [1, 1, 7, 7, 1]


# ---- Loops


@compiled
def loop_over_all(low, high):
    digits = 0
    for number in range(high):
        digits = 10 * digits + number
    for number in range(low, high):
        digits = 10 * digits + number % 10
    for number in range(high, low, -2):
        digits = 10 * digits + number % 10
    for number in range(low, high):
        if number == high - 1:
            break
        for inner in range(number, number + 2):
            digits += inner
            number = 100
    else:
        digits = -digits
    return digits + len(range(low, high))


@entry
def call_loops(low, high):
    return loop_over_all(low, high)


@pytest.mark.parametrize(("low", "high"), [(0, 4), (1, 3), (-2, 2), (3, 3), (4, 2), (-3, -1)])
def test_loops_run_as_in_python(low: int, high: int) -> None:
    assert call_loops(low, high) == loop_over_all(low, high)


@compiled
def count_unsigned(first, last):
    count = 0
    newest = first
    for number in range(first, last):
        count += 1
        newest = number
    return count, newest


@entry
def call_unsigned(first, last):
    return count_unsigned(first, last)


def test_loops_over_integers_without_sign() -> None:
    first = np.uint64(2**63)
    assert call_unsigned(first, first + np.uint64(4)) == (4, 2**63 + 3)


@compiled
def define_late(number):
    for index in range(number):
        if index == 2:
            found = index
    return found if number > 2 else -1  # pyright: ignore[reportPossiblyUnboundVariable]


@entry
def call_define_late(number):
    return define_late(number)


def test_a_variable_may_be_assigned_in_some_rounds_only() -> None:
    assert call_define_late(5) == 2
    assert call_define_late(1) == -1


@fastmcts.compiled
def root_of(number):
    return math.sqrt(number)


@entry
def call_root(number):
    return root_of(number)


def test_the_public_decorator_makes_such_functions() -> None:
    assert call_root(9.0) == 3.0


@compiled
def nothing(number):
    """As a component leaves out a step."""


@compiled
def always(number):
    return True


@compiled
def minus_two(number, array):
    return -2


@compiled
def half(number):
    return 0.5


@entry
def call_constants(number, array, out):
    nothing(number)
    out[0] = minus_two(number, array)
    out[1] = half(array=number) if False else half(number)
    if always(number):
        out[2] = minus_two(array=array, number=number) * half(number)


def test_functions_that_return_a_constant_return_it() -> None:
    out = np.zeros(3)
    call_constants(7, np.zeros(2, np.int32), out)
    assert out.tolist() == [-2.0, 0.5, -1.0]


@entry
def extremes_of(left, right, out):
    for index in range(left.size):
        out[0, index] = min(left[index], right[index])
        out[1, index] = max(left[index], right[index])


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.int32])
def test_extremes_of_two_numbers_are_those_of_python(dtype: type) -> None:
    numbers = [-3.0, -0.0, 0.0, 2.0] + ([] if np.issubdtype(dtype, np.integer) else [math.inf, -math.inf, math.nan])
    pairs = [(one, other) for one in numbers for other in numbers]
    left, right = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    out = np.zeros((2, len(pairs)), dtype)
    extremes_of(left, right, out)
    values = [*zip(left.tolist(), right.tolist(), strict=True)]
    expected = [[min(pair) for pair in values], [max(pair) for pair in values]]
    assert out.tobytes() == np.array(expected, dtype).tobytes()


@entry
def operate(one, other, out):
    out[0] = one + other
    out[1] = one - other
    out[2] = one * other
    out[3] = one // other
    out[4] = one % other
    out[5] = one / other
    out[6] = (one < other) + 2 * (one <= other) + 4 * (one > other) + 8 * (one >= other)
    out[7] = (one == other) + 2 * (one != other)


@pytest.mark.parametrize("one", [7, -7, np.int32(5), 2.5, -0.75])
@pytest.mark.parametrize("other", [2, -3, np.int16(4), 0.5, -1.5])
def test_operators_between_numbers_are_those_of_python(one: float, other: float) -> None:
    found, expected = np.zeros(8), np.zeros(8)
    operate(one, other, found)
    x, y = float(one), float(other)
    expected[:6] = x + y, x - y, x * y, x // y, x % y, x / y
    expected[6:] = (x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y), (x == y) + 2 * (x != y)
    assert found.tolist() == expected.tolist()


class Cabinet(NamedTuple):
    """Arrays of which the second may be left out."""

    first: np.ndarray
    second: np.ndarray


register_bundle(Cabinet)


@entry
def add_to_all(shelf):
    shelf.first[0] += 1
    if shelf.second.size > 0:
        shelf.second[0] += 1


@pytest.mark.parametrize("sizes", [(0, 2), (2, 0)])
def test_code_for_a_bundle_without_an_array_is_not_run_for_one_that_has_it(sizes: tuple[int, int]) -> None:
    for size in sizes:
        shelf = Cabinet(np.zeros(1, np.int64), np.zeros(size, np.int64))
        add_to_all(shelf)
        assert (shelf.first.sum(), shelf.second.sum()) == (1, size > 0)
