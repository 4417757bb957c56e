"""Rewards of the search, utilities of the game, and values of results."""

from typing import Any

from fastmcts.compiler.jit import compiled


@compiled
def reward_of(game, utility):
    """A utility as a reward: from 0 to 1."""
    return (utility - game.min_utility) / (game.max_utility - game.min_utility)


@compiled
def utility_of(game, reward):
    """A reward, or from Python an array of them, in the units of the game."""
    return game.min_utility + reward * (game.max_utility - game.min_utility)


def value_of(game: Any, reward: Any) -> Any:
    """A mean reward, or an array of them, as results show it: in the units of a game that pays rewards on the way."""
    return utility_of(game, reward) if game.pays_rewards else reward
