"""List the legal moves of a position, and notice a game that lists them wrongly."""

from fastmcts.errors import GameError
from fastmcts.jit import compiled


@compiled
def legal_moves(game, state, actions):
    """Fill `actions` with the legal moves and return how many: 1 to num_actions."""
    count = game.legal_actions(state, actions)
    if count < 1:
        raise GameError("legal_actions found no move, but current_player does not say TERMINAL")
    if count > game.num_actions:
        raise GameError("legal_actions found more moves than num_actions allows")
    return count
