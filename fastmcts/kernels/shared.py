"""Monte Carlo tree search by several threads in one tree, without locks.

Visits are counted on the way down: a simulation under way looks like a loss and sends the others elsewhere
(virtual loss). Who sets `first_child` from NONE to BUSY lays out the children; a thread that finds a node
busy plays on from there instead of waiting. Who sets a child's visits from 0 to 1 has tried it. Rewards are
added on the way up.
"""

import numpy as np

from fastmcts.atomics import compare_and_swap, fetch_add, fetch_max, publish, read
from fastmcts.constants import NONE, ROOT, TERMINAL
from fastmcts.jit import compiled, entry
from fastmcts.kernels.copy import copy
from fastmcts.kernels.expand import start_node
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.rng import shuffle
from fastmcts.kernels.rollout import play_out

BUSY = -2  # in `first_child`: somebody is laying out the children


@entry
def run_shared(strategy, tree, root, scratch, rng, simulations, threads):
    """Add simulations to a tree that other threads work on too.

    Args:
        strategy: The components.
        tree: The tree, planted at `root`.
        root: int64 [state_size], the position at the root; not modified.
        scratch: Buffers of this thread.
        rng: uint64 [2], the generator of this thread.
        simulations: How many to add.
        threads: How many threads may add nodes at the same time.

    Returns:
        How many were added: fewer than asked for when the next of every thread might not find room.
    """
    last_with_room = tree.visits.size - threads * strategy.game.num_actions
    for simulation in range(simulations):
        if read(tree.size, 0) > last_with_room:
            return simulation
        copy(root, scratch.state)
        leaf = descend(strategy, tree, scratch, rng)
        play_out(strategy.game, strategy.rollout, tree, scratch, rng)
        node = leaf
        while node != NONE:
            fetch_add(tree.value_sum, node, scratch.rewards[tree.player[node]])
            node = tree.parent[node]
    return simulations


@compiled
def descend(strategy, tree, scratch, rng):
    """Follow the selection rule to a leaf, counting visits on the way; return the leaf."""
    game, state = strategy.game, scratch.state
    node = np.int64(ROOT)
    depth = 0
    fresh = False
    fetch_add(tree.visits, node, np.int32(1))
    player = game.current_player(state)
    while player != TERMINAL and not fresh:
        first = read(tree.first_child, node)
        if first == NONE and compare_and_swap(tree.first_child, node, np.int32(NONE), np.int32(BUSY)):
            lay_out_children(game, tree, node, player, scratch, rng)
        elif first < 0:
            break
        child = claimed_child(tree, node)
        fresh = child != NONE
        if not fresh:
            child = best_child(strategy.selection, tree, node)
            fetch_add(tree.visits, child, np.int32(1))
        node = child
        game.apply(state, np.int64(tree.action[node]))
        player = game.current_player(state)
        depth += 1
    scratch.length[0] = depth
    if depth > read(tree.depth, 0):  # or all threads would write to one place all the time
        fetch_max(tree.depth, 0, np.int64(depth))
    return node


@compiled
def lay_out_children(game, tree, node, player, scratch, rng):
    """Reserve and fill a block of children, in random order, and let the others see it."""
    count = legal_moves(game, scratch.state, scratch.actions)
    shuffle(rng, scratch.actions, count)
    first = fetch_add(tree.size, 0, np.int64(count))
    for index in range(count):
        child = first + index
        tree.action[child] = scratch.actions[index]
        start_node(game, tree, child, node, player)
    tree.num_children[node] = count
    publish(tree.first_child, node, np.int32(first))


@compiled
def claimed_child(tree, node):
    """The first child that nobody has tried, now tried by this thread; NONE if all are."""
    first = np.int64(tree.first_child[node])
    for index in range(read(tree.num_tried, node), tree.num_children[node]):
        if compare_and_swap(tree.visits, first + index, np.int32(0), np.int32(1)):
            fetch_max(tree.num_tried, node, np.int16(index + 1))
            return first + index
    return np.int64(NONE)


@compiled
def best_child(selection, tree, node):
    """The child with the highest score; the first among equals."""
    first = np.int64(tree.first_child[node])
    best = first
    best_score = -np.inf
    for child in range(first, first + read(tree.num_tried, node)):
        score = selection.score(tree, node, child)
        if score > best_score:
            best, best_score = child, score
    return best
