"""A sequential test that ends a match as soon as it is decided."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.validate import real_number
from fastmcts.experiments.elo import share_of

#: What a pair of games can bring: both lost, ..., both won. Pairs that are counted as one have the ends and the middle.
POINTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
#: Instead of 0 for a result that has not been seen, so that the likelihood of a mean always exists.
UNSEEN = 1e-3
HALVINGS = 60


@dataclass(frozen=True)
class SPRT:
    """Wald's sequential test of two hypotheses about the difference in Elo, over pairs of games.

    The likelihood is that of the five results of a pair (pentanomial): the two games of a pair, from one opening, are
    not independent of each other, while pairs are. Under each hypothesis it is the highest of all distributions with
    that mean (Van den Bergh's generalised test, as chess testers use it).

    Args:
        elo0: The first agent is better by this much at most ("not better").
        elo1: It is better by at least this much ("better").
        alpha: The chance to find "better" where elo0 is the truth.
        beta: The chance to find "not better" where elo1 is the truth.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            object.__setattr__(self, name, real_number(name, getattr(self, name)))
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, real_number(name, getattr(self, name), above=0.0, high=0.5))
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0:g} against {self.elo1:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first the verdict is "not better", above the second "better"."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, pairs: Sequence[float]) -> float:
        """How much more likely elo1 makes what was played than elo0, as a logarithm.

        Args:
            pairs: The points of each pair, from 0 to 1.
        """
        counts = np.bincount(np.rint(4.0 * np.asarray(pairs, float)).astype(int), minlength=len(POINTS))
        return float(self.ratio_of_counts(counts))

    def ratio_of_counts(self, counts: Any) -> NDArray[np.float64]:
        """The same from how often a pair brought each of the five results; many matches at once in [..., 5]."""
        seen = np.asarray(counts, float)
        total = seen.sum(axis=-1, keepdims=True)
        seen = np.where(seen == 0.0, UNSEEN, seen)
        shares = seen / seen.sum(axis=-1, keepdims=True)
        likely = [tilted(shares, share_of(elo)) for elo in (self.elo0, self.elo1)]
        return np.where(total[..., 0] > 0, (seen * np.log(likely[1] / likely[0])).sum(axis=-1), 0.0)

    def verdict(self, pairs: Sequence[float]) -> str | None:
        """What is decided, "better" or "not better"; None while it is open."""
        return self.verdict_at(self.log_likelihood_ratio(pairs))

    def verdict_at(self, ratio: Any) -> str | None:
        """The verdict at a logarithm of the likelihood ratio."""
        low, high = self.bounds
        if low < ratio < high:
            return None
        return "better" if ratio >= high else "not better"

    def text(self, pairs: Sequence[float]) -> str:
        """The verdict, and how far it is."""
        low, high = self.bounds
        ratio = self.log_likelihood_ratio(pairs)
        return f"{self.verdict(pairs) or 'open'}, log likelihood ratio {ratio:.2f} ({low:.2f} to {high:.2f})"


def tilted(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The distributions with a given mean under which what was seen is most likely.

    They are shares / (1 + t (points - mean)), with the t for which they sum to one; it is found by halving.

    Args:
        shares: What was seen, [..., 5], none of them 0.
        mean: Between 0 and 1.
    """
    away = POINTS - mean
    low = np.full(shares.shape[:-1], -1.0 / away.max())  # all denominators are positive between these two
    high = np.full(shares.shape[:-1], -1.0 / away.min())
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        is_below = (shares * away / (1.0 + middle[..., None] * away)).sum(axis=-1) > 0.0  # decreases with t
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return shares / (1.0 + (0.5 * (low + high))[..., None] * away)
