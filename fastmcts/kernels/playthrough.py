"""Play one random game and keep its moves, for tests of the rules."""

from fastmcts.compiler.jit import entry
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.copy import copy


@entry
def play_randomly(game, state, before, actions, probabilities, moves, utilities, payments, rng):
    """Play uniformly random moves to the end.

    Args:
        game: Component.
        state: int64 [state_size], the start; modified in place to the end.
        before: int64 [state_size], scratch.
        actions: int64 [at least num_actions and num_chance_outcomes], scratch.
        probabilities: float64 [at least num_chance_outcomes], scratch.
        moves: int64 [max_game_length], filled with the moves played.
        utilities: float64 [num_players], filled with the returns, what was paid on the way included.
        payments: float64 [2, num_players], scratch.
        rng: uint64 [2], a generator.

    Returns:
        How many moves were played.
    """
    paid, payment = payments[0], payments[1]
    for index in range(game.num_players):
        paid[index] = 0.0
    count = 0
    player = game.current_player(state)
    while player != TERMINAL:
        if count == moves.size:
            raise GameError(TOO_LONG)
        if player == CHANCE:
            action = draw_outcome(game, state, actions, probabilities, rng)
        else:
            action = game.random_action(state, actions, rng)
        copy(state, before)
        game.apply(state, action)
        if game.pays_rewards:
            game.rewards(before, action, state, payment)
            for index in range(game.num_players):
                paid[index] += payment[index]
        moves[count] = action
        count += 1
        player = game.current_player(state)
    game.returns(state, utilities)
    if game.pays_rewards:
        for index in range(game.num_players):
            utilities[index] += paid[index]
    return count
