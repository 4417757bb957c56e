"""Play one random game and keep its moves, for tests of the rules."""

from fastmcts.compiler.jit import entry
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.chance import draw_outcome


@entry
def play_randomly(game, state, actions, probabilities, moves, utilities, rng):
    """Play uniformly random moves to the end.

    Args:
        game: Component.
        state: int64 [state_size], the start; modified in place to the end.
        actions: int64 [at least num_actions and num_chance_outcomes], scratch.
        probabilities: float64 [at least num_chance_outcomes], scratch.
        moves: int64 [max_game_length], filled with the moves played.
        utilities: float64 [num_players], filled with the returns.
        rng: uint64 [2], a generator.

    Returns:
        How many moves were played.
    """
    count = 0
    player = game.current_player(state)
    while player != TERMINAL:
        if count == moves.size:
            raise GameError(TOO_LONG)
        if player == CHANCE:
            action = draw_outcome(game, state, actions, probabilities, rng)
        else:
            action = game.random_action(state, actions, rng)
        game.apply(state, action)
        moves[count] = action
        count += 1
        player = game.current_player(state)
    game.returns(state, utilities)
    return count
