"""The invariants of a search tree."""

import numpy as np

from fastmcts.constants import NONE, ROOT
from fastmcts.tree import MAX_VISITS, Tree


def check_tree(tree: Tree, recycled: bool = False, own_visits: int = 1) -> None:
    """Raise AssertionError, saying what is wrong, unless every invariant of the tree holds.

    Parents and children agree, blocks of children do not overlap and fill the tree, visits add up, and
    reward sums stay within the visits.

    Args:
        tree: The tree.
        recycled: Whether nodes were dropped to make room (`result.recycled`): then a node may have visits
            that its children have lost.
        own_visits: How many visits of a node may have gone no further.
    """
    size = int(tree.size[0])
    many_positions = tree.available.size > 0
    most_own = MAX_VISITS if recycled or many_positions else own_visits
    owner = np.full(size, NONE, np.int64)
    tried = np.zeros(size, bool)
    owner[ROOT], tried[ROOT] = ROOT, True
    ensure(1 <= size <= tree.visits.size, f"size {size} is not between 1 and {tree.visits.size}")
    ensure(tree.parent[ROOT] == NONE, f"the root has the parent {tree.parent[ROOT]}")
    depth = 0
    level = [ROOT]
    while level:
        below: list[int] = []
        for node in level:
            below += check_node(tree, node, owner, tried, most_own)
        depth += bool(below)
        level = below
    orphans = np.flatnonzero(owner == NONE)
    ensure(many_positions or len(orphans) == 0, f"node {orphans[:1]} belongs to no parent's block")
    ensure(depth == tree.depth[0], f"depth says {tree.depth[0]}, but the deepest node is at {depth}")


def check_node(tree: Tree, node: int, owner: np.ndarray, tried: np.ndarray, most_own: int) -> list[int]:
    """Check one node against its children, claim their places, and return the tried ones."""
    visits, value_sum = int(tree.visits[node]), float(tree.value_sum[node])
    count, num_tried = int(tree.num_children[node]), int(tree.num_tried[node])
    first = int(tree.first_child[node])
    ensure(visits >= 0, f"node {node} has {visits} visits")
    ensure(-1e-9 <= value_sum <= visits + 1e-9, f"node {node} sums {value_sum} over {visits} visits")
    ensure(0 <= num_tried <= count, f"node {node} has tried {num_tried} of {count} children")
    ensure((first == NONE) == (count == 0), f"node {node} has {count} children from {first} on")
    if count == 0:
        return []
    ensure(first > 0 and first + count <= owner.size, f"the children of node {node} leave the tree")
    block = slice(first, first + count)
    ensure(bool((owner[block] == NONE).all()), f"the children of node {node} overlap another block")
    owner[block] = node
    actions = tree.action[block].tolist()
    if tree.available.size > 0:
        actions = actions[:num_tried]
        available = tree.available[first : first + num_tried]
        ensure(bool((available <= visits).all()), f"a child of node {node} was available more often than it")
    ensure(len(set(actions)) == len(actions), f"node {node} has an action twice: {sorted(actions)}")
    children = list(range(first, first + num_tried))
    tried[children] = True
    ensure(bool((tree.parent[children] == node).all()), f"a child of node {node} has another parent")
    ensure(len(set(tree.player[children].tolist())) <= 1, f"the children of node {node} differ in player")
    below = int(tree.visits[children].sum())
    if tree.assumed.size > 0:
        visits -= int(tree.assumed[node])
        below -= int(tree.assumed[children].sum())
    ensure(0 <= visits - below <= most_own, f"node {node} has {visits} visits, its children {below}")
    return children


def ensure(condition: bool, message: str) -> None:
    """Raise AssertionError with the message unless the condition holds."""
    if not condition:
        raise AssertionError(message)
