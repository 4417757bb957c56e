"""What compiling cannot make sense of is named, with what to write instead."""

import re
from dataclasses import dataclass, field
from functools import cached_property

import pytest

import fastmcts
from fastmcts.testing import perft
from tests.toys import OneShot

pytestmark = pytest.mark.jit

PRIZES = {0: 1, 1: 2}
PRIZE_LIST = [1, 2]


def prize(action: int) -> int:
    return 1 + action


@dataclass(frozen=True)
class DictOfTheClass(OneShot):
    table = {0: 1, 1: 1}

    def apply(self, state, action):
        state[0] = self.table[action]


@dataclass(frozen=True)
class ListOfTheObject(OneShot):
    table: list[int] = field(default_factory=lambda: [1, 1])

    def apply(self, state, action):
        state[0] = self.table[action]


@dataclass(frozen=True)
class SetFromAProperty(OneShot):
    @cached_property
    def table(self) -> set[int]:
        return {0, 1}

    def apply(self, state, action):
        state[0] = action in self.table


@dataclass(frozen=True)
class WithText(OneShot):
    def apply(self, state, action):
        state[0] = len(f"{action}")


@dataclass(frozen=True)
class Printing(OneShot):
    def apply(self, state, action):
        print("the move is", action)  # noqa: T201
        state[0] = 1


@dataclass(frozen=True)
class PlainHelper(OneShot):
    def apply(self, state, action):
        state[0] = prize(action) > 0


@dataclass(frozen=True)
class GlobalDict(OneShot):
    def apply(self, state, action):
        state[0] = PRIZES[action] > 0


@dataclass(frozen=True)
class GlobalList(OneShot):
    def apply(self, state, action):
        state[0] = PRIZE_LIST[action] > 0


@dataclass(frozen=True)
class SuperRule(OneShot):
    def apply(self, state, action):
        super().apply(state, action)


@pytest.mark.parametrize(
    ("game", "line", "remedy"),
    [
        (DictOfTheClass(), "self.table[action]", "self.table is a dict, .*: make it a NumPy array or a tuple"),
        (ListOfTheObject(), "self.table[action]", "self.table is a list, .*: make it a NumPy array or a tuple"),
        (SetFromAProperty(), "self.table", "self.table is a set, .*: make it a NumPy array or a tuple"),
        (WithText(), 'f"{action}"', "Rules cannot make text, as f-strings and str"),
        (Printing(), 'print("the move is", action)', "print cannot be compiled: .*NUMBA_DISABLE_JIT=1"),
        (PlainHelper(), "prize(action)", "prize is a function that only Python can call: put @fastmcts.compiled above"),
        (GlobalDict(), "PRIZES[action]", "PRIZES is a dict, .*: make it a NumPy array or a tuple"),
        (GlobalList(), "PRIZE_LIST[action]", "PRIZE_LIST is a list, .*: make it a NumPy array or a tuple"),
        (SuperRule(), "super().apply", "into a function with @fastmcts.compiled"),
    ],
    ids=lambda value: value.name if isinstance(value, fastmcts.Game) else None,
)
def test_what_to_write_instead_is_said(game: fastmcts.Game, line: str, remedy: str) -> None:
    with pytest.raises(fastmcts.CompileError) as caught:
        perft(game.new_initial_state(), depth=2)
    first, second, third = str(caught.value).splitlines()
    assert first == f"{game.name}.apply cannot be compiled:"
    assert re.fullmatch(r"  test_messages.py, line \d+:  .*", second)
    assert line in second
    assert re.search(remedy, third)


def test_rules_whose_source_was_not_kept_are_explained_too() -> None:
    names: dict[str, type[fastmcts.Game]] = {"OneShot": OneShot}
    exec(  # as what is typed in at a prompt
        "class TypedIn(OneShot):\n    def apply(self, state, action):\n        state[0] = len(f'{action}')\n", names
    )
    with pytest.raises(fastmcts.CompileError, match=r"TypedIn.apply cannot be compiled:\n  <string>, line 3: "):
        perft(dataclass(frozen=True)(names["TypedIn"])().new_initial_state(), depth=2)
