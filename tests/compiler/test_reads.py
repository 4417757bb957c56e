"""What a function is compiled to for a bundle serves all bundles that differ in nothing that it reads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from fastmcts.compiler.bundle import register_bundle
from fastmcts.compiler.jit import compiled, compiled_function, entry
from tests.subprocesses import run_python


class Shelf(NamedTuple):
    first: np.ndarray
    second: np.ndarray

    @property
    def has_second(self) -> bool:
        return self.second.size > 0


register_bundle(Shelf)


@compiled
def first_entry(shelf):
    return shelf.first[0]


@compiled
def ask_for_second(shelf):
    if shelf.second.size > 0:
        return shelf.first[0] + shelf.second[0]
    return shelf.first[0]


@compiled
def ask_property(shelf):
    if shelf.has_second:
        return shelf.first[0] + shelf.second[0]
    return shelf.first[0]


@compiled
def ask_through_another(shelf):
    return ask_for_second(shelf)


@compiled
def ask_through_another_again(shelf):
    return ask_for_second(shelf)


@numba.njit
def own_function(shelf):
    return shelf.first[0] + shelf.second.size


@compiled
def ask_own_function(shelf):
    return own_function(shelf)


@compiled
def ask_own_function_again(shelf):
    return own_function(shelf)


@entry
def ask_all(shelf):
    return (
        first_entry(shelf),
        ask_for_second(shelf),
        ask_property(shelf),
        ask_through_another(shelf),
        ask_through_another_again(shelf),
        ask_own_function(shelf),
        ask_own_function_again(shelf),
    )


ONE_VERSION = (first_entry,)
ONE_FOR_EACH = (
    ask_for_second,
    ask_property,
    ask_through_another,
    ask_through_another_again,
    ask_own_function,
    ask_own_function_again,
)


def versions(function: Callable[..., Any]) -> int:
    """How many different things a function was compiled to."""
    return len({id(version) for version in compiled_function(function).versions.values()})


@pytest.mark.jit
def test_a_function_is_compiled_once_for_bundles_that_differ_in_what_it_does_not_read() -> None:
    ask_all.dispatcher._cache.flush()  # pyright: ignore[reportFunctionMemberAccess]  # what others have compiled
    for seconds, expected in (0, (4, 4, 4, 4, 4, 4, 4)), (3, (4, 9, 9, 9, 9, 7, 7)), (0, (4, 4, 4, 4, 4, 4, 4)):
        assert ask_all(Shelf(np.full(1, 4), np.full(seconds, 5))) == expected
    assert [versions(function) for function in ONE_VERSION] == [1]
    assert [versions(function) for function in ONE_FOR_EACH] == [2] * len(ONE_FOR_EACH)


@pytest.mark.jit
def test_a_function_is_compiled_anew_where_what_it_reads_is_of_another_type() -> None:
    assert ask_all(Shelf(np.full(1, 0.5), np.full(0, 5)))[0] == 0.5
    assert ask_all(Shelf(np.full(1, 3), np.full(0, 5)))[0] == 3


STEPS = """
import json
from collections import Counter
import fastmcts
from fastmcts.compiler.inner import InnerFunction

compiled = Counter()
compile_function = InnerFunction.compile

def count(self, arguments):
    compiled[self.function.__qualname__] += 1
    return compile_function(self, arguments)

InnerFunction.compile = count
counts = []
for solver in (False, True):
    compiled.clear()
    state = fastmcts.games.TicTacToe().new_initial_state()
    fastmcts.search(state, simulations=10, seed=0, strategy="plain", solver=solver)
    counts.append(dict(compiled))
print(json.dumps(counts))
"""


@pytest.mark.thorough
@pytest.mark.jit
def test_a_search_compiles_its_steps_once_and_with_proofs_only_those_that_read_them(tmp_path: Path) -> None:
    plain, proving = run_python(STEPS, tmp_path)
    assert {plain[step] for step in ("descend", "chosen_child", "play_out", "try_child", "backup")} == {1}
    assert {proving[step] for step in ("descend", "chosen_child")} == {1}
    assert not proving.keys() & {"play_out", "try_child", "backup"}
