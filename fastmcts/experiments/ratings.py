"""Ratings in Elo from games of many agents: Bradley and Terry's model, by maximum likelihood."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.validate import real_number
from fastmcts.experiments.elo import SCALE
from fastmcts.experiments.extras import needed
from fastmcts.experiments.intervals import DEVIATIONS


@dataclass(frozen=True, eq=False)
class Ratings:
    """How strong agents are, best first; the mean of all is 0.

    Attributes:
        names: The agents.
        elo: float64 [A], the rating of each.
        covariance: float64 [A, A], of the ratings.
        games: int [A], how many games each has played.
    """

    names: tuple[str, ...]
    elo: NDArray[np.float64]
    covariance: NDArray[np.float64] = field(repr=False)
    games: NDArray[np.float64]

    @property
    def margins(self) -> NDArray[np.float64]:
        """float64 [A], half the width of the 95% interval of each."""
        return DEVIATIONS * np.sqrt(np.diag(self.covariance))

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """How much better one agent is than another, in Elo, and the standard error of that."""
        one, other = self.names.index(first), self.names.index(second)
        variances = self.covariance
        error = variances[one, one] + variances[other, other] - 2.0 * variances[one, other]
        return float(self.elo[one] - self.elo[other]), math.sqrt(max(0.0, float(error)))

    def __str__(self) -> str:
        """A table, best first."""
        width = max(len(name) for name in self.names)
        rows = zip(self.names, self.elo, self.margins, self.games, strict=True)
        return "\n".join(
            f"{name:{width}}  {elo:+7.0f} ± {margin:.0f} Elo  ({games:,.0f} games)" for name, elo, margin, games in rows
        )


def rate(results: Mapping[tuple[str, str], tuple[float, float]], prior: float = 1.0) -> Ratings:
    """Rate agents by what they won against each other; a draw is half a win.

    Args:
        results: For two agents by name, the points of the first and the number of games.
        prior: So many drawn games against an average player are added for each agent, so that one that has won
            everything has a rating. 0 for plain maximum likelihood.

    Raises:
        ValueError: If there is nothing to rate by: groups that never met, or, without a prior, one that never lost.
    """
    prior = real_number("prior", prior, low=0.0)
    names = sorted({name for pair in results for name in pair})
    if len(names) < 2:
        raise ValueError(f"ratings compare at least two agents, not {len(names)}")
    wins = np.zeros((len(names), len(names)))  # [A, A], the points of the first against the second
    for (first, second), (points, games) in results.items():
        one, other = names.index(first), names.index(second)
        wins[one, other] += points
        wins[other, one] += games - points
    refuse_unrelated(names, wins, prior)
    strengths, covariance = most_likely(wins, prior)
    order = sorted(range(len(names)), key=lambda index: (-strengths[index], names[index]))
    return Ratings(
        names=tuple(names[index] for index in order),
        elo=SCALE * strengths[order],
        covariance=SCALE**2 * covariance[np.ix_(order, order)],
        games=(wins + wins.T).sum(axis=1)[order],
    )


def refuse_unrelated(names: list[str], wins: NDArray[np.float64], prior: float) -> None:
    """Raise ValueError if some agents cannot be compared."""
    graph: Any = needed("scipy.sparse.csgraph", "experiments", "Rating agents")
    kind = "weak" if prior > 0.0 else "strong"
    count, groups = graph.connected_components(wins > 0.0, connection=kind)
    if count > 1:
        apart = [name for name, group in zip(names, groups, strict=True) if group != groups[0]]
        why = (
            "never met, not even through others"
            if kind == "weak"
            else "have won, or lost, everything against the others: use a prior above 0"
        )
        raise ValueError(f"{names[0]} and {apart[0]} cannot be compared: their groups {why}")


def most_likely(wins: NDArray[np.float64], prior: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The strengths as log odds, whose mean is 0, and their covariance."""
    optimize: Any = needed("scipy.optimize", "experiments", "Rating agents")
    games = wins + wins.T
    scored = wins.sum(axis=1) + 0.5 * prior

    def expected(strengths: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        against = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
        return against, 1.0 / (1.0 + np.exp(-strengths))

    def loss(strengths: NDArray[np.float64]) -> float:
        against, average = expected(strengths)
        known = wins * np.log(against)
        return -float(known.sum() + 0.5 * prior * (np.log(average) + np.log(1.0 - average)).sum())

    def gradient(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        against, average = expected(strengths)
        return (games * against).sum(axis=1) + prior * average - scored

    def curvature(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        against, average = expected(strengths)
        weights = games * against * (1.0 - against)
        return np.diag(weights.sum(axis=1) + prior * average * (1.0 - average)) - weights

    start = np.zeros(len(wins))
    found = optimize.minimize(loss, start, jac=gradient, hess=curvature, method="trust-exact", tol=1e-9)
    strengths = found.x - found.x.mean()
    centred = np.eye(len(wins)) - 1.0 / len(wins)
    covariance = centred @ np.linalg.pinv(curvature(found.x), hermitian=True) @ centred
    return strengths, covariance
