"""Look at trees and compare them."""

from collections.abc import Iterator
from typing import Any

from fastmcts import SearchResult
from fastmcts.core import tree as trees
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree, children
from fastmcts.engine import capacity


def copied(tree: Tree) -> Tree:
    return Tree(**{name: array.copy() for name, array in tree._asdict().items()})


def assert_same_subtree(first: Tree, node: int, second: Tree, other: int) -> None:
    """Both hold the same statistics of the same moves in the same order, all the way down."""
    for name in ("visits", "value_sum", "player", "num_children", "num_tried"):
        assert getattr(first, name)[node] == getattr(second, name)[other], name
    ours, theirs = children(first, node), children(second, other)
    count = int(first.num_children[node])
    actions = [tree.action[tree.first_child[top] :][:count].tolist() for tree, top in ((first, node), (second, other))]
    assert count == 0 or actions[0] == actions[1], "tried moves and waiting ones"
    for child, twin in zip(ours, theirs, strict=True):
        assert_same_subtree(first, child, second, twin)


def megabytes(nodes: int) -> float:
    """The memory for so many nodes."""
    return (nodes + 0.5) * (trees.BYTES_PER_NODE + capacity.PLACE_BYTES) / capacity.MEGABYTE / capacity.USABLE


def nodes_below(tree: Tree, node: int) -> Iterator[tuple[Any, ...]]:
    """All that a tree keeps of a node and of those below it."""
    available = int(tree.available[node]) if tree.available.size > 0 and node != ROOT else None
    yield int(tree.action[node]), int(tree.visits[node]), float(tree.value_sum[node]).hex(), available
    for child in children(tree, node):
        yield from nodes_below(tree, child)


def whole_trees(result: SearchResult) -> list[Any]:
    """Everything that was found, in a form that JSON keeps."""
    return [result.nodes, result.reused, *([list(n) for n in nodes_below(tree, ROOT)] for tree in result.trees)]
