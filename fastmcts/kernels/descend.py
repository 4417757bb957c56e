"""Walk down the tree to where the next simulation starts."""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.compiler.prefetch import prefetch
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.kernels.payments import begin_stretch, end_stretch, make_move
from fastmcts.kernels.record import record, record_node


@compiled
def descend(strategy, tree, root, scratch, rng):
    """Follow the selection rule from a root until a move is tried for the first time or the game ends.

    `scratch.state` holds the root's position before and the leaf's after; `scratch.length` tells how
    many moves lie between, and `scratch.line` which nodes.

    Returns:
        The leaf: a node that was just tried, one that is to be expanded into all its children, or one
        where the game is over.
    """
    game, method, state = strategy.game, strategy.method, scratch.state
    node = root
    size = tree.size[0]
    depth = 0
    fresh = False
    record_node(scratch, 0, root)
    player = game.current_player(state)
    while player != TERMINAL and not fresh:
        if (
            strategy.expansion.at_once
            and player != CHANCE
            and strategy.expansion.ends_at(strategy, tree, node, scratch)
        ):
            break
        tried = tree.num_tried[node]
        child = method.next_child(strategy, tree, node, player, scratch, rng)
        fresh = tree.num_tried[node] > tried and not strategy.expansion.evaluates
        node = child
        # Its children are scored next, or one more of them is tried: what is known of them is fetched while the move is
        # made.
        prefetch(tree.visits, tree.first_child[node])
        prefetch(tree.value_sum, tree.first_child[node])
        prefetch(tree.action, tree.first_child[node] + tree.num_tried[node])
        action = np.int64(tree.action[node])
        record(scratch, depth, player, action)
        record_node(scratch, depth + 1, node)
        begin_stretch(game, scratch)
        make_move(game, strategy.rollout.discount, scratch, action)
        method.reply(strategy, tree, node, fresh, scratch, rng)
        end_stretch(game, scratch, depth)
        player = game.current_player(state)
        depth += 1
        strategy.expansion.check_room(game, tree, size)
    scratch.length[0] = depth
    tree.depth[0] = max(tree.depth[0], depth)
    return node
