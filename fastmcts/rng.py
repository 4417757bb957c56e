"""Random numbers for rules and kernels: SplitMix64 with a stream of its own per generator.

A game with dice or cards draws from the `rng` that its rules are given: `below(rng, 6)`, `unit(rng)`,
`shuffle(rng, cards, count)`. Outside of rules `make_rng(seed)` makes a generator.

A generator is a uint64 array `[counter, step]`. The step is odd and differs from seed to seed, so two
generators walk different cycles instead of two places of one (Steele, Lea and Flood 2014).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Rng
from fastmcts.core.validate import whole_number

__all__ = ["below", "make_rng", "next_bits", "shuffle", "spawn_seed", "unit"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
ONE = np.uint64(1)
BITS_11 = np.uint64(11)
BITS_27 = np.uint64(27)
BITS_30 = np.uint64(30)
BITS_31 = np.uint64(31)
BITS_32 = np.uint64(32)
#: The same for Python's own integers, which take a fifth of the time of NumPy's.
INT_GOLDEN, INT_FIRST_FACTOR, INT_SECOND_FACTOR = int(GOLDEN), int(FIRST_FACTOR), int(SECOND_FACTOR)
LOW_BITS = 2**64 - 1
UNIT = 1.0 / (1 << 53)


def make_rng(seed: int) -> Rng:
    """Make a generator from a seed.

    Args:
        seed: Any integer; only its lowest 64 bits count.

    Returns:
        uint64 [2]: the counter and its step.
    """
    counter = mixed(low_bits("seed", seed) + INT_GOLDEN)
    return np.array([counter, mixed(counter ^ INT_GOLDEN) | 1], np.uint64)


def spawn_seed(seed: int, index: int) -> int:
    """Derive the seed of the `index`-th independent part of an experiment from its one seed.

    Args:
        seed: The seed of the whole: any integer, of which the lowest 64 bits count.
        index: Which part: 0, 1, 2, ...

    Returns:
        A seed in [0, 2**63).
    """
    outer = mixed(low_bits("seed", seed) + INT_GOLDEN)
    return mixed(outer ^ mixed(low_bits("index", index) + 1)) >> 1


def make_rngs(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Make a generator from each of many seeds, as `make_rng` does from one.

    Args:
        seeds: uint64 [B].

    Returns:
        uint64 [B, 2].
    """
    generators = np.empty((len(seeds), 2), np.uint64)
    counters = generators[:, 0]
    counters[:] = mix(seeds + GOLDEN)  # arrays wrap around silently, unlike numbers
    generators[:, 1] = mix(counters ^ GOLDEN) | ONE
    return generators


def spawn_seeds(seed: int, count: int) -> NDArray[np.uint64]:
    """The seeds of the parts 0, 1, ..., count - 1, as `spawn_seed` gives each.

    Args:
        seed: The seed of the whole.
        count: How many parts there are.

    Returns:
        uint64 [count].
    """
    outer = np.uint64(mixed(low_bits("seed", seed) + INT_GOLDEN))
    return mix(outer ^ mix(np.arange(1, count + 1, dtype=np.uint64))) >> ONE


def low_bits(name: str, number: int) -> int:
    """The lowest 64 bits of an integer of any type."""
    return whole_number(name, number) & LOW_BITS


def mixed(number: int) -> int:
    """What `mix` makes of the lowest 64 bits of a Python integer."""
    number &= LOW_BITS
    number = (number ^ (number >> 30)) * INT_FIRST_FACTOR & LOW_BITS
    number = (number ^ (number >> 27)) * INT_SECOND_FACTOR & LOW_BITS
    return number ^ (number >> 31)


@compiled
def mix(number: Any) -> Any:
    """Scramble 64 bits so that neighbouring inputs share nothing."""
    number = (number ^ (number >> BITS_30)) * FIRST_FACTOR
    number = (number ^ (number >> BITS_27)) * SECOND_FACTOR
    return number ^ (number >> BITS_31)


@compiled
def reseed(rng: Rng, seed: Any) -> None:
    """Let a generator start from a seed of 63 bits, in place."""
    rng[0] = mix(np.uint64(seed) + GOLDEN)
    rng[1] = mix(rng[0] ^ GOLDEN) | ONE


@compiled
def draw_seed(rng: Rng) -> np.int64:
    """Draw a seed of 63 bits."""
    return np.int64(next_bits(rng) >> ONE)


@compiled
def next_bits(rng: Rng) -> np.uint64:
    """Draw 64 random bits."""
    rng[0] += rng[1]
    return mix(rng[0])


@compiled
def below(rng: Rng, bound: int) -> int:
    """Draw an integer from 0 to bound - 1; bound is at most 2**32.

    A multiplication instead of a remainder: each value's chance is off by less than bound / 2**32.
    """
    return np.int64(((next_bits(rng) >> BITS_32) * np.uint64(bound)) >> BITS_32)  # pyright: ignore[reportReturnType]


@compiled
def unit(rng: Rng) -> float:
    """Draw a float64 uniformly from [0, 1)."""
    return np.float64(next_bits(rng) >> BITS_11) * UNIT


@compiled
def shuffle(rng: Rng, items: NDArray[np.int64], count: int) -> None:
    """Put the first `count` items into random order, in place."""
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        items[last], items[other] = items[other], items[last]
