"""Plans: which agents play which games, how often, and with which parameters.

A plan is checked whole when it is made, so that nothing is wrong with it once the first game is played.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fastmcts.core.validate import whole_number
from fastmcts.errors import GameError
from fastmcts.experiments.agents import SEARCH_NAME, Agent, as_agent
from fastmcts.experiments.match import checked_counts, make_pairing
from fastmcts.experiments.named_games import find_agent, parse_game, strategies_beside
from fastmcts.experiments.openings import opening
from fastmcts.experiments.store import texts_of
from fastmcts.experiments.tables import Pairing
from fastmcts.experiments.text import suggestion
from fastmcts.game import Game

PARAMETER = re.compile(r"\{(\w*)\}")
BUDGETS = ("simulations", "seconds")


class PlanError(ValueError):
    """Something is wrong with a plan.

    Args:
        problem: What, and what would be right.
        key: The key that it is about; with a table, as in "grid.c".
        value: The part of its value that it is about, if it is only a part.
    """

    def __init__(self, problem: str, key: str = "", value: Any = None) -> None:
        super().__init__(problem)
        self.problem, self.key, self.value = problem, key, value


@dataclass(frozen=True)
class Entrant:
    """An agent of a plan, with values for the parameters that its text names."""

    name: str  # that of its text, and the values
    template: str  # the name of its text in the plan
    text: Any
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """One match of a plan.

    Attributes:
        pairing: Who plays what.
        first: What the plan calls the first agent.
        second: What it calls the other one.
        budget: What agents have for a move that name no budget, such as "simulations=100"; empty if all do.
        parameters: The values from the grid, of both agents.
        counts: What a point is won by, "games" or "deals".
        pairs: How many pairs of games are played.
    """

    pairing: Pairing
    first: str
    second: str
    budget: str
    parameters: dict[str, Any]
    counts: str
    pairs: int

    @property
    def title(self) -> str:
        """The match in a line."""
        budget = f" at {self.budget}" if self.budget else ""
        return f"{self.pairing.game!r}: {self.first} against {self.second}{budget}"


@dataclass(frozen=True, eq=False)
class Plan:
    """Matches to be played.

    Args:
        games: Games, or their texts, such as `hex(size=7)`.
        agents: Agents by name: an `Agent`, its text, or an object with `choose(state)`. A text may name parameters of
            the grid, as in `mcts(selection=UCT(c={c}))`: then there is one such agent for every value.
        pairs: How many pairs of games each match has, from the same opening with changed seats.
        seed: Decides openings, deals, dice and searches; all matches have the same openings.
        title: What the plan is about.
        against: The agent that all others play; by default everybody plays everybody.
        grid: The values of each parameter.
        budgets: `simulations` or `seconds`, each with some values: everything is played for each of them, and agents
            that name no budget have that one.
        opening_moves: How many random moves games start with; by default two, or none where there is a deal.
        counts: What a point is won by, as in `play_match`.
        folder: Where relative paths of files start.

    Attributes:
        cells: The matches.
    """

    games: Sequence[Any]
    agents: Mapping[str, Any]
    pairs: int = 100
    seed: int = 0
    title: str = ""
    against: str | None = None
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    budgets: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    opening_moves: int | None = None
    counts: str | None = None
    folder: Path | None = None

    def __post_init__(self) -> None:
        for name, low in (("pairs", 1), ("seed", None), ("opening_moves", 0)):
            if getattr(self, name) is not None or name != "opening_moves":
                with_place(name, whole_number, name, getattr(self, name), low)
        if not isinstance(self.title, str):
            raise PlanError(f"title must be a text, not {self.title!r}", "title")
        self.check_lists()
        self.check_parameters()
        self.check_against()
        if not self.cells:
            raise PlanError("the plan has no match: name at least two agents", "agents")

    # ---- What is asked for

    def check_lists(self) -> None:
        """Check that there are games and agents, and that no list is empty."""
        if isinstance(self.games, str | Game) or not isinstance(self.games, Sequence):
            raise PlanError(f"games must be a list, such as ['connect_four'], not {self.games!r}", "games")
        if not self.games:
            raise PlanError("games is empty: name at least one, such as 'connect_four'", "games")
        for name in ("agents", "grid", "budgets"):
            if not isinstance(getattr(self, name), Mapping):
                raise PlanError(f"{name} must be a table of names and values, not {getattr(self, name)!r}", name)
        if not self.agents:
            raise PlanError("agents is empty: name at least two, such as uct = 'mcts(simulations=100)'", "agents")
        for table, values in (*self.named_lists("grid"), *self.named_lists("budgets")):
            if isinstance(values, str) or not isinstance(values, Sequence) or not values:
                raise PlanError(f"{table} must be a list of values that is not empty, not {values!r}", table)
            seen: list[Any] = []
            for value in values:
                if value in seen:
                    raise PlanError(f"{table} has the value {value!r} twice", table, value)
                seen.append(value)
        for name in self.budgets:
            if name not in BUDGETS:
                raise PlanError(f"there is no budget {name!r}; {suggestion(name, BUDGETS)}", f"budgets.{name}")
        if len(self.budgets) > 1:
            raise PlanError("budgets has simulations and seconds: a plan has one of them", "budgets.seconds")

    def named_lists(self, table: str) -> Iterator[tuple[str, Any]]:
        """The keys of a table, with its name in front, and their values."""
        for name, values in getattr(self, table).items():
            yield f"{table}.{name}", values

    def check_parameters(self) -> None:
        """Check that every parameter that is named has values, and the other way round."""
        named: set[str] = set()
        for name, text in self.agents.items():
            for parameter in parameters_of(text):
                if parameter not in self.grid:
                    known = suggestion(parameter, self.grid) if self.grid else f"add [grid] with {parameter} = [...]"
                    raise PlanError(
                        f"{name} names the parameter {{{parameter}}}, for which the grid has no values; {known}",
                        f"agents.{name}",
                    )
                named.add(parameter)
        for parameter in self.grid:
            if parameter not in named:
                raise PlanError(
                    f"no agent names the parameter {{{parameter}}}: write it into one, or leave it out of the grid",
                    f"grid.{parameter}",
                )

    def check_against(self) -> None:
        """Check that the agent whom all others play is there, and is only one."""
        if self.against is None:
            return
        if self.against not in self.agents:
            raise PlanError(f"no agent is called {self.against!r}; {suggestion(self.against, self.agents)}", "against")
        if parameters_of(self.agents[self.against]):
            raise PlanError(
                f"{self.against!r} names parameters, so there are several of it: all play against one", "against"
            )

    # ---- What is played

    @cached_property
    def entrants(self) -> list[Entrant]:
        """The agents, one for every combination of values of the parameters that a text names."""
        found = []
        for name, text in self.agents.items():
            named = parameters_of(text)
            for values in itertools.product(*(self.grid[parameter] for parameter in named)):
                chosen = dict(zip(named, values, strict=True))
                label = " ".join([name, *(f"{parameter}={written(value)}" for parameter, value in chosen.items())])
                found.append(Entrant(label, name, filled(text, chosen), chosen))
        return found

    @cached_property
    def cells(self) -> list[Cell]:
        """The matches."""
        budgets = [(name, value) for name, values in self.budgets.items() for value in values] or [("", None)]
        cells: dict[Any, Cell] = {}
        if self.budgets and not any(takes_budget(text) for text in self.agents.values()):
            raise PlanError("every agent names its own budget: leave the budgets out, or those of an agent", "budgets")
        for number, text in enumerate(self.games):
            game = self.read_game(text)
            if any(repr(game) == repr(self.read_game(other)) for other in self.games[:number]):
                raise PlanError(f"games has {game!r} twice", "games", text)
            for name, value in budgets:
                agents = {one.name: self.read_agent(one, game, {name: value} if name else {}) for one in self.entrants}
                for first, second in self.pairs_of_entrants():
                    budget = f"{name}={value}" if name else ""
                    cell = self.make_cell(game, first, second, agents, budget)
                    cells.setdefault(texts_of(cell.pairing), cell)
        return list(cells.values())

    def pairs_of_entrants(self) -> Iterator[tuple[Entrant, Entrant]]:
        """Who plays whom."""
        if self.against is None:
            yield from itertools.combinations(self.entrants, 2)
            return
        other = next(entrant for entrant in self.entrants if entrant.template == self.against)
        yield from ((entrant, other) for entrant in self.entrants if entrant is not other)

    def make_cell(self, game: Game, first: Entrant, second: Entrant, agents: dict[str, Agent], budget: str) -> Cell:
        """One match, which is checked."""
        one, other = agents[first.name], agents[second.name]
        if repr(one) == repr(other):
            raise PlanError(
                f"{first.name} and {second.name} are the same agent, {one!r}: leave one out", f"agents.{first.template}"
            )
        pairing = with_place("opening_moves", make_pairing, game, one, other, self.seed, self.opening_moves)
        rng = np.random.default_rng(0)
        with_place("opening_moves", opening, game, pairing.opening_moves, rng, pairing.seed)
        counts = with_place("counts", checked_counts, game, self.counts)
        parameters = {**second.parameters, **first.parameters}
        return Cell(pairing, first.name, second.name, budget, parameters, counts, self.pairs)

    def read_game(self, text: Any) -> Game:
        """A game of the plan."""
        if isinstance(text, Game):
            return text
        try:
            return parse_game(text, self.folder)
        except (TypeError, ValueError, GameError) as error:
            raise PlanError(str(error), "games", text) from error

    def read_agent(self, entrant: Entrant, game: Game, budget: dict[str, Any]) -> Agent:
        """An agent of the plan, for one game and one budget."""
        place = f"agents.{entrant.template}"
        try:
            if isinstance(entrant.text, str):
                agent = find_agent(entrant.text, self.folder, strategies_beside(game), **budget)  # pyright: ignore[reportArgumentType]
            else:
                agent = as_agent(entrant.text)
            agent.check(game)
        except (TypeError, ValueError) as error:
            raise PlanError(f"{entrant.name} in {game!r}: {error}", place) from error
        if " at 0x" in repr(agent):
            raise PlanError(
                f"{entrant.name} prints as {agent!r}, which is another text in each process: give it a __repr__", place
            )
        return agent


def parameters_of(text: Any) -> list[str]:
    """The parameters that the text of an agent names, in their order."""
    return list(dict.fromkeys(PARAMETER.findall(text))) if isinstance(text, str) else []


def filled(text: Any, values: Mapping[str, Any]) -> Any:
    """The text of an agent with values in place of its parameters."""
    return PARAMETER.sub(lambda match: written(values[match[1]]), text) if isinstance(text, str) else text


def written(value: Any) -> str:
    """A value of a parameter as it stands in the text of an agent: texts without quotes, so that they may be rules."""
    return value if isinstance(value, str) else repr(value)


def takes_budget(text: Any) -> bool:
    """Whether the text of an agent is that of a search which names no budget."""
    is_search = isinstance(text, str) and re.match(rf"\s*{SEARCH_NAME}\b", text, re.IGNORECASE)
    return bool(is_search) and not re.search(rf"\b({'|'.join(BUDGETS)})\s*=", text)


def with_place(key: str, call: Any, *arguments: Any) -> Any:
    """Call a function; what it refuses is said to be about a key of the plan."""
    try:
        return call(*arguments)
    except (TypeError, ValueError, GameError) as error:
        raise PlanError(str(error), key) from error
