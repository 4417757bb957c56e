"""Agents: ways to play, as values that can be compared, printed and read back.

`Search(simulations=1000)`, `Random()` and `Greedy()` play any game they suit. So does an object of a user's own with
a method `choose(state)` that returns an action or a move's text.
"""

import ast
import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from fastmcts.compiler.component import plain
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.engine.plan import plan_for
from fastmcts.experiments.seeded import search_each
from fastmcts.experiments.text import (
    known_components,
    make,
    parsed,
    read_component,
    read_keywords,
    read_literal,
    shown,
    suggestion,
    value_text,
    written,
)
from fastmcts.game import Game
from fastmcts.mcts import MCTS
from fastmcts.options import Options, SearchOptions, make_options
from fastmcts.rng import make_rng
from fastmcts.search import search
from fastmcts.state import State
from fastmcts.strategies.methods import SinglePerspective

#: Options of a search that are no part of how it plays: whoever lets it play decides them.
NOT_OF_AGENTS = ("seed", "progress", "trace", "on_interrupt")


class Asked(NamedTuple):
    """Positions of one game in which an agent is to move.

    Attributes:
        states: The positions.
        seeds: A seed for each.
        numbers: Which games of a match these are, for agents that remember something about each.
        histories: All actions of each game so far, what chance did too, for agents that go by them.
    """

    states: Sequence[State]
    seeds: Sequence[int]
    numbers: Sequence[int] = ()
    histories: Sequence[Sequence[int]] = ()


class Choices(NamedTuple):
    """The moves of an agent in many positions, and what they took; nothing where it did not count."""

    actions: Sequence[int]
    simulations: Sequence[int] = ()
    seconds: Sequence[float] = ()


class Agent(ABC):
    """Base of the agents in the box. One of your own may derive from it, or just have a `choose(state)`."""

    @abstractmethod
    def choose(self, state: State, seed: int = 0) -> int:
        """The move to make in a position; the same seed gives the same move."""

    def choose_many(self, states: Sequence[State], seeds: Sequence[int], numbers: Sequence[int] = ()) -> Sequence[int]:
        """The moves to make in many positions of one game; each depends on its position and its seed alone.

        Args:
            states: The positions.
            seeds: A seed for each.
            numbers: Which games of a match these are, for agents that remember something about each.
        """
        return [self.choose(state, seed) for state, seed in zip(states, seeds, strict=True)]

    def decide(self, asked: Asked) -> Choices:
        """The moves of `choose_many`, with what an agent counts besides; this is what matches call."""
        return Choices(self.choose_many(asked.states, asked.seeds, asked.numbers))

    def check(self, game: Game) -> None:  # noqa: B027  # most agents play everything
        """Raise ValueError if this agent cannot play a game."""

    def prepare(self, state: State) -> None:  # noqa: B027  # most agents are always ready
        """Do what takes long and is done once, such as compiling; `state` is a position in which someone moves."""


@dataclass(frozen=True)
class Random(Agent):
    """Plays every legal move with equal chances."""

    def choose(self, state: State, seed: int = 0) -> int:
        """Any legal move."""
        return follow(state, "random_action", seed)

    def __repr__(self) -> str:
        """As it is read."""
        return "random"


@dataclass(frozen=True)
class Greedy(Agent):
    """Plays the game's own policy, its `rollout_action`, without any search."""

    def check(self, game: Game) -> None:
        """Refuse a game without a policy of its own."""
        if not game.overrides("rollout_action"):
            raise ValueError(f"greedy plays a game's own rollout_action, and {game.name} has none: use random or mcts")

    def choose(self, state: State, seed: int = 0) -> int:
        """The move of the policy."""
        self.check(state.game)
        return follow(state, "rollout_action", seed)

    def __repr__(self) -> str:
        """As it is read."""
        return "greedy"


def follow(state: State, policy: str, seed: int) -> int:
    """The move that one of a game's own policies makes."""
    actions = np.zeros(state.game.num_actions, np.int64)
    with wrapping_integers():
        return int(getattr(state.game, policy)(state.array, actions, make_rng(seed)))


@dataclass(frozen=True, init=False, repr=False)
class Search(Agent):
    """Searches each position: `Search(simulations=1000, selection=UCB1(c=1.4))`.

    Args:
        **options: Those of `fastmcts.search` but `seed`, `progress` and `trace`.

    Attributes:
        settings: The options as pairs of name and value, in the order of `fastmcts.Options`.
    """

    settings: tuple[tuple[str, Any], ...]

    def __init__(self, **options: Unpack[SearchOptions]) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        for name in NOT_OF_AGENTS:
            if name in given:
                raise ValueError(f"{name} is decided by whoever lets an agent play: leave {name}={given[name]!r} out")
        checked = make_options(dict(given))
        if "stop" in given:
            given["stop"] = checked.stop  # always a tuple
        order = [field.name for field in dataclasses.fields(Options)]
        settings = [(name, plain(given[name])) for name in sorted(given, key=order.index)]
        object.__setattr__(self, "settings", tuple(settings))

    @property
    def options(self) -> dict[str, Any]:
        """The options, for `fastmcts.search` and others."""
        return dict(self.settings)

    def filled(self, **defaults: Unpack[SearchOptions]) -> "Search":
        """The same search, with these options where it does not say any."""
        options: dict[str, Any] = {**defaults, **self.options}
        return Search(**options)

    def check(self, game: Game) -> None:
        """Refuse what does not suit the game."""
        method = self.options.get("method")
        if isinstance(method, SinglePerspective) and method.player is not None:
            raise ValueError(f"an agent moves for whoever is to move: leave player={method.player} out of {method!r}")
        options: dict[str, Any] = {**self.options, "threads": 1}
        MCTS(game, **options)

    def prepare(self, state: State) -> None:
        """Compile what `choose_many` calls."""
        plan, _ = plan_for(state.game, None, self.options, "batch")
        search_each([state], [0], {**self.options, "simulations": plan.trees})

    def choose(self, state: State, seed: int = 0) -> int:
        """The move that a search finds."""
        action = search(state, seed=seed, **self.options).action
        if action is None:
            raise ValueError("the game is over: there is no move to choose")
        return action

    def choose_many(self, states: Sequence[State], seeds: Sequence[int], numbers: Sequence[int] = ()) -> Sequence[int]:
        """The moves that searches of all positions, in one batch, find."""
        return self.decide(Asked(states, seeds)).actions

    def decide(self, asked: Asked) -> Choices:
        """The same, with how many simulations each search ran, and how long."""
        return Choices(*search_each(asked.states, asked.seeds, self.options))

    def __repr__(self) -> str:
        """As it is read."""
        return f"mcts({', '.join(f'{name}={setting_text(name, value)}' for name, value in self.settings)})"


def setting_text(name: str, value: Any) -> str:
    """Write the value of an option; a single stopper needs no brackets."""
    return value_text(value[0] if name == "stop" and len(value) == 1 else value)


class UserAgent(Agent):
    """Somebody's own object with a method `choose(state)`; where cards are hidden it is shown what its player knows.

    Args:
        player: The object. `choose(state)` returns an action or a move's text; `choose_many(states)`, if it has that
            too, returns a list of them. What draws at random should take `seed`, or `seeds`, as well: then a match can
            be played again.
    """

    def __init__(self, player: Any) -> None:
        self.player = player

    def choose(self, state: State, seed: int = 0) -> int:
        """The move that it makes."""
        keywords = {"seed": seed} if takes_seed(self.player.choose) else {}
        return self.action(state, self.player.choose(known_to_mover(state), **keywords))

    def choose_many(self, states: Sequence[State], seeds: Sequence[int], numbers: Sequence[int] = ()) -> Sequence[int]:
        """The moves that it makes, asked for at once if it can."""
        if not hasattr(self.player, "choose_many"):
            return super().choose_many(states, seeds)
        keywords = {"seeds": list(seeds)} if takes_seed(self.player.choose_many, "seeds") else {}
        moves = self.player.choose_many([known_to_mover(state) for state in states], **keywords)
        if len(moves) != len(states):
            raise ValueError(f"{self!r} was asked for {len(states)} moves and gave {len(moves)}")
        return [self.action(state, move) for state, move in zip(states, moves, strict=True)]

    def action(self, state: State, move: Any) -> int:
        """A move of the object's as a legal action, or an error that says whose move it is."""
        try:
            action = state.string_to_action(move) if isinstance(move, str) else move
            state.child(action)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self!r} chose {move!r}: {error}") from None
        return int(action)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same object, or equal ones."""
        return isinstance(other, UserAgent) and self.player == other.player

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # the object may have none

    def __repr__(self) -> str:
        """As the object prints."""
        return repr(self.player)


def takes_seed(method: Callable[..., Any], name: str = "seed") -> bool:
    """Whether a method has a parameter for seeds."""
    return name in inspect.signature(method).parameters


def known_to_mover(state: State) -> State:
    """What an agent may look at: what its player knows, where the game can tell; a copy, in any case."""
    return state.view(state.current_player()) if state.game.supports_views else state.clone()


def as_agent(value: Any) -> Agent:
    """An agent from one, from its text, or from an object with `choose(state)`."""
    if isinstance(value, Agent):
        return value
    if isinstance(value, str):
        return parse_agent(value)
    if callable(getattr(value, "choose", None)) and not isinstance(value, type):
        return UserAgent(value)
    raise TypeError(
        f"an agent is a Search, Random(), Greedy(), a text such as 'mcts(simulations=1000)',"
        f" or an object with choose(state), not {value!r}"
    )


#: Agents by the names they are written with, in any case.
SIMPLE_AGENTS: Mapping[str, type[Agent]] = {"random": Random, "greedy": Greedy}
SEARCH_NAME = "mcts"
BOT_NAME = "OpenSpielMCTS"
AGENT_NAMES = (SEARCH_NAME, *SIMPLE_AGENTS, BOT_NAME)


def parse_agent(text: str, extra: Iterable[type] = (), **defaults: Unpack[SearchOptions]) -> Agent:
    """Read an agent: `mcts(simulations=1000, selection=UCB1(c=1.4))`, `random` or `greedy`, in any case.

    `OpenSpielMCTS(game='connect_four', simulations=1000)` is OpenSpiel's bot, where that is installed.

    Args:
        text: What was written.
        extra: Classes of components that may be written besides those that `fastmcts` exports.
        **defaults: Options of a search that does not say them; a budget counts only where none is said.

    Raises:
        ValueError: If it is anything else; the message says what was written and what would be right.
    """
    node = parsed(text, "an agent, such as mcts(simulations=1000) or random")
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    name = call.func.id.lower() if isinstance(call.func, ast.Name) else ""
    if name not in [known.lower() for known in AGENT_NAMES]:
        known = suggestion(name, AGENT_NAMES)
        raise ValueError(f"{written(node)} is no agent; {known}; for example mcts(simulations=1000)")
    if call.args:
        raise ValueError(f"{written(node)}: arguments of an agent are written name=value")
    if name == BOT_NAME.lower():
        from fastmcts.experiments.openspiel import OpenSpielMCTS  # which knows what an agent is from here

        return make(OpenSpielMCTS, written(node), [], read_keywords(call, read_literal))
    if name != SEARCH_NAME:
        if call.keywords:
            raise ValueError(f"{written(node)}: {name} takes no arguments")
        return SIMPLE_AGENTS[name]()
    components = known_components(extra)
    options = read_keywords(call, lambda value: read_option(value, components))
    has_budget = "simulations" in options or "seconds" in options
    for option, value in defaults.items():
        if not (has_budget and option in ("simulations", "seconds")):
            options.setdefault(option, value)
    try:
        return Search(**options)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{shown(text)}: {error}") from None


def read_option(node: ast.expr, components: Mapping[str, type]) -> Any:
    """The value of a search option: a component, several in brackets, or a literal."""
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(read_option(element, components) for element in node.elts)
    if isinstance(node, ast.Call | ast.Name):
        return read_component(node, components)
    return read_literal(node)
