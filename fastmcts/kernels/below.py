"""List what stands below a move, or a few, in each of the trees that share one set of arrays."""

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE


@entry
def list_below(first_child, num_children, num_tried, action, roots, paths, order, first, parent, ends, depths):
    """List the node at the end of each tree's path, and all nodes below it, level by level.

    The T ends of the paths are listed first, and then what is below the first of them, the second and so on. It takes
    four arrays and no whole tree, so that it is compiled once for all games and strategies.

    Args:
        first_child: int32 [N], as in a tree.
        num_children: int16 [N], as in a tree.
        num_tried: int16 [N], as in a tree.
        action: int32 [N], as in a tree.
        roots: int64 [T], where the trees start.
        paths: int64 [T, L], the actions that lead from each root to what is kept; NONE behind the last one.
        order: int32 [at most T + N], filled with nodes.
        first: int32 [as many], filled: the place in this list of each one's first child; NONE if it has none.
        parent: int32 [as many], filled: the place of each one's parent; NONE for the ends of the paths.
        ends: int64 [T], filled: the place behind the last node of each tree; NONE if its path leaves it.
        depths: int64 [T], filled: how many moves below the end of its path each tree goes.

    Returns:
        How many places were filled.
    """
    count = roots.size
    kept = count
    for index in range(count):
        top = node_after(first_child, num_tried, action, roots[index], paths[index])
        order[index] = roots[index] if top == NONE else top
        first[index] = NONE
        parent[index] = NONE
        ends[index] = NONE
        depths[index] = 0
        if top == NONE:
            continue
        start = kept
        kept = list_children(first_child, num_children, index, order, first, parent, kept)
        place, level_end = start, start
        while place < kept:
            if place == level_end:
                depths[index] += 1
                level_end = kept
            kept = list_children(first_child, num_children, place, order, first, parent, kept)
            place += 1
        ends[index] = kept
    return kept


@compiled
def node_after(first_child, num_tried, action, root, path):
    """The node that some actions lead to from a root, NONE if one of them was not tried."""
    node = root
    for step in range(path.size):
        if path[step] == NONE:
            break
        found = NONE
        for child in range(first_child[node], first_child[node] + num_tried[node]):
            if action[child] == path[step]:
                found = child
        if found == NONE:
            return NONE
        node = found
    return node


@compiled
def list_children(first_child, num_children, place, order, first, parent, kept):
    """List the children of the node in a place, those that wait too; return how many places are filled then."""
    node = order[place]
    first[place] = NONE
    if first_child[node] >= 0:
        first[place] = kept
        for child in range(first_child[node], first_child[node] + num_children[node]):
            order[kept] = child
            parent[kept] = place
            kept += 1
    return kept
