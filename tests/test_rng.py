import numpy as np

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.rng import below, make_rng, make_rngs, mix, mixed, next_bits, shuffle, spawn_seed, spawn_seeds, unit
from tests.naive import Generator


def test_the_bits_are_those_of_splitmix64() -> None:
    # The reference sequence of SplitMix64 (Vigna) from state 0, with the golden gamma as step.
    rng = np.array([0, 0x9E3779B97F4A7C15], np.uint64)
    with wrapping_integers():
        bits = [int(next_bits(rng)) for _ in range(3)]
    assert bits == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_plain_integers_give_the_same_numbers() -> None:
    for seed in (0, 1, -5, 2**63):
        rng, plain = make_rng(seed), Generator(seed % 2**64)
        with wrapping_integers():
            assert [int(below(rng, 1000)) for _ in range(50)] == [plain.below(1000) for _ in range(50)]


def test_seeds_are_mixed_alike_one_by_one_and_all_at_once() -> None:
    numbers = [0, 1, 2**63, 2**64 - 1, *(spawn_seed(3, index) * 2 + 1 for index in range(200))]
    assert [mixed(number) for number in numbers] == mix(np.array(numbers, np.uint64)).tolist()
    assert [mixed(number + 2**64) for number in numbers] == [mixed(number - 2**64) for number in numbers]
    for seed in (0, -7, 2**63 + 1, 2**64 - 1):
        seeds = spawn_seeds(seed, 50)
        assert seeds.tolist() == [spawn_seed(seed, index) for index in range(50)]
        assert make_rngs(seeds).tolist() == [make_rng(int(seed)).tolist() for seed in seeds]


def test_numbers_below_a_bound_are_uniform() -> None:
    rng = make_rng(7)
    with wrapping_integers():
        draws = np.array([below(rng, 6) for _ in range(12_000)])
    counts = np.bincount(draws, minlength=6)
    assert counts.size == 6
    chi_square = ((counts - 2000) ** 2 / 2000).sum()
    assert chi_square < 20.5  # 0.999 quantile with 5 degrees of freedom


def test_unit_floats_are_uniform() -> None:
    rng = make_rng(8)
    with wrapping_integers():
        draws = np.array([unit(rng) for _ in range(10_000)])
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    assert abs(draws.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 10_000)


def test_all_orders_of_a_shuffle_are_equally_likely() -> None:
    rng = make_rng(9)
    orders: dict[tuple[int, ...], int] = {}
    for _ in range(6_000):
        items = np.arange(4)
        with wrapping_integers():
            shuffle(rng, items, 3)
        assert items[3] == 3
        order = tuple(items.tolist())
        orders[order] = orders.get(order, 0) + 1
    assert len(orders) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in orders.values()) < 20.5


def test_seeds_and_parts_of_an_experiment_are_independent() -> None:
    seeds = {spawn_seed(seed, index) for seed in range(100) for index in range(100)}
    assert len(seeds) == 10_000
    assert all(0 <= seed < 2**63 for seed in seeds)
    streams = {tuple(make_rng(seed).tolist()) for seed in range(1000)}
    assert len({step for _, step in streams}) == 1000, "every seed has a cycle of its own"
