"""Everybody against everybody."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastmcts.experiments.agents import Agent, as_agent
from fastmcts.experiments.match import MatchResult, play_match
from fastmcts.experiments.ratings import Ratings, rate
from fastmcts.game import Game


@dataclass
class RoundRobinResult:
    """The matches of all agents with each other.

    Attributes:
        game: The game.
        agents: The agents by name.
        matches: Those that were played, by the names of the first and the second agent.
        interrupted: Whether Ctrl-C ended it.
    """

    game: Game
    agents: dict[str, Agent]
    matches: dict[tuple[str, str], MatchResult] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def results(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Points of the first and number of games, for two agents each, as `rate` takes them."""
        return {
            names: (match.mean * match.counted, float(match.counted))
            for names, match in self.matches.items()
            if match.records
        }

    def ratings(self, prior: float = 1.0) -> Ratings:
        """The ratings of all who have played."""
        return rate(self.results, prior)

    def score(self, first: str, second: str) -> float | None:
        """The share of points of one agent against another; None if they have not met."""
        if (match := self.matches.get((first, second))) is not None:
            return match.mean
        match = self.matches.get((second, first))
        return None if match is None else 1.0 - match.mean

    def __str__(self) -> str:
        """The shares of points as a table: each row against each column."""
        names = list(self.agents)
        width = max(6, *(len(name) for name in names))
        lines = [f"{self.game!r}{', interrupted' if self.interrupted else ''}"]
        lines.append(" " * width + "".join(f"  {name:>{width}}" for name in names))
        for row in names:
            scores = (self.score(row, column) for column in names)
            cells = (f"{'' if score is None else f'{score:.1%}':>{width}}" for score in scores)
            lines.append("  ".join((f"{row:{width}}", *cells)))
        return "\n".join(lines)


def play_round_robin(
    game: Game, agents: Mapping[str, Any] | Sequence[Any], games: int = 400, seed: int = 0, **options: Any
) -> RoundRobinResult:
    """Let every agent play every other one.

    Args:
        game: The game.
        agents: Agents by name, or a list of them, which are called as they print.
        games: How many games for each two of them.
        seed: All matches have the same openings.
        **options: Those of `play_match`.
    """
    named = {name: as_agent(value) for name, value in name_agents(agents).items()}
    if len(named) < 2:
        raise ValueError(f"a round robin needs at least two agents, not {len(named)}")
    result = RoundRobinResult(game, named)
    for first, second in itertools.combinations(named, 2):
        match = play_match(game, named[first], named[second], games, seed, **options)
        result.matches[first, second] = match
        if match.interrupted:
            result.interrupted = True
            break
    return result


def name_agents(agents: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Agents by name; ValueError if two print alike."""
    if isinstance(agents, Mapping):
        return dict(agents)
    named: dict[str, Any] = {}
    for agent in map(as_agent, agents):
        if repr(agent) in named:
            raise ValueError(f"two agents are called {agent!r}: give them names, as in {{'old': ..., 'new': ...}}")
        named[repr(agent)] = agent
    return named
