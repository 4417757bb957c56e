"""Rewards on the way: what the moves of a simulation pay, added up with the discount of the rollout policy.

A simulation consists of stretches: one from each node of its path to the next, and the rollout. Each has, for every
player, what its moves pay, and a factor by which all that comes later counts. So the return from any node on follows
from the end up, one stretch after the other:

    return from here on = what the stretch pays + factor * return from its end on

A decision and the outcomes of chance that follow it are one step of time: the discount counts once for them.

Of all this nothing is compiled into the search of a game that pays only at the end.
"""

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, NONE
from fastmcts.errors import OUT_OF_RANGE, TOO_LONG, GameError
from fastmcts.kernels.copy import copy
from fastmcts.kernels.rewards import reward_of

TOLERANCE = 1e-6  # by which a return may miss its range: a game may compute in float32


@compiled
def begin_stretch(game, scratch):
    """Start to add up."""
    if game.pays_rewards:
        scratch.factor[0] = 1.0
        for player in range(game.num_players):
            scratch.paid[player] = 0.0


@compiled
def make_move(game, discount, scratch, action):
    """Make a move, or let chance bring an outcome, in `scratch.state`; what that pays is added to the stretch."""
    if game.pays_rewards:
        copy(scratch.state, scratch.before)
        game.apply(scratch.state, action)
        game.rewards(scratch.before, action, scratch.state, scratch.payment)
        for player in range(game.num_players):
            scratch.paid[player] += scratch.factor[0] * scratch.payment[player]
        if game.current_player(scratch.state) != CHANCE:
            scratch.factor[0] *= discount
    else:
        game.apply(scratch.state, action)


@compiled
def end_stretch(game, scratch, level):
    """Keep the stretch that led from the node `level` moves below the root to the next."""
    if game.pays_rewards:
        first = level * (game.num_players + 1)
        if first >= scratch.stretches.size:
            raise GameError(TOO_LONG)
        for player in range(game.num_players):
            scratch.stretches[first + player] = scratch.paid[player]
        scratch.stretches[first + game.num_players] = scratch.factor[0]


@compiled
def fold_returns(game, scratch, depth, is_over):
    """Compute the returns from each node of a path on, scaled to [0, 1], into `scratch.returns`.

    A finished game whose return is not from `min_utility` to `max_utility` is an error; where `evaluate` has guessed
    the rest, the nearer of the two is surely better than what is outside.

    Args:
        game: The game.
        scratch: Buffers. `rewards` holds what each player gets from the leaf on, and then the scaled return of the
            whole simulation; `return_range` the least and the greatest of all.
        depth: How many stretches the path has.
        is_over: Whether the game was played to its end.
    """
    players = game.num_players
    scratch.return_range[0], scratch.return_range[1] = 1.0, 0.0
    level = depth
    while level > 0:
        level -= 1
        stretch = level * (players + 1)
        for player in range(players):
            later = scratch.stretches[stretch + players] * scratch.rewards[player]
            scratch.rewards[player] = scratch.stretches[stretch + player] + later
            scaled_return(game, scratch, level, player, is_over)
    for player in range(players):
        scratch.rewards[player] = scaled_return(game, scratch, 0, player, is_over)


@compiled
def scaled_return(game, scratch, level, player, is_over):
    """Note what a player gets from a node on, in `scratch.rewards`, as a number from 0 to 1."""
    reward = reward_of(game, scratch.rewards[player])
    if is_over and not -TOLERANCE <= reward <= 1.0 + TOLERANCE:
        raise GameError(OUT_OF_RANGE)
    reward = min(1.0, max(0.0, reward))
    scratch.returns[level * game.num_players + player] = reward
    scratch.return_range[0] = min(scratch.return_range[0], reward)
    scratch.return_range[1] = max(scratch.return_range[1], reward)
    return reward


@compiled
def reward_at(game, scratch, level, player):
    """What a simulation was worth to a player from the node `level` moves below the root on: from 0 to 1."""
    if game.pays_rewards:
        return scratch.returns[level * game.num_players + player]
    return scratch.rewards[player]


@compiled
def back_up_returns(game, tree, leaf, depth, scratch):
    """Count a visit from the leaf up to the root, with what the move to each node has led to for its player.

    `fold_returns` has computed that: the return from the node on at which the move was chosen.
    """
    node = leaf
    level = depth
    while node != NONE:
        level -= 1
        tree.visits[node] += 1
        tree.value_sum[node] += scratch.returns[max(level, 0) * game.num_players + tree.player[node]]
        node = tree.parent[node]
