"""What a plan consists of: agents with their parameters, matches, and what is said when something is wrong."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastmcts.errors import GameError
from fastmcts.experiments.agents import SEARCH_NAME
from fastmcts.experiments.tables import Pairing
from fastmcts.experiments.tally import Tally

PARAMETER = re.compile(r"\{(\w*)\}")
BUDGETS = ("simulations", "seconds")


class PlanError(ValueError):
    """Something is wrong with a plan.

    Args:
        problem: What, and what would be right.
        key: The key that it is about; with its table, as in "grid.c" or "matches[0].pairs".
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
    """One match of a plan, or the deals that one agent plays alone.

    Attributes:
        pairing: Who plays what.
        first: What the plan calls the first agent.
        second: What it calls the other one; empty if the first one plays alone.
        budget: What agents have for a move that name no budget, such as "simulations=100"; empty if all do.
        parameters: The values from the grid, of both agents.
        counts: What a point is won by, as in `Tally`.
        pairs: How many pairs of games are played, or deals.
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
        against = f" against {self.second}" if self.second else " alone"
        return f"{self.pairing.game!r}: {self.first}{against}{budget}"

    @property
    def games(self) -> int:
        """How many games are played."""
        return len(self.pairing.sides) * self.pairs

    @property
    def tally(self) -> Tally:
        """A count of nothing, for its games."""
        return Tally(self.counts, (self.pairing.game.min_utility, self.pairing.game.max_utility))


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
