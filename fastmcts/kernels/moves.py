"""List the legal moves of a position, and notice a game that lists them wrongly."""

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.errors import GameError
from fastmcts.kernels.copy import copy


@compiled
def legal_moves(game, state, actions):
    """Fill `actions` with the legal moves and return how many: 1 to num_actions."""
    count = game.legal_actions(state, actions)
    if count < 1:
        raise GameError("legal_actions found no move, but current_player does not say TERMINAL")
    if count > game.num_actions:
        raise GameError("legal_actions found more moves than num_actions allows")
    return count


@compiled
def winning_move(game, player, scratch, count):
    """Which of the first `count` of `scratch.actions` wins at once for `player`, who is to move; NONE if none does."""
    for index in range(count):
        copy(scratch.state, scratch.trial)
        game.apply(scratch.trial, scratch.actions[index])
        if game.current_player(scratch.trial) == TERMINAL:
            game.returns(scratch.trial, scratch.rewards)
            if scratch.rewards[player] == game.max_utility:
                return index
    return NONE
