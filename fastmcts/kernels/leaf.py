"""What a simulation does where it leaves the tree."""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE
from fastmcts.kernels.backup import backup, backup_line
from fastmcts.kernels.copy import copy
from fastmcts.kernels.expand import lay_out_children, try_child
from fastmcts.kernels.payments import back_up_returns, begin_stretch, end_stretch, fold_returns, make_move
from fastmcts.kernels.record import record
from fastmcts.kernels.rollout import play_out


@compiled
def roll_out(strategy, tree, leaf, scratch, rng):
    """Play one rollout from a leaf, whose position is in `scratch.state`, and back it up."""
    game, proofs, rollout = strategy.game, strategy.proofs, strategy.rollout
    depth = scratch.length[0]
    proofs.settle(game, tree, leaf, scratch.state, scratch.weights)
    is_over = play_out(game, rollout, tree, scratch, rng)
    proofs.inspect(game, scratch.state, scratch.weights)
    if game.pays_rewards:
        fold_returns(game, scratch, depth, is_over)
        back_up_returns(game, tree, leaf, depth, scratch)
    else:
        backup_line(tree, leaf, depth, scratch)
    strategy.selection.learn(game, tree, leaf, depth, scratch)
    rollout.learn(game, tree, scratch)


@compiled
def is_expandable(game, tree, leaf, state):
    """Whether a player is to move at a leaf that has no children."""
    return tree.first_child[leaf] == NONE and game.current_player(state) >= 0


@compiled
def expand_all(strategy, tree, leaf, scratch, rng):
    """Try every child of a leaf, with one rollout beneath each, and back all of them up together."""
    game, proofs, rollout = strategy.game, strategy.proofs, strategy.rollout
    player = game.current_player(scratch.state)
    depth = scratch.length[0]
    lay_out_children(strategy, tree, leaf, player, scratch, rng)
    copy(scratch.state, scratch.trial)
    for index in range(game.num_players):
        scratch.reward_sums[index] = 0.0
    first, count = tree.first_child[leaf], tree.num_children[leaf]
    for waiting in range(first, first + count):
        child = try_child(tree, leaf, waiting)
        action = np.int64(tree.action[child])
        copy(scratch.trial, scratch.state)
        record(scratch, depth, player, action)
        begin_stretch(game, scratch)
        make_move(game, rollout.discount, scratch, action)
        strategy.method.reply(strategy, tree, child, True, scratch, rng)
        end_stretch(game, scratch, depth)
        scratch.length[0] = depth + 1
        proofs.settle(game, tree, child, scratch.state, scratch.weights)
        is_over = play_out(game, rollout, tree, scratch, rng)
        proofs.inspect(game, scratch.state, scratch.weights)
        if game.pays_rewards:
            fold_returns(game, scratch, depth + 1, is_over)
            back_up_returns(game, tree, child, depth + 1, scratch)
        else:
            tree.visits[child] = 1
            tree.value_sum[child] = scratch.rewards[player]
            for index in range(game.num_players):
                scratch.reward_sums[index] += scratch.rewards[index]
        strategy.selection.learn(game, tree, child, depth + 1, scratch)
        rollout.learn(game, tree, scratch)
    tree.depth[0] = max(tree.depth[0], depth + 1)
    if not game.pays_rewards:
        backup(tree, leaf, scratch.reward_sums, count)
