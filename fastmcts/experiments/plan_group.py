"""Matches of a plan that have their games, agents, budgets and numbers of games in common."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fastmcts.core.validate import whole_number
from fastmcts.errors import GameError
from fastmcts.experiments.agents import Agent, as_agent
from fastmcts.experiments.match import checked_counts, make_pairing
from fastmcts.experiments.named_games import find_agent, parse_game, strategies_beside
from fastmcts.experiments.plan_parts import (
    BUDGETS,
    Cell,
    Entrant,
    PlanError,
    filled,
    parameters_of,
    takes_budget,
    with_place,
    written,
)
from fastmcts.experiments.records import ALONE
from fastmcts.experiments.store import texts_of
from fastmcts.experiments.text import suggestion
from fastmcts.game import Game

PAIRS = 100


@dataclass(frozen=True, eq=False)
class Group:
    """Some matches of a plan. Arguments are those of `Plan`, but for the agents, of which it has those who play.

    Args:
        places: Where each argument stands in the plan, as in `PlanError`; those that are missing stand at its top.
    """

    games: Sequence[Any]
    agents: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]]
    budgets: Mapping[str, Sequence[Any]]
    pairs: int | None
    deals: int | None
    against: str | None
    seed: int
    opening_moves: int | None
    counts: str | None
    folder: Path | None
    places: Mapping[str, str]

    def __post_init__(self) -> None:
        for name, low in (("pairs", 1), ("deals", 1), ("opening_moves", 0)):
            if getattr(self, name) is not None:
                with_place(self.place(name), whole_number, name, getattr(self, name), low)
        with_place(self.place("seed"), whole_number, "seed", self.seed)
        self.check_lists()
        self.check_numbers()
        self.check_against()
        if not self.cells:
            raise PlanError("the plan has no match: name at least two agents", self.place("agents"))

    def place(self, name: str) -> str:
        """Where an argument stands in the plan."""
        return self.places.get(name, name)

    @property
    def is_alone(self) -> bool:
        """Whether each agent plays alone."""
        return self.deals is not None

    # ---- What is asked for

    def check_lists(self) -> None:
        """Check the games, and that no list is empty."""
        where = self.place("games")
        if isinstance(self.games, str | Game) or not isinstance(self.games, Sequence):
            raise PlanError(f"games must be a list, such as ['connect_four'], not {self.games!r}", where)
        if not self.games:
            raise PlanError("games is empty: name at least one, such as 'connect_four'", where)
        where = self.place("budgets")
        if not isinstance(self.budgets, Mapping):
            raise PlanError(f"budgets must be a table of names and values, not {self.budgets!r}", where)
        for name, values in self.budgets.items():
            if name not in BUDGETS:
                raise PlanError(f"there is no budget {name!r}; {suggestion(name, BUDGETS)}", f"{where}.{name}")
            check_values(f"{where}.{name}", values)
        if len(self.budgets) > 1:
            raise PlanError("budgets has simulations and seconds: a plan has one of them", f"{where}.seconds")

    def check_numbers(self) -> None:
        """Check that it is clear what is counted: pairs of games, or deals of a game for one."""
        if not self.is_alone:
            return
        if self.pairs is not None:
            raise PlanError(
                "pairs are for two agents, and deals for one who plays alone: leave one out", self.place("deals")
            )
        for name in ("against", "counts", "opening_moves"):
            if getattr(self, name) is not None:
                raise PlanError(
                    f"{name} is about two agents, and with deals each one plays alone: leave one out", self.place(name)
                )

    def check_against(self) -> None:
        """Check that the agent whom all others play is there, and is only one."""
        if self.against is None:
            return
        where = self.place("against")
        if self.against not in self.agents:
            raise PlanError(f"no agent is called {self.against!r}; {suggestion(str(self.against), self.agents)}", where)
        if parameters_of(self.agents[self.against]):
            raise PlanError(
                f"{self.against!r} names parameters, so there are several of it: all play against one", where
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
        """The matches; one that does not depend on the budget stands there once."""
        budgets = [(name, value) for name, values in self.budgets.items() for value in values] or [("", None)]
        cells: dict[Any, Cell] = {}
        if self.budgets and not any(takes_budget(text) for text in self.agents.values()):
            raise PlanError(
                "every agent names its own budget: leave the budgets out, or those of an agent", self.place("budgets")
            )
        for number, text in enumerate(self.games):
            game = self.read_game(text)
            if any(repr(game) == repr(self.read_game(other)) for other in self.games[:number]):
                raise PlanError(f"games has {game!r} twice", self.place("games"), text)
            for name, value in budgets:
                agents = {one.name: self.read_agent(one, game, {name: value} if name else {}) for one in self.entrants}
                for entrants in self.opponents():
                    budget = f"{name}={value}" if name else ""
                    cell = self.make_cell(game, entrants, agents, budget)
                    cells.setdefault(texts_of(cell.pairing), cell)
        return list(cells.values())

    def opponents(self) -> Iterator[tuple[Entrant, ...]]:
        """Who plays whom, or each one alone."""
        if self.is_alone:
            yield from ((entrant,) for entrant in self.entrants)
        elif self.against is None:
            yield from itertools.combinations(self.entrants, 2)
        else:
            other = next(entrant for entrant in self.entrants if entrant.template == self.against)
            yield from ((entrant, other) for entrant in self.entrants if entrant is not other)

    def make_cell(self, game: Game, entrants: tuple[Entrant, ...], agents: dict[str, Agent], budget: str) -> Cell:
        """One match, or the deals of one agent, which is checked."""
        if self.is_alone:
            return self.make_deals(game, entrants[0], agents[entrants[0].name], budget)
        first, second = entrants
        one, other = agents[first.name], agents[second.name]
        if repr(one) == repr(other):
            raise PlanError(
                f"{first.name} and {second.name} are the same agent, {one!r}: leave one out", f"agents.{first.template}"
            )
        pairing = with_place(self.place("opening_moves"), make_pairing, game, one, other, self.seed, self.opening_moves)
        counts = with_place(self.place("counts"), checked_counts, game, self.counts)
        parameters = {**second.parameters, **first.parameters}
        pairs = PAIRS if self.pairs is None else self.pairs
        return Cell(pairing, first.name, second.name, budget, parameters, counts, pairs)

    def make_deals(self, game: Game, entrant: Entrant, agent: Agent, budget: str) -> Cell:
        """The deals that one agent plays alone."""
        if game.num_players != 1:
            raise PlanError(
                f"with deals one agent plays alone, and {game!r} has {game.num_players} players: write pairs instead",
                self.place("deals"),
            )
        assert self.deals is not None
        pairing = with_place(self.place("games"), make_pairing, game, agent, None, self.seed, None)
        return Cell(pairing, entrant.name, "", budget, entrant.parameters, ALONE, self.deals)

    def read_game(self, text: Any) -> Game:
        """A game of the plan."""
        if isinstance(text, Game):
            return text
        try:
            return parse_game(text, self.folder)
        except (TypeError, ValueError, GameError) as error:
            raise PlanError(str(error), self.place("games"), text) from error

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


def check_values(table: str, values: Any) -> None:
    """Check that there are values, none of them twice; `table` says where."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise PlanError(f"{table} must be a list of values that is not empty, not {values!r}", table)
    seen: list[Any] = []
    for value in values:
        if value in seen:
            raise PlanError(f"{table} has the value {value!r} twice", table, value)
        seen.append(value)
