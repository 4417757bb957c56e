"""The score of a match, or of deals that one agent plays alone, counted game by game."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fastmcts.experiments.intervals import share, wilson
from fastmcts.experiments.records import ALONE, GameRecord, won_by


@dataclass
class Tally:
    """Points of the first agent so far.

    Attributes:
        counts: What a point is won by: "games", "deals", or "alone" where each deal brings what it is worth.
        utilities: The least and the most that a game can bring; alone, these are 0 and 1 point.
        games: How many games are over.
        pairs: How many pairs are, or deals of one who plays alone.
        total: Their points, from 0 to 1 for each pair.
        squares: The squares of these.
        draws: How many of what counts were drawn.
    """

    counts: str
    utilities: tuple[float, float] = (0.0, 1.0)
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
            if self.counts == ALONE:
                least, most = self.utilities
                self.add_points([(record.returns[0] - least) / (most - least)])
                continue
            other = self.halves.pop(record.pair, None)
            if other is None:
                self.halves[record.pair] = record
                continue
            is_by_deal = self.counts == "deals"
            won = [won_by(record.margin + other.margin)] if is_by_deal else [record.points, other.points]
            self.add_points(won)
            self.draws += won.count(0.5)

    def add_points(self, won: list[float]) -> None:
        """Count the points of one pair, or of one deal."""
        points = sum(won) / len(won)
        self.pairs += 1
        self.total += points
        self.squares += points * points

    @property
    def mean(self) -> float:
        """The share of points; NaN without pairs."""
        return self.total / self.pairs if self.pairs else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the mean over pairs, or deals; NaN without two of them."""
        if self.pairs < 2:
            return float("nan")
        return (max(0.0, self.squares / self.pairs - self.mean * self.mean) / (self.pairs - 1)) ** 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean over pairs, as that of `MatchResult`, or over deals."""
        mean, error = self.mean, self.error
        is_won_or_lost = self.counts == ALONE and self.total == self.squares  # nothing but 0 and 1
        if error > 0.0 and not is_won_or_lost:
            return wilson(mean, mean * (1.0 - mean) / error**2)
        return wilson(mean, float(2 * self.pairs if self.counts == "games" else self.pairs))

    @property
    def score(self) -> str:
        """The share with its interval; nothing while there is none."""
        return share(self.mean, self.interval) if self.pairs > 1 else ""
