"""The components of a search, put together, and why they may not go together."""

import hashlib
from functools import cache
from typing import Any, NamedTuple

from numba import types
from numba.extending import typeof_impl

from fastmcts.compiler.component import Component, ComponentType
from fastmcts.game import Game
from fastmcts.strategies.evaluation import Evaluated, Evaluator
from fastmcts.strategies.expansion import ExpandAll, Expansion, Lazy, Prioritized
from fastmcts.strategies.methods import ISMCTS, PIMC, Method, OpenLoop, PerfectInformation, SinglePerspective
from fastmcts.strategies.proofs import NoProofs, Proofs, ScoreBounds
from fastmcts.strategies.rollout import CarefulRollout, Decisive, GameRollout, Rollout
from fastmcts.strategies.selection import Selection


class Strategy(NamedTuple):
    """Everything that is compiled into the kernels."""

    game: Game
    selection: Selection
    expansion: Expansion
    rollout: Rollout
    proofs: Proofs
    method: Method
    evaluator: Evaluator

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


def objections(strategy: Strategy) -> list[str]:
    """Why a combination makes no sense; empty if it does."""
    game, selection, expansion, rollout, proofs, method, _ = strategy
    reasons = []
    if isinstance(rollout, GameRollout) and not game.overrides("rollout_action"):
        reasons.append(f"GameRollout plays a game's own rollout_action, and {game.name} has none: use RandomRollout")
    if isinstance(rollout, CarefulRollout) and not game.overrides("careful_action"):
        reasons.append(f"CarefulRollout plays a game's own careful_action, and {game.name} has none: use RandomRollout")
    if isinstance(expansion, Prioritized) and not game.overrides("is_promising"):
        reasons.append(f"Prioritized asks is_promising, and {game.name} does not have it: use Lazy")
    if isinstance(expansion, Evaluated):
        reasons += evaluator_objections(game, selection, rollout, method)
    elif selection.starts_anew:
        reasons.append(f"{selection!r} improves on the policy of an evaluator: set evaluator=..., or use PUCT")
    if isinstance(expansion, ExpandAll) and selection.first_play != default_first_play(selection):
        reasons.append("ExpandAll leaves no move untried, so that first_play means nothing: leave it out")
    if selection.bias != 0.0 and not (game.overrides("prior") or expansion.evaluates):
        reasons.append(f"a bias needs priors, and {game.name} has no method prior: use bias=0")
    if isinstance(proofs, ScoreBounds) and (game.has_chance or game.has_hidden_information):
        what = "chance" if game.has_chance else "hidden information"
        reasons.append(f"nothing can be proven in {game.name}, a game with {what}: use solver=False")
    if isinstance(proofs, ScoreBounds) and isinstance(method, SinglePerspective):
        reasons.append("SinglePerspective leaves replies to chance, so that nothing can be proven: use solver=False")
    if isinstance(proofs, ScoreBounds) and selection.draws:
        reasons.append(f"{selection!r} draws moves whatever is proven about them: use solver=False")
    if isinstance(proofs, ScoreBounds) and game.pays_rewards:
        reasons.append(
            f"proofs are about the utility of finished games, and {game.name} pays rewards on the way: use solver=False"
        )
    if isinstance(rollout, Decisive) and game.pays_rewards:
        reasons.append(
            f"Decisive looks for a move that wins at once, and {game.name} pays rewards on the way: use RandomRollout"
        )
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
    if isinstance(method, OpenLoop):
        reasons += open_loop_objections(game)
    if isinstance(method, SinglePerspective) and (method.player or 0) >= game.num_players:
        reasons.append(f"{game.name} has the players 0 to {game.num_players - 1}, not {method.player}")
    in_kernels = method.in_kernels
    if in_kernels.keeps_path and (selection.keeps_moves or expansion.at_once):
        misfit = selection if selection.keeps_moves else expansion
        reasons.append(f"{misfit!r} needs one tree, and {method!r} has one for each player: use UCT and Lazy")
    if "available" in in_kernels.fields(game) and selection.draws:
        reasons.append(
            f"{selection!r} draws moves by their visits, among which are those of other worlds:"
            " use ISMCTS(observers='all'), or UCT"
        )
    goes_by_prior = not selection.untried_first or selection.uses_prior
    if "available" in in_kernels.fields(game) and goes_by_prior and not expansion.evaluates:
        reasons.append(
            f"{selection!r} compares moves that were not tried, which a tree for many worlds does not hold: use UCT"
        )
    return reasons


def open_loop_objections(game: Game) -> list[str]:
    """Why a tree of sequences does not suit a game."""
    if game.has_hidden_information:
        return [
            f"OpenLoop sees everything, and {game.name} has hidden information: use SinglePerspective(resample=True)"
        ]
    if not game.has_chance:
        return [f"nothing is left to chance in {game.name}: leave method out instead of OpenLoop()"]
    most = max(game.num_actions, game.num_chance_outcomes)
    if game.num_players > most:
        return [
            f"OpenLoop needs as many actions or outcomes as players: {game.name} has {most}, and {game.num_players}"
        ]
    return []


def evaluator_objections(game: Game, selection: Selection, rollout: Rollout, method: Method) -> list[str]:
    """Why an evaluator does not suit a game, a selection rule, a rollout policy or a method."""
    reasons = []
    if selection.untried_first:
        reasons.append(
            f"{selection!r} tries every move before it compares any, but an evaluator gives priors: use PUCT()"
        )
    if selection.keeps_moves:
        reasons.append(f"{selection!r} learns from the moves of rollouts, which an evaluator replaces: use PUCT()")
    if isinstance(method, SinglePerspective | OpenLoop):
        reasons.append(f"{method!r} leaves chance out of the tree, where an evaluator judges: use another method")
    if game.pays_rewards:
        reasons.append(f"{game.name} pays rewards on the way, which an evaluator's values leave out: use rollouts")
    if selection.draws:
        reasons.append(f"{selection!r} draws moves by their visits, and not by priors: use PUCT()")
    if isinstance(method, ISMCTS) and not method.keeps_below:
        reasons.append("an evaluator judges positions of one tree, and ISMCTS(observers='all') has several: use PIMC()")
    if isinstance(method, ISMCTS) and selection.starts_anew:
        reasons.append(f"{selection!r} needs the same moves in all worlds of a tree: use PUCT(), or PIMC()")
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
    if strategy.selection.draws:
        reasons.append(f"a shared tree draws no moves, as {strategy.selection!r} does: {change}")
    if not strategy.selection.untried_first or strategy.selection.normalize:
        reasons.append(f"a shared tree has no first_play and no normalize: {change}")
    return reasons


def learns(component: Component, base: type[Component]) -> bool:
    """Whether a rule does something of its own before or after a simulation."""
    return any(getattr(type(component), name, None) is not getattr(base, name, None) for name in ("enter", "learn"))


def default_first_play(selection: Selection) -> float | None:
    """The first-play urgency that a rule has unless told otherwise."""
    return type(selection).__dataclass_fields__["first_play"].default  # pyright: ignore[reportReturnType]


#: Another text for other fields.
LAYOUT = hashlib.sha256(repr(Strategy._fields).encode()).hexdigest()[:4]


@typeof_impl.register(Strategy)
def typeof_strategy(strategy: Strategy, context: Any) -> types.NamedTuple:
    """Tell Numba the type at once; putting it together anew takes 80 us for every call of a kernel."""
    return strategy_type(tuple(component.numba_type for component in strategy))


@cache
def strategy_type(components: tuple[ComponentType, ...]) -> types.NamedTuple:
    """The type of a strategy with components of these types.

    Kernels read the fields by name. So the name of the type, by which the disk cache finds them, depends on the names
    of the fields: were two of them to change places, older code would be wrong.
    """
    strategy = types.NamedTuple(components, Strategy)
    strategy.name = f"{LAYOUT}{strategy.name}"
    return strategy
