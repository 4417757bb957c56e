"""Branches that the types of the arguments decide are taken before a function is typed."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from fastmcts.compiler.bundle import register_bundle
from fastmcts.compiler.component import Component
from fastmcts.compiler.jit import compiled, entry

UNKNOWN_TO_NUMBA = object()


@dataclass(frozen=True)
class Switch(Component):
    """A component whose branches that are not taken cannot be compiled."""

    is_on: bool = False
    size: int = 3
    weight: float = 0.0

    def plain(self, number):
        if self.is_on:
            return UNKNOWN_TO_NUMBA + number
        return number

    def negated(self, number):
        if not self.is_on:
            return number
        return UNKNOWN_TO_NUMBA + number

    def compared(self, number):
        if self.size > 5 or self.size == 2:
            return UNKNOWN_TO_NUMBA + number
        return number

    def joined(self, number):
        if number > 1 and self.is_on:
            return UNKNOWN_TO_NUMBA + number
        return number

    def looped(self, number):
        while self.is_on:
            number = UNKNOWN_TO_NUMBA + number
        return number

    def chosen(self, number):
        return UNKNOWN_TO_NUMBA if self.is_on else number

    def changing(self, number):
        size = self.size
        while size < number:
            size += 1
        if size == 3:
            return -1
        return size

    def weighted(self, number):
        return number if self.weight > 0.0 else -number


@entry
def call(switch, number):
    return (
        switch.plain(number)
        + switch.negated(number)
        + switch.compared(number)
        + switch.joined(number)
        + switch.looped(number)
        + switch.chosen(number)
    )


@entry
def change(switch, number):
    return switch.changing(number)


@entry
def weigh(switch, number):
    return switch.weighted(number)


def test_a_side_that_is_never_taken_need_not_compile() -> None:
    assert call(Switch(), 7) == 42


def test_a_variable_that_is_assigned_twice_is_not_decided() -> None:
    assert change(Switch(), 2) == -1
    assert change(Switch(), 5) == 5


def test_floats_are_not_decided_since_they_change_without_compiling() -> None:
    assert weigh(Switch(weight=1.0), 4) == 4
    assert weigh(Switch(weight=0.0), 4) == -4


class Pair(NamedTuple):
    switch: Switch
    number: int


@entry
def unpack(pair):
    switch, number = pair
    if switch.is_on:
        return UNKNOWN_TO_NUMBA
    if pair.switch.size != 3:
        return UNKNOWN_TO_NUMBA
    return number


def test_parts_of_tuples_are_known() -> None:
    assert unpack(Pair(Switch(), 5)) == 5


@entry
def unpack_many(pair):
    switch, number, size, is_on = pair.switch, pair.number, pair.switch.size, pair.switch.is_on
    if switch.is_on or size != 3 or is_on:
        return UNKNOWN_TO_NUMBA
    return number


def test_parts_of_tuples_that_were_put_together_are_known() -> None:
    assert unpack_many(Pair(Switch(), 5)) == 5


class Arrays(NamedTuple):
    full: np.ndarray
    empty: np.ndarray

    @property
    def is_extended(self) -> bool:
        return self.empty.size > 0


register_bundle(Arrays)


@compiled
def first_of(arrays):
    if arrays.empty.size > 0:
        return UNKNOWN_TO_NUMBA
    return arrays.full[0]


@entry
def first(arrays):
    return first_of(arrays)


@compiled
def sizes_of(arrays):
    return 10 * arrays.full.size + arrays.empty.size


@entry
def sizes(arrays):
    return sizes_of(arrays)


def arrays(full: int, empty: int) -> Any:
    return Arrays(np.arange(1, full + 1), np.arange(empty))


def test_arrays_that_are_not_kept_are_known_to_be_empty() -> None:
    assert first(arrays(2, 0)) == 1


@pytest.mark.parametrize(("full", "empty"), [(2, 0), (2, 3), (4, 3)])
def test_how_long_an_array_is_that_is_kept_is_not_decided(full: int, empty: int) -> None:
    assert sizes(arrays(full, empty)) == 10 * full + empty


@entry
def extended_first(arrays):
    if arrays.is_extended:
        return UNKNOWN_TO_NUMBA
    return arrays.full[0]


@entry
def is_extended_and_large(arrays, number):
    is_extended = arrays.is_extended
    return is_extended, is_extended and number > 3


class Asking(NamedTuple):
    full: np.ndarray
    empty: np.ndarray

    @property
    def is_extended(self) -> bool:
        return self.empty.size > 0

    @property
    def is_plain(self) -> bool:
        return self.full.size > 0 and not self.is_extended

    @property
    def is_long(self) -> bool:
        return self.full.size > 7

    @property
    def is_misspelt(self) -> bool:
        return self.ful.size > 0  # pyright: ignore[reportAttributeAccessIssue]


register_bundle(Asking)


@entry
def is_plain(asking):
    return asking.is_plain


@entry
def is_long(asking):
    return asking.is_long


@entry
def is_misspelt(asking):
    return asking.is_misspelt


@pytest.mark.parametrize(("full", "empty"), [(2, 0), (2, 3), (0, 0)])
def test_a_property_may_ask_for_another(full: int, empty: int) -> None:
    assert is_plain(Asking(np.zeros(full), np.zeros(empty))) == (full > 0 and empty == 0)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("kernel", "error", "message"),
    [
        (is_long, TypeError, "may ask whether size > 0, not whether size > 7"),
        (is_misspelt, AttributeError, "Asking has no array 'ful'"),
    ],
)
def test_a_property_that_asks_for_more_than_types_tell_is_refused(kernel: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        kernel(Asking(np.zeros(2), np.zeros(0)))


def test_two_bundles_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"fastmcts.core.tree has a bundle Tree already: give that of tests\."):
        register_bundle(type("Tree", (Arrays,), {"__module__": __name__}))


def test_properties_of_bundles_are_known() -> None:
    assert extended_first(arrays(2, 0)) == 1


@pytest.mark.parametrize("empty", [0, 3])
@pytest.mark.parametrize("number", [2, 5])
def test_a_property_of_a_bundle_can_be_read_as_any_value(empty: int, number: int) -> None:
    extended = empty > 0
    assert is_extended_and_large(arrays(2, empty), number) == (extended, extended and number > 3)
