"""Make room in a tree of information sets: forget those that were hardly visited.

Each of them stands in front of its moves, and nothing but the search by hashes leads from one to another. So
those that stay move to the front one after the other, and are joined anew. As in `compact`, the kernel is a
single call.
"""

from fastmcts.constants import ROOT
from fastmcts.jit import compiled, entry
from fastmcts.kernels.compact import move
from fastmcts.kernels.observers import join, nearest


@entry
def forget_least_visited(tree, fields, most):
    """Drop the least visited information sets so that at most `most` nodes stay; the root's always do.

    Args:
        tree: The tree. Modified.
        fields: Its arrays with entries for each node, [N]. Modified.
        most: How many nodes may stay.

    Returns:
        How many nodes went.
    """
    before = tree.size[0]
    threshold = 1
    while nodes_visited(tree, threshold) > most and threshold <= tree.visits[ROOT]:
        threshold *= 2
    kept = 0
    node = 0
    while node < before:
        count = 1 + tree.num_children[node]
        if stays(tree, node, threshold):
            move(fields, tree.visits.size, node, kept, count)
            tree.first_child[kept] += kept - node
            for child in range(kept + 1, kept + count):
                tree.parent[child] = kept
            kept += count
        node += count
    tree.size[0] = kept
    join_anew(tree)
    return before - kept


@compiled
def stays(tree, node, threshold):
    """Whether an information set has so many visits, or is the root."""
    return node == ROOT or tree.visits[node] >= threshold


@compiled
def nodes_visited(tree, threshold):
    """How many nodes the information sets with at least `threshold` visits have, with their moves."""
    total = 0
    node = 0
    while node < tree.size[0]:
        count = 1 + tree.num_children[node]
        if stays(tree, node, threshold):
            total += count
        node += count
    return total


@compiled
def join_anew(tree):
    """Let the search by hashes find those information sets that are there."""
    tree.before[ROOT] = ROOT
    tree.after[ROOT] = ROOT
    node = 1 + tree.num_children[ROOT]
    while node < tree.size[0]:
        join(tree, nearest(tree, tree.known[node]), node)
        node += 1 + tree.num_children[node]
