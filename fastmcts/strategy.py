"""The components of a search, as one argument of its kernels."""

from functools import cache
from typing import Any, NamedTuple

from numba import types
from numba.extending import typeof_impl

from fastmcts.component import ComponentType
from fastmcts.expansion import Expansion
from fastmcts.game import Game
from fastmcts.options import Options
from fastmcts.rollout import Rollout
from fastmcts.selection import Selection


class Strategy(NamedTuple):
    """The components that a kernel is compiled for."""

    game: Game
    selection: Selection
    expansion: Expansion
    rollout: Rollout


def make_strategy(game: Game, options: Options) -> Strategy:
    """The components of a search."""
    return Strategy(game, options.selection, options.expansion, options.rollout)


@typeof_impl.register(Strategy)
def typeof_strategy(strategy: Strategy, context: Any) -> types.NamedTuple:
    """Tell Numba the type at once; putting it together anew takes 80 us for every call of a kernel."""
    return strategy_type(tuple(component.numba_type for component in strategy))


@cache
def strategy_type(components: tuple[ComponentType, ...]) -> types.NamedTuple:
    """The type of a strategy with components of these types."""
    return types.NamedTuple(components, Strategy)
