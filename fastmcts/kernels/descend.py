"""Walk down the tree to where the next simulation starts."""

import numpy as np

from fastmcts.constants import CHANCE, NONE, ROOT, TERMINAL
from fastmcts.jit import compiled
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.expand import lay_out_children, try_child
from fastmcts.kernels.record import record


@compiled
def descend(strategy, tree, scratch, rng):
    """Follow the selection rule from the root until a move is tried for the first time or the game ends.

    `scratch.state` holds the root's position before and the leaf's after; `scratch.length` tells how
    many moves lie between.

    Returns:
        The leaf: a node that was just tried, one that is to be expanded into all its children, or one
        where the game is over.
    """
    game, selection, expansion, _, proofs = strategy
    state = scratch.state
    node = ROOT
    depth = 0
    fresh = False
    player = game.current_player(state)
    while player != TERMINAL and not fresh:
        if tree.first_child[node] == NONE:
            if expansion.at_once and player != CHANCE:
                break
            lay_out_children(game, selection, expansion, tree, node, player, scratch, rng)
        first_waiting = tree.first_child[node] + tree.num_tried[node]
        if game.has_chance and player == CHANCE:
            node = drawn_child(game, tree, node, scratch, rng)
        else:
            node = chosen_child(game, selection, expansion, proofs, tree, node, player, state, rng)
        fresh = node == first_waiting
        action = np.int64(tree.action[node])
        record(scratch, depth, player, action)
        game.apply(state, action)
        player = game.current_player(state)
        depth += 1
    scratch.length[0] = depth
    tree.depth[0] = max(tree.depth[0], depth)
    return node


@compiled
def chosen_child(game, selection, expansion, proofs, tree, node, player, state, rng):
    """The child that a player goes on to: an untried one, or the one with the highest score."""
    waiting = tree.num_children[node] - tree.num_tried[node]
    chosen = NONE
    if selection.untried_first and waiting > 0:
        chosen = tree.first_child[node] + tree.num_tried[node] + expansion.choose(waiting, rng)
    else:
        selection.enter(tree, node)
        chosen = best_child(selection, proofs, tree, node, player)
    if chosen < tree.first_child[node] + tree.num_tried[node]:
        return chosen
    child = try_child(game, tree, node, chosen, player)
    expansion.start(game, state, tree, child)
    return child


@compiled
def best_child(selection, proofs, tree, node, player):
    """The child with the highest score; the first among equals."""
    first = tree.first_child[node]
    first_waiting = first + tree.num_tried[node]
    best = NONE
    best_score = -np.inf
    for child in range(first, first_waiting):
        if proofs.is_open(tree, node, child, player):
            score = selection.score(tree, node, child)
            if score > best_score:
                best, best_score = child, score
    if not selection.untried_first:
        for child in range(first_waiting, first + tree.num_children[node]):
            score = selection.untried_score(tree, node, child)
            if score > best_score:
                best, best_score = child, score
    if best == NONE:
        return proofs.best_decided(tree, node, player)
    return best


@compiled
def drawn_child(game, tree, node, scratch, rng):
    """The child for a chance outcome, drawn by its probability."""
    outcome = draw_outcome(game, scratch.state, scratch.actions, scratch.weights, rng)
    child = tree.first_child[node]
    while tree.action[child] != outcome:
        child += 1
    if child < tree.first_child[node] + tree.num_tried[node]:
        return child
    return try_child(game, tree, node, child, tree.player[node])
