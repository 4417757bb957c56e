"""Find what is wrong with a tree that comes from a file, before any other kernel follows its links.

Nothing is taken for granted but the lengths of the arrays. The walk is the same for all games: it takes arrays, so
that it is compiled once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.bundle import register_bundle
from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE, ROOT

SLACK = 1e-9  # for each reward in a sum, as rounding adds up
MOST_IN_SET = 2**30  # visits of an information set that a simulation may come to more than once
ONE = np.uint64(1)
TOP_HASH = np.uint64(2**64 - 1)

#: In `action` of an information set: it comes from a file, and no simulation has yet compared its moves with the rules.
UNCONFIRMED = NONE - 1

# What is wrong.
SOUND = 0
SIZE = 1
COUNTS = 2
BLOCK = 3
OVERLAP = 4
PARENT = 5
ACTION = 6
TWICE = 7
PLAYER = 8
VISITS = 9
SUMS = 10
AVAILABLE = 11
SEED = 12
BOUNDS = 13
ORPHAN = 14
DEPTH = 15
SETS = 16
HASHES = 17
TOP = 18


class Limits(NamedTuple):
    """What a game allows in a tree."""

    num_players: int
    num_actions: int  # moves, or outcomes of chance: the most children of a node
    longest: int  # the most moves of a game
    only_player: int  # the only one who moves in the tree; NONE if all do


class Walk(NamedTuple):
    """Scratch of a walk through the N nodes of a tree; H is N where information sets are kept, else 0."""

    owners: NDArray[np.int32]  # [N] whose child a node is, itself for one that no other leads to; NONE if not found
    order: NDArray[np.int32]  # [N] the nodes in the order in which they were found
    levels: NDArray[np.int32]  # [N] how many moves a node is below one that no other leads to
    marks: NDArray[np.int64]  # [num_actions] one more than the last node at which an action was found; zeros at first
    joined: NDArray[np.int32]  # [H] 1 for an information set that the search by hashes comes to; zeros at first
    lows: NDArray[np.uint64]  # [H] the lowest hash that an information set may have there
    highs: NDArray[np.uint64]  # [H] the highest


register_bundle(Walk)


@entry
def find_fault(tree, limits, walk):
    """Walk through a whole tree and find out whether every invariant holds; what waits is cleared.

    Args:
        tree: The tree. Places of untried children, and those that belong to nobody, are modified.
        limits: What the game allows.
        walk: Scratch.

    Returns:
        What is wrong, SOUND if nothing is, and the node at which it was found.
    """
    size = tree.size[0]
    if size < 1 or size > tree.visits.size:
        return SIZE, ROOT
    for node in range(size):
        walk.owners[node] = NONE
        walk.levels[node] = 0
    kept = list_tops(tree, walk)
    if kept == NONE:
        return SETS, ROOT
    tops = kept
    deepest = 0
    index = 0
    while index < kept:
        node = walk.order[index]
        fault = fault_at(tree, node, limits, index < tops, walk)
        if fault != SOUND:
            return fault, node
        first = int(tree.first_child[node])
        for child in range(first, first + tree.num_tried[node]):
            walk.levels[child] = walk.levels[node] + 1
            deepest = max(deepest, walk.levels[child])
            walk.order[kept] = child
            kept += 1
        index += 1
    if tree.has_information_sets:
        return fault_of_search(tree, tops, walk), ROOT
    if tree.depth[0] != deepest or deepest > limits.longest:
        return DEPTH, ROOT
    for node in range(size):
        if walk.owners[node] == NONE:
            if not tree.spans_positions:
                return ORPHAN, node
            clear_place(tree, node, NONE, 0)
    return SOUND, ROOT


@compiled
def list_tops(tree, walk):
    """List the nodes that no other leads to: the root, or all information sets; NONE if they do not fill the tree."""
    walk.owners[ROOT] = ROOT
    walk.order[0] = ROOT
    if not tree.has_information_sets:
        return 1
    count = 0
    node = 0
    while node < tree.size[0]:
        if tree.num_children[node] < 0:
            return NONE
        walk.owners[node] = node
        walk.order[count] = node
        count += 1
        node += 1 + int(tree.num_children[node])
    return count if node == tree.size[0] else NONE


@compiled
def fault_at(tree, node, limits, is_top, walk):
    """What is wrong with a node and its block of children, which it claims in `walk.owners`."""
    fault = fault_of_numbers(tree, node, limits, is_top)
    if fault != SOUND:
        return fault
    first, count, tried = int(tree.first_child[node]), int(tree.num_children[node]), int(tree.num_tried[node])
    if count == 0:
        is_set = tree.has_information_sets and is_top and node != ROOT
        return COUNTS if first != NONE or tried != 0 or is_set else SOUND
    if tried < 1 or tried > count or count > limits.num_actions:
        return COUNTS
    if first < 1 or first + count > tree.size[0]:
        return BLOCK
    if not tree.spans_positions and first <= node:
        return BLOCK
    if tree.has_information_sets and (not is_top or first != node + 1):
        return BLOCK
    below = 0
    for child in range(first, first + count):
        if walk.owners[child] != NONE:
            return OVERLAP
        walk.owners[child] = node
        if child >= first + tried:
            clear_place(tree, child, node, tree.player[first])
            if tree.spans_positions:
                continue
        elif tree.parent[child] != node:
            return PARENT
        if tree.action[child] < 0 or tree.action[child] >= limits.num_actions:
            return ACTION
        if walk.marks[tree.action[child]] == node + 1:
            return TWICE
        walk.marks[tree.action[child]] = node + 1
        if child < first + tried:
            fault = fault_between(tree, node, child)
            if fault != SOUND:
                return fault
            below += own_visits(tree, child)
    own = own_visits(tree, node)
    if below > own or (tree.has_information_sets and node != ROOT and below < own):
        return VISITS
    return SOUND


@compiled
def fault_of_numbers(tree, node, limits, is_top):
    """What is wrong with the statistics of a tried node or a top."""
    player = int(tree.player[node])
    if is_top and tree.parent[node] != NONE:
        return PARENT
    if is_top and not (UNCONFIRMED <= tree.action[node] <= NONE):
        return TOP
    if player >= limits.num_players or (player < 0 and (node != ROOT or tree.visits[ROOT] != 0 or tree.size[0] != 1)):
        return PLAYER
    if limits.only_player != NONE and player != limits.only_player:
        return PLAYER
    if tree.visits[node] < 0 or (own_visits(tree, node) < 1 and node != ROOT):
        return VISITS
    if tree.visits[node] > max(tree.visits[ROOT], MOST_IN_SET):
        return VISITS
    if tree.assumed.size > 0 and (tree.assumed[node] < 0 or own_visits(tree, node) < 0):
        return VISITS
    if not is_sum(tree.value_sum[node], tree.visits[node]):
        return SUMS
    if tree.square_sum.size > 0 and not is_sum(tree.square_sum[node], tree.visits[node]):
        return SUMS
    if tree.lower.size > 0:
        for index in range(node * limits.num_players, (node + 1) * limits.num_players):
            if not 0.0 <= tree.lower[index] <= tree.upper[index] <= 1.0:
                return BOUNDS
    return SOUND


@compiled
def fault_between(tree, node, child):
    """What is wrong with a tried child, seen from its parent."""
    if tree.player[child] != tree.player[tree.first_child[node]]:
        return PLAYER
    if tree.available.size > 0 and (tree.available[child] < 1 or tree.available[child] > tree.visits[node]):
        return AVAILABLE
    if tree.spans_positions and tree.seed.size > 0 and tree.seed[child] < 0:
        return SEED
    if tree.has_information_sets:
        if tree.player[child] != tree.player[node]:
            return PLAYER
        tree.known[child] = 0
        tree.before[child] = ROOT
        tree.after[child] = ROOT
    return SOUND


@compiled
def own_visits(tree, node):
    """The visits of a node that took place."""
    if tree.assumed.size > 0:
        return int(tree.visits[node]) - int(tree.assumed[node])
    return int(tree.visits[node])


@compiled
def is_sum(total, count):
    """Whether something can be the sum of `count` rewards."""
    slack = SLACK * (1.0 + count)
    return -slack <= total <= count + slack


@compiled
def are_sound_moves(tree, first, count, most):
    """Whether what is kept of a block of moves, tried or not, are numbers to reckon with."""
    for child in range(first, first + count):
        if tree.prior.size > 0 and not np.isfinite(tree.prior[child]):
            return False
        if tree.amaf_visits.size > 0:
            counted = tree.amaf_visits[child]
            if counted < 0 or counted > most or not is_sum(tree.amaf_sum[child], counted):
                return False
    return True


@compiled
def clear_place(tree, node, parent, player):
    """Let a place have nothing but what is known of a move before it is tried: its action, prior, AMAF statistics.

    Files of format 1 may hold what was in memory before.
    """
    tree.visits[node] = 0
    tree.value_sum[node] = 0.0
    tree.parent[node] = parent
    tree.first_child[node] = NONE
    tree.num_children[node] = 0
    tree.num_tried[node] = 0
    tree.player[node] = player
    if tree.square_sum.size > 0:
        tree.square_sum[node] = 0.0
    if tree.available.size > 0:
        tree.available[node] = 0
        tree.action[node] = NONE
    if tree.seed.size > 0:
        tree.seed[node] = 0
    if tree.assumed.size > 0:
        tree.assumed[node] = 0
    if tree.known.size > 0:
        tree.known[node] = 0
        tree.before[node] = ROOT
        tree.after[node] = ROOT
    if tree.lower.size > 0:
        players = tree.lower.size // tree.visits.size
        for index in range(node * players, (node + 1) * players):
            tree.lower[index] = 0.0
            tree.upper[index] = 1.0


@compiled
def fault_of_search(tree, count, walk):
    """What is wrong with the search by hashes: it must find every information set, and come to an end.

    A set is always joined below one that was there before, which stands in front of it. So one walk from front to back
    knows between which hashes that of each set must be. The first `count` of `walk.order` are the sets.
    """
    joined, lows, highs = walk.joined, walk.lows, walk.highs
    if tree.known[ROOT] != 0 or tree.before[ROOT] != ROOT:
        return HASHES
    joined[ROOT] = 1
    lows[ROOT], highs[ROOT] = ONE - ONE, TOP_HASH
    for index in range(count):
        node = walk.order[index]
        known, before, after = tree.known[node], int(tree.before[node]), int(tree.after[node])
        if joined[node] != 1 or known < lows[node] or known > highs[node]:
            return HASHES
        if tree.prior.size > 0 and not are_sound_moves(tree, node + 1, int(tree.num_children[node]), tree.visits[ROOT]):
            return SUMS
        for below in (before, after):
            if below == ROOT:
                continue
            if below <= node or below >= tree.size[0] or walk.owners[below] != below or joined[below] == 1:
                return HASHES
            joined[below] = 1
        if before != ROOT:
            if known == lows[node]:
                return HASHES
            lows[before], highs[before] = lows[node], known - ONE
        if after != ROOT:
            if known == highs[node]:
                return HASHES
            lows[after], highs[after] = known + ONE, highs[node]
    return SOUND
