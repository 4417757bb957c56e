"""With checked=True an index out of bounds is an error in words, however deep in a search."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config

import fastmcts
from fastmcts import MCTS, search, search_batch
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.engine.archive import soundness
from fastmcts.testing import check_tree
from tests.helpers.trees import whole_trees
from tests.subprocesses import run_python
from tests.toys import TwiceInARow

BUDGET: dict[str, Any] = {"simulations": 20_000, "seed": 0, "strategy": "plain"}


@fastmcts.compiled
def mark(state, place):
    state[place] = 1


@dataclass(frozen=True)
class Deep(TwiceInARow):
    """Writes past the end in one game out of 800, which a trial of some dozens does not see."""

    def apply(self, state, action):
        state[0] += action
        state[1] += 1
        if state[0] == 15:
            mark(state, 7)


@dataclass(frozen=True)
class Stranger(TwiceInARow):
    """Names a player that does not exist, in one position."""

    def current_player(self, state):
        if state[1] == 3 and state[0] == 6:
            return 9
        return fastmcts.TERMINAL if state[1] == 8 else state[1] // 2 % 2


APPLY = r"Deep: .*past the end of an array: index 7 .*size 2.*\n  test_checked.py, line \d+:  state\[place\] = 1"


def test_an_index_out_of_bounds_deep_in_a_search_is_refused_with_the_line_and_the_moves() -> None:
    with pytest.raises(fastmcts.GameError, match=APPLY) as caught:
        search(Deep().new_initial_state(), checked=True, **BUDGET)
    if JIT_ENABLED:
        assert "Deep: apply(" in str(caught.value)
        assert "after the moves [" in str(caught.value)


def test_nothing_goes_on_from_a_tree_in_which_an_index_was_out_of_bounds() -> None:
    game = Deep()
    mcts = MCTS(game, checked=True, **BUDGET)
    with pytest.raises(fastmcts.GameError, match=APPLY):
        mcts.search(game.new_initial_state())
    with pytest.raises(ValueError, match="nothing is known"):
        mcts.result()
    safe = game.new_state(np.array([0, 4], np.int64))
    result = mcts.search(safe)
    assert result.reused == 0.0
    check_tree(result.tree)


def test_a_batch_can_be_checked_and_tells_from_which_of_its_positions_a_rule_fails() -> None:
    game = Deep()
    positions = np.array([[0, 4], [13, 7]], np.int64)
    with pytest.raises(fastmcts.GameError, match=APPLY) as caught:
        search_batch(positions, game, checked=True, simulations=50, seed=0, strategy="plain")
    if JIT_ENABLED:
        assert "after the moves [] from a position that was searched\n  [13, 7]" in str(caught.value)


@pytest.mark.slow_to_compile
def test_several_trees_and_a_shared_tree_can_be_checked() -> None:
    kinds: list[dict[str, Any]] = [{"trees": 2}, {"threads": 2, "parallel": "shared"}]
    close = Deep().new_initial_state()  # to where the fault is, so that threads find it in whatever order they work
    for _ in range(6):
        close.apply_action(2)
    for options in kinds:
        with pytest.raises(fastmcts.GameError, match=APPLY):
            search(close, checked=True, **BUDGET, **options)


@pytest.mark.slow_to_compile
@pytest.mark.usefixtures("untried")
def test_a_player_that_does_not_exist_is_found_deep_in_a_search() -> None:
    with pytest.raises(fastmcts.GameError, match="Stranger: current_player says 9, not 0 to 1, CHANCE or TERMINAL"):
        search(Stranger().new_initial_state(), checked=True, **BUDGET)


def test_a_checked_search_grows_the_same_tree() -> None:
    options: dict[str, Any] = {"simulations": 300, "seed": 5, "strategy": "plain"}
    plain, checked = (search(TwiceInARow().new_initial_state(), checked=c, **options) for c in (False, True))
    assert whole_trees(plain) == whole_trees(checked)


def test_a_saved_search_stays_checked(tmp_path: Path) -> None:
    mcts = MCTS(TwiceInARow(), simulations=20, seed=0, strategy="plain", checked=True)
    mcts.save(tmp_path / "search")
    loaded = MCTS.load(tmp_path / "search")
    assert loaded.options.checked
    assert all(searcher.plan.options.checked for searcher in loaded.forest.searchers)


@dataclass(frozen=True)
class Early(TwiceInARow):
    """Writes past the end after two moves of two."""

    def apply(self, state, action):
        state[0] += action
        state[1] += 1
        if state[0] == 4:
            state[7] = 1


@pytest.mark.parametrize("played_in_python", [0, 2000])
def test_a_tree_from_a_file_that_leads_rules_out_of_bounds_is_refused(played_in_python: int, monkeypatch: Any) -> None:
    mcts = MCTS(TwiceInARow(), checked=True, simulations=300, seed=0, strategy="plain")
    tree = mcts.search(mcts.game.new_initial_state()).tree
    searcher = mcts.forest.searchers[0]
    soundness.play_through(mcts.game, tree, searcher.root, searcher.scratch, checked=True)
    monkeypatch.setattr(soundness, "PLAYED_IN_PYTHON", played_in_python)
    with pytest.raises(fastmcts.LoadError, match="its moves lead a rule of Early past the end of an array: index"):
        soundness.play_through(Early(), tree, searcher.root, searcher.scratch, checked=True)


def test_what_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(TypeError, match="checked must be True or False, not 'yes'"):
        search(TwiceInARow().new_initial_state(), simulations=10, checked="yes")  # pyright: ignore[reportArgumentType]


def test_checks_that_the_environment_turns_off_are_not_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "BOUNDSCHECK", 0)
    with pytest.raises(ValueError, match="needs bounds checks, which NUMBA_BOUNDSCHECK=0 turns off"):
        search(TwiceInARow().new_initial_state(), simulations=10, checked=True)


KERNEL = """
import json
import numpy as np
from fastmcts.compiler.jit import bounds_checked, compiled, entry

@compiled
def entry_of(array, index):
    return array[index]

@entry
def read(array, index):
    return entry_of(array, index)
"""

READ = """
import json
import numpy as np
from kernel import read
from fastmcts.compiler.jit import bounds_checked

kernel = {kernel}
try:
    kernel(np.arange(3), {index})
    raised = False
except IndexError:
    raised = True
print(json.dumps([raised, sum(kernel.stats.cache_hits.values())]))
"""


@pytest.mark.thorough
@pytest.mark.jit
def test_checked_code_is_cached_and_never_taken_for_unchecked(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)

    def read(kernel: str, index: int) -> Any:
        return run_python(READ.format(kernel=kernel, index=index), tmp_path)

    assert read("read", 1) == [False, 0]
    assert read("bounds_checked(read)", 5) == [True, 0]
    assert read("bounds_checked(read)", 5) == [True, 1]
    assert read("read", 1) == [False, 1]
