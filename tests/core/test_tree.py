import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import (
    GRAVE,
    ISMCTS,
    PIMC,
    PUCT,
    ExpandAll,
    Prioritized,
    SinglePerspective,
    UCB1Tuned,
    games,
)
from fastmcts.core import tree as trees
from fastmcts.core.tree import MAX_VISITS
from fastmcts.testing import check_tree
from tests.toys import OneShot


def documented_fields() -> dict[str, tuple[str, str]]:
    """Name -> (dtype, shape), from the table in the module's text."""
    rows = re.findall(r"^\| (\w+) +\| (\w+) +\| ?(\[[\w*+]+\]) *\|", trees.__doc__ or "", re.MULTILINE)
    return {name: (dtype, shape) for name, dtype, shape in rows}


def test_the_documentation_of_the_fields_is_what_is_allocated() -> None:
    tree = trees.allocate(100, trees.STATISTICS, players=3, actions=7)
    shapes = {100: "[N]", 300: "[N*P]", 21: "[P*A]", 22: "[P*A+1]", 8: "[A+1]", 2: "[2]", 1: "[1]"}
    allocated = {name: (str(array.dtype), shapes[array.size]) for name, array in tree._asdict().items()}
    assert documented_fields() == allocated


def test_large_arrays_start_where_a_huge_page_does() -> None:
    tree = trees.allocate(trees.LARGE, ("prior",))
    starts = {name: tree._asdict()[name].ctypes.data for name in ("visits", "value_sum", "first_child", "prior")}
    assert {name: start % trees.HUGE_PAGE for name, start in starts.items()} == dict.fromkeys(starts, 0)
    assert tree.visits.size == tree.first_child.size == tree.prior.size == trees.LARGE
    assert tree.visits[0] == tree.value_sum[-1] == 0
    larger = trees.grown(tree, trees.LARGE + 1)
    assert larger.value_sum.ctypes.data % trees.HUGE_PAGE == 0
    assert larger.value_sum.size == trees.LARGE + 1


def test_what_nobody_asks_for_takes_no_memory() -> None:
    tree = trees.allocate(100, players=3, actions=7)
    assert {name for name, array in tree._asdict().items() if array.size == 0} == trees.STATISTICS


def test_a_node_takes_at_most_40_bytes() -> None:
    tree = trees.allocate(1000)
    assert sum(array.nbytes for array in tree if array.size == 1000) == 1000 * trees.BYTES_PER_NODE
    assert trees.BYTES_PER_NODE <= 40


def test_growing_keeps_every_node() -> None:
    tree = fastmcts.search(games.TicTacToe().new_initial_state(), simulations=300, seed=0).tree
    larger = trees.grown(tree, 2 * tree.visits.size)
    size = int(tree.size[0])
    check_tree(larger)
    for name in trees.NODE_DTYPES:
        assert getattr(tree, name)[:size].tobytes() == getattr(larger, name)[:size].tobytes()


@pytest.mark.parametrize(
    ("field", "node", "value", "complaint"),
    [
        ("parent", 2, 1, "another parent"),
        ("visits", 0, 1, "visits, its children"),
        ("visits", 1, -1, "visits"),
        ("value_sum", 3, 1e6, "sums 1000000.0 over"),
        ("first_child", 1, 1, "overlap"),
        ("num_tried", 0, 10, "has tried 10 of 9"),
        ("action", 2, 0, "has an action twice"),
        ("player", 2, 1, "differ in player"),
        ("depth", 0, 99, "depth says 99"),
        ("size", 0, 1, "leave the tree"),
    ],
)
def test_check_tree_finds_damage(field: str, node: int, value: float, complaint: str) -> None:
    tree = fastmcts.search(games.TicTacToe().new_initial_state(), simulations=200, seed=0).tree
    check_tree(tree)
    if field == "action":
        value = tree.action[1]
    if (field, node) == ("visits", 0):
        value = tree.visits[0] - 20
    getattr(tree, field)[node] = value
    with pytest.raises(AssertionError, match=complaint):
        check_tree(tree)


@pytest.mark.jit
def test_twenty_million_simulations_are_counted_exactly() -> None:
    result = fastmcts.search(OneShot().new_initial_state(), simulations=20_000_000, seed=0)
    assert result.visits.sum() == 20_000_000 == result.tree.visits[0]
    assert result.tree.value_sum[0] == result.visits[1]
    assert result.values.tolist() == [0.0, 1.0]


def poisoned(shape: int, dtype: type = float) -> np.ndarray:
    """An array as `np.empty` may give it: with what somebody has left there."""
    array = np.zeros(shape, dtype)
    array.view(np.uint8)[:] = 0x5A
    return array


KUHN, WHIST = games.KuhnPoker().new_initial_state(1), games.Whist(hand_size=4).new_initial_state(1)
BOARD, DICE = games.ConnectFour(rows=4, columns=4).new_initial_state(), games.Pig(target=20).new_initial_state()
SOS = games.SOS(rows=3, columns=3).new_initial_state()
SEARCHES: list[tuple[fastmcts.State, dict[str, Any]]] = [
    (BOARD, {}),
    (BOARD, {"expansion": ExpandAll()}),
    (SOS, {"expansion": Prioritized(), "selection": UCB1Tuned()}),
    (BOARD, {"selection": GRAVE()}),
    (BOARD, {"selection": PUCT(first_play=0.5)}),
    (BOARD, {"solver": True}),
    (BOARD, {"parallel": "shared"}),
    (BOARD, {"method": SinglePerspective()}),
    (BOARD, {"method": SinglePerspective(resample=True)}),
    (DICE, {"selection": GRAVE()}),
    (DICE, {"selection": PUCT()}),
    (KUHN, {"method": ISMCTS(observers="all")}),
    (WHIST, {"method": ISMCTS()}),
    (WHIST, {"method": ISMCTS(observers="all")}),
    (WHIST, {"method": PIMC(worlds=3)}),
    (WHIST, {"method": SinglePerspective()}),
]


def smallest_memory(state: fastmcts.State, options: dict[str, Any]) -> float:
    """The megabytes with which a search can just live, which it says when it is given too few."""
    with pytest.raises(ValueError, match="at least") as refusal:
        fastmcts.search(state, simulations=300, memory_mb=1e-6, **options)
    return float(str(refusal.value).split()[-1]) * 1.1


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    ("state", "options"),
    [*SEARCHES[::2], *(pytest.param(*search, marks=pytest.mark.thorough) for search in SEARCHES[1::2])],
    ids=lambda value: getattr(value, "game", value),
)
def test_no_field_of_a_tree_shows_what_was_in_memory_before(
    state: fastmcts.State, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(trees, "np", SimpleNamespace(**{**vars(np), "empty": poisoned}))
    result = fastmcts.search(state, simulations=100, seed=0, **options)
    for tree in result.trees:
        check_fields(tree, own_visits=MAX_VISITS)
    mcts = fastmcts.MCTS(state.game, simulations=600, seed=0, memory_mb=smallest_memory(state, options), **options)
    full = mcts.search(state)
    assert full.recycled > 0 or full.nodes < 100, "some games are too small to fill any memory"
    assert full.action is not None
    for tree in full.trees:
        check_fields(tree, recycled=True)
    mcts.advance(full.action)
    mcts.save(tmp_path / "tree")
    for again in (mcts, fastmcts.MCTS.load(tmp_path / "tree")):
        for searcher in again.forest.searchers:
            check_fields(trees.grown(searcher.tree, 2 * searcher.tree.visits.size), recycled=True)


def check_fields(tree: trees.Tree, **options: Any) -> None:
    """All that is in use is a node, or waits, or is an empty place; and nothing in it is poisoned."""
    check_tree(tree, **options)
    size = int(tree.size[0])
    for name in trees.PER_NODE:
        array = getattr(tree, name)
        entries = array[: size * (array.size // tree.visits.size)]
        assert not (entries == poisoned(1, array.dtype)[0]).any(), name
    assert tree.visits[:size].min() >= 0


def test_what_is_said_to_be_counted_is_counted() -> None:
    result = fastmcts.search(games.TicTacToe().new_initial_state(), simulations=100, seed=0)
    tree = result.tree
    assert result.nodes == tree.size[0] > np.count_nonzero(tree.visits[: result.nodes]) == 101
    assert "children that wait" in (fastmcts.SearchResult.__doc__ or "")


@pytest.mark.parametrize(("field", "value"), [("visits", 1), ("first_child", 3), ("num_tried", 1), ("parent", 10**6)])
def test_check_tree_finds_that_something_happened_in_a_node_that_waits(field: str, value: int) -> None:
    tree = fastmcts.search(games.TicTacToe().new_initial_state(), simulations=100, seed=0).tree
    waiting = int(np.flatnonzero(tree.visits[: tree.size[0]] == 0)[0])
    getattr(tree, field)[waiting] = value
    with pytest.raises(AssertionError, match=rf"node \[{waiting}\]"):
        check_tree(tree)
