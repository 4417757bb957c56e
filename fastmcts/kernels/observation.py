"""What a network sees of positions."""

from fastmcts.compiler.jit import compiled, entry


@compiled
def write_observation(game, state, player, known, out):
    """Write what a network sees of a position with the eyes of a player.

    Args:
        game: Component.
        state: int64 [state_size], the position, or the player's view of it.
        player: Whose eyes.
        known: int64 [state_size], scratch; needed by games that do not say themselves what a network sees.
        out: float32 [observation_size], overwritten.
    """
    for index in range(game.observation_size):
        out[index] = 0.0
    if game.has_observation:
        game.observation(state, player, out)
    else:
        game.observe(state, player, known)
        for index in range(game.state_size):
            out[index] = known[index]


@entry
def write_observations(game, states, players, known, out):
    """Write what a network sees of several positions, each with the eyes of a player.

    Args:
        game: Component.
        states: int64 [B, state_size].
        players: int64 [B].
        known: int64 [state_size], scratch.
        out: float32 [B, observation_size], overwritten.
    """
    for index in range(players.size):
        write_observation(game, states[index], players[index], known, out[index])
