"""The score of a match, counted game by game."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fastmcts.experiments.intervals import share, wilson
from fastmcts.experiments.records import GameRecord, won_by


@dataclass
class Tally:
    """Points of the first agent so far.

    Attributes:
        counts: What a point is won by, "games" or "deals".
        games: How many games are over.
        pairs: How many pairs are.
        total: Their points, from 0 to 1 for each pair.
        squares: The squares of these.
        draws: How many of what counts were drawn.
    """

    counts: str
    games: int = 0
    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0
    draws: int = 0
    halves: dict[int, GameRecord] = field(default_factory=dict, repr=False)  # games that wait for the other of a pair

    def add(self, records: Iterable[GameRecord]) -> None:
        """Count games, none of them twice."""
        for record in records:
            self.games += 1
            other = self.halves.pop(record.pair, None)
            if other is None:
                self.halves[record.pair] = record
                continue
            is_by_deal = self.counts == "deals"
            won = [won_by(record.margin + other.margin)] if is_by_deal else [record.points, other.points]
            points = sum(won) / len(won)
            self.pairs += 1
            self.total += points
            self.squares += points * points
            self.draws += won.count(0.5)

    @property
    def mean(self) -> float:
        """The share of points; NaN without pairs."""
        return self.total / self.pairs if self.pairs else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean over pairs, as that of `MatchResult`."""
        mean, coins = self.mean, float(self.pairs if self.counts == "deals" else 2 * self.pairs)
        if self.pairs > 1:
            variance = max(0.0, self.squares / self.pairs - mean * mean) * self.pairs / (self.pairs - 1)
            if variance > 0.0:
                coins = mean * (1.0 - mean) * self.pairs / variance
        return wilson(mean, coins)

    @property
    def score(self) -> str:
        """The share with its interval; nothing while there is none."""
        return share(self.mean, self.interval) if self.pairs > 1 else ""
