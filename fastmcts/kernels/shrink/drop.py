"""Make room in a tree of information sets: forget those that were hardly visited.

Each of them stands in front of its moves, and nothing but the search by hashes leads from one to another. So
those that stay move to the front one after the other, and are joined anew. As in `compact`, the kernel is a
single call.
"""

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import ROOT
from fastmcts.kernels.forget import cut_back
from fastmcts.kernels.observers import join, nearest
from fastmcts.kernels.shrink.compact import move
from fastmcts.kernels.shrink.threshold import fitting_threshold, step_of


@entry
def forget_least_visited(tree, fields, hanging, most):
    """Drop the least visited information sets so that at most `most` nodes stay; the root's always do.

    Args:
        tree: The tree. Modified.
        fields: Its arrays with entries for each node, [N]. Modified.
        hanging: int64 [NUM_STEPS], zeros, scratch.
        most: How many nodes may stay.

    Returns:
        How many nodes went.
    """
    before = tree.size[0]
    count_sets(tree, hanging)
    always = 1 + int(tree.num_children[ROOT])  # the root and its moves
    threshold = fitting_threshold(hanging, most - always)
    kept = 0
    node = 0
    while node < before:
        count = 1 + int(tree.num_children[node])
        if node == ROOT or tree.visits[node] >= threshold:
            move(fields, tree.visits.size, node, kept, count)
            tree.first_child[kept] += kept - node
            for child in range(kept + 1, kept + count):
                tree.parent[child] = kept
            kept += count
        node += count
    cut_back(tree, kept)
    join_anew(tree)
    return before - kept


@compiled
def count_sets(tree, hanging):
    """Add up the nodes of all information sets but the root's, by the visits of the set."""
    node = 1 + int(tree.num_children[ROOT])
    while node < tree.size[0]:
        count = 1 + int(tree.num_children[node])
        hanging[step_of(tree.visits[node])] += count
        node += count


@compiled
def join_anew(tree):
    """Let the search by hashes find those information sets that are there."""
    tree.before[ROOT] = ROOT
    tree.after[ROOT] = ROOT
    node = 1 + int(tree.num_children[ROOT])
    while node < tree.size[0]:
        join(tree, nearest(tree, tree.known[node]), node)
        node += 1 + int(tree.num_children[node])
