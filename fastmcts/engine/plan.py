"""What a search is asked to do: options, filled in and checked for a game."""

from collections.abc import Hashable
from typing import Any

from fastmcts.compiler.component import brief, version
from fastmcts.engine.trial import try_out
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.options import Options, make_options
from fastmcts.strategies.expansion import Lazy
from fastmcts.strategies.methods import default_method
from fastmcts.strategies.proofs import NoProofs, ScoreBounds
from fastmcts.strategies.rollout import RandomRollout
from fastmcts.strategies.selection import UCT
from fastmcts.strategies.strategy import Strategy, objections, shared_objections

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
