"""Search many positions, one after the other, in one tree."""

from fastmcts.compiler.atomics import fetch_add
from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE, ROOT, TERMINAL
from fastmcts.core.tree import PADDING
from fastmcts.kernels.copy import copy
from fastmcts.kernels.loop import search
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.plant import plant


@entry
def run_batch(strategy, tree, scratch, rng, task, found, queue, cursor, simulations):
    """Search positions until `simulations` are used up, the tree is full or all positions are taken.

    Everything but the components and the task is modified in place.

    Args:
        strategy: The components.
        tree: A tree for all positions of this thread, one at a time.
        scratch: Buffers of this thread.
        rng: uint64 [2], the generator of this thread.
        task: positions int64 [B, state_size], generators uint64 [B, 2] with which each starts, simulations for
            each, and whether to search where there is only one move.
        found: visits int64 [B, num_actions], value_sums float64 [B, num_actions], the least and the most
            reward that each move is proven to bring, both float64 [B, num_actions] or empty without a
            solver, and the only move int64 [B], NONE where there are more or none.
        queue: int64 [1], the next position that no thread has taken.
        cursor: int64 [3]: the position that this thread is searching, NONE between two; its simulations so far;
            how many positions this thread has finished.
        simulations: How many to add in this call.

    Returns:
        How many were added.
    """
    positions, generators, budget, search_forced = task
    visits, value_sums, lower, upper, only = found
    last_with_room = tree.visits.size - PADDING - strategy.method.most_new_nodes(strategy.game)
    left = simulations
    while left > 0:
        if cursor[0] == NONE:
            taken = fetch_add(queue, 0, 1)
            if taken >= len(positions):
                break
            only[taken] = start(strategy.game, tree, scratch, positions[taken])
            if tree.player[ROOT] == TERMINAL or (only[taken] != NONE and not search_forced):
                cursor[2] += 1
                continue
            copy(generators[taken], rng)
            cursor[0], cursor[1] = taken, 0
        index = cursor[0]
        added = search(strategy, tree, positions[index], scratch, rng, min(left, budget - cursor[1]))
        cursor[1] += added
        left -= added
        if cursor[1] < budget and (left == 0 or tree.size[0] > last_with_room):
            break
        read_root(tree, visits[index], value_sums[index])
        if lower.size > 0:
            read_bounds(strategy.game, tree, lower[index], upper[index])
        cursor[0] = NONE
        cursor[2] += 1
    return simulations - left


@compiled
def start(game, tree, scratch, position):
    """Plant the tree at a position; return its only move, NONE if there are more or none."""
    player = game.current_player(position)
    plant(game, tree, player)
    if player < 0:
        return NONE
    copy(position, scratch.state)
    count = legal_moves(game, scratch.state, scratch.actions)
    return scratch.actions[0] if count == 1 else NONE


@compiled
def read_root(tree, visits, value_sums):
    """Write visits and reward sums of the root's children, by action."""
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.num_tried[ROOT]):
        visits[tree.action[child]] = tree.visits[child]
        value_sums[tree.action[child]] = tree.value_sum[child]


@compiled
def read_bounds(game, tree, lower, upper):
    """Write what is proven about the root's children for the player to move, by action."""
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.num_tried[ROOT]):
        lower[tree.action[child]] = tree.lower[child * game.num_players + tree.player[child]]
        upper[tree.action[child]] = tree.upper[child * game.num_players + tree.player[child]]
