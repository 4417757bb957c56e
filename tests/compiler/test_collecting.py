"""Garbage is not looked for while a kernel is compiled."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba.core import event

from fastmcts.compiler.collecting import collecting_nothing
from fastmcts.compiler.jit import entry


@entry
def add_up(numbers):
    total = 0
    for index in range(numbers.size):
        total += numbers[index]
    return total


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations that were looked through, which is done all the time."""
    found: list[int] = []

    def note(phase: str, information: dict[str, Any]) -> None:
        if phase == "start":
            found.append(information["generation"])

    thresholds = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(10, 2, 2)
    yield found
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(note)


class Listener(event.Listener):
    """Notes how often garbage was looked for until a compilation began, and until it ended."""

    def __init__(self, collections: list[int]) -> None:
        self.collections = collections
        self.counts: list[int] = []

    def on_start(self, event: event.Event) -> None:
        self.counts.append(len(self.collections))

    on_end = on_start


@pytest.mark.jit
def test_no_garbage_is_looked_for_while_a_kernel_is_compiled(collections: list[int]) -> None:
    add_up.dispatcher._cache.flush()  # pyright: ignore[reportFunctionMemberAccess]
    listener = Listener(collections)
    with event.install_listener("numba:compile", listener):
        assert add_up(np.arange(4)) == 6
    assert sum(add_up.dispatcher.stats.cache_misses.values()) == 1  # pyright: ignore[reportFunctionMemberAccess]
    begin, end = listener.counts
    assert begin == end
    assert begin > 0, "it is looked for before"
    assert len(collections) > end, "and afterwards"
    assert gc.isenabled()


def test_nobody_who_looks_for_no_garbage_anyway_begins_to() -> None:
    gc.disable()
    try:
        with collecting_nothing():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_is_looked_for_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="failed"), collecting_nothing():
        raise ValueError("failed")
    assert gc.isenabled()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_it_is_looked_for_again_after_several_whose_work_overlaps(order: tuple[int, int]) -> None:
    works = [collecting_nothing(), collecting_nothing()]
    for work in works:
        work.__enter__()
    assert not gc.isenabled()
    for index in order:
        works[index].__exit__(None, None, None)
    assert gc.isenabled()
