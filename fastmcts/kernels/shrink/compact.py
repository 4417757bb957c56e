"""Make room in a tree: drop what is no longer wanted and close the gaps, in place.

Children are always laid out behind their parent, so one walk from front to back finds each block of
children after its parent has been moved, and moves it towards the front. Each kernel is a single call:
Ctrl-C finds a tree either before or after, never in between.
"""

from numba import literal_unroll

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE, ROOT
from fastmcts.kernels.shrink.threshold import fitting_threshold, step_of


@entry
def keep_below(links, fields, counters, places, top, root, position):
    """Make a node the root; all that is not below it goes.

    Args:
        links: The arrays visits, parent, first_child, num_children, num_tried and action. Modified.
        fields: All arrays with entries for each node, [N times as many]. Modified.
        counters: The arrays size and depth. Modified.
        places: int32 [N], scratch.
        top: The node.
        root: int64 [state_size], becomes `position`.
        position: int64 [state_size], the position at the node.
    """
    compact(links, fields, counters, places, top, 0)
    for index in range(position.size):
        root[index] = position[index]


@entry
def recycle(links, fields, counters, places, hanging, most):
    """Drop the children of the least visited nodes so that at most `most` nodes stay, if they can.

    A node that loses its children becomes a leaf again and keeps its own statistics. The root keeps its
    children whatever happens.

    Args:
        links: As in `keep_below`.
        fields: As in `keep_below`.
        counters: As in `keep_below`.
        places: int32 [N], scratch.
        hanging: int64 [NUM_STEPS], zeros, scratch.
        most: How many nodes may stay.

    Returns:
        How many nodes went.
    """
    before = counters[0][0]
    mark_levels(links, places, before)
    count_hanging(links, places, before, hanging)
    always = 1 + int(links[3][ROOT])  # the root and its children
    compact(links, fields, counters, places, ROOT, fitting_threshold(hanging, most - always))
    return before - counters[0][0]


@compiled
def compact(links, fields, counters, places, top, threshold):
    """Keep `top` and, below it, the children of nodes with at least `threshold` visits."""
    visits, parent, first_child, num_children, num_tried, action = links
    size, depth = counters
    used = size[0]
    for node in range(used):
        places[node] = NONE  # at the start of a block that stays: where its parent is now
    move(fields, places.size, top, ROOT, 1)
    parent[ROOT] = NONE
    action[ROOT] = NONE
    if first_child[ROOT] != NONE:
        places[first_child[ROOT]] = ROOT
    kept = 1
    start = top + 1
    while start < used:
        owner = places[start]
        if owner == NONE:
            start += 1
            continue
        count = num_children[owner]
        move(fields, places.size, start, kept, count)
        first_child[owner] = kept
        for child in range(kept, kept + count):
            parent[child] = owner
        for child in range(kept, kept + num_tried[owner]):
            if first_child[child] != NONE:
                if visits[child] >= threshold:
                    places[first_child[child]] = child
                else:
                    first_child[child] = NONE
                    num_children[child] = 0
                    num_tried[child] = 0
        kept += count
        start += count
    size[0] = kept
    depth[0] = mark_levels(links, places, kept)


@compiled
def move(fields, capacity, source, destination, count):
    """Copy the entries of `count` nodes towards the front."""
    for field in literal_unroll(fields):
        entries = field.size // capacity
        for index in range(count * entries):
            field[destination * entries + index] = field[source * entries + index]


@compiled
def mark_levels(links, levels, size):
    """Write how deep each node is, NONE for children that were not tried; return the greatest depth."""
    _, _, first_child, num_children, num_tried, _ = links
    deepest = 0
    levels[ROOT] = 0
    for node in range(size):
        if levels[node] != NONE and first_child[node] != NONE:
            first = first_child[node]
            for child in range(first, first + num_tried[node]):
                levels[child] = levels[node] + 1
            for child in range(first + num_tried[node], first + num_children[node]):
                levels[child] = NONE
            if num_tried[node] > 0:
                deepest = max(deepest, levels[node] + 1)
    return deepest


@compiled
def count_hanging(links, levels, size, hanging):
    """Add up the children of all nodes but the root, by the visits of the node on which they hang."""
    visits, _, first_child, num_children, _, _ = links
    for node in range(1, size):
        if levels[node] != NONE and first_child[node] != NONE:
            hanging[step_of(visits[node])] += num_children[node]
