"""Games for one, over many deals: how many are won, or the mean score."""

import functools
import multiprocessing
import signal
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastmcts.core.validate import whole_number
from fastmcts.experiments.agents import Agent, Search, as_agent
from fastmcts.experiments.bars import ProgressOption, shown_progress
from fastmcts.experiments.intervals import DEVIATIONS, share, wilson
from fastmcts.experiments.openings import roll
from fastmcts.experiments.records import CHANCE_STREAM
from fastmcts.game import Game
from fastmcts.mcts import MCTS
from fastmcts.rng import spawn_seed
from fastmcts.state import State


@dataclass
class DealsResult:
    """How an agent has done in a game for one.

    Attributes:
        game: The game.
        agent: Who played.
        utilities: What each deal brought.
        seconds: How long each took a core, without compiling.
        interrupted: Whether Ctrl-C ended it; the deal that was being played is left out.
    """

    game: Game
    agent: Agent
    utilities: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    interrupted: bool = False

    @property
    def is_won_or_lost(self) -> bool:
        """Whether every deal brought either the most or the least there is."""
        return {*self.utilities} <= {self.game.min_utility, self.game.max_utility}

    @property
    def won(self) -> int:
        """How many deals brought the most there is."""
        return self.utilities.count(self.game.max_utility)

    @property
    def mean(self) -> float:
        """The mean utility; NaN without deals."""
        return statistics.mean(self.utilities) if self.utilities else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share that is won (Wilson's), or of the mean utility; NaN where there is none."""
        count = len(self.utilities)
        if count > 0 and self.is_won_or_lost:
            return wilson(self.won / count, count)
        margin = DEVIATIONS * statistics.stdev(self.utilities) / count**0.5 if count > 1 else float("nan")
        return self.mean - margin, self.mean + margin

    def __str__(self) -> str:
        """The share with its interval, or the mean; nothing before the first deal."""
        count = len(self.utilities)
        if count == 0:
            return ""
        if self.is_won_or_lost:
            return f"won {self.won:,} of {count:,}: {share(self.won / count, self.interval)}"
        if count == 1:
            return f"score {self.mean:,.5g} in 1 deal"
        low, high = self.interval
        return f"mean score {self.mean:,.5g} ({low:,.5g} to {high:,.5g}) in {count:,} deals"

    def as_dictionary(self) -> dict[str, Any]:
        """The numbers, as JSON can hold them."""
        count = len(self.utilities)
        return {
            "game": repr(self.game),
            "agent": repr(self.agent),
            "deals": count,
            "won": self.won if self.is_won_or_lost else None,
            "mean": self.mean if count else None,
            "interval": list(self.interval) if count > 1 else None,
            "seconds_per_deal": statistics.mean(self.seconds) if count else None,
            "interrupted": self.interrupted,
        }


def play_deals(
    game: Game,
    agent: Any,
    deals: int = 100,
    seed: int = 0,
    *,
    processes: int = 1,
    progress: ProgressOption = None,
) -> DealsResult:
    """Let an agent play many deals of a game for one; a search keeps its tree through a deal.

    Args:
        game: A game for one player.
        agent: An `Agent`, its text, or an object with `choose(state)`.
        deals: How many; deal i is that of the seed `spawn_seed(seed, i)`.
        seed: Decides deals, dice and searches.
        processes: How many processes share the deals; the result is the same for any number.
        progress: True for a bar, or a function that is called with the number of deals and the result so far; False to
            see nothing at all, not even that something is being compiled.
    """
    if not isinstance(game, Game):
        raise TypeError(f"play_deals takes a Game, such as games.Klondike(), not {game!r}")
    if game.num_players != 1:
        raise ValueError(f"{game.name} has {game.num_players} players, and this is for games for one: play a match")
    deals = whole_number("deals", deals, low=1)
    processes = whole_number("processes", processes, low=1)
    result = DealsResult(game, as_agent(agent))
    result.agent.check(game)
    seeds = [spawn_seed(seed, deal) for deal in range(deals)]
    try:
        with shown_progress(progress, game.name, deals) as show:
            play_deal(game, result.agent, seeds[0], most_moves=1)  # compiles, before other processes look for it
            with mapping(processes) as run:
                for utility, seconds in run(functools.partial(timed_deal, game, result.agent), seeds):
                    result.utilities.append(utility)
                    result.seconds.append(seconds)
                    show(len(result.utilities), result)
    except KeyboardInterrupt:
        result.interrupted = True
    return result


@contextmanager
def mapping(processes: int) -> Iterator[Any]:
    """A `map` in this process, or over several, which leave Ctrl-C to this one."""
    if processes == 1:
        yield map
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)


def timed_deal(game: Game, agent: Agent, seed: int) -> tuple[float, float]:
    """Play a deal; what it brought, and the seconds of this process."""
    warm_up(game, agent)
    start = time.process_time()
    state = play_deal(game, agent, seed)
    return state.returns()[0], time.process_time() - start


#: Agents that have played in this process, so that what they need is compiled or loaded.
WARM: list[tuple[Game, Agent]] = []


def warm_up(game: Game, agent: Agent) -> None:
    """Make one move, the first time in each process."""
    if (game, agent) not in WARM:
        play_deal(game, agent, seed=0, most_moves=1)
        WARM.append((game, agent))


def play_deal(game: Game, agent: Agent, seed: int, most_moves: int | None = None) -> State:
    """Let an agent play a deal to its end, or for some moves; return how it ended."""
    dice = np.random.default_rng(spawn_seed(seed, CHANCE_STREAM))
    search = MCTS(game, seed=seed, **agent.options) if isinstance(agent, Search) else None
    state = game.new_initial_state(seed)
    roll(state, dice)
    move = 0
    while not state.is_terminal() and move != most_moves:
        action = search.search(state).action if search else agent.choose(state, spawn_seed(seed, move))
        assert action is not None
        state.apply_action(action)
        roll(state, dice)
        move += 1
    return state
