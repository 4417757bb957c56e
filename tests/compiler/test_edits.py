"""Rules that are edited while Python runs: the next search, perft or kept tree goes by the new ones."""

import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numba
import numpy as np
import pytest

import fastmcts
from fastmcts.testing import perft
from tests.toys import OneShot

#: Three turns with the same number of moves: the product of factors that are 1, found on many ways.
RULES = """
from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np

import fastmcts
import edited_tables

CONSTANT = 1
TABLE = np.array([1, 1])
BEHIND = 1
CACHED = 1
OF_NUMBA = 1

@fastmcts.compiled
def helper():
    return 1

@fastmcts.compiled
def innermost():
    return BEHIND

@fastmcts.compiled
def outer():
    return innermost()

@numba.njit
def with_numba():
    return OF_NUMBA

def make_closure():
    number = 1
    def get():
        return number
    def put(value):
        nonlocal number
        number = value
    return fastmcts.compiled(get), put

closure, put = make_closure()

@fastmcts.compiled
def with_default(number=1):
    return number

@dataclass(frozen=True)
class Edited(fastmcts.Game):
    num_players = 1
    num_actions = 2**14
    state_size = 1
    max_game_length = 3
    attribute = 1

    @property
    def from_property(self):
        return int(CONSTANT)

    @cached_property
    def from_cached_property(self):
        return int(CACHED)

    def rule(self):
        return 1

    def initial(self, state, rng): state[0] = 0
    def current_player(self, state): return fastmcts.TERMINAL if state[0] == 3 else 0
    def apply(self, state, action): state[0] += 1
    def returns(self, state, out): out[0] = 0.0
    def legal_actions(self, state, actions):
        count = 1
        count *= CONSTANT * TABLE[0] * outer() * helper() * with_numba() * closure() * with_default()
        count *= self.attribute * self.from_cached_property * self.rule() * edited_tables.FIRST * edited_tables.second()
        for index in range(count):
            actions[index] = index
        return count
"""

TABLES = """
import fastmcts
FIRST = 1
SECOND = 1

@fastmcts.compiled
def second():
    return SECOND
"""


@pytest.fixture(scope="module")
def module() -> Iterator[Any]:
    """The module with the rules, and the one that it imports."""
    tables, rules = types.ModuleType("edited_tables"), types.ModuleType("edited_rules")
    for made, source in ((tables, TABLES), (rules, RULES)):
        sys.modules[made.__name__] = made
        exec(source, made.__dict__)
    yield rules
    for made in (tables, rules):
        del sys.modules[made.__name__]


def four() -> int:
    return 4


def set_default(module: Any) -> None:
    module.with_default.__defaults__ = (2,)


def set_code(module: Any) -> None:
    module.helper.__code__ = four.__code__  # what IPython's autoreload does


#: Each doubles the number of moves; some follow on an earlier one.
EDITS: dict[str, Callable[[Any], None]] = {
    "a constant": lambda module: setattr(module, "CONSTANT", 2),
    "a constant behind a cached property": lambda module: setattr(module, "CACHED", 2),
    "a table": lambda module: setattr(module, "TABLE", np.array([2, 1])),
    "a constant behind two helpers": lambda module: setattr(module, "BEHIND", 2),
    "a constant that code of numba's own reads": lambda module: setattr(module, "OF_NUMBA", 2),
    "a helper": lambda module: setattr(module, "helper", fastmcts.compiled(lambda: 2)),
    "the code of a helper": set_code,
    "a default": set_default,
    "a closure": lambda module: module.put(2),
    "a method": lambda module: setattr(module.Edited, "rule", lambda self: 2),
    "an attribute of the class": lambda module: setattr(module.Edited, "attribute", 2),
    "a constant of another module": lambda module: setattr(module.edited_tables, "FIRST", 2),
    "a constant behind a helper of another module": lambda module: setattr(module.edited_tables, "SECOND", 2),
    "a helper of another module": lambda module: setattr(module.edited_tables, "second", fastmcts.compiled(lambda: 4)),
}


@pytest.mark.jit
@pytest.mark.parametrize("what", EDITS)
def test_an_edit_counts_at_once_for_old_and_new_games(module: Any, what: str) -> None:
    # The module stays edited from case to case, so that each finds rules which were compiled before.
    old = module.Edited()
    before = perft(old.new_initial_state(), 2)
    assert before == len(old.new_initial_state().legal_actions()) ** 2
    EDITS[what](module)
    assert perft(old.new_initial_state(), 2) == 4 * before
    assert perft(module.Edited().new_initial_state(), 2) == 4 * before


@dataclass(frozen=True)
class Prize(OneShot):
    """A move, which brings the module's `PRIZE`."""

    def returns(self, state, out):
        out[0] = PRIZE


PRIZE = 0.0


@pytest.mark.jit
def test_a_search_a_batch_and_a_kept_tree_go_by_edited_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    state = Prize().new_initial_state()
    options = {"simulations": 10, "seed": 0, "search_forced": True}
    kept, other = fastmcts.MCTS(Prize(), **options), fastmcts.MCTS(Prize(), **options)
    assert kept.search(state).value == other.search(state).value == 0.5
    monkeypatch.setitem(globals(), "PRIZE", 1.0)
    assert fastmcts.search(state, **options).value == 1.0
    assert fastmcts.search_batch([state], **options).value[0] == 1.0
    for mcts in (kept, other):
        result = mcts.search(state)
        assert (result.value, result.reused) == (1.0, 0)
    monkeypatch.undo()
    assert kept.search(state).value == 0.5


@dataclass(frozen=True)
class Padded(OneShot):
    """Its positions have as many entries as the module's `ENTRIES`."""

    @cached_property
    def state_size(self) -> int:
        return ENTRIES


ENTRIES = 2


@pytest.mark.jit
def test_a_position_from_before_an_edit_of_its_size_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Padded()
    old = game.new_initial_state()
    options: dict[str, Any] = {"simulations": 10, "seed": 0, "search_forced": True}
    fastmcts.search(old, **options)
    monkeypatch.setitem(globals(), "ENTRIES", 300)
    searches: list[Callable[[fastmcts.State], Any]] = [
        lambda state: fastmcts.search(state, **options),
        lambda state: fastmcts.search_batch([state], **options),
        fastmcts.MCTS(game, **options).search,
    ]
    for search in searches:
        with pytest.raises(ValueError, match="the state has 2 entries, but positions of Padded have 300 now"):
            search(old)
    assert fastmcts.search(game.new_initial_state(), **options).state.array.size == 300


@pytest.mark.jit
def test_rules_that_stay_are_not_examined_again() -> None:
    game = Prize()
    first = game.numba_type
    assert Prize().numba_type is first
    assert game.numba_type is first


@dataclass(frozen=True)
class Table(OneShot):
    """Its field is an array, of which it may be a part."""

    weights: np.ndarray


@pytest.mark.jit
def test_an_array_that_was_compiled_into_rules_cannot_be_written_to_any_more() -> None:
    everything = np.zeros(4)
    game = Table(everything[1:])
    everything[1] = 1.0
    fastmcts.search(game.new_initial_state(), simulations=1, search_forced=True)
    for array in (everything, game.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[1] = 2.0


def test_names_that_appear_or_vanish_are_edits() -> None:
    from fastmcts.compiler.fingerprint import Reach

    scope: dict[str, Any] = {}
    exec("def rule(x):\n    return min(x, 1)", scope)
    reach = Reach([], [scope["rule"]])
    assert not reach.has_changed
    scope["min"] = max
    assert reach.has_changed
    del scope["min"]
    assert not reach.has_changed


def test_numba_is_asked_to_compile_helpers_of_its_own_anew() -> None:
    from fastmcts.compiler.fingerprint import Reach

    helper = numba.njit(lambda: 1)
    reach = Reach([], [helper])
    assert reach.dispatchers == ([helper] if hasattr(helper, "py_func") else [])
