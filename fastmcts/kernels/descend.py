"""Walk down the tree to where the next simulation starts."""

import numpy as np

from fastmcts.constants import NONE, ROOT, TERMINAL
from fastmcts.jit import compiled
from fastmcts.kernels.expand import lay_out_children, try_child


@compiled
def descend(game, selection, expansion, tree, scratch, rng):
    """Follow the selection rule from the root until a move is tried for the first time or the game ends.

    `scratch.state` holds the root's position before and the leaf's after.

    Returns:
        The leaf: a node without visits, or one where the game is over.
    """
    state = scratch.state
    node = ROOT
    depth = 0
    player = game.current_player(state)
    while player != TERMINAL:
        depth += 1
        if tree.first_child[node] == NONE:
            lay_out_children(game, tree, node, scratch)
        if tree.num_tried[node] < tree.num_children[node]:
            node = try_child(expansion, tree, node, player, rng)
            game.apply(state, np.int64(tree.action[node]))
            break
        node = best_child(selection, tree, node)
        game.apply(state, np.int64(tree.action[node]))
        player = game.current_player(state)
    tree.depth[0] = max(tree.depth[0], depth)
    return node


@compiled
def best_child(selection, tree, node):
    """The child with the highest score; the one tried first among equals."""
    first = tree.first_child[node]
    best = first
    best_score = selection.score(tree, node, first)
    for child in range(first + 1, first + tree.num_children[node]):
        score = selection.score(tree, node, child)
        if score > best_score:
            best, best_score = child, score
    return best
