"""Every strategy there is, for tests that go through all of them."""

from collections.abc import Iterator
from typing import Any

from fastmcts import expansion, rollout, selection
from fastmcts.component import Component
from fastmcts.game import Game
from fastmcts.options import STRATEGIES

MODULES = {"selection": selection, "expansion": expansion, "rollout": rollout}


def all_components(kind: str) -> list[Component]:
    """One component of each class of a kind (`"selection"`, ...), with its defaults."""
    classes = [getattr(MODULES[kind], name) for name in MODULES[kind].__all__]
    return [cls() for cls in classes if isinstance(cls, type) and cls is not STRATEGIES[kind]]


def allowed_strategies(game: Game) -> Iterator[dict[str, Any]]:
    """Search options that each change one thing from the default, as far as the game allows them."""
    for kind in MODULES:
        for component in all_components(kind):
            yield {kind: component}
