"""Games for one, over many deals: how many are won, or the mean score."""

import itertools
import statistics
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from fastmcts.core.validate import whole_number
from fastmcts.experiments.agents import Agent
from fastmcts.experiments.bars import ProgressOption, shown_progress
from fastmcts.experiments.intervals import DEVIATIONS, share, wilson
from fastmcts.experiments.match import make_pairing
from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.shared_match import play_over_processes
from fastmcts.experiments.tables import play_games
from fastmcts.game import Game


@dataclass
class DealsResult:
    """How an agent has done in a game for one.

    Attributes:
        game: The game.
        agent: Who played.
        utilities: What each deal brought.
        seconds: How long the agent thought in each, without compiling.
        interrupted: Whether Ctrl-C ended it; deals that were not over are left out.
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
    pairing = make_pairing(game, agent, None, seed, None)
    pairing.first.check(game)
    result = DealsResult(game, pairing.first)
    waiting: dict[int, GameRecord] = {}  # deals that are over before an earlier one is
    try:
        with shown_progress(progress, game.name, deals) as show:
            pairing.prepare()
            to_play = pairing.games(deals)
            with closing(
                play_games(pairing, to_play) if processes == 1 else play_over_processes(pairing, to_play, processes)
            ) as rounds:
                for record in itertools.chain.from_iterable(rounds):
                    waiting[record.pair] = record
                    while (next_one := waiting.pop(len(result.utilities), None)) is not None:
                        result.utilities.append(next_one.returns[0])
                        result.seconds.append(next_one.seconds[0])
                        show(len(result.utilities), result)
    except KeyboardInterrupt:
        result.interrupted = True
    return result
