"""Plans: which agents play which games, how often, and with which parameters.

A plan is checked whole when it is made, so that nothing is wrong with it once the first game is played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from fastmcts.experiments.plan_group import Group, check_values
from fastmcts.experiments.plan_parts import Cell, PlanError, parameters_of
from fastmcts.experiments.store import texts_of
from fastmcts.experiments.text import suggestion

#: What each of the groups of matches may say for itself.
GROUP_KEYS = ("games", "agents", "against", "pairs", "deals", "budgets", "seed", "opening_moves", "counts")


@dataclass(frozen=True, eq=False)
class Plan:
    """Matches to be played.

    Args:
        games: Games, or their texts, such as `hex(size=7)`.
        agents: Agents by name: an `Agent`, its text, or an object with `choose(state)`. A text may name parameters of
            the grid, as in `mcts(selection=UCT(c={c}))`: then there is one such agent for every value.
        pairs: How many pairs of games each match has, from the same opening with changed seats; by default 100.
        seed: Decides openings, deals, dice and searches; all matches have the same openings.
        title: What the plan is about.
        against: The agent that all others play; by default everybody plays everybody.
        grid: The values of each parameter.
        budgets: `simulations` or `seconds`, each with some values: everything is played for each of them, and agents
            that name no budget have that one.
        opening_moves: How many random moves games start with; by default two, or none where there is a deal.
        counts: What a point is won by, as in `play_match`.
        deals: In place of pairs, how many deals of a game for one each agent plays alone, as in `play_deals`; all of
            them play the same ones.
        matches: Groups of matches, each a mapping with what differs from the above: `games`, `against`, `pairs` or
            `deals`, `budgets`, `seed`, `opening_moves`, `counts`, and `agents`, the names of those who play. By default
            there is one group, of all.
        folder: Where relative paths of files start.

    Attributes:
        groups: The groups.
        cells: The matches.
    """

    games: Sequence[Any] = ()
    agents: Mapping[str, Any] = field(default_factory=dict)
    pairs: int | None = None
    seed: int = 0
    title: str = ""
    against: str | None = None
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    budgets: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    opening_moves: int | None = None
    counts: str | None = None
    deals: int | None = None
    matches: Sequence[Mapping[str, Any]] = ()
    folder: Path | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.title, str):
            raise PlanError(f"title must be a text, not {self.title!r}", "title")
        self.check_tables()
        self.check_parameters()
        self.check_groups()
        assert self.cells

    # ---- What is asked for

    def check_tables(self) -> None:
        """Check that there are agents, and that no parameter lacks values."""
        for name in ("agents", "grid"):
            if not isinstance(getattr(self, name), Mapping):
                raise PlanError(f"{name} must be a table of names and values, not {getattr(self, name)!r}", name)
        if not self.agents:
            raise PlanError("agents is empty: name at least two, such as uct = 'mcts(simulations=100)'", "agents")
        for name, values in self.grid.items():
            check_values(f"grid.{name}", values)

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

    def check_groups(self) -> None:
        """Check that groups of matches are tables with known keys, and that every agent plays."""
        if not isinstance(self.matches, Sequence) or isinstance(self.matches, str):
            raise PlanError(f"matches must be a list of tables: write [[matches]], not {self.matches!r}", "matches")
        playing: set[str] = set()
        for number, said in enumerate(self.matches):
            where = f"matches[{number}]"
            if not isinstance(said, Mapping):
                raise PlanError(f"matches must be a list of tables: write [[matches]], not {said!r}", "matches")
            for name in said:
                if name not in GROUP_KEYS:
                    raise PlanError(
                        f"[[matches]] has no key {name!r}; {suggestion(name, GROUP_KEYS)}", f"{where}.{name}"
                    )
            names = said.get("agents", list(self.agents))
            if not isinstance(names, Sequence) or isinstance(names, str):
                raise PlanError(f"agents must be a list of names, such as {[*self.agents]}", f"{where}.agents")
            for name in names:
                if name not in self.agents:
                    raise PlanError(
                        f"no agent is called {name!r}; {suggestion(str(name), self.agents)}", f"{where}.agents", name
                    )
            if len({*names}) < len(names):
                raise PlanError(f"agents has a name twice: {', '.join(names)}", f"{where}.agents")
            playing |= {*names}
        for name in self.agents:
            if self.matches and name not in playing:
                raise PlanError(f"{name} plays in none of the [[matches]]: name it in one", f"agents.{name}")

    # ---- What is played

    @cached_property
    def groups(self) -> list[Group]:
        """The groups of matches, each with all that it does not say itself."""
        return [self.group(said, f"matches[{number}].") for number, said in enumerate(self.matches)] or [
            self.group({}, "")
        ]

    def group(self, said: Mapping[str, Any], prefix: str) -> Group:
        """One group of matches; `prefix` is where it stands in the plan."""
        values = {name: said.get(name, getattr(self, name)) for name in GROUP_KEYS}
        for name, other in (("pairs", "deals"), ("deals", "pairs")):
            if name in said and other not in said:
                values[other] = None
        values["agents"] = {name: self.agents[name] for name in values["agents"]}
        places = {name: prefix + name for name in said}
        return Group(**values, grid=self.grid, folder=self.folder, places=places)

    @cached_property
    def cells(self) -> list[Cell]:
        """The matches."""
        cells: dict[Any, Cell] = {}
        for number, group in enumerate(self.groups):
            for cell in group.cells:
                if texts_of(cell.pairing) in cells:
                    raise PlanError(
                        f"{cell.title} stands in two of the [[matches]]: leave one out", f"matches[{number}]"
                    )
                cells[texts_of(cell.pairing)] = cell
        return list(cells.values())
