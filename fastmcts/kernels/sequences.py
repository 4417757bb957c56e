"""Simulations in a tree whose nodes are sequences of decisions: what chance brings is drawn anew each time.

In a game of several players the outcome may decide whose turn it is. Then the node after a decision has a child for
each player whose turn it may become, with that player's number as its action, and that player's decisions below it.
"""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, NONE, ROOT, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.children import matched_child
from fastmcts.kernels.expand import add_child
from fastmcts.kernels.payments import begin_stretch, end_stretch, make_move
from fastmcts.kernels.record import record, record_node


@compiled
def simulate_sequence(strategy, tree, scratch, rng):
    """One simulation: down the tree, on to the end of a game, and back up."""
    leaf = descend_sequence(strategy, tree, scratch, rng)
    strategy.expansion.play(strategy, tree, leaf, scratch, rng)


@compiled
def descend_sequence(strategy, tree, scratch, rng):
    """Follow the selection rule until a decision is tried for the first time or the game ends.

    `scratch.state` holds the root's position before and the leaf's after, with all that chance has brought between;
    `scratch.length` tells how many nodes lie between, and `scratch.line` which.
    """
    game, state, discount = strategy.game, scratch.state, strategy.rollout.discount
    node = np.int64(ROOT)
    depth = 0
    fresh = False
    record_node(scratch, 0, node)
    player = game.current_player(state)
    while player != TERMINAL and not fresh:
        if strategy.expansion.at_once and tree.first_child[node] == NONE:
            break
        tried = tree.num_tried[node]
        child = np.int64(matched_child(strategy, tree, node, player, scratch, rng))
        fresh = tree.num_tried[node] > tried
        node = child
        action = np.int64(tree.action[node])
        record(scratch, depth, player, action)
        record_node(scratch, depth + 1, node)
        begin_stretch(game, scratch)
        make_move(game, discount, scratch, action)
        player = game.current_player(state)
        is_drawn = player == CHANCE
        if is_drawn:
            let_chance_decide(game, discount, scratch, rng)
            player = game.current_player(state)
        end_stretch(game, scratch, depth)
        depth += 1
        if game.num_players > 1 and is_drawn and player != TERMINAL and not fresh:
            node = np.int64(turn_of(game, tree, node, player))
            record(scratch, depth, CHANCE, player)
            record_node(scratch, depth + 1, node)
            begin_stretch(game, scratch)
            end_stretch(game, scratch, depth)
            depth += 1
    scratch.length[0] = depth
    tree.depth[0] = max(tree.depth[0], depth)
    return node


@compiled
def let_chance_decide(game, discount, scratch, rng):
    """Draw outcomes until a player is to move, or the game is over."""
    outcomes = 0
    while game.current_player(scratch.state) == CHANCE:
        if outcomes == game.max_game_length:
            raise GameError(TOO_LONG)
        outcome = draw_outcome(game, scratch.state, scratch.actions, scratch.weights, rng)
        make_move(game, discount, scratch, np.int64(outcome))
        outcomes += 1


@compiled
def turn_of(game, tree, node, player):
    """The child of a node for the player whose turn it has become; it is added if it is not there yet."""
    first = tree.first_child[node]
    for child in range(first, first + tree.num_tried[node]):
        if tree.action[child] == player:
            return child
    return add_child(game, tree, node, player, tree.player[node])
