"""Play through a tree that comes from a file, to see whether its moves are those of the game.

Only where a node always stands for the same position: elsewhere simulations find children by their actions among those
that are legal, and information sets are compared when a simulation first comes to them.
"""

import numpy as np

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import CHANCE, NONE, ROOT, TERMINAL
from fastmcts.errors import LoadError
from fastmcts.kernels.copy import copy
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.replies import play_others
from fastmcts.kernels.soundness import are_sound_moves
from fastmcts.rng import reseed


@entry
def find_misfit(game, tree, root, positions, path, following, scratch):
    """Follow every line of a tree whose links are sound, and compare the moves of each node with the rules.

    Args:
        game: The game.
        tree: The tree. What nobody has written about outcomes of chance is cleared.
        root: int64 [state_size], the position at the root.
        positions: int64 [depth + 1, state_size], scratch.
        path: int64 [depth + 1], scratch.
        following: int64 [depth + 1], scratch.
        scratch: Buffers.

    Returns:
        A node that does not fit, NONE if all do.
    """
    copy(root, positions[0])
    if not fits(game, tree, ROOT, positions[0], scratch):
        return ROOT
    path[0] = ROOT
    following[0] = tree.first_child[ROOT]
    level = 0
    while level >= 0:
        node, child = path[level], following[level]
        if child == tree.first_child[node] + tree.num_tried[node]:
            level -= 1
            continue
        following[level] = child + 1
        if tree.first_child[child] == NONE and tree.seed.size == 0:
            continue
        copy(positions[level], scratch.state)
        game.apply(scratch.state, np.int64(tree.action[child]))
        if tree.seed.size > 0 and not is_replied(game, tree, child, scratch):
            return child
        if tree.first_child[child] != NONE:
            level += 1
            copy(scratch.state, positions[level])
            if not fits(game, tree, child, positions[level], scratch):
                return child
            path[level] = child
            following[level] = tree.first_child[child]
    return NONE


@compiled
def fits(game, tree, node, state, scratch):
    """Whether the children of a node are the moves, or the outcomes, of its position."""
    first, count = int(tree.first_child[node]), int(tree.num_children[node])
    if count == 0:
        return True
    player = game.current_player(state)
    if game.has_chance and player == CHANCE:
        clear_moves(tree, first, count)  # which nobody sets where chance decides
        listed = game.chance_outcomes(state, scratch.actions, scratch.weights)
        return are_children(tree, node, listed, int(tree.player[node]), scratch)
    if player < 0 or player >= game.num_players or not are_sound_moves(tree, first, count, tree.visits[node]):
        return False
    return are_children(tree, node, legal_moves(game, state, scratch.actions), player, scratch)


@compiled
def are_children(tree, node, count, player, scratch):
    """Whether the children of a node are the first `count` of `scratch.actions`, those that were tried by `player`."""
    first, tried = int(tree.first_child[node]), int(tree.num_tried[node])
    if count != tree.num_children[node]:
        return False
    marks = scratch.marks
    marks[-1] += 2
    legal = marks[-1]
    for index in range(count):
        marks[scratch.actions[index]] = legal
    for child in range(first, first + count):
        if marks[tree.action[child]] != legal or (child < first + tried and tree.player[child] != player):
            return False
        marks[tree.action[child]] = legal - 1
    return True


@compiled
def clear_moves(tree, first, count):
    """Let a block of children have no priors and no AMAF statistics."""
    for child in range(first, first + count):
        if tree.prior.size > 0:
            tree.prior[child] = 0.0
        if tree.amaf_visits.size > 0:
            tree.amaf_visits[child] = 0
            tree.amaf_sum[child] = 0.0


@compiled
def is_replied(game, tree, node, scratch):
    """Make the replies that a node keeps, in `scratch.state`; whether they are legal."""
    state, player, seed = scratch.state, tree.player[node], tree.seed[node]
    if seed == NONE:
        return False
    if seed >= 0:
        reseed(scratch.generator, seed)
        play_others(game, 1.0, player, scratch, scratch.generator)
        return True
    mover = game.current_player(state)
    if is_next(mover, player):
        return False
    if game.has_chance and mover == CHANCE:
        count = game.chance_outcomes(state, scratch.actions, scratch.weights)
    else:
        count = legal_moves(game, state, scratch.actions)
    reply = NONE - 1 - seed
    for index in range(count):
        if scratch.actions[index] == reply:
            game.apply(state, reply)
            return is_next(game.current_player(state), player)
    return False


@compiled
def is_next(mover, player):
    """Whether nobody has to reply to a player any more."""
    return mover == (player if mover != TERMINAL else TERMINAL)


@compiled
def confirm(game, tree, node, player, scratch):
    """Compare the moves of an information set from a file with those in `scratch.state`, where `player` is to move."""
    if not are_children(tree, node, legal_moves(game, scratch.state, scratch.actions), player, scratch):
        raise LoadError("the file from which this search was loaded does not fit the rules of the game: reset() it")
    tree.action[node] = NONE
