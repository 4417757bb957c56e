"""Let chance decide."""

from fastmcts.compiler.jit import compiled
from fastmcts.rng import unit


@compiled
def draw_outcome(game, state, actions, probabilities, rng):
    """Draw a chance outcome by its probability; `actions` and `probabilities` are scratch."""
    count = game.chance_outcomes(state, actions, probabilities)
    remaining = unit(rng)
    for index in range(count - 1):
        remaining -= probabilities[index]
        if remaining < 0.0:
            return actions[index]
    return actions[count - 1]
