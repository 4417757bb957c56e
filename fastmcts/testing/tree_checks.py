"""The invariants of a search tree."""

from collections.abc import Iterator

import numpy as np

from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.tree import MAX_VISITS, Tree, information_sets


def check_tree(tree: Tree, recycled: bool = False, own_visits: int = 1) -> None:
    """Raise AssertionError, saying what is wrong, unless every invariant of the tree holds.

    Parents and children agree, blocks of children do not overlap and fill the tree, visits add up, and
    reward sums stay within the visits. Where every player has a tree, the same holds for each information set, and
    the search by hashes finds all of them.

    Args:
        tree: The tree.
        recycled: Whether nodes were dropped to make room (`result.recycled`): then a node may have visits
            that its children have lost.
        own_visits: How many visits of a node may have gone no further.
    """
    size = int(tree.size[0])
    ensure(1 <= size <= tree.visits.size, f"size {size} is not between 1 and {tree.visits.size}")
    many_positions = tree.spans_positions
    tops = list(information_sets(tree)) if tree.has_information_sets else [ROOT]
    most_own = MAX_VISITS if recycled or many_positions else own_visits
    owner = np.full(size, NONE, np.int64)
    tried = np.zeros(size, bool)
    owner[tops], tried[tops] = tops, True
    for top in tops:
        ensure(tree.parent[top] == NONE, f"the root {top} has the parent {tree.parent[top]}")
    depth = 0
    level = tops
    while level:
        below: list[int] = []
        for node in level:
            below += check_node(tree, node, owner, tried, most_own)
        depth += bool(below)
        level = below
    check_waiting(tree, np.flatnonzero(~tried), owner)
    ensure(not tree.pending[:size].any(), "some visits still wait for their rewards")
    ensure(not (tree.visits[size:].any() or tree.value_sum[size:].any()), "there are visits behind the last node")
    orphans = np.flatnonzero(owner == NONE)
    ensure(many_positions or len(orphans) == 0, f"node {orphans[:1]} belongs to no parent's block")
    if tree.has_information_sets:
        found = list(in_order(tree, int(tree.after[ROOT])))
        ensure(sorted(found) == tops[1:], "the search by hashes does not find all information sets once")
        ensure(bool((np.diff(tree.known[found].astype(object)) > 0).all()), "hashes are not in order")
        ensure(depth <= 1, f"there are nodes {depth} moves below an information set")
    else:
        ensure(depth == tree.depth[0], f"depth says {tree.depth[0]}, but the deepest node is at {depth}")


def check_waiting(tree: Tree, waiting: np.ndarray, owner: np.ndarray) -> None:
    """Check children that were not tried, and places without a child: nothing has happened in them."""
    untouched = {"visits": 0, "value_sum": 0, "first_child": NONE, "num_children": 0, "num_tried": 0}
    untouched |= {"square_sum": 0, "available": 0, "seed": 0, "assumed": 0, "known": 0, "before": ROOT, "after": ROOT}
    for name, value in untouched.items():
        field = getattr(tree, name)
        if field.size > 0:
            wrong = waiting[field[waiting] != value]
            ensure(len(wrong) == 0, f"node {wrong[:1]} was not tried, but its {name} is {field[wrong[:1]]}")
    lost = waiting[tree.parent[waiting] != owner[waiting]]
    ensure(len(lost) == 0, f"node {lost[:1]} has the parent {tree.parent[lost[:1]]}, not {owner[lost[:1]]}")
    if tree.has_proofs and len(waiting) > 0:
        players = tree.lower.size // tree.visits.size
        entries = (waiting[:, None] * players + np.arange(players)).ravel()
        known = bool((tree.lower[entries] != 0.0).any() or (tree.upper[entries] != 1.0).any())
        ensure(not known, "something is proven about a node that was not tried")


def in_order(tree: Tree, node: int) -> Iterator[int]:
    """The information sets from a node down in the binary search tree, by their hashes; ROOT is an end."""
    if node != ROOT:
        yield from in_order(tree, int(tree.before[node]))
        yield node
        yield from in_order(tree, int(tree.after[node]))


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
    if tree.spans_positions:
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
