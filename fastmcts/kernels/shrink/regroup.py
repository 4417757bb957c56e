"""Make room in a tree whose blocks of children have moved, so that parents may stand behind their children.

What stays is listed level by level, each field is copied in that order, and the links are written anew. As in
`compact`, each kernel is a single call.
"""

from numba import literal_unroll

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE, ROOT
from fastmcts.kernels.forget import cut_back
from fastmcts.kernels.shrink.threshold import fitting_threshold, step_of


@entry
def regroup_below(tree, fields, order, top, root, position):
    """Make a node the root; all that is not below it goes.

    Args:
        tree: The tree. Modified.
        fields: Pairs of each array with entries for each node, [N], and a buffer of its type, [N]. Modified.
        order: int32 [N], scratch.
        top: The node.
        root: int64 [state_size], becomes `position`.
        position: int64 [state_size], the position at the node.
    """
    regroup(tree, fields, order, top, 0)
    for index in range(position.size):
        root[index] = position[index]


@entry
def regroup_most_visited(tree, fields, order, hanging, most):
    """Drop the children of the least visited nodes so that at most `most` nodes stay, if they can.

    Args:
        tree: As in `regroup_below`.
        fields: As in `regroup_below`.
        order: int32 [N], scratch.
        hanging: int64 [NUM_STEPS], zeros, scratch.
        most: How many nodes may stay.

    Returns:
        How many nodes went, with the places that belonged to nobody.
    """
    before = tree.size[0]
    for index in range(1, list_kept(tree, order, ROOT, 0)):
        node = order[index]
        if node >= 0 and tree.first_child[node] != NONE:
            hanging[step_of(tree.visits[node])] += tree.num_children[node]
    always = 1 + int(tree.num_children[ROOT])  # the root and its children
    regroup(tree, fields, order, ROOT, fitting_threshold(hanging, most - always))
    return before - tree.size[0]


@compiled
def list_kept(tree, order, top, threshold):
    """List `top` and, below it, the blocks of nodes with at least `threshold` visits; return how many places.

    A place without a child, at the end of a block, is listed as NONE minus one minus its number.
    """
    order[0] = top
    kept = 1
    index = 0
    while index < kept:
        node = order[index]
        if node >= 0 and tree.first_child[node] != NONE and (index == 0 or tree.visits[node] >= threshold):
            first = tree.first_child[node]
            for child in range(first, first + tree.num_tried[node]):
                order[kept] = child
                kept += 1
            for place in range(first + tree.num_tried[node], first + tree.num_children[node]):
                order[kept] = NONE - 1 - place
                kept += 1
        index += 1
    return kept


@compiled
def regroup(tree, fields, order, top, threshold):
    """Keep what `list_kept` lists, level by level."""
    kept = list_kept(tree, order, top, threshold)
    for pair in literal_unroll(fields):
        for index in range(kept):
            node = order[index]
            pair[1][index] = pair[0][node if node >= 0 else NONE - 1 - node]
        for index in range(kept):
            pair[0][index] = pair[1][index]
    tree.parent[ROOT] = NONE
    tree.action[ROOT] = NONE
    levels = order
    levels[ROOT] = 0
    end = 1
    deepest = 0
    for node in range(kept):
        if levels[node] >= 0 and tree.first_child[node] != NONE:
            if node == ROOT or tree.visits[node] >= threshold:
                tree.first_child[node] = end
                for place in range(end, end + tree.num_children[node]):
                    tree.parent[place] = node
                for child in range(end, end + tree.num_tried[node]):
                    levels[child] = levels[node] + 1
                    deepest = levels[child]
                end += tree.num_children[node]
            else:
                tree.first_child[node] = NONE
                tree.num_children[node] = 0
                tree.num_tried[node] = 0
    cut_back(tree, kept)
    tree.depth[0] = deepest
