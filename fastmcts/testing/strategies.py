"""Every strategy there is, for tests that go through all of them."""

from collections.abc import Iterator
from typing import Any

from fastmcts.compiler.component import Component
from fastmcts.core.tree import MAX_VISITS
from fastmcts.engine.plan import make_plan
from fastmcts.game import Game
from fastmcts.games import load_game, registered_games
from fastmcts.options import STRATEGIES, Options
from fastmcts.state import State
from fastmcts.strategies import expansion, methods, rollout, selection

MODULES = {"selection": selection, "expansion": expansion, "rollout": rollout, "method": methods}


def all_components(kind: str) -> list[Component]:
    """One component of each class of a kind (`"selection"`, ...), with its defaults."""
    classes = [getattr(MODULES[kind], name) for name in MODULES[kind].__all__]
    return [cls() for cls in classes if isinstance(cls, type) and cls is not STRATEGIES[kind]]


def first_decision(game: Game, seed: int = 0) -> State:
    """The first position of a game in which a player is to move; chance brings what it lists first."""
    state = game.new_initial_state(seed)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state


def searchable_games() -> list[str]:
    """The ids of the games that can be searched."""
    return [name for name in registered_games() if any(True for _ in allowed_strategies(load_game(name)))]


def allowed_strategies(game: Game) -> Iterator[dict[str, Any]]:
    """Search options that each change one thing from the plain strategy, as far as the game allows them."""
    candidates: list[dict[str, Any]] = [{kind: component} for kind in MODULES for component in all_components(kind)]
    for options in [*candidates, {"solver": True}]:
        try:
            make_plan(game, Options(simulations=MAX_VISITS, strategy="plain", **options))
        except ValueError:
            continue
        yield options
