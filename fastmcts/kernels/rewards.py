"""Rewards of the search and utilities of the game."""

from fastmcts.compiler.jit import compiled


@compiled
def reward_of(game, utility):
    """A utility as a reward: from 0 to 1."""
    return (utility - game.min_utility) / (game.max_utility - game.min_utility)


@compiled
def utility_of(game, reward):
    """A reward, or from Python an array of them, in the units of the game."""
    return game.min_utility + reward * (game.max_utility - game.min_utility)
