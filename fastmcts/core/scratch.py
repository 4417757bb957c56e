"""The buffers in which one thread plays its simulations."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.bundle import register_bundle

LINE_SIZE = 1024  # nodes; a simulation that goes deeper finds its way back by the parents of nodes
HELD = 256  # nodes, a power of 2
GUESSES = 1 << 13  # nodes, a power of 2: 32 kB, which stay in the cache of a core


class Scratch(NamedTuple):
    """Reused from simulation to simulation, so that kernels allocate nothing."""

    state: NDArray[np.int64]  # [state_size] the position that the simulation has reached
    trial: NDArray[np.int64]  # [state_size] a second position, to try moves in
    actions: NDArray[np.int64]  # [at least num_actions] the legal actions, or chance outcomes, there
    weights: NDArray[np.float64]  # [as many] a number for each of those: a probability, a prior
    rewards: NDArray[np.float64]  # [num_players] what the whole simulation is worth, in [0, 1]
    reward_sums: NDArray[np.float64]  # [num_players] the rewards of several rollouts
    marks: NDArray[np.int64]  # [at least num_actions] which actions are legal; the last entry is the last mark
    generator: NDArray[np.uint64]  # [2] random numbers that are drawn again from a seed
    moves: NDArray[np.int64]  # [max_game_length, or 0 if nobody asks] the moves of the simulation
    movers: NDArray[np.int64]  # [as many] who made them
    length: NDArray[np.int64]  # [1] how many moves the simulation has made
    line: NDArray[np.int64]  # [LINE_SIZE] the nodes that the simulation has passed, the root first
    guesses: NDArray[np.int32]  # [GUESSES] the child chosen last, at some node of those that share the place
    # Where threads share a tree, else empty: what is yet to be added to nodes that all of them visit often.
    held_nodes: NDArray[np.int64]  # [HELD] the last such node, of those that share the place
    held_visits: NDArray[np.int64]  # [HELD]
    held_sums: NDArray[np.float64]  # [HELD] the rewards of those visits
    path: NDArray[np.int64]  # [max_game_length, or 0 for one tree] the moves chosen in the trees of all players
    has_left: NDArray[np.int64]  # [num_players] whether each has left its own tree
    origin: NDArray[np.uint64]  # [1] a hash of what is known at the root, where simulations begin elsewhere
    # Where moves pay rewards, else empty; kernels/payments.py says what stretches are. M is max_game_length.
    before: NDArray[np.int64]  # [state_size] the position before a move
    payment: NDArray[np.float64]  # [num_players] what the move pays
    paid: NDArray[np.float64]  # [num_players] what the stretch under way has paid
    factor: NDArray[np.float64]  # [1] by which what comes next counts
    stretches: NDArray[np.float64]  # [M * (num_players + 1)] what each has paid, and its factor
    returns: NDArray[np.float64]  # [M * num_players] in [0, 1], from each node of the path on
    return_range: NDArray[np.float64]  # [2] the least and the greatest of those
    levels: NDArray[np.int64]  # [as `path`] how many moves below the root each move was chosen


register_bundle(Scratch)


def make_scratch(
    state_size: int,
    num_actions: int,
    num_players: int,
    num_outcomes: int = 0,
    moves_kept: int = 0,
    longest_path: int = 0,
    longest_line: int = 0,
    held: int = 0,
) -> Scratch:
    """Allocate the buffers for a game.

    The actions have slack behind them: a game that lists too many moves is caught by its count, and
    what it wrote too much hurts nobody.

    Args:
        state_size: Of the game.
        num_actions: Of the game.
        num_players: Of the game.
        num_outcomes: Of chance.
        moves_kept: How many moves of a simulation are kept.
        longest_path: How many moves may be chosen in the trees of all players.
        longest_line: How many stretches a path may have, where moves pay rewards; else 0.
        held: HELD, where threads share a tree.
    """
    width = 2 * max(num_actions, num_outcomes) + 1024
    return Scratch(
        state=np.zeros(state_size, np.int64),
        trial=np.zeros(state_size, np.int64),
        actions=np.zeros(width, np.int64),
        weights=np.zeros(width, np.float64),
        rewards=np.zeros(num_players, np.float64),
        reward_sums=np.zeros(num_players, np.float64),
        marks=np.zeros(width, np.int64),
        generator=np.zeros(2, np.uint64),
        moves=np.zeros(moves_kept, np.int64),
        movers=np.zeros(moves_kept, np.int64),
        length=np.zeros(1, np.int64),
        line=np.zeros(LINE_SIZE, np.int64),
        guesses=np.empty(GUESSES, np.int32),  # whatever stands there
        held_nodes=np.zeros(held, np.int64),
        held_visits=np.zeros(held, np.int64),
        held_sums=np.zeros(held, np.float64),
        path=np.zeros(longest_path, np.int64),
        has_left=np.zeros(num_players, np.int64),
        origin=np.zeros(1, np.uint64),
        **(accounts(state_size, num_players, longest_path, longest_line) if longest_line > 0 else NO_ACCOUNTS),
    )


def accounts(state_size: int, num_players: int, longest_path: int, longest_line: int) -> dict[str, NDArray[Any]]:
    """The buffers of a game whose moves pay rewards."""
    return {
        "before": np.zeros(state_size, np.int64),
        "payment": np.zeros(num_players, np.float64),
        "paid": np.zeros(num_players, np.float64),
        "factor": np.ones(1, np.float64),
        "stretches": np.zeros(longest_line * (num_players + 1), np.float64),
        "returns": np.zeros(longest_line * num_players, np.float64),
        "return_range": np.zeros(2, np.float64),
        "levels": np.zeros(longest_path, np.int64),
    }


#: Those of other games: nobody writes to them, so that all searches share them.
NO_ACCOUNTS = {name: array[:0].copy() for name, array in accounts(0, 0, 0, 0).items()}
