"""Let everybody but one player move at random."""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, NONE, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.payments import make_move


@compiled
def play_others(game, discount, player, scratch, rng):
    """Play random legal moves in `scratch.state`, until `player` is to move or the game ends.

    Returns:
        The move that was made if there was exactly one, else NONE.
    """
    state = scratch.state
    moves = 0
    action = np.int64(NONE)
    mover = game.current_player(state)
    while mover != player and mover != TERMINAL:
        if moves == game.max_game_length:
            raise GameError(TOO_LONG)
        if game.has_chance and mover == CHANCE:
            action = np.int64(draw_outcome(game, state, scratch.actions, scratch.weights, rng))
        else:
            action = np.int64(game.random_action(state, scratch.actions, rng))
        make_move(game, discount, scratch, action)
        moves += 1
        mover = game.current_player(state)
    return action if moves == 1 else np.int64(NONE)
