"""Let everybody but one player move at random."""

from fastmcts.constants import CHANCE, TERMINAL
from fastmcts.errors import GameError
from fastmcts.jit import compiled
from fastmcts.kernels.chance import draw_outcome


@compiled
def play_others(game, state, player, actions, weights, rng):
    """Play random legal moves, in place, until `player` is to move or the game ends; the buffers are scratch."""
    moves = 0
    mover = game.current_player(state)
    while mover != player and mover != TERMINAL:
        if moves == game.max_game_length:
            raise GameError("a game went on for more than max_game_length moves")
        if game.has_chance and mover == CHANCE:
            game.apply(state, draw_outcome(game, state, actions, weights, rng))
        else:
            game.apply(state, game.random_action(state, actions, rng))
        moves += 1
        mover = game.current_player(state)
