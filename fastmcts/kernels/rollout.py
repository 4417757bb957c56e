"""Play a game to its end without the tree."""

from fastmcts.compiler.jit import compiled, never_inlined
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.errors import TOO_LONG, GameError
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.payments import begin_stretch, make_move
from fastmcts.kernels.record import record
from fastmcts.kernels.rewards import reward_of


@compiled
@never_inlined
def play_out(game, rollout, tree, scratch, rng):
    """Let the rollout policy move for everybody and fill `scratch.rewards` with how it ended.

    A rollout that reaches the policy's limit is valued by the game's `evaluate`. `scratch.length` counts
    the moves of the whole simulation.

    Where moves pay rewards, `scratch.rewards` is what each player gets from the leaf on, in the units of the game.

    Returns:
        Whether the game was played to its end.
    """
    state = scratch.state
    depth = scratch.length[0]
    limit = min(rollout.limit, game.max_game_length)
    moves = 0
    begin_stretch(game, scratch)
    player = game.current_player(state)
    while player != TERMINAL and moves < limit:
        if game.has_chance and player == CHANCE:
            action = draw_outcome(game, state, scratch.actions, scratch.weights, rng)
        else:
            action = rollout.choose(game, player, tree, scratch, rng)
        record(scratch, depth + moves, player, action)
        make_move(game, rollout.discount, scratch, action)
        moves += 1
        player = game.current_player(state)
    if player == TERMINAL:
        game.returns(state, scratch.rewards)
    elif limit == rollout.limit:
        game.evaluate(state, scratch.rewards)
    else:
        raise GameError(TOO_LONG)
    scratch.length[0] = depth + moves
    for index in range(game.num_players):
        if game.pays_rewards:
            scratch.rewards[index] = scratch.paid[index] + scratch.factor[0] * scratch.rewards[index]
        else:
            reward = reward_of(game, scratch.rewards[index])
            scratch.rewards[index] = rollout.discounted(game, reward, depth + moves)
    return player == TERMINAL
