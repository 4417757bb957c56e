"""What a wave of simulations needs: trees side by side, the leaves that wait for a network, and its answers.

A wave goes down to a leaf in each of several trees, or to several leaves in one (`kernels/waves.py`). What the
network is to judge stands in rows. A row answers all leaves of the wave that look the same to the player to move:

```
     leaves: [  17  |  29  |  30  |  44 ]      rows: [ 0 | 1 | 0 | 2 ]      the nodes 17 and 30 are the same position
```
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.bundle import register_bundle
from fastmcts.core.constants import NONE


class Grove(NamedTuple):
    """The T trees that stand side by side in one set of arrays; the root of tree t is node t."""

    positions: NDArray[np.int64]  # [T * state_size], those at the roots
    generators: NDArray[np.uint64]  # [T * 2], one for each tree
    done: NDArray[np.int64]  # [T], the simulations of each tree, those that wait among them
    asked: NDArray[np.int64]  # [T], how many each is to have
    waiting: NDArray[np.int64]  # [1], leaves of all waves that have to be expanded yet
    renews: NDArray[np.bool_]  # [T], whether a root that was kept has yet to get noise of its own for this search


class Wave(NamedTuple):
    """The leaves that wait, at most L, in at most R = L rows; S numbers are a position and O an observation."""

    leaves: NDArray[np.int64]  # [L], nodes
    met: NDArray[np.int64]  # [L], scratch: leaves that were met once more while they waited
    rows: NDArray[np.int64]  # [L], which row answers each
    trees: NDArray[np.int64]  # [L], to which tree each belongs
    depths: NDArray[np.int64]  # [L], how many moves below its root each is
    before: NDArray[np.uint64]  # [L], the counter of the generator before the way down
    rollouts: NDArray[np.float64]  # [L * num_players, or 0 if nobody asks], how rollouts from the leaves ended
    players: NDArray[np.int64]  # [R], who is to move
    keys: NDArray[np.int64]  # [R * S], what that player knows
    hashes: NDArray[np.uint64]  # [R], of keys and players
    slots: NDArray[np.int64]  # [a power of two above 2 R], rows by their hashes; NONE where there is none
    observations: NDArray[np.float32]  # [R * O]
    legal: NDArray[np.bool_]  # [R * num_actions]
    policy: NDArray[np.float64]  # [R * num_actions], the network's; then priors that add up to one
    values: NDArray[np.float64]  # [R * num_players], the network's; then rewards of all players
    counts: NDArray[np.int64]  # [3], how many leaves and rows there are, and found answers
    position: NDArray[np.int64]  # [S], scratch: that of a root
    known: NDArray[np.int64]  # [S], scratch: what a player knows
    observation: NDArray[np.float32]  # [O], scratch
    rng: NDArray[np.uint64]  # [2], scratch: the generator of a tree


class Answers(NamedTuple):
    """The last N answers of a network, by position: a hash table with a list from the newest to the oldest."""

    heads: NDArray[np.int32]  # [a power of two, at least N, or 0 if nothing is kept], the first answer of each bucket
    following: NDArray[np.int32]  # [N], the next one in its bucket
    newer: NDArray[np.int32]  # [N]
    older: NDArray[np.int32]  # [N]
    hashes: NDArray[np.uint64]  # [N]
    players: NDArray[np.int64]  # [N]
    keys: NDArray[np.int64]  # [N * S]
    priors: NDArray[np.float64]  # [N * num_actions]
    rewards: NDArray[np.float64]  # [N * num_players]
    state: NDArray[np.int64]  # [3], how many there are, the newest and the oldest


#: Places in `Wave.counts`.
LEAVES, ROWS, FOUND = 0, 1, 2

#: Places in `Answers.state`.
COUNT, NEWEST, OLDEST = 0, 1, 2

register_bundle(Grove)
register_bundle(Wave)
register_bundle(Answers)


def make_grove(trees: int, state_size: int) -> Grove:
    """Allocate what is kept of trees side by side."""
    return Grove(
        positions=np.zeros(trees * state_size, np.int64),
        generators=np.zeros(trees * 2, np.uint64),
        done=np.zeros(trees, np.int64),
        asked=np.zeros(trees, np.int64),
        waiting=np.zeros(1, np.int64),
        renews=np.zeros(trees, np.bool_),
    )


def make_wave(
    leaves: int, state_size: int, num_actions: int, num_players: int, observation_size: int, rollouts: bool
) -> Wave:
    """Allocate a wave with room for so many leaves; memory that is never used is not touched."""
    return Wave(
        leaves=np.zeros(leaves, np.int64),
        met=np.zeros(leaves, np.int64),
        rows=np.zeros(leaves, np.int64),
        trees=np.zeros(leaves, np.int64),
        depths=np.zeros(leaves, np.int64),
        before=np.zeros(leaves, np.uint64),
        rollouts=np.zeros(leaves * num_players if rollouts else 0),
        players=np.zeros(leaves, np.int64),
        keys=np.zeros(leaves * state_size, np.int64),
        hashes=np.zeros(leaves, np.uint64),
        slots=np.full(power_of_two(2 * leaves + 1), NONE, np.int64),
        observations=np.zeros(leaves * observation_size, np.float32),
        legal=np.zeros(leaves * num_actions, np.bool_),
        policy=np.zeros(leaves * num_actions),
        values=np.zeros(leaves * num_players),
        counts=np.zeros(3, np.int64),
        position=np.zeros(state_size, np.int64),
        known=np.zeros(state_size, np.int64),
        observation=np.zeros(observation_size, np.float32),
        rng=np.zeros(2, np.uint64),
    )


def make_answers(count: int, state_size: int, num_actions: int, num_players: int) -> Answers:
    """Allocate room for so many answers."""
    return Answers(
        heads=np.full(power_of_two(count) if count > 0 else 0, NONE, np.int32),
        following=np.zeros(count, np.int32),
        newer=np.zeros(count, np.int32),
        older=np.zeros(count, np.int32),
        hashes=np.zeros(count, np.uint64),
        players=np.zeros(count, np.int64),
        keys=np.zeros(count * state_size, np.int64),
        priors=np.zeros(count * num_actions),
        rewards=np.zeros(count * num_players),
        state=np.array([0, NONE, NONE], np.int64),
    )


def power_of_two(least: int) -> int:
    """The lowest power of two that is at least so much."""
    return 1 << max(0, least - 1).bit_length()
