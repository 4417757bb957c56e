"""Simulations in which every player moves by a tree of its own, and knows nothing but what it sees.

A player's tree consists of its information sets: a node, with a child for each move, for all that it may know
where it is to move. A simulation finds the one that it has come to by a hash of what the game's `observe` tells
the player to move: in worlds that the player cannot tell apart it is the same, in any others another. Where simulations
begin at the deal, they may come to the root as to any other information set: hashes are compared with that of the root.
"""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, NONE, ROOT, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.backup import backup
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.children import fixed_child
from fastmcts.kernels.copy import copy
from fastmcts.kernels.expand import start_nodes
from fastmcts.kernels.payments import begin_stretch, end_stretch, fold_returns, make_move, reward_at
from fastmcts.kernels.record import record
from fastmcts.kernels.replay import confirm
from fastmcts.kernels.rollout import play_out
from fastmcts.kernels.soundness import UNCONFIRMED
from fastmcts.rng import GOLDEN, mix


@compiled
def simulate_together(strategy, tree, scratch, rng):
    """One simulation: all players down their trees, on to the end of a game, and back up in each tree."""
    game, rollout = strategy.game, strategy.rollout
    choices = descend_together(strategy, tree, scratch, rng)
    depth = scratch.length[0]
    is_over = play_out(game, rollout, tree, scratch, rng)
    if game.pays_rewards:
        fold_returns(game, scratch, depth, is_over)
    for index in range(choices):
        if game.pays_rewards:
            back_up_choice(game, tree, index, scratch)
            strategy.selection.learn(game, tree, scratch.path[index], scratch.levels[index] + 1, scratch)
        else:
            backup(tree, scratch.path[index], scratch.rewards, 1)
            strategy.selection.learn(game, tree, scratch.path[index], depth, scratch)
    rollout.learn(game, tree, scratch)


@compiled
def descend_together(strategy, tree, scratch, rng):
    """Let each player follow the selection rule in its tree until it tries a move for the first time.

    Whoever has done that has left its tree and goes on by the rollout policy, until all have left or the game
    ends. `scratch.state` holds the root's position before and the one reached after, `scratch.length` tells how
    many moves lie between, and `scratch.path` holds those that were chosen in a tree.

    Returns:
        How many moves were chosen in a tree.
    """
    game, state = strategy.game, scratch.state
    inside = game.num_players
    for index in range(game.num_players):
        scratch.has_left[index] = 0
    choices = 0
    depth = 0
    player = game.current_player(state)
    while player != TERMINAL and inside > 0:
        if depth == game.max_game_length:
            raise GameError(TOO_LONG)
        if game.has_chance and player == CHANCE:
            action = draw_outcome(game, state, scratch.actions, scratch.weights, rng)
        elif scratch.has_left[player] == 1:
            action = strategy.rollout.choose(game, player, tree, scratch, rng)
        else:
            is_root = depth == 0 and not strategy.method.from_deal
            node = ROOT if is_root else information_set(strategy, tree, player, scratch)
            tried = tree.num_tried[node]
            child = fixed_child(strategy, tree, node, player, scratch, rng)
            if tree.num_tried[node] > tried:
                scratch.has_left[player] = 1
                inside -= 1
            scratch.path[choices] = child
            if game.pays_rewards:
                scratch.levels[choices] = depth
            choices += 1
            action = np.int64(tree.action[child])
        record(scratch, depth, player, action)
        begin_stretch(game, scratch)
        make_move(game, strategy.rollout.discount, scratch, action)
        end_stretch(game, scratch, depth)
        player = game.current_player(state)
        depth += 1
    scratch.length[0] = depth
    tree.depth[0] = max(tree.depth[0], depth)
    return choices


@compiled
def back_up_choice(game, tree, index, scratch):
    """Count a visit of a move that was chosen in a tree, and of its information set, with what it has led to."""
    level = scratch.levels[index]
    node = scratch.path[index]
    while node != NONE:
        tree.visits[node] += 1
        tree.value_sum[node] += reward_at(game, scratch, level, tree.player[node])
        node = tree.parent[node]


@compiled
def begin_at_deal(game, root, tree, scratch, rng):
    """Put a new deal into `scratch.state`, and what the player to move at the root knows into `scratch.origin`.

    The first simulation begins at the root all the same: so there is an answer, and the root's moves stand behind it.
    """
    player = game.current_player(root)
    copy(root, scratch.state)
    scratch.origin[0] = hash_known(game, player, scratch)
    if tree.first_child[ROOT] == NONE:
        game.determinize(scratch.state, player, rng)
    else:
        for index in range(game.state_size):
            scratch.state[index] = 0
        game.initial(scratch.state, rng)


@compiled
def information_set(strategy, tree, player, scratch):
    """The node for what a player knows in `scratch.state`; it is added if it is not there yet."""
    game = strategy.game
    known = hash_known(game, player, scratch)
    if strategy.method.from_deal:
        known ^= scratch.origin[0]
    near = nearest(tree, known)
    if tree.known[near] == known:
        if tree.action[near] == UNCONFIRMED:
            confirm(game, tree, near, player, scratch)
        return near
    node = tree.size[0]
    tree.size[0] = node + 1
    start_nodes(game, tree, node, node + 1, NONE, player)
    tree.action[node] = NONE
    tree.known[node] = known
    join(tree, near, node)
    return node


@compiled
def hash_known(game, player, scratch):
    """Hash what a player knows in `scratch.state` to 64 bits.

    That any two of a million information sets share a hash has a chance of 1 in 37 million.
    """
    game.observe(scratch.state, player, scratch.trial)
    known = mix(np.uint64(player) + GOLDEN)
    for index in range(game.state_size):
        known = mix(known ^ np.uint64(scratch.trial[index]))
    return known


@compiled
def nearest(tree, known):
    """The information set with a hash; if there is none, the one below which it is to be joined to the others.

    They are a binary search tree by their hashes, which keep it balanced by being random. The root, whose hash
    is 0, is on top, so that it also stands for an end.
    """
    node = ROOT
    while tree.known[node] != known:
        below = tree.before[node] if known < tree.known[node] else tree.after[node]
        if below == ROOT:
            break
        node = below
    return node


@compiled
def join(tree, near, node):
    """Put an information set below the one that is `nearest`."""
    tree.before[node] = ROOT
    tree.after[node] = ROOT
    if tree.known[node] < tree.known[near]:
        tree.before[near] = node
    else:
        tree.after[near] = node
