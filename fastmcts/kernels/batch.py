"""Search many positions, one after the other, in one tree."""

from numba import literal_unroll

from fastmcts.constants import NONE, ROOT, TERMINAL
from fastmcts.jit import compiled, entry
from fastmcts.kernels.loop import search
from fastmcts.kernels.moves import legal_moves


@entry
def run_batch(strategy, tree, seed_plot, scratch, task, found, cursor, simulations):
    """Search positions until `simulations` are used up, the tree is full or all positions are done.

    Everything but the components and the positions is modified in place.

    Args:
        strategy: The components.
        tree: A tree for all of them, one at a time.
        seed_plot: Pairs of an array of the tree and what it starts with in a fresh tree.
        scratch: Buffers of this thread.
        task: positions int64 [B, state_size], generators uint64 [B, 2], simulations for each, and
            whether to search where there is only one move.
        found: visits int64 [B, num_actions], value_sums float64 [B, num_actions], the least and the most
            reward that each move is proven to bring, both float64 [B, num_actions] or empty without a
            solver, and the only move int64 [B], NONE where there are more or none.
        cursor: int64 [3]: the position that is being searched, its simulations so far, the first
            position that is not to be searched any more.
        simulations: How many to add in this call.

    Returns:
        How many were added.
    """
    positions, generators, budget, search_forced = task
    visits, value_sums, lower, upper, only = found
    left = simulations
    while cursor[0] < cursor[2]:
        index = cursor[0]
        if cursor[1] == 0:
            only[index] = start(strategy.game, tree, seed_plot, scratch, positions[index])
            if strategy.game.current_player(positions[index]) == TERMINAL or (
                only[index] != NONE and not search_forced
            ):
                cursor[0] += 1
                continue
        wanted = min(left, budget - cursor[1])
        added = search(strategy, tree, positions[index], scratch, generators[index], wanted)
        cursor[1] += added
        left -= added
        last_with_room = tree.visits.size - strategy.method.most_new_nodes(strategy.game)
        if cursor[1] < budget and (left == 0 or tree.size[0] > last_with_room):
            break
        read_root(tree, visits[index], value_sums[index])
        if lower.size > 0:
            read_bounds(strategy.game, tree, lower[index], upper[index])
        cursor[0] += 1
        cursor[1] = 0
        if left == 0:
            break
    return simulations - left


@compiled
def start(game, tree, seed_plot, scratch, position):
    """Plant the tree at a position; return its only move, NONE if there are more or none."""
    clear(seed_plot)
    player = game.current_player(position)
    tree.player[ROOT] = player
    if player < 0:
        return NONE
    for index in range(position.size):
        scratch.state[index] = position[index]
    count = legal_moves(game, scratch.state, scratch.actions)
    return scratch.actions[0] if count == 1 else NONE


@compiled
def clear(seed_plot):
    """Let a tree be as it was when it was planted first."""
    for pair in literal_unroll(seed_plot):
        for index in range(pair[1].size):
            pair[0][index] = pair[1][index]


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
