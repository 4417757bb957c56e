"""Perft: the number of move sequences, the standard test of move generators."""

import numpy as np

from fastmcts.core.validate import whole_number
from fastmcts.engine.trial import try_out
from fastmcts.kernels.perft import count_sequences
from fastmcts.state import State


def perft(state: State, depth: int) -> int:
    """Count the move sequences of exactly `depth` moves from a position.

    Games that end earlier are not counted. Chance outcomes count as moves.

    Args:
        state: Where to start; it is not modified.
        depth: The length of the sequences, 0 or more.
    """
    depth = whole_number("depth", depth, low=0)
    if depth == 0:
        return 1
    game = state.game
    game.check_declaration()
    try_out(game)
    positions = np.zeros((depth, game.state_size), np.int64)
    positions[0] = state.array
    width = max(game.num_actions, game.num_chance_outcomes)
    actions = np.zeros((depth, width), np.int64)
    probabilities = np.zeros(max(1, game.num_chance_outcomes), np.float64)
    counts, chosen = np.zeros((2, depth), np.int64)
    return int(count_sequences(game, positions, actions, probabilities, counts, chosen))
