import re

import pytest

import fastmcts
from fastmcts import games
from fastmcts import tree as trees
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
