"""Lanes compute in float32, to the same bits with the JIT on and off, and read nothing beyond an array."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from fastmcts.compiler.jit import JIT_ENABLED, bounds_checked, compiled, entry
from fastmcts.compiler.lanes import (
    EVERYBODY,
    LANES,
    NOBODY,
    at,
    block,
    challenged,
    leader,
    maximum,
    minimum,
    nobody,
    replaced,
    single,
    spread,
    sqrt,
    where,
)
from fastmcts.compiler.logarithm import log
from fastmcts.compiler.vectors import declare

Floats = NDArray[np.float32]


def keep(lanes: Any, out: Floats) -> None:
    """Write lanes to an array [8], to look at them."""
    out[:] = lanes.values


def emit_keep(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[1])(context, builder, args[1])
    builder.store(args[0], builder.bitcast(array.data, args[0].type.as_pointer())).align = 4
    return context.get_dummy_value()


declare(keep, lambda lanes, out: types.none(lanes, out), emit_keep)


@compiled
def formula(counts, sums, small, children, number):
    """All that lanes can do, in one number."""
    visits = at(counts, children) - at(small, children)
    mean = at(sums, children) / at(counts, children)
    low = minimum(mean * mean + sqrt(number / visits), 0.75)
    high = maximum(1 - mean, 0.25) + number * (2.0 / visits) - 3
    return where(visits > 4, low, high) + where(mean < number, 1.0, mean - number)


@entry
def in_lanes(counts, sums, small, first, count, number, out):
    keep(formula(counts, sums, small, block(first, first + count), number), out)


@entry
def one_by_one(counts, sums, small, child, number):
    return formula(counts, sums, small, child, number)


def numbers(size: int, seed: int = 0) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int16]]:
    """Visits, sums and visits that nobody made, as trees have them."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(4, 10 ** rng.integers(1, 10, size)).astype(np.int32)
    return counts, counts * rng.random(size), rng.integers(0, 4, size).astype(np.int16)


def expected(*arguments: Any) -> Floats:
    """The formula in NumPy's own float32."""
    counts, sums, small, number = (np.asarray(values, np.float32) for values in arguments)
    one, two, three, quarter = np.array([1, 2, 3, 0.25], np.float32)
    visits = counts - small
    mean = sums / counts
    low = np.minimum(mean * mean + np.sqrt(number / visits), np.float32(0.75))
    high = np.maximum(one - mean, quarter) + number * (two / visits) - three
    return np.where(visits > 4, low, high) + np.where(mean < number, one, mean - number)


@pytest.mark.parametrize("number", [0.3, 1.0 / 3.0, 17.125, 1e-30])
def test_a_formula_over_lanes_is_that_of_numpy_in_float32(number: float) -> None:
    arrays = numbers(400)
    out = np.zeros(LANES, np.float32)
    for first in range(400 - LANES + 1):
        in_lanes(*arrays, first, LANES, number, out)
        assert out.tobytes() == expected(*(array[first : first + LANES] for array in arrays), number).tobytes()


def test_the_same_formula_takes_one_child_and_computes_in_float64() -> None:
    counts, sums, small = numbers(50)
    for child in range(50):
        lanes, out = counts[child : child + 1], one_by_one(counts, sums, small, child, 0.3)
        [close] = expected(lanes, sums[child : child + 1], small[child : child + 1], 0.3)
        assert out == pytest.approx(float(close), rel=1e-5, abs=1e-5)
        assert float(np.float32(out)) != out, "it is no float32"


def test_what_stands_behind_a_block_is_not_in_it() -> None:
    counts, sums, small = numbers(LANES + 3)
    counts[5:], sums[5:] = 0, np.nan
    out = np.zeros(LANES, np.float32)
    in_lanes(counts, sums, small, 2, 3, 0.3, out)
    assert out[:3].tobytes() == expected(counts[2:5], sums[2:5], small[2:5], 0.3).tobytes()


@entry
def fused(first, second, third, out):
    children = block(0, LANES)
    keep(at(first, children) * at(second, children) + at(third, children), out)


def test_a_product_is_rounded_before_it_is_added_to_something() -> None:
    factors = np.float32(1.0) + np.float32(2.0) ** -np.arange(12, 12 + LANES, dtype=np.float32)
    products = factors * factors
    out = np.ones(LANES, np.float32)
    fused(factors, factors, -products, out)
    assert (factors.astype(np.float64) ** 2 != products).any(), "with a fused instruction it would not be zero"
    assert (out == 0.0).all()


@pytest.mark.jit
def test_nothing_is_fused_in_the_code_of_a_formula() -> None:
    dispatcher: Any = in_lanes
    dispatcher.recompile()  # what comes from the disk is not assembly any more
    dispatcher(*numbers(LANES), 0, LANES, 0.3, np.zeros(LANES, np.float32))
    [code] = dispatcher.inspect_asm().values()
    assert "fma" not in code.replace("formula", "")


@entry
def divide(numerators, denominators, out):
    children = block(0, LANES)
    keep(at(numerators, children) / at(denominators, children), out)


def test_to_divide_by_nothing_is_no_error() -> None:
    out = np.zeros(LANES, np.float32)
    divide(np.array([0, 1, -1, 0, 3, 4, 5, 6.0]), np.array([0, 0, 0, 2, 1, 2, 4, 8], np.int32), out)
    assert np.isnan(out[0])
    assert out[1:].tolist() == [math.inf, -math.inf, 0.0, 3.0, 2.0, 1.25, 0.75]


@entry
def set_lanes(lane, number, out):
    keep(replaced(replaced(spread(number), lane, 1.0), 7 - lane, 0.1), out)


def test_a_lane_can_be_set() -> None:
    out = np.zeros(LANES, np.float32)
    set_lanes(2, 0.3, out)
    assert out.tolist() == [single(number) for number in (0.3, 0.3, 1.0, 0.3, 0.3, 0.1, 0.3, 0.3)]


@entry
def winner(scores, first, end, bits):
    """The best of some, the first of which have bits that say who competes."""
    leaders = nobody()
    while first < end:
        children = block(first, end)
        leaders = challenged(leaders, at(scores, children), children, bits)
        first += LANES
    return leader(leaders)


def first_of_the_best(scores: Floats, first: int, end: int, bits: int) -> int:
    """The same, one by one."""
    best, best_score = NOBODY, -math.inf
    for index in range(first, end):
        if bits >> (index - first) % LANES & 1 and scores[index] > best_score:
            best, best_score = index, scores[index]
    return best


def test_the_first_of_those_with_the_highest_score_wins() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500 if JIT_ENABLED else 60):
        size = int(rng.integers(1, 40))
        scores = rng.integers(-2, 3, size + 3 * LANES).astype(np.float32) / np.float32(3.0)
        scores[rng.random(scores.size) < 0.1] = rng.choice([np.nan, -np.inf])
        first, bits = int(rng.integers(0, LANES)), int(rng.choice([EVERYBODY, 0b1010_0110, 0b1, 0]))
        assert winner(scores, first, first + size, bits) == first_of_the_best(scores, first, first + size, bits)


def test_nobody_wins_where_nobody_competes() -> None:
    scores = np.array([3, 2, 1, np.nan, -np.inf, 4, 5, 6], np.float32)
    assert winner(scores, 0, 3, 0) == winner(scores, 0, 0, EVERYBODY) == NOBODY
    assert winner(scores[3:].repeat(LANES), 0, LANES + 3, EVERYBODY) == NOBODY, "NaN and -inf do not lead"


@entry
def first_lane(array, first):
    children = block(first, first + 1)
    return leader(challenged(nobody(), at(array, children), children, EVERYBODY))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.float32, np.float64])
def test_checked_code_reads_no_lanes_beyond_an_array(dtype: Any) -> None:
    read: Callable[..., int] = bounds_checked(first_lane)
    array = np.ones(20, dtype)
    assert read(array, 20 - LANES) == 20 - LANES
    for first in (-1, 20 - LANES + 1, 19, 20, 2**40):
        with pytest.raises(IndexError):
            read(array, first)


@entry
def logarithms(counts, out):
    for index in range(counts.size):
        out[index] = log(counts[index])


def test_the_logarithm_of_a_count_is_exact_to_a_billionth() -> None:
    few = 1 << (16 if JIT_ENABLED else 10)
    powers = [1 << bits for bits in range(32)]
    spots = np.random.default_rng(2).integers(1, 2**31, few)
    counts = np.unique([*range(1, few), *powers, *(power - 1 for power in powers[1:]), *spots])
    out = np.zeros(counts.size)
    logarithms(counts, out)
    exact = np.array([math.log(count) for count in counts.tolist()])
    assert np.abs(out - exact).max() < 1e-9
    assert (np.diff(out) > 0.0).all()
    assert [log(power) for power in powers] == [bits * math.log(2.0) for bits in range(32)], "no error at the ends"


def test_a_count_of_zero_has_a_logarithm_too() -> None:
    out = np.ones(2)
    logarithms(np.array([0, 1], np.int32), out)
    assert out.tolist() == [0.0, 0.0]


@pytest.mark.jit
def test_logarithms_have_the_same_bits_with_and_without_the_jit() -> None:
    counts = np.random.default_rng(3).integers(1, 2**31, 5_000).astype(np.int32)
    out = np.zeros(counts.size)
    logarithms(counts, out)
    assert out.tolist() == [log(count) for count in counts]
