"""What noise, halving and forced playouts do, beside what the naive search and mctx show."""

import math

import numpy as np
import pytest

import fastmcts
from fastmcts import PUCT, Gumbel, RootNoise, UniformEvaluator, games
from fastmcts.kernels.evaluate import draw_gamma
from fastmcts.rng import make_rng
from fastmcts.strategies.selection.gumbel import considered_visits
from tests.helpers.networks import judge

pytestmark = pytest.mark.slow_to_compile


@pytest.mark.parametrize("shape", [0.03, 0.3, 1.0, 10.0])
def test_gamma_draws_have_the_moments_of_the_distribution(shape: float) -> None:
    rng = make_rng(1)
    with np.errstate(over="ignore"):
        draws = np.array([draw_gamma(shape, rng) for _ in range(4000)])
    deviation = math.sqrt(shape / 4000)
    assert abs(draws.mean() - shape) < 4 * deviation
    assert shape < 0.1 or draws.var() == pytest.approx(shape, rel=0.35)
    assert (draws >= 0).all()


def test_root_noise_is_a_dirichlet_share_of_the_prior() -> None:
    state = games.ConnectFour().new_initial_state()
    noise = RootNoise(alpha=0.5, weight=0.4)
    trees = [
        fastmcts.search(state, simulations=1, seed=seed, evaluator=UniformEvaluator(), root_noise=noise).tree
        for seed in range(300)
    ]
    shares = np.array([(tree.prior[1:8] - 0.6 * tree.own_prior[1:8]) / 0.4 for tree in trees])
    assert shares.sum(axis=1) == pytest.approx(np.ones(300))
    assert abs(shares.mean(axis=0) - 1 / 7).max() < 0.06
    variance = (1 / 7) * (6 / 7) / (7 * 0.5 + 1)  # of one share of a Dirichlet distribution with 7 times 0.5
    assert shares.var() == pytest.approx(variance, rel=0.15)


@pytest.mark.parametrize("simulations", [1, 7, 16, 50, 200])
@pytest.mark.parametrize("considered", [1, 2, 3, 4, 7, 16])
def test_halving_visits_all_moves_of_a_phase_equally_often(considered: int, simulations: int) -> None:
    """By the definition: a list of visits of which the first half goes on."""
    visits, phases = [0] * considered, math.ceil(math.log2(max(2, considered)))
    sequence: list[int] = []
    left = considered
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (phases * left)) if considered > 1 else 1):
            sequence += visits[:left]
            visits[:left] = [count + 1 for count in visits[:left]]
        left = max(2, left // 2) if considered > 1 else 1
    assert [considered_visits(considered, i, simulations) for i in range(simulations)] == sequence[:simulations]


def test_gumbel_samples_moves_by_their_priors() -> None:
    """The move with the highest prior plus noise is a draw from the prior (the Gumbel-max trick)."""
    state = games.ConnectFour().new_initial_state()
    counts, priors = np.zeros(7), np.zeros(7)
    for seed in range(400):
        result = fastmcts.search(state, simulations=1, seed=seed, evaluator=judge, selection=Gumbel(considered=1))
        counts += result.visits
        priors = result.tree.prior[1:8]
    deviations = np.sqrt(priors * (1 - priors) * 400)
    assert (np.abs(counts - 400 * priors) < 4 * deviations + 1).all()


def test_gumbel_considers_no_more_moves_than_it_is_told() -> None:
    state = games.ConnectFour().new_initial_state()
    for considered in (1, 2, 4):
        result = fastmcts.search(
            state, simulations=40, seed=1, evaluator=judge, selection=Gumbel(considered=considered)
        )
        assert np.count_nonzero(result.visits) == considered
        assert result.visits[result.actions == result.action] == result.visits.max()
        assert result.improved_policy.sum() == pytest.approx(1.0)
        assert (result.improved_policy[result.actions] > 0).all()


def test_the_improved_policy_has_a_higher_value_than_the_prior() -> None:
    """What Danihelka et al. prove, by the values that the search has found."""
    for start in range(7):
        state = games.ConnectFour().new_initial_state().child(start)
        result = fastmcts.search(
            state, simulations=200, seed=1, evaluator=judge, selection=Gumbel(scale=0.0, considered=7)
        )
        priors = result.tree.prior[1 : 1 + len(result.actions)]
        assert (result.improved_policy[result.actions] * result.values).sum() >= (priors * result.values).sum()


def test_forced_playouts_are_left_out_of_the_improved_policy() -> None:
    state = games.ConnectFour().new_initial_state()

    def one_good(observations, legal):
        policy = np.where(np.arange(7) == 3, 0.4, 0.1) * np.ones((len(legal), 1))
        stones = (observations != 0).reshape(len(legal), -1).sum(axis=1)
        return policy, np.where(stones % 2 == 0, 0.2, -0.2)

    forced = fastmcts.search(state, simulations=400, seed=1, evaluator=one_good, selection=PUCT(forced_playouts=2.0))
    assert (forced.visits[forced.visits > 0] >= np.floor(np.sqrt(2.0 * forced.tree.prior[1:8] * 400)) - 1).all()
    assert forced.improved_policy.sum() == pytest.approx(1.0)
    assert forced.improved_policy[forced.visits.argmax()] >= forced.policy[forced.visits.argmax()]
    plain = fastmcts.search(state, simulations=400, seed=1, evaluator=one_good, selection=PUCT())
    assert plain.improved_policy.tolist() == plain.policy.tolist()


def test_puct_goes_on_without_an_evaluator_too() -> None:
    for rule in (PUCT(fpu_reduction=0.2), PUCT(c_init=1.25), PUCT(offset=1.0), PUCT(forced_playouts=2.0)):
        result = fastmcts.search(games.TicTacToe().new_initial_state(), simulations=500, seed=1, selection=rule)
        assert result.visits.sum() == 500
        assert result.action == 4


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: PUCT(c_init=-1.0), "c_init"),
        (lambda: PUCT(c_base=0.0), "c_base"),
        (lambda: PUCT(forced_playouts=-1.0), "forced_playouts"),
        (lambda: Gumbel(considered=0), "considered"),
        (lambda: Gumbel(scale=-1.0), "scale"),
        (lambda: Gumbel(first_play=0.5), "first_play"),
        (lambda: RootNoise(alpha=0.0), "alpha"),
        (lambda: RootNoise(weight=1.5), "weight"),
        (lambda: fastmcts.Blend(judge, weight=0.0), "weight"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make, match) -> None:
    with pytest.raises(ValueError, match=match):
        make()
