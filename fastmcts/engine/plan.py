"""What a search is to do: the options, filled in for a game and checked, and what follows from them."""

import dataclasses
import secrets
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from fastmcts.compiler.component import Component, ComponentType, brief, is_own_strategy, same
from fastmcts.core.constants import CHANCE
from fastmcts.core.tree import bytes_per_node
from fastmcts.core.validate import whole_number
from fastmcts.engine.trial import try_out
from fastmcts.errors import GameError
from fastmcts.evaluators.blend import Blend
from fastmcts.game import Game
from fastmcts.options import LEAST_SEED, MOST_SEED, Options, make_options
from fastmcts.state import State
from fastmcts.strategies.evaluation import Evaluated, Evaluator, NoEvaluator
from fastmcts.strategies.expansion import Lazy
from fastmcts.strategies.methods import PIMC, Method, default_method
from fastmcts.strategies.proofs import NoProofs, ScoreBounds
from fastmcts.strategies.rollout import RandomRollout
from fastmcts.strategies.selection import PUCT, UCT
from fastmcts.strategies.strategy import Strategy, objections, shared_objections

NO_PROOFS, NO_EVALUATOR = (
    NoProofs(),
    NoEvaluator(),
)  # made once: gathering what Numba has to know of a component takes 2 ms

#: What is used in every game where nobody says anything else. The constant is the best of those that give away no
#: position of tic-tac-toe after 2,000 simulations (experiments/default_rule.toml), and no other plays measurably
#: better with 100 to 100,000 simulations (experiments/exploration_budgets.toml).
PLAIN: dict[str, Any] = {
    "selection": UCT(c=0.5),
    "expansion": Lazy(),
    "rollout": RandomRollout(),
    "solver": False,
    "final": "visits",
}

#: How moves are selected by what an evaluator says, where nobody says anything else: the constant is that of AlphaZero,
#: whose values are from 0 to 1 here.
BY_EVALUATOR = PUCT(c_init=1.25, fpu_reduction=0.2)

#: What searches: `search` and `MCTS` one position at a time, `search_batch` many.
Purpose = Literal["search", "batch"]

#: Plans that were made, by the game, its rules and what was asked for; but for the seed.
PLANS: dict[Hashable, "Plan"] = {}
MOST_PLANS = 1000


@dataclass(frozen=True, eq=False)
class Plan:
    """How to search a game: everything is resolved and goes together, and nothing depends on the seed or the position.

    Attributes:
        game: The game.
        options: The options, complete; their seed means nothing here.
        strategy: The components as they are compiled into the kernels.
        rules: The types that the components had when they were checked; others after their rules were edited.
        purpose: What it is for.
        kernels: What this process has compiled, or loaded, for this plan.
    """

    game: Game
    options: Options
    strategy: Strategy
    rules: tuple[ComponentType, ...]
    purpose: Purpose = "search"
    kernels: dict[Hashable, Callable[..., Any]] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether nobody has edited the rules of the game, or of another component, since the plan was made."""
        return self.game.numba_type is self.rules[0] and self.has_current_components

    @property
    def has_current_components(self) -> bool:
        """The same, but for the game."""
        return all(component.numba_type is known for component, known in self.foreign_components)

    @cached_property
    def foreign_components(self) -> tuple[tuple[Component, ComponentType], ...]:
        """The components besides the game that are not the package's own, so that somebody may edit them."""
        pairs = zip(self.strategy[1:], self.rules[1:], strict=True)
        return tuple((component, known) for component, known in pairs if not is_own_strategy(type(component)))

    def renewed(self) -> "Plan":
        """The same plan for rules that were edited."""
        return make_plan(self.game, self.options, self.purpose)

    def in_worker(self) -> "Plan":
        """The plan of one of several threads that each search positions of their own."""
        return dataclasses.replace(self, options=self.options.copied({"threads": 1, "progress": None}))

    def for_game(self, game: Game) -> "Plan":
        """The same plan for an equal game, which may have other values in fields that are not compared."""
        return dataclasses.replace(self, game=game, strategy=self.strategy._replace(game=game))

    # ---- What follows from the options

    @property
    def method(self) -> Method:
        """What a simulation knows."""
        return self.options.method

    @cached_property
    def asks(self) -> bool:
        """Whether a network is asked, which is a function of whole batches."""
        return self.options.network is not None

    @cached_property
    def several_wait(self) -> bool:
        """Whether several leaves of one tree may wait for a network at the same time."""
        if not self.asks or self.purpose == "batch":
            return False
        return (self.options.batch_size or 1) > self.trees or (self.options.threads > 1 and self.trees == 1)

    @cached_property
    def begins_searches(self) -> bool:
        """Whether something is to be set or drawn anew for each search in a tree."""
        return self.options.evaluator is not None or "budget" in self.statistics

    @cached_property
    def trees(self) -> int:
        """How many trees are grown: in worlds of their own, or all from one position."""
        return self.method.worlds or self.options.trees

    @cached_property
    def is_fixed(self) -> bool:
        """Whether each position gets a fixed number of simulations in one tree."""
        options = self.options
        one_tree = options.trees == 1 and self.method.worlds == 0
        return one_tree and options.seconds is None and not options.stop and options.final != "robust_max"

    @cached_property
    def goes_by_visits(self) -> bool:
        """Whether the most visited move is played, whatever else is known."""
        options, method = self.options, self.method
        is_plain = type(method).played_index is Method.played_index and method.vote == "visits"
        return is_plain and options.final == "visits" and not options.solver and not self.strategy.selection.starts_anew

    @cached_property
    def text(self) -> str:
        """The strategy, as it would be written to ask for it."""
        options = self.options
        if options.evaluator is None:
            parts = [brief(getattr(options, name)) for name in ("selection", "expansion", "rollout", "method")]
        else:
            parts = [brief(options.selection), evaluator_text(options), brief(options.method)]
        if options.solver:
            parts.append("solver=True")
        if options.final != PLAIN["final"]:
            parts.append(f'final="{options.final}"')
        return ", ".join(parts)

    # ---- What follows from the components

    @cached_property
    def statistics(self) -> frozenset[str]:
        """The optional fields of the tree that some component asks for, or that leaves need which wait together."""
        return self.strategy.statistics | {"pending"} if self.several_wait else self.strategy.statistics

    @cached_property
    def most_new_nodes(self) -> int:
        """The most nodes that a simulation can add."""
        strategy = self.strategy
        return strategy.method.most_new_nodes(self.game) + strategy.expansion.more_new_nodes(self.game)

    @cached_property
    def most_visits_added(self) -> int:
        """The most visits that a simulation can add."""
        expansion = self.options.expansion
        return self.game.num_actions if expansion.at_once and not expansion.evaluates else 1

    @cached_property
    def node_bytes(self) -> int:
        """What a node takes in all arrays together."""
        return bytes_per_node(self.statistics, self.game.num_players)

    @cached_property
    def moves_children(self) -> bool:
        """Whether the children of a node may move to another place in the tree."""
        return "available" in self.statistics

    @cached_property
    def moves_kept(self) -> int:
        """How many moves of a simulation are kept; a checked search keeps them to find out which rule fails."""
        return self.game.max_game_length if self.strategy.keeps_moves or self.options.checked else 0

    @cached_property
    def longest_path(self) -> int:
        """How many nodes of a simulation are kept."""
        return self.game.max_game_length if self.strategy.method.keeps_path else 0

    # ---- What is asked of it

    def limited(self, simulations: int | None, seconds: float | None) -> Options:
        """The options with the budget of one search, if it has one of its own."""
        limits = self.options.limited(simulations, seconds)
        if limits is not self.options:
            refuse(worlds_objection(limits))
            refuse(budget_objection(limits))
        return limits

    def root(self, state: State, seed: int) -> State:
        """A copy of the position to search from, given the one that is asked about.

        Raises:
            TypeError: If that is no position.
            ValueError: If it is one of another game, or one that the method cannot search, with what to do instead.
        """
        if not isinstance(state, State):
            raise TypeError(f"search takes a State, such as game.new_initial_state(), not {state!r}")
        if not same(state.game, self.game):
            raise ValueError(f"this searches {self.game!r}, but the state is one of {state.game!r}")
        if state.array.size != self.game.state_size:
            raise ValueError(
                f"the state has {state.array.size} entries, but positions of {self.game.name} have"
                f" {self.game.state_size} now: its rules were edited, so make a new state"
            )
        if state.viewer is not None:
            refuse_view(state, self.method)
        start = self.method.start(self.game, state.array, seed)
        root = State(self.game, start.copy(), state.viewer if start is state.array else None)
        if start is state.array:
            root.paid, root.last_paid = state.paid, state.last_paid
        if self.game.has_chance:
            refuse_chance(root)
        return root


# ---- Making plans


def plan_for(
    game: Game, options: Options | None, keywords: dict[str, Any], purpose: Purpose = "search"
) -> tuple[Plan, int]:
    """The plan that options ask for, with keywords on top of them, and the seed; a known plan is not made again.

    Args:
        game: The game.
        options: Options, or None.
        keywords: Further options, in place of those.
        purpose: What the plan is for.
    """
    asked = dict(keywords) if options is None else {**options_said(options), **keywords}
    seed = asked.pop("seed", None)
    game_type = game.numba_type
    key = (purpose, id(game_type), game, *((name, type(value), value) for name, value in asked.items()))
    try:
        plan = PLANS.get(key)
    except (TypeError, ValueError):  # something cannot be hashed, or compared
        plan = key = None
    if plan is not None and plan.has_current_components:
        if plan.game is not game:  # but equal
            plan = PLANS[key] = plan.for_game(game)
        return plan, checked_seed(seed)
    checked = make_options({**asked, "seed": seed})
    plan = make_plan(game, checked, purpose)
    if key is not None:
        if len(PLANS) >= MOST_PLANS:
            PLANS.clear()
        PLANS[key] = plan  # which keeps the game's type, so that no other gets its id
    return plan, checked.seed


def options_said(options: Options) -> dict[str, Any]:
    """What options say that is not their default; TypeError if they are none."""
    if not isinstance(options, Options):
        raise TypeError(f"options must be Options, such as Options(simulations=1000), not {options!r}")
    return {name: value for name, value in vars(options).items() if value is not getattr(Options, name)}


def checked_seed(seed: int | None) -> int:
    """A seed as an int; drawn at random if it is None."""
    return secrets.randbits(63) if seed is None else whole_number("seed", seed, LEAST_SEED, MOST_SEED)


def make_plan(game: Game, options: Options, purpose: Purpose = "search") -> Plan:
    """Fill in what the caller has left open, and check that everything goes together.

    Raises:
        GameError: If the game has a mistake.
        ValueError: If what the caller asks for makes no sense, with what to change.
    """
    try_out(game)
    plan = dataclasses.replace(settled(game, options), purpose=purpose)
    refuse(worlds_objection(plan.options))
    refuse(budget_objection(plan.options))
    if plan.asks:
        game.check_observation()
        refuse(network_objection(plan))
    refuse(batch_objection(plan.options) if purpose == "batch" else idle_threads_objection(plan))
    return plan


def settled(game: Game, options: Options) -> Plan:
    """Fill in what is open by the recommended strategy, or by the plain one where that does not suit the options."""
    if options.evaluator is not None:
        return filled(game, options, evaluator_options(game, options))
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


def evaluator_options(game: Game, options: Options) -> dict[str, Any]:
    """The strategy for a game whose positions an evaluator judges."""
    expanded = isinstance(options.expansion, Evaluated)  # the options were complete before
    for name in ("expansion", "rollout"):
        if getattr(options, name) is not None and not expanded:
            raise ValueError(
                f"an evaluator takes the place of {name}={brief(getattr(options, name))}: leave it out"
                + (", or write evaluator=Blend(evaluator, rollout, weight)" if name == "rollout" else "")
            )
    noise = {}
    if options.root_noise is not None:
        noise = {"noise_weight": float(options.root_noise.weight), "noise_alpha": float(options.root_noise.alpha)}
    blend = options.evaluator if isinstance(options.evaluator, Blend) else None
    return {
        "selection": BY_EVALUATOR,
        "expansion": Evaluated(blend=float(blend.weight) if blend else 0.0, **noise),
        "rollout": blend.rollout if blend else PLAIN["rollout"],
        "solver": False,
        "final": "visits",
        "method": PIMC() if game.hides_moves and game.has_hidden_information else default_method(game),
    }


def evaluator_text(options: Options) -> str:
    """The evaluator, as it would be written to ask for it."""
    asked = options.evaluator.evaluator if isinstance(options.evaluator, Blend) else options.evaluator
    name = brief(asked) if isinstance(asked, Evaluator) else "Network"
    if isinstance(options.evaluator, Blend):
        name = f"Blend({name}, {brief(options.evaluator.rollout)}, weight={options.evaluator.weight:g})"
    return name if options.root_noise is None else f"{name}, {options.root_noise!r}"


def checked_recommendation(game: Game) -> dict[str, Any]:
    """The search options that a game recommends; GameError if one is no part of a strategy."""
    recommended = game.recommended
    for name in recommended:
        if name not in (known := plain_options(game)):
            raise GameError(
                f"{game.name}.recommended has {name!r}, which is no part of a strategy; there are: {', '.join(known)}"
            )
    return recommended


def filled(game: Game, options: Options, defaults: dict[str, Any]) -> Plan:
    """Put defaults where the options say nothing, and check that all components go together."""
    complete = options.completed({name: value for name, value in defaults.items() if getattr(options, name) is None})
    strategy = make_strategy(game, complete)
    return Plan(game, complete, strategy, types_of(strategy))


def make_strategy(game: Game, options: Options) -> Strategy:
    """Put the components of complete options together; ValueError says which do not fit and what to change."""
    selection, expansion, rollout = options.selection, options.expansion, options.rollout
    proofs = ScoreBounds(game.num_players, game.constant_sum) if options.solver else NO_PROOFS
    asked = options.evaluator.evaluator if isinstance(options.evaluator, Blend) else options.evaluator
    evaluator = asked if isinstance(asked, Evaluator) else NO_EVALUATOR
    strategy = Strategy(game, selection, expansion, rollout, proofs, options.method, evaluator)
    for reason in objections(strategy) + (shared_objections(strategy) if options.parallel == "shared" else []):
        raise ValueError(reason)
    return strategy._replace(method=strategy.method.in_kernels)


def types_of(strategy: Strategy) -> tuple[ComponentType, ...]:
    """The types of the components as their rules are now."""
    return tuple([component.numba_type for component in strategy])


# ---- Refusals


def refuse(objection: str | None) -> None:
    """Raise ValueError if there is an objection."""
    if objection is not None:
        raise ValueError(objection)


def worlds_objection(options: Options) -> str | None:
    """Why options do not suit a search in several worlds, each with its own tree."""
    method = options.method
    if method.worlds == 0:
        return None
    if options.trees > 1:
        return f"PIMC grows a tree in each of its {method.worlds} worlds: leave trees={options.trees} out"
    if options.simulations is not None and options.simulations < method.worlds:
        return f"PIMC(worlds={method.worlds}) cannot share simulations={options.simulations}: each world needs one"
    if method.vote != "visits" and (options.final != "visits" or options.stop):
        which = "stop" if options.stop else "final"
        return f'{which}= goes by visits, but the worlds vote by {method.vote}: use PIMC(vote="visits")'
    return None


def budget_objection(options: Options) -> str | None:
    """Why a selection rule that shares a number of simulations cannot do so."""
    if not options.selection.starts_anew:
        return None
    name = type(options.selection).__name__
    if options.simulations is None:
        return f"{name} shares a number of simulations that has to be known: set simulations=..."
    if options.final != "visits":
        return f"{name} plays the move that its halving leaves over: leave final={options.final!r} out"
    return None


def network_objection(plan: Plan) -> str | None:
    """Why options do not suit a network, which is asked about many leaves at a time."""
    options, strategy = plan.options, plan.strategy
    is_one_tree = plan.moves_children and plan.purpose == "search"
    if options.threads > 2:
        return f"threads={options.threads}: one asks the network while another goes down the trees: use threads=2"
    if is_one_tree and ((options.batch_size or 1) > 1 or options.threads > 1):
        which = f"batch_size={options.batch_size}" if (options.batch_size or 1) > 1 else f"threads={options.threads}"
        return f"a tree for many worlds has one leaf at a time: leave {which} out, or use search_batch"
    if strategy.rollout.statistics and strategy.expansion.blends:
        return f"{strategy.rollout!r} learns from one rollout for the next, but a network judges many leaves at a time"
    if strategy.selection.normalize and plan.purpose == "batch":
        return "normalize=True goes by the rewards of one tree, and the trees of a batch stand in one: leave it out"
    if options.parallel == "shared":
        return "parallel='shared' is for rollouts: threads=2 is enough for a network"
    if plan.purpose == "batch" and (options.seconds is not None or options.stop or options.final == "robust_max"):
        which = "seconds" if options.seconds is not None else "stop" if options.stop else "final='robust_max'"
        return f"{which}: the trees of a batch grow side by side by simulations=... alone, where a network is asked"
    if plan.purpose == "batch" and options.trees > 1:
        return f"trees={options.trees}: a batch has one tree for each position, or world, where a network is asked"
    return None


def idle_threads_objection(plan: Plan) -> str | None:
    """Why there are more threads than the trees of one search can occupy: only one tree."""
    threads = plan.options.threads
    if plan.asks:
        return None
    if threads == 1 or plan.trees > 1 or plan.method.worlds > 0 or plan.options.parallel == "shared":
        return None
    return (
        f"threads={threads} have only one tree to work on: set trees={threads},"
        " or parallel='shared', or threads=1 (or search many positions with search_batch)"
    )


def batch_objection(options: Options) -> str | None:
    """Why options do not suit a batch."""
    if options.on_interrupt == "return":
        return "a batch that is cut short has positions without a move: on_interrupt is for search and MCTS"
    if options.trace:
        return "a batch keeps no traces: trace=True is for search and MCTS"
    if options.parallel == "shared":
        return "the threads of a batch take a position each: parallel='shared' is for search and MCTS"
    return None


def refuse_chance(state: State) -> None:
    """Raise ValueError at a position in which nobody has a choice."""
    if state.is_chance_node():
        raise ValueError(
            "chance decides here: apply an outcome first (state.chance_outcomes() lists them), or start from"
            " game.new_initial_state(seed, draw_chance=True)"
        )


def refuse_view(state: State, method: Method) -> None:
    """Raise ValueError if a view is none from which the method can search."""
    viewer = state.viewer
    if state.is_terminal():
        return
    if not method.draws_worlds:
        raise ValueError(
            f"{method!r} needs to see everything, and this is the view of player {viewer}: leave method out, or search"
            f" a world drawn by state.determinize({viewer}, seed)"
        )
    player = getattr(method, "player", None)
    if player is not None and player != viewer:
        raise ValueError(f"{method!r} needs what player {player} knows, and this is the view of player {viewer}")
    if player is None and state.current_player() not in (viewer, CHANCE):
        raise ValueError(
            f"player {state.current_player()} is to move, and this is the view of player {viewer}:"
            " apply that player's move first"
        )
