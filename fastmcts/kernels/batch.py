"""Search many positions, one after the other, in one tree."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.atomics import fetch_add
from fastmcts.compiler.bundle import register_bundle
from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import DONE, FULL, NONE, ROOT, TERMINAL
from fastmcts.kernels.copy import copy
from fastmcts.kernels.loop import search
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.plant import plant


class Batch(NamedTuple):
    """The B positions of a batch, and what is found about their A actions; threads write to different rows."""

    positions: NDArray[np.int64]  # [B, state_size]
    generators: NDArray[np.uint64]  # [B, 2], those with which the searches start
    simulations: int  # for each position
    search_forced: bool  # whether to search where there is only one move
    visits: NDArray[np.int64]  # [B, A]
    value_sums: NDArray[np.float64]  # [B, A]
    lower: NDArray[np.float64]  # [B, A], the least reward that each move is proven to bring; empty without a solver
    upper: NDArray[np.float64]  # [B, A], the most
    only: NDArray[np.int64]  # [B], the only move; NONE where there are more or none
    priors: NDArray[np.float64]  # [B, A], what an evaluator said of each move; empty without one
    noise: NDArray[np.float64]  # [B, A], Gumbel noise; empty without it
    estimates: NDArray[np.float64]  # [B], what an evaluator said of each position; empty without one


class Cursor(NamedTuple):
    """Where one thread is in a batch."""

    row: NDArray[np.int64]  # [1], the position that it is searching; NONE between two
    simulations: NDArray[np.int64]  # [1], those of that position so far
    finished: NDArray[np.int64]  # [1], how many positions it has finished


register_bundle(Cursor)


@entry
def run_batch(strategy, tree, scratch, rng, batch, queue, cursor, simulations):
    """Search positions until `simulations` are used up, the tree is full or all positions are taken.

    Everything but the components and the positions is modified in place.

    Args:
        strategy: The components.
        tree: A tree for all positions of this thread, one at a time.
        scratch: Buffers of this thread.
        rng: uint64 [2], the generator of this thread.
        batch: The positions.
        queue: int64 [1], the next position that no thread has taken.
        cursor: Where this thread is.
        simulations: How many to add in this call.

    Returns:
        How many were added, and why no more: FULL in the middle of a position, or DONE.
    """
    left = simulations
    while left > 0:
        if cursor.row[0] == NONE:
            taken = fetch_add(queue, 0, 1)
            if taken >= len(batch.positions):
                break
            batch.only[taken] = start(strategy.game, tree, scratch, batch.positions[taken])
            if tree.player[ROOT] == TERMINAL or (batch.only[taken] != NONE and not batch.search_forced):
                cursor.finished[0] += 1
                continue
            copy(batch.generators[taken], rng)
            cursor.row[0], cursor.simulations[0] = taken, 0
        row = cursor.row[0]
        asked = min(left, batch.simulations - cursor.simulations[0])
        added, why = search(strategy, tree, batch.positions[row], scratch, rng, asked)
        cursor.simulations[0] += added
        left -= added
        if why == FULL:
            return simulations - left, FULL
        if why == DONE and cursor.simulations[0] < batch.simulations:
            break
        read_root(tree, ROOT, batch.visits[row], batch.value_sums[row])
        if tree.estimate.size > 0:
            read_evaluation(tree, ROOT, row, batch)
        if batch.lower.size > 0:
            read_bounds(strategy.game, tree, ROOT, batch.lower[row], batch.upper[row])
        cursor.row[0] = NONE
        cursor.finished[0] += 1
    return simulations - left, DONE


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
def read_root(tree, root, visits, value_sums):
    """Add up visits and reward sums of a root's children, by action."""
    first = tree.first_child[root]
    for child in range(first, first + tree.num_tried[root]):
        visits[tree.action[child]] += tree.visits[child]
        value_sums[tree.action[child]] += tree.value_sum[child]


@compiled
def read_evaluation(tree, root, row, batch):
    """Add up what an evaluator said of a root and its children, by action."""
    batch.estimates[row] += tree.estimate[root]
    first = tree.first_child[root]
    for child in range(first, first + tree.num_tried[root]):
        if tree.own_prior.size > 0:
            batch.priors[row, tree.action[child]] += tree.own_prior[child]
        elif tree.prior.size > 0:
            batch.priors[row, tree.action[child]] += tree.prior[child]
        if tree.gumbel.size > 0:
            batch.noise[row, tree.action[child]] += tree.gumbel[child]


@compiled
def read_bounds(game, tree, root, lower, upper):
    """Write what is proven about a root's children for the player to move, by action."""
    first = tree.first_child[root]
    for child in range(first, first + tree.num_tried[root]):
        player = int(tree.player[child])
        lower[tree.action[child]] = tree.lower[child * game.num_players + player]
        upper[tree.action[child]] = tree.upper[child * game.num_players + player]
