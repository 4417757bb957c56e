"""Make room in a tree: drop what is no longer wanted and close the gaps, in place.

Children are always laid out behind their parent, so one walk from front to back finds each block of
children after its parent has been moved, and moves it towards the front. Each kernel is a single call:
Ctrl-C finds a tree either before or after, never in between.
"""

from numba import literal_unroll

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE, ROOT
from fastmcts.kernels.forget import cut_back
from fastmcts.kernels.shrink.threshold import fitting_threshold, step_of


@entry
def keep_below(tree, fields, places, top, root, position):
    """Make a node the root; all that is not below it goes.

    Args:
        tree: The tree. Modified.
        fields: All arrays with entries for each node, [N times as many]. Modified.
        places: int32 [N], scratch.
        top: The node.
        root: int64 [state_size], becomes `position`.
        position: int64 [state_size], the position at the node.
    """
    compact(tree, fields, places, top, 0)
    for index in range(position.size):
        root[index] = position[index]


@entry
def recycle(tree, fields, places, hanging, most):
    """Drop the children of the least visited nodes so that at most `most` nodes stay, if they can.

    A node that loses its children becomes a leaf again and keeps its own statistics. The root keeps its
    children whatever happens.

    Args:
        tree: As in `keep_below`.
        fields: As in `keep_below`.
        places: int32 [N], scratch.
        hanging: int64 [NUM_STEPS], zeros, scratch.
        most: How many nodes may stay.

    Returns:
        How many nodes went.
    """
    before = tree.size[0]
    mark_levels(tree, places, before)
    count_hanging(tree, places, before, hanging)
    always = 1 + int(tree.num_children[ROOT])  # the root and its children
    compact(tree, fields, places, ROOT, fitting_threshold(hanging, most - always))
    return before - tree.size[0]


@compiled
def compact(tree, fields, places, top, threshold):
    """Keep `top` and, below it, the children of nodes with at least `threshold` visits."""
    used = tree.size[0]
    for node in range(used):
        places[node] = NONE  # at the start of a block that stays: where its parent is now
    move(fields, places.size, top, ROOT, 1)
    tree.parent[ROOT] = NONE
    tree.action[ROOT] = NONE
    if tree.first_child[ROOT] != NONE:
        places[tree.first_child[ROOT]] = ROOT
    kept = 1
    start = top + 1
    while start < used:
        owner = places[start]
        if owner == NONE:
            start += 1
            continue
        count = tree.num_children[owner]
        move(fields, places.size, start, kept, count)
        tree.first_child[owner] = kept
        for child in range(kept, kept + count):
            tree.parent[child] = owner
        for child in range(kept, kept + tree.num_tried[owner]):
            if tree.first_child[child] != NONE:
                if tree.visits[child] >= threshold:
                    places[tree.first_child[child]] = child
                else:
                    tree.first_child[child] = NONE
                    tree.num_children[child] = 0
                    tree.num_tried[child] = 0
        kept += count
        start += count
    cut_back(tree, kept)
    tree.depth[0] = mark_levels(tree, places, kept)


@compiled
def move(fields, capacity, source, destination, count):
    """Copy the entries of `count` nodes towards the front."""
    for field in literal_unroll(fields):
        entries = field.size // capacity
        for index in range(count * entries):
            field[destination * entries + index] = field[source * entries + index]


@compiled
def mark_levels(tree, levels, size):
    """Write how deep each node is, NONE for children that were not tried; return the greatest depth."""
    deepest = 0
    levels[ROOT] = 0
    for node in range(size):
        if levels[node] != NONE and tree.first_child[node] != NONE:
            first = tree.first_child[node]
            for child in range(first, first + tree.num_tried[node]):
                levels[child] = levels[node] + 1
            for child in range(first + tree.num_tried[node], first + tree.num_children[node]):
                levels[child] = NONE
            if tree.num_tried[node] > 0:
                deepest = max(deepest, levels[node] + 1)
    return deepest


@compiled
def count_hanging(tree, levels, size, hanging):
    """Add up the children of all nodes but the root, by the visits of the node on which they hang."""
    for node in range(1, size):
        if levels[node] != NONE and tree.first_child[node] != NONE:
            hanging[step_of(tree.visits[node])] += tree.num_children[node]
