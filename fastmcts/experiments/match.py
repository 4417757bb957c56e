"""Matches between two agents: pairs of games from the same random opening or deal, with changed seats.

Of more than two players, those with even numbers play for one side and those with odd numbers for the other. In a
game for one, both agents play the same deals, and the higher utility wins. Dice fall alike in both games of a pair.
"""

import dataclasses
import statistics
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastmcts.core.validate import whole_number
from fastmcts.engine.trial import try_out
from fastmcts.experiments.agents import Agent, Search, as_agent
from fastmcts.experiments.bars import ProgressOption, shown_progress
from fastmcts.experiments.elo import elo_of
from fastmcts.experiments.intervals import share, wilson
from fastmcts.experiments.openings import starts_from_a_deal, usual_opening_moves
from fastmcts.experiments.records import COUNTS, GameRecord, won_by
from fastmcts.experiments.shared_match import play_over_processes
from fastmcts.experiments.sprt import POINTS, SPRT
from fastmcts.experiments.tables import Pairing, play_games
from fastmcts.game import Game

REFRESH_SECONDS = 0.2  # how often a score that is shown is counted anew


@dataclass
class MatchResult:
    """What was played; the score is that of the first agent.

    Attributes:
        game: The game.
        first: The agent whose score counts.
        second: The other one.
        counts: What a point is won by: each of the "games", or by "deals", the sum of both games of a pair.
        seed: What the openings, deals and searches come from.
        opening_moves: How many random moves both games of a pair have started with.
        records: Every game with its moves, two for each pair.
        interrupted: Whether Ctrl-C ended the match; the games that were not over are left out.
        stop: The test that might have ended the match; `verdict` tells what it says.
    """

    game: Game
    first: Agent
    second: Agent
    counts: str = "games"
    seed: int = 0
    opening_moves: int = 0
    records: list[GameRecord] = field(default_factory=list)
    interrupted: bool = False
    stop: SPRT | None = None

    @property
    def both(self) -> list[tuple[GameRecord, GameRecord]]:
        """The games of each pair."""
        return list(zip(self.records[::2], self.records[1::2], strict=True))

    @property
    def pairs(self) -> list[float]:
        """For each pair the points of the first agent: 1 a win, 0.5 a draw; the mean of both games if they count."""
        return [self.pair_points(one, other) for one, other in self.both]

    def pair_points(self, one: GameRecord, other: GameRecord) -> float:
        """The points of the first agent for a pair of games."""
        points = self.points_of(one, other)
        return sum(points) / len(points)

    def points_of(self, one: GameRecord, other: GameRecord) -> list[float]:
        """What the first agent won in each of two games, or by the sum of both."""
        return [won_by(one.margin + other.margin)] if self.counts == "deals" else [one.points, other.points]

    @property
    def margins(self) -> list[float]:
        """How much more utility a player of the first side won than one of the second, a game, for each pair."""
        shared_by = 1 if self.game.num_players == 1 else 2
        return [(one.margin + other.margin) / shared_by for one, other in self.both]

    @property
    def draws(self) -> int:
        """How many of what counts were drawn."""
        return sum(self.points_of(one, other).count(0.5) for one, other in self.both)

    @property
    def lengths(self) -> list[int]:
        """How many moves each game took, without what chance did."""
        return [record.length for record in self.records]

    @property
    def moves(self) -> list[int]:
        """How many moves each agent chose."""
        return [sum(record.moves[side] for record in self.records) for side in range(2)]

    @property
    def simulations(self) -> list[int]:
        """How many simulations each agent ran in all."""
        return [sum(record.simulations[side] for record in self.records) for side in range(2)]

    @property
    def seconds(self) -> list[float]:
        """How long each agent thought in all, without compiling."""
        return [sum(record.seconds[side] for record in self.records) for side in range(2)]

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.records)

    @property
    def counted(self) -> int:
        """How many games, or deals, a point was given for."""
        return self.games // 2 if self.counts == "deals" else self.games

    @property
    def mean(self) -> float:
        """The share of points; NaN without games."""
        return statistics.mean(self.pairs) if self.pairs else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the mean over pairs, which are independent while their two games are not."""
        pairs = self.pairs
        return statistics.stdev(pairs) / len(pairs) ** 0.5 if len(pairs) > 1 else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean: Wilson's, for as many coins as have the same standard error."""
        mean, error = self.mean, self.error
        return wilson(mean, mean * (1.0 - mean) / error**2 if error > 0.0 else float(self.counted))

    @property
    def elo(self) -> tuple[float, float, float]:
        """How much better the first agent is in Elo, and the bounds of its 95% interval; infinite at 0% and 100%."""
        low, high = self.interval
        return elo_of(self.mean), elo_of(low), elo_of(high)

    @property
    def verdict(self) -> str | None:
        """What the test that may end the match says: "better", "not better", or None while it is open."""
        return None if self.stop is None else self.stop.verdict(self.pairs)

    @property
    def length(self) -> float:
        """The mean length of a game in moves; NaN without games."""
        return statistics.mean(self.lengths) if self.lengths else float("nan")

    @property
    def margin(self) -> float:
        """The mean of `margins`; NaN without games."""
        return statistics.mean(self.margins) if self.margins else float("nan")

    @property
    def seconds_per_move(self) -> tuple[float, float]:
        """How long each agent thought about a move, on average."""
        first, second = (self.seconds[side] / max(1, self.moves[side]) for side in range(2))
        return first, second

    @property
    def simulations_per_move(self) -> tuple[float, float]:
        """How many simulations each agent ran for a move, on average."""
        first, second = (self.simulations[side] / max(1, self.moves[side]) for side in range(2))
        return first, second

    @property
    def score(self) -> str:
        """The score with its interval; nothing while there is none."""
        return share(self.mean, self.interval) if self.games > 2 else ""

    def __str__(self) -> str:
        """The match in a few lines."""
        if not self.records:
            return f"{self.first!r} against {self.second!r}: no pair of games was played to the end"
        one, other = self.seconds_per_move
        simulations = " and ".join(f"{count:,.0f}" for count in self.simulations_per_move)
        points = self.score or f"{self.mean:.1%} (one pair has no interval)"
        draws = f"{self.draws:,} of {self.counted:,} {self.counts} drawn"
        lines = [
            f"{self.game!r}: {self.games:,} games{', then interrupted' if self.interrupted else ''}",
            f"first:  {self.first!r}",
            f"second: {self.second!r}",
            f"score of the first: {points}; {draws}",
            f"length: {self.length:.1f} moves a game; seconds a move: {one:.2g} and {other:.2g};"
            f" simulations a move: {simulations}",
        ]
        if self.stop is not None:
            lines.insert(4, f"{self.stop!r}: {self.stop.text(self.pairs)}")
        if self.counts == "deals":
            lines.insert(4, f"margin: {self.margin:+.3g} in utility a game")
        return "\n".join(lines)

    def as_dictionary(self) -> dict[str, Any]:
        """Everything but the single games, as JSON can hold it."""
        has_interval = self.games > 2
        return {
            "game": repr(self.game),
            "first": repr(self.first),
            "second": repr(self.second),
            "seed": self.seed,
            "games": self.games,
            "counts": self.counts,
            "score": self.mean if self.records else None,
            "interval": list(self.interval) if has_interval else None,
            "draws": self.draws,
            "margin": self.margin if self.records else None,
            "length": self.length if self.records else None,
            "seconds_per_move": list(self.seconds_per_move),
            "simulations_per_move": list(self.simulations_per_move),
            "verdict": self.verdict,
            "interrupted": self.interrupted,
        }


def play_match(
    game: Game,
    first: Any,
    second: Any,
    games: int = 400,
    seed: int = 0,
    *,
    opening_moves: int | None = None,
    counts: str | None = None,
    stop: SPRT | None = None,
    threads: int = 1,
    processes: int = 1,
    progress: ProgressOption = None,
) -> MatchResult:
    """Play a match between two agents.

    Many games are played side by side: all positions in which the same agent is to move are one batch. What happens in
    a game depends on the seed and its number, but not on how many games there are. Ctrl-C ends the match, and the pairs
    that are over count.

    Args:
        game: The game.
        first: The agent whose score counts: an `Agent`, its text, or an object with `choose(state)`.
        second: The other one.
        games: How many games; rounded up to pairs.
        seed: Decides openings, deals, dice and searches.
        opening_moves: How many random moves both games of a pair start with; by default two, or none in a game that
            starts from a deal.
        counts: "games" gives a point for each; "deals" gives one for each pair, by the sum of what each side won, so
            that the luck of the deal is the same for both. By default deals where there is a deal.
        stop: A test that ends the match as soon as it is decided, such as `SPRT(0, 20)`; pairs count in their order.
        threads: How many threads share the searches of an agent that does not say.
        processes: How many processes share the games; the result is the same for any number. Objects of your own have
            to be picklable, and a script that is run needs `if __name__ == "__main__"`.
        progress: True for a bar, or a function that is called with the games that are over and the result so far; False
            to see nothing at all, not even that something is being compiled.
    """
    one, other = as_agent(first), as_agent(second)
    pairing = make_pairing(game, one, other, seed, opening_moves)
    counts = checked_counts(game, counts)
    games = whole_number("games", games, low=1)
    threads = whole_number("threads", threads, low=1)
    processes = whole_number("processes", processes, low=1)
    if not (stop is None or isinstance(stop, SPRT)):
        raise TypeError(f"stop must be an SPRT, such as SPRT(0, 20), not {stop!r}")
    for agent in (one, other):
        agent.check(game)
    result = MatchResult(game, one, other, counts, pairing.seed, pairing.opening_moves, stop=stop)
    count = games + games % 2
    sides = [agent.filled(threads=threads) if isinstance(agent, Search) else agent for agent in (one, other)]
    playing = dataclasses.replace(pairing, first=sides[0], second=sides[1])
    title = f"{game.name}: {result.first!r} against {result.second!r}"
    try:
        with shown_progress(progress, title, count) as show:
            playing.prepare()
            collected = Collected(result)
            games_to_play = pairing.games(count // 2)
            with closing(
                play_games(playing, games_to_play)
                if processes == 1
                else play_over_processes(playing, games_to_play, processes)
            ) as rounds:
                for ended in rounds:
                    if collected.add(ended):
                        break
                    show(collected.over, collected.score)
            show(count, result.score)
    except KeyboardInterrupt:
        result.interrupted = True
    return result


class Collected:
    """Puts the pairs that are over into the result of a match, in their order, until a test is decided."""

    def __init__(self, result: MatchResult) -> None:
        self.result = result
        self.over = 0
        self.waiting: dict[int, dict[int, GameRecord]] = {}  # pair -> seat -> the game
        self.counts = np.zeros(len(POINTS), np.int64)  # [5], how often a pair brought each result
        self.shown, self.due = "", 0.0

    @property
    def score(self) -> str:
        """The score, as it was at most a moment ago: to count thousands of games after each move would take long."""
        if time.monotonic() > self.due:
            self.shown, self.due = self.result.score, time.monotonic() + REFRESH_SECONDS
        return self.shown

    def add(self, records: Iterable[GameRecord]) -> bool:
        """Add games that are over; whether the match is decided."""
        result, stop = self.result, self.result.stop
        for record in records:
            self.over += 1
            self.waiting.setdefault(record.pair, {})[record.seat] = record
        while len(pair := self.waiting.get(result.games // 2, {})) == 2:
            del self.waiting[result.games // 2]
            result.records += [pair[0], pair[1]]
            if stop is not None:
                self.counts[round(4 * result.pair_points(pair[0], pair[1]))] += 1
                if stop.verdict_at(stop.ratio_of_counts(self.counts)) is not None:
                    return True
        return False


def make_pairing(game: Game, first: Any, second: Any, seed: int, opening_moves: int | None) -> Pairing:
    """Check what two agents are to play, or one alone if the second is None."""
    if not isinstance(game, Game):
        raise TypeError(f"play_match takes a Game, such as games.ConnectFour(), not {game!r}")
    try_out(game)
    seed = whole_number("seed", seed)
    if opening_moves is None:
        opening_moves = 0 if second is None else usual_opening_moves(game)
    opening_moves = whole_number("opening_moves", opening_moves, low=0)
    other = None if second is None else as_agent(second)
    pairing = Pairing(game, as_agent(first), other, seed, opening_moves)
    pairing.start()
    return pairing


def checked_counts(game: Game, counts: str | None) -> str:
    """What a point is won by; by deals where there is one, unless somebody says."""
    if counts is None:
        return "deals" if game.num_players == 1 or starts_from_a_deal(game) else "games"
    if counts not in COUNTS or (counts == "games" and game.num_players == 1):
        right = "'deals' in a game for one" if game.num_players == 1 else "'games' or 'deals'"
        raise ValueError(f"counts must be {right}, not {counts!r}")
    return counts
