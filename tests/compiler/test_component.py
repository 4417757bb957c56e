import json
import math
import types
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numba
import numpy as np
import pytest

import fastmcts
from fastmcts import games
from fastmcts.compiler.component import Component, same
from fastmcts.compiler.fingerprint import fingerprint
from fastmcts.compiler.jit import entry
from fastmcts.engine.archive.values import Decoder, encode
from tests.toys import OneShot


@dataclass(frozen=True)
class Sum(Component):
    count: int = 3
    weight: float = 0.5
    flag: bool = True
    scale = 2

    @property
    def doubled(self) -> int:
        return 2 * self.count

    @cached_property
    def table(self) -> np.ndarray:
        return np.arange(self.count)

    def total(self, start):
        total = start + self.doubled * self.scale
        for index in range(self.count):
            total += self.table[index]
        return self.weighted(total, 1) if self.flag else -1.0

    def weighted(self, number, extra):
        return self.weight * number + extra


@dataclass(frozen=True)
class OtherArity(Component):
    def weighted(self, number):
        return number


@entry
def call_total(component, start):
    return component.total(start)


@entry
def call_weighted(component, number):
    return component.weighted(number)


def test_fields_properties_and_tables_are_read_in_compiled_methods() -> None:
    assert call_total(Sum(), 1) == 0.5 * (1 + 12 + 3) + 1
    assert call_total(Sum(count=4, weight=2.0), 0) == 2.0 * (16 + 6) + 1
    assert call_total(Sum(flag=False), 0) == -1.0


def test_two_components_may_have_methods_of_one_name_with_different_arguments() -> None:
    assert call_total(Sum(), 1) == 9.0
    assert call_weighted(OtherArity(), 7) == 7


@pytest.mark.jit
def test_float_fields_are_run_time_values_and_others_are_part_of_the_type() -> None:
    assert Sum(weight=0.5).numba_type == Sum(weight=0.25).numba_type
    assert Sum(weight=1).numba_type == Sum(weight=0.25).numba_type  # an int in a float field
    assert Sum(count=3).numba_type != Sum(count=4).numba_type
    assert Sum(flag=True).numba_type != Sum(flag=False).numba_type


@dataclass(frozen=True)
class Weighted(OneShot):
    """Its field is an array."""

    weights: np.ndarray


@dataclass(frozen=True)
class Larger(games.ConnectFour):
    """A size that its base works out is a field here."""

    num_actions: int = field(kw_only=True)


def test_a_field_in_place_of_a_cached_property_keeps_its_value() -> None:
    game = Larger(num_actions=9)
    assert game.numba_type is not games.ConnectFour().numba_type
    assert game.num_actions == 9


def test_components_with_arrays_are_compared_by_their_content(tmp_path: Path) -> None:
    def game(*weights: float) -> Weighted:
        return Weighted(weights=np.array(weights))

    assert same(game(1.0, 2.0), game(1.0, 2.0))
    assert not same(game(1.0, 2.0), game(1.0, 3.0))
    assert not same(game(1.0), game(1.0, 1.0))
    assert not same(game(1.0), OneShot())
    assert game(1.0).new_initial_state() == game(1.0).new_initial_state()
    mcts = fastmcts.MCTS(game(1.0), simulations=10, seed=0)
    mcts.search(game(1.0).new_initial_state())
    with pytest.raises(ValueError, match="this searches Weighted"):
        mcts.search(game(2.0).new_initial_state())
    mcts.save(tmp_path / "search")
    assert same(fastmcts.MCTS.load(tmp_path / "search").game, game(1.0))


@pytest.mark.parametrize("dtype", [">f4", "f8", "g", "i2", "u8", "?"])
def test_arrays_are_saved_bit_by_bit(dtype: str) -> None:
    noise = np.random.default_rng(0).integers(2, size=96, dtype=np.uint8)  # as floats: NaN among others
    weights = np.frombuffer((255 * noise if dtype != "?" else noise).tobytes(), dtype)
    saved = Decoder().decode(json.loads(json.dumps(encode(weights.reshape(2, -1)))))
    assert saved.dtype == weights.dtype
    assert saved.shape == (2, weights.size // 2)
    assert saved.tobytes() == weights.tobytes()
    assert saved.flags.writeable


def test_a_component_must_be_a_frozen_dataclass() -> None:
    class Loose(Component):
        pass

    with pytest.raises(TypeError, match=r"Loose must be a frozen dataclass: put @dataclass\(frozen=True\)"):
        _ = Loose().numba_type


def test_the_fingerprint_reaches_closures_defaults_and_nested_functions() -> None:
    def make(number: int, default: int = 0):
        def outer(x, y=default):
            def inner(z):
                return z + number

            return inner(x) + y

        return outer

    prints = {fingerprint([make(n, d)], {}) for n, d in ((1, 0), (2, 0), (1, 1))}
    assert len(prints) == 3
    assert fingerprint([make(1)], {}) == fingerprint([make(1)], {})
    assert fingerprint([make(1)], {"size": 3}) != fingerprint([make(1)], {"size": 4})


def test_the_fingerprint_sees_values_that_a_module_attribute_names() -> None:
    before = fingerprint([uses_math], {})
    assert before == fingerprint([uses_math], {})
    assert before != fingerprint([uses_more_math], {})


def test_the_fingerprint_sees_what_each_function_names_in_the_same_module() -> None:
    def make(second: int):
        tables = types.ModuleType("tables")
        tables.first, tables.second = 1, second  # pyright: ignore[reportAttributeAccessIssue]
        return [lambda: tables.first, lambda: tables.second]

    assert fingerprint(make(1), {}) == fingerprint(make(1), {})
    assert fingerprint(make(1), {}) != fingerprint(make(2), {})


def uses_math(x):
    return math.sqrt(x)


def uses_more_math(x):
    return math.log(x)


def test_a_missing_method_is_named() -> None:
    @dataclass(frozen=True)
    class Half(fastmcts.Game):
        num_players = 1
        num_actions = 1
        state_size = 1

        def initial(self, state, rng): ...
        def current_player(self, state):
            return 0

        def legal_actions(self, state, actions):
            return 0

        def returns(self, state, out): ...

    with pytest.raises(TypeError, match=r"abstract method '?apply"):
        Half()  # pyright: ignore[reportAbstractUsage]


def test_a_missing_size_is_named() -> None:
    @dataclass(frozen=True)
    class Sizeless(OneShot):
        num_actions = None  # pyright: ignore[reportAssignmentType]

    with pytest.raises(fastmcts.GameError, match=r"Sizeless.num_actions must be an int from 1 to 32767, not None"):
        Sizeless().new_initial_state()


@dataclass(frozen=True)
class Undefined(OneShot):
    def apply(self, state, action):
        state[0] = unknown_name(action)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


@dataclass(frozen=True)
class Mistyped(OneShot):
    def apply(self, state, action):
        state[0] = action + "one"


@dataclass(frozen=True)
class Allocating(OneShot):
    def apply(self, state, action):
        cells = np.zeros(3, np.int64)
        state[0] = cells[action] + 1


@dataclass(frozen=True)
class Unsupported(OneShot):
    def apply(self, state, action):
        with open("file") as file:  # noqa: PTH123
            state[0] = len(file.read())


@dataclass(frozen=True)
class WrongArguments(OneShot):
    def apply(self, state):  # pyright: ignore[reportIncompatibleMethodOverride]
        state[0] = 1


@pytest.mark.jit
@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize(
    ("game", "line", "why"),
    [
        (Undefined(), "state[0] = unknown_name(action)", "name 'unknown_name' is not defined"),
        (Mistyped(), 'state[0] = action + "one"', "no version of add"),
        (Allocating(), "cells = np.zeros(3, np.int64)", "must not make arrays"),
        (Unsupported(), "def apply(self, state, action):", "not supported"),
        (WrongArguments(), "def apply(self, state):", "other arguments than (self, state)"),
    ],
    ids=lambda value: value.name if isinstance(value, fastmcts.Game) else None,
)
def test_a_method_that_does_not_compile_is_shown_by_its_line(game: fastmcts.Game, line: str, why: str) -> None:
    with pytest.raises(fastmcts.CompileError) as caught:
        fastmcts.search(game.new_initial_state(), simulations=10)
    message = str(caught.value)
    assert message.startswith(f"{game.name}.apply cannot be compiled:\n  test_component.py, line ")
    assert line in message
    assert why in message
    assert len(message.splitlines()) == 3


@fastmcts.compiled
def innermost(x):
    return x + 1


@fastmcts.compiled
def outer(x):
    return innermost(x) * innermost(x + 1)


@pytest.mark.jit
def test_code_of_numbas_own_calls_helpers_and_what_they_call() -> None:
    @numba.njit
    def twice(x):
        return outer(x) + outer(x + 1)

    @fastmcts.compiled
    def around(x):
        return twice(x) + innermost(x)

    @numba.njit
    def most(x):
        return around(x) - twice(x)

    assert twice(1) == 2 * 3 + 3 * 4
    assert most(1) == 2
