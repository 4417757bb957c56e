import math

import numpy as np
import pytest

from fastmcts.experiments import SPRT
from fastmcts.experiments.elo import elo_of, share_of
from fastmcts.experiments.sprt import POINTS

MATCHES = 1000
MOST_PAIRS = 3000
STEP = 5  # pairs between two looks


def counted(both_lost: int, lost: int, even: int, drawn: int, won: int, both_won: int) -> list[int]:
    """How chess testers list the results of pairs: a win and a loss apart from two draws."""
    return [both_lost, lost, even + drawn, won, both_won]


@pytest.mark.parametrize(
    ("test", "counts", "published"),
    [  # from the tests of fastchess, a tool for chess engines (app/tests/sprt_test.cpp, logistic pentanomial)
        (SPRT(0.5, 2.5), counted(223, 9863, 20279, 1000, 10037, 246), -3.07),
        (SPRT(0.0, 2.0), counted(871, 26175, 55003, 980, 26678, 821), -4.98),
    ],
)
def test_likelihood_ratios_agree_with_published_ones(test: SPRT, counts: list[int], published: float) -> None:
    assert test.ratio_of_counts(counts) == pytest.approx(published, abs=0.006)
    assert test.log_likelihood_ratio(np.repeat(POINTS, counts).tolist()) == pytest.approx(published, abs=0.006)


@pytest.mark.parametrize(
    ("counts", "published", "margin"),
    [  # app/tests/elo_test.cpp of the same
        (counted(34, 54, 31, 32, 64, 75), 55.58, 27.65),
        (counted(332, 433, 457, 41, 333, 334), -8.64, 10.33),
        (counted(7895, 8757, 5485, 200, 568, 9999), -21.04, 2.95),
    ],
)
def test_elo_of_pairs_agrees_with_published_figures(counts: list[int], published: float, margin: float) -> None:
    pairs = np.repeat(POINTS, counts)
    error = 1.96 * pairs.std() / math.sqrt(len(pairs))
    low, high = elo_of(pairs.mean() - error), elo_of(pairs.mean() + error)
    assert elo_of(pairs.mean()) == pytest.approx(published, abs=0.006)
    assert 0.5 * (high - low) == pytest.approx(margin, rel=0.01)


def test_elo_and_shares_are_inverse() -> None:
    assert elo_of(0.75) == pytest.approx(190.848, abs=1e-3)
    assert share_of(200.0) == pytest.approx(0.7597, abs=1e-4)
    assert [elo_of(share_of(elo)) for elo in (-300.0, 0.0, 5.0)] == pytest.approx([-300.0, 0.0, 5.0])
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)
    assert math.isnan(elo_of(math.nan))


def share_found_better(test: SPRT, elo: float, rng: np.random.Generator) -> float:
    """The share of simulated matches that end with "better", where `elo` is the truth."""
    drawn = 0.3
    won = share_of(elo) - drawn / 2
    games = [1.0 - won - drawn, drawn, won]
    pair = np.convolve(games, games)  # of two independent games
    steps = rng.multinomial(STEP, pair, size=(MATCHES, MOST_PAIRS // STEP))
    counts = steps.cumsum(axis=1)
    low, high = test.bounds
    is_open = np.ones(MATCHES, bool)
    better = np.zeros(MATCHES, bool)
    for step in range(counts.shape[1]):
        ratios = test.ratio_of_counts(counts[is_open, step])
        better[np.flatnonzero(is_open)[ratios >= high]] = True
        is_open[np.flatnonzero(is_open)[(ratios <= low) | (ratios >= high)]] = False
        if not is_open.any():
            break
    assert is_open.mean() < 0.01
    return better.mean()


def test_errors_are_as_rare_as_promised_in_simulated_matches() -> None:
    rng = np.random.default_rng(0)
    test = SPRT(0.0, 40.0, alpha=0.05, beta=0.1)
    # Three standard errors of 1,000 matches on top of what is promised.
    assert 0.01 < share_found_better(test, 0.0, rng) < 0.05 + 0.021
    assert 0.9 - 0.029 < share_found_better(test, 40.0, rng) < 0.99
    assert share_found_better(test, -40.0, rng) < 0.01


def test_nothing_played_says_nothing_and_one_sided_results_decide() -> None:
    test = SPRT(0, 50)
    assert test.log_likelihood_ratio([]) == 0.0
    assert test.verdict([]) is None
    assert test.verdict([1.0] * 60) == "better"
    assert test.verdict([0.0] * 60) == "not better"
    assert test.text([0.5]).startswith("open, log likelihood ratio")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5), "elo0 must be below elo1, not 5 against 5"),
        ((0, "5"), "elo1 must be a number"),
        ((0, 5, 0.0), "alpha must be above 0"),
        ((0, 5, 0.05, 0.7), "beta must be at most 0.5"),
    ],
)
def test_hypotheses_that_make_no_sense_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        SPRT(*arguments)
