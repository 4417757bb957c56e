"""One number for the behaviour of every game and strategy."""

import hashlib
from typing import Any

from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games import load_game, registered_games
from fastmcts.search import search
from fastmcts.testing.strategies import allowed_strategies, first_decision

SIMULATIONS = 60
FEWER_SIMULATIONS = 8  # where each takes long


def signature(seed: int = 0) -> str:
    """Hash fixed-seed searches over every game and strategy.

    A change that claims to change no behaviour must leave it as it is. It is the same with the JIT on
    and off; off is faster, since every combination would have to be compiled.

    Args:
        seed: The seed of the searches.

    Returns:
        Sixteen hexadecimal digits.
    """
    seed = whole_number("seed", seed)  # without one, cards would be dealt at random
    digest = hashlib.sha256()
    for name in registered_games():
        game = load_game(name)
        state = first_decision(game, seed)
        for strategy in allowed_strategies(game):
            simulations = simulations_of(game, strategy)
            result = search(state, simulations=simulations, seed=seed, strategy="plain", **strategy)
            digest.update(repr((name, strategy)).encode())
            digest.update(result.visits.tobytes() + result.values.tobytes())
            digest.update(repr((result.nodes, result.max_depth)).encode())
    return digest.hexdigest()[:16]


def simulations_of(game: Game, strategy: dict[str, Any]) -> int:
    """How many simulations are enough to tell changes, and not too many without the JIT."""
    is_long = game.has_chance or game.has_hidden_information
    plays_many = getattr(strategy.get("expansion"), "at_once", False)  # games: one for each child
    worlds = getattr(strategy.get("method"), "worlds", 1)
    return max(FEWER_SIMULATIONS if is_long or plays_many else SIMULATIONS, worlds)
