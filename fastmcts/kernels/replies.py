"""Let everybody but one player move at random."""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, NONE, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.chance import draw_outcome


@compiled
def play_others(game, state, player, actions, weights, rng):
    """Play random legal moves, in place, until `player` is to move or the game ends; the buffers are scratch.

    Returns:
        The move that was made if there was exactly one, else NONE.
    """
    moves = 0
    action = np.int64(NONE)
    mover = game.current_player(state)
    while mover != player and mover != TERMINAL:
        if moves == game.max_game_length:
            raise GameError(TOO_LONG)
        if game.has_chance and mover == CHANCE:
            action = np.int64(draw_outcome(game, state, actions, weights, rng))
        else:
            action = np.int64(game.random_action(state, actions, rng))
        game.apply(state, action)
        moves += 1
        mover = game.current_player(state)
    return action if moves == 1 else np.int64(NONE)
