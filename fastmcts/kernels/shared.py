"""Monte Carlo tree search by several threads in one tree, without locks.

Visits are counted on the way down: a simulation under way looks like a loss and sends the others elsewhere
(virtual loss). Who sets `first_child` from NONE to BUSY lays out the children; a thread that finds a node
busy plays on from there instead of waiting. Who sets `num_tried` from n to ~n, which is negative, tries one more
child; the others go on to one of the n meanwhile. Rewards are added on the way up. What all threads write to takes
the longest, as its cache line moves from core to core: so the root, and whatever else was visited often, gets what a
thread has found in some simulations at a time. Beside what is known of such a node that is little, and no virtual loss
is missed.
"""

import numpy as np

from fastmcts.compiler.atomics import compare_and_swap, fetch_add, fetch_max, publish, read
from fastmcts.compiler.jit import compiled, entry
from fastmcts.compiler.prefetch import prefetch
from fastmcts.core.constants import DONE, FULL, NONE, ROOT, TERMINAL
from fastmcts.core.scratch import HELD
from fastmcts.core.tree import MAX_NODES
from fastmcts.kernels.contest import best_child, foreseen
from fastmcts.kernels.copy import copy
from fastmcts.kernels.expand import exchange, start_nodes
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.payments import begin_stretch, end_stretch, fold_returns, make_move, reward_at
from fastmcts.kernels.record import record
from fastmcts.kernels.rollout import play_out
from fastmcts.kernels.room import last_with_room

BUSY = -2  # in `first_child`: somebody is laying out the children
MOST_TAKEN = 32  # simulations that a thread takes on at once
LEAST_VISITS = 64  # of the root, for each simulation that a thread takes on at once
BUSY_VISITS = 16 * MOST_TAKEN  # of a node, from which on a thread holds back what it has found there


@entry
def run_shared(strategy, tree, root, scratch, rng, left, threads):
    """Add simulations to a tree that other threads work on too.

    Args:
        strategy: The components.
        tree: The tree, planted at `root`.
        root: int64 [state_size], the position at the root; not modified.
        scratch: Buffers of this thread.
        rng: uint64 [2], the generator of this thread.
        left: int64 [1], how many simulations all threads together have yet to take on; becomes 0.
        threads: How many threads may add nodes at the same time.

    Returns:
        How many this thread has added, and why no more: DONE, or FULL when it took on more than that.
    """
    last = last_with_room(strategy, tree, threads)
    drop_held(scratch)
    done = 0
    while True:
        portion = taken_on(tree, left, threads)
        added = add_portion(strategy, tree, root, scratch, rng, portion, last)
        done += added
        if portion == 0:
            return done, DONE
        if added < portion:
            return done, FULL


@compiled
def taken_on(tree, left, threads):
    """Take some of the simulations that are left: few at first, and at last, so that all threads end together.

    A thread alone takes one at a time: then the tree does not depend on how a search is cut into calls.
    """
    most = min(MOST_TAKEN, read(tree.visits, ROOT) // LEAST_VISITS) if threads > 1 else 1
    while True:
        available = read(left, 0)
        portion = min(available, max(1, min(most, available // (2 * threads))))
        if compare_and_swap(left, 0, available, available - portion):
            return portion


@compiled
def add_portion(strategy, tree, root, scratch, rng, portion, last):
    """Add simulations as long as there is room, and return how many; the root, where all meet, is written to once."""
    fetch_add(tree.visits, ROOT, np.int32(portion))
    holds = portion == MOST_TAKEN
    reward = 0.0
    added = 0
    while added < portion and read(tree.size, 0) <= last:
        simulate(strategy, tree, root, scratch, rng, holds)
        reward += scratch.rewards[tree.player[ROOT]]
        added += 1
    if holds:
        for place in range(HELD):
            release(tree, scratch, place)
    if added < portion:
        fetch_add(tree.visits, ROOT, np.int32(added - portion))
    fetch_add(tree.value_sum, ROOT, reward)
    return added


@compiled
def simulate(strategy, tree, root, scratch, rng, holds):
    """One simulation: down the tree, on to the end of a game, and back up, but for the root."""
    copy(root, scratch.state)
    leaf = descend(strategy, tree, scratch, rng, holds)
    depth = scratch.length[0]
    is_over = play_out(strategy.game, strategy.rollout, tree, scratch, rng)
    if strategy.game.pays_rewards:
        fold_returns(strategy.game, scratch, depth, is_over)
    backup(strategy.game, tree, leaf, depth, scratch)


@compiled
def backup(game, tree, leaf, depth, scratch):
    """Add the rewards of a simulation to the nodes that it passed, but for the root."""
    node, level = leaf, depth
    while level > scratch.line.size:
        level -= 1
        fetch_add(tree.value_sum, node, reward_at(game, scratch, level, tree.player[node]))
        node = np.int64(tree.parent[node])
    for above in range(level):
        passed = scratch.line[above]
        # So that compiled code knows that no index is negative, which would count from the end.
        node = (passed if passed >= 0 else ~passed) & MAX_NODES
        reward = reward_at(game, scratch, above, tree.player[node])
        if passed >= 0:
            fetch_add(tree.value_sum, node, reward)
        else:
            hold(tree, scratch, node, reward)


@compiled
def hold(tree, scratch, node, reward):
    """Keep a visit and its reward back, with others of the same node."""
    place = node & (HELD - 1)
    if scratch.held_nodes[place] != node:
        release(tree, scratch, place)
        scratch.held_nodes[place] = node
    scratch.held_visits[place] += 1
    scratch.held_sums[place] += reward


@compiled
def drop_held(scratch):
    """Forget what a simulation that failed, perhaps in another tree, has left."""
    for place in range(HELD):
        scratch.held_visits[place] = 0
        scratch.held_sums[place] = 0.0


@compiled
def release(tree, scratch, place):
    """Add what was kept back in one place to the tree."""
    if scratch.held_visits[place] > 0:
        node = scratch.held_nodes[place] & MAX_NODES
        fetch_add(tree.visits, node, np.int32(scratch.held_visits[place]))
        fetch_add(tree.value_sum, node, scratch.held_sums[place])
        scratch.held_visits[place] = 0
        scratch.held_sums[place] = 0.0


@compiled
def descend(strategy, tree, scratch, rng, holds):
    """Follow the selection rule to a leaf, counting visits on the way; return the leaf.

    A node whose visit is held back stands in `scratch.line` as a negative number.
    """
    game, state = strategy.game, scratch.state
    node = np.int64(ROOT)
    depth = 0
    fresh = False
    player = game.current_player(state)
    while player != TERMINAL and not fresh:
        first = read(tree.first_child, node)
        if first == NONE and compare_and_swap(tree.first_child, node, np.int32(NONE), np.int32(BUSY)):
            lay_out_children(game, tree, node, player, scratch)
        elif first < 0:
            break
        child = claimed_child(strategy, tree, node, rng)
        fresh = child != NONE
        if not fresh:
            tried = read(tree.num_tried, node)
            tried = tried if tried >= 0 else ~tried
            best = best_child(strategy.selection, strategy.proofs, tree, node, player, tried)
            child = foreseen(scratch, node, best)
            if child == NONE:
                break
        is_held = holds and depth < scratch.line.size and tree.visits[child] >= BUSY_VISITS
        if not fresh and not is_held:
            fetch_add(tree.visits, child, np.int32(1))
        if depth < scratch.line.size:
            scratch.line[depth] = ~child if is_held else child
        node = child
        prefetch(tree.visits, tree.first_child[node])
        prefetch(tree.value_sum, tree.first_child[node])
        action = np.int64(tree.action[node])
        record(scratch, depth, player, action)
        begin_stretch(game, scratch)
        make_move(game, strategy.rollout.discount, scratch, action)
        end_stretch(game, scratch, depth)
        player = game.current_player(state)
        depth += 1
    scratch.length[0] = depth
    if depth > read(tree.depth, 0):  # or all threads would write to one place all the time
        fetch_max(tree.depth, 0, np.int64(depth))
    return node


@compiled
def lay_out_children(game, tree, node, player, scratch):
    """Reserve a block of children, none of them tried, and let the others see it."""
    count = legal_moves(game, scratch.state, scratch.actions)
    first = fetch_add(tree.size, 0, np.int64(count))
    start_nodes(game, tree, first, first + count, node, player)
    for index in range(count):
        tree.action[first + index] = scratch.actions[index]
    tree.num_children[node] = count
    publish(tree.first_child, node, np.int32(first))


@compiled
def claimed_child(strategy, tree, node, rng):
    """A child that nobody has tried, now tried by this thread; NONE if all are, or another thread is choosing."""
    tried = read(tree.num_tried, node)
    waiting = tree.num_children[node] - tried
    if tried < 0 or waiting == 0 or not compare_and_swap(tree.num_tried, node, tried, ~tried):
        return np.int64(NONE)
    child = np.int64(tree.first_child[node]) + tried
    exchange(tree, child, child + strategy.expansion.choose(waiting, rng))
    tree.visits[child] = 1
    publish(tree.num_tried, node, np.int16(tried + 1))
    return child
