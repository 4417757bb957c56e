"""Play a game to its end without the tree."""

from fastmcts.constants import TERMINAL
from fastmcts.errors import GameError
from fastmcts.jit import compiled


@compiled
def play_out(game, rollout, scratch, rng):
    """Let the rollout policy move for everybody and fill `scratch.rewards` with how it ended.

    A rollout that reaches the policy's limit is valued by the game's `evaluate`.
    """
    state = scratch.state
    limit = min(rollout.limit, game.max_game_length)
    moves = 0
    while game.current_player(state) != TERMINAL and moves < limit:
        game.apply(state, rollout.choose(game, state, scratch.actions, rng))
        moves += 1
    if game.current_player(state) == TERMINAL:
        game.returns(state, scratch.rewards)
    elif limit == rollout.limit:
        game.evaluate(state, scratch.rewards)
    else:
        raise GameError("a game went on for more than max_game_length moves")
    for player in range(game.num_players):
        utility = scratch.rewards[player]
        scratch.rewards[player] = (utility - game.min_utility) / game.utility_range
