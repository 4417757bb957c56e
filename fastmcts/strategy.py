"""The components of a search, put together and checked against each other."""

from collections.abc import Hashable
from functools import cache
from typing import Any, NamedTuple

from numba import types
from numba.extending import typeof_impl

from fastmcts.component import Component, ComponentType, brief, version
from fastmcts.errors import GameError
from fastmcts.expansion import ExpandAll, Expansion, Lazy, Prioritized
from fastmcts.game import Game
from fastmcts.method import ISMCTS, PIMC, Method, PerfectInformation, SinglePerspective, default_method
from fastmcts.options import Options, make_options
from fastmcts.rollout import CarefulRollout, GameRollout, RandomRollout, Rollout
from fastmcts.selection import UCT, Selection
from fastmcts.solver import NoProofs, Proofs, ScoreBounds
from fastmcts.trial import try_out

NO_PROOFS = NoProofs()  # made once: gathering what Numba has to know of a component takes 2 ms

#: What is used in every game where nobody says anything else. The constant is the best of those that give away no
#: position of tic-tac-toe after 2,000 simulations (benchmarks/default_rule.py).
PLAIN: dict[str, Any] = {
    "selection": UCT(c=0.5),
    "expansion": Lazy(),
    "rollout": RandomRollout(),
    "solver": False,
    "final": "visits",
}


class Strategy(NamedTuple):
    """Everything that is compiled into the kernels."""

    game: Game
    selection: Selection
    expansion: Expansion
    rollout: Rollout
    proofs: Proofs
    method: Method

    @property
    def statistics(self) -> frozenset[str]:
        """The optional fields of the tree that some component asks for."""
        components = (self.selection, self.expansion, self.rollout, self.proofs)
        names = {name for component in components for name in component.statistics}
        return frozenset(names.union(self.method.fields(self.game)))

    @property
    def keeps_moves(self) -> bool:
        """Whether some component learns from the moves of each simulation."""
        return self.selection.keeps_moves or self.rollout.keeps_moves


#: Options that were checked, by the game, its rules and what was asked for; but for the seed.
SETTLED: dict[Hashable, Options] = {}
MOST_SETTLED = 1000

TEXT = "_text"  # of a strategy, kept beside its options


def settled(game: Game, keywords: dict[str, Any]) -> Options:
    """Check keyword options for a game and fill in what is left open; what was checked before is not checked again."""
    asked = dict(keywords)
    seed = asked.pop("seed", None)
    key = (game.numba_type, version(game), game, *((name, type(value), value) for name, value in asked.items()))
    try:
        options = SETTLED.get(key)
    except (TypeError, ValueError):  # something cannot be hashed, or compared
        return settle(game, make_options(keywords))
    if options is None:
        options = settle(game, make_options(keywords))
        describe(options)
        if len(SETTLED) >= MOST_SETTLED:
            SETTLED.clear()
        SETTLED[key] = options
        return options
    return options.seeded(seed)


def settle(game: Game, options: Options) -> Options:
    """Fill in what the caller has left open: with the game's recommended strategy, else with the plain one.

    Raises:
        GameError: If the game has a mistake.
        ValueError: If what the caller asks for makes no sense, with what to change.
    """
    try_out(game)
    plain = plain_options(game)
    if options.strategy == "recommended" and (recommended := checked_recommendation(game)):
        try:
            return filled(game, options, plain | recommended)
        except ValueError:  # it does not go together with what the caller asks for, as the plain one may
            pass
    return filled(game, options, plain)


def plain_options(game: Game) -> dict[str, Any]:
    """The plain strategy for a game."""
    return {**PLAIN, "method": default_method(game)}


def checked_recommendation(game: Game) -> dict[str, Any]:
    """The search options that a game recommends; GameError if one is no part of a strategy."""
    recommended = game.recommended
    for name in recommended:
        if name not in (known := plain_options(game)):
            raise GameError(
                f"{game.name}.recommended has {name!r}, which is no part of a strategy; there are: {', '.join(known)}"
            )
    return recommended


def filled(game: Game, options: Options, defaults: dict[str, Any]) -> Options:
    """Put defaults where the options say nothing, and check that all of it goes together."""
    complete = options.completed({name: value for name, value in defaults.items() if getattr(options, name) is None})
    make_strategy(game, complete)
    return complete


def make_strategy(game: Game, options: Options) -> Strategy:
    """Put the components of complete options together; ValueError says which do not fit and what to change."""
    selection, expansion, rollout = options.selection, options.expansion, options.rollout
    proofs = ScoreBounds(game.num_players, game.constant_sum) if options.solver else NO_PROOFS
    strategy = Strategy(game, selection, expansion, rollout, proofs, options.method)
    for reason in objections(strategy) + (shared_objections(strategy) if options.parallel == "shared" else []):
        raise ValueError(reason)
    return strategy._replace(method=strategy.method.in_kernels)


def describe(options: Options) -> str:
    """Name the strategy of complete options, as it would be written to ask for it; they keep the text."""
    if TEXT in vars(options):
        return vars(options)[TEXT]
    parts = [brief(getattr(options, name)) for name in ("selection", "expansion", "rollout", "method")]
    if options.solver:
        parts.append("solver=True")
    if options.final != PLAIN["final"]:
        parts.append(f'final="{options.final}"')
    vars(options)[TEXT] = ", ".join(parts)
    return vars(options)[TEXT]


def objections(strategy: Strategy) -> list[str]:
    """Why a combination makes no sense; empty if it does."""
    game, selection, expansion, rollout, proofs, method = strategy
    reasons = []
    if isinstance(rollout, GameRollout) and not game.overrides("rollout_action"):
        reasons.append(f"GameRollout plays a game's own rollout_action, and {game.name} has none: use RandomRollout")
    if isinstance(rollout, CarefulRollout) and not game.overrides("careful_action"):
        reasons.append(f"CarefulRollout plays a game's own careful_action, and {game.name} has none: use RandomRollout")
    if isinstance(expansion, Prioritized) and not game.overrides("is_promising"):
        reasons.append(f"Prioritized asks is_promising, and {game.name} does not have it: use Lazy")
    if isinstance(expansion, ExpandAll) and selection.first_play != default_first_play(selection):
        reasons.append("ExpandAll leaves no move untried, so that first_play means nothing: leave it out")
    if selection.bias != 0.0 and not game.overrides("prior"):
        reasons.append(f"a bias needs priors, and {game.name} has no method prior: use bias=0")
    if isinstance(proofs, ScoreBounds) and (game.has_chance or game.has_hidden_information):
        what = "chance" if game.has_chance else "hidden information"
        reasons.append(f"nothing can be proven in {game.name}, a game with {what}: use solver=False")
    if isinstance(proofs, ScoreBounds) and isinstance(method, SinglePerspective):
        reasons.append("SinglePerspective leaves replies to chance, so that nothing can be proven: use solver=False")
    return reasons + method_objections(game, selection, expansion, method)


def method_objections(game: Game, selection: Selection, expansion: Expansion, method: Method) -> list[str]:
    """Why a method does not suit a game, a selection rule or an expansion policy."""
    reasons = []
    if isinstance(method, ISMCTS | PIMC) and not game.has_hidden_information:
        reasons.append(f"nothing is hidden in {game.name}: leave method out instead of {method!r}")
    if isinstance(method, ISMCTS) and method.keeps_below and game.hides_moves:
        reasons.append(
            f"{game.name} hides moves, which one tree of moves would tell apart: use ISMCTS(observers='all') or PIMC()"
        )
    if isinstance(method, SinglePerspective) and (method.player or 0) >= game.num_players:
        reasons.append(f"{game.name} has the players 0 to {game.num_players - 1}, not {method.player}")
    in_kernels = method.in_kernels
    if in_kernels.keeps_path and (selection.keeps_moves or expansion.at_once):
        misfit = selection if selection.keeps_moves else expansion
        reasons.append(f"{misfit!r} needs one tree, and {method!r} has one for each player: use UCT and Lazy")
    if "available" in in_kernels.fields(game) and not (selection.untried_first and not selection.uses_prior):
        reasons.append(
            f"{selection!r} compares moves that were not tried, which a tree for many worlds does not hold: use UCT"
        )
    return reasons


def shared_objections(strategy: Strategy) -> list[str]:
    """Why a strategy cannot share one tree; empty if it can."""
    reasons = []
    change = "use parallel='trees' with trees=..., or leave it out"
    if strategy.game.has_chance or strategy.game.has_hidden_information:
        reasons.append(f"{strategy.game.name} has chance or hidden information, which a shared tree has not: {change}")
    if type(strategy.method) is not PerfectInformation:
        reasons.append(f"a shared tree is one of perfect information, not of {strategy.method!r}: {change}")
    if type(strategy.expansion) is not Lazy:
        reasons.append(f"a shared tree expands lazily, not by {strategy.expansion!r}: {change}")
    if not isinstance(strategy.proofs, NoProofs):
        reasons.append(f"a shared tree keeps no proofs (solver=True): {change}")
    for component, base in ((strategy.selection, Selection), (strategy.rollout, Rollout)):
        if component.statistics or component.keeps_moves or learns(component, base):
            reasons.append(f"a shared tree keeps no statistics for {type(component).__name__}: {change}")
    if not strategy.selection.untried_first or strategy.selection.normalize:
        reasons.append(f"a shared tree has no first_play and no normalize: {change}")
    return reasons


def learns(component: Component, base: type[Component]) -> bool:
    """Whether a rule does something of its own before or after a simulation."""
    return any(getattr(type(component), name, None) is not getattr(base, name, None) for name in ("enter", "learn"))


def default_first_play(selection: Selection) -> float | None:
    """The first-play urgency that a rule has unless told otherwise."""
    return type(selection).__dataclass_fields__["first_play"].default  # pyright: ignore[reportReturnType]


@typeof_impl.register(Strategy)
def typeof_strategy(strategy: Strategy, context: Any) -> types.NamedTuple:
    """Tell Numba the type at once; putting it together anew takes 80 us for every call of a kernel."""
    return strategy_type(tuple(component.numba_type for component in strategy))


@cache
def strategy_type(components: tuple[ComponentType, ...]) -> types.NamedTuple:
    """The type of a strategy with components of these types."""
    return types.NamedTuple(components, Strategy)
