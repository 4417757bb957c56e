"""Count move sequences, for tests of the rules."""

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.kernels.moves import legal_moves


@entry
def count_sequences(game, positions, actions, probabilities, counts, chosen):
    """Count the move sequences of exactly D moves by a depth-first walk.

    Args:
        game: Component.
        positions: int64 [D, state_size]; the first row is the start. Modified.
        actions: int64 [D, at least num_actions], scratch.
        probabilities: float64 [num_chance_outcomes or more], scratch.
        counts: int64 [D], scratch.
        chosen: int64 [D], scratch.

    Returns:
        The number of sequences.
    """
    last = counts.size - 1
    total = 0
    level = 0
    counts[0] = count_moves(game, positions[0], actions[0], probabilities)
    chosen[0] = 0
    while level >= 0:
        if level == last:
            total += counts[level]
            level -= 1
        elif chosen[level] == counts[level]:
            level -= 1
        else:
            action = actions[level, chosen[level]]
            chosen[level] += 1
            for index in range(game.state_size):
                positions[level + 1, index] = positions[level, index]
            level += 1
            game.apply(positions[level], action)
            counts[level] = count_moves(game, positions[level], actions[level], probabilities)
            chosen[level] = 0
    return total


@compiled
def count_moves(game, state, actions, probabilities):
    """List the moves or chance outcomes of a position; none when the game is over."""
    player = game.current_player(state)
    if player == TERMINAL:
        return 0
    if player == CHANCE:
        return game.chance_outcomes(state, actions, probabilities)
    return legal_moves(game, state, actions)
