"""Who sits at the board: a person, or an agent that keeps its tree from move to move."""

from collections.abc import Callable
from typing import Any

from fastmcts.experiments.agents import Agent, Search
from fastmcts.game import Game
from fastmcts.mcts import MCTS
from fastmcts.result import SearchResult
from fastmcts.state import State
from fastmcts.strategies.snapshot import Snapshot


class Seat:
    """A seat at the board.

    Args:
        game: The game.
        agent: Who sits there; None for a person.
        seed: What an agent's random numbers come from.
    """

    def __init__(self, game: Game, agent: Agent | None, seed: int) -> None:
        self.game = game
        self.seed = seed
        self.watcher: Callable[[Snapshot], object] | None = None
        self.sit_down(agent)

    def sit_down(self, agent: Agent | None) -> None:
        """Change who sits there."""
        self.agent = agent
        self.search: MCTS | None = None
        if agent is not None:
            agent.check(self.game)
        if isinstance(agent, Search):
            self.search = MCTS(self.game, seed=self.seed, on_interrupt="return", progress=self.pass_on, **agent.options)

    @property
    def is_human(self) -> bool:
        """Whether a person sits there."""
        return self.agent is None

    def pass_on(self, look: Snapshot) -> None:
        """Show whoever watches how a search is getting on."""
        if self.watcher is not None:
            self.watcher(look)

    def choose(
        self, state: State, seed: int, watcher: Callable[[Snapshot], object] | None = None
    ) -> tuple[int, SearchResult | None]:
        """The agent's move, and what its search found if it searches; meanwhile the watcher is shown how it goes."""
        assert self.agent is not None
        if self.search is None:
            return self.agent.choose(state, seed), None
        self.watcher = watcher
        result = self.search.search(state)
        assert result.action is not None
        return result.action, result

    def set_level(self, simulations: int) -> None:
        """Let an agent that searches do so many simulations a move from now on."""
        if isinstance(self.agent, Search):
            self.sit_down(with_simulations(self.agent, simulations))


def with_simulations(agent: Search, simulations: int) -> Search:
    """The same search with another budget."""
    options: dict[str, Any] = {**agent.options, "seconds": None, "simulations": simulations}
    return Search(**options)
