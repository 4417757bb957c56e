"""Combinations that make no sense are refused, and what each strategy is for can be seen."""

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest

import fastmcts
from fastmcts import (
    GRAVE,
    ISMCTS,
    MAST,
    PUCT,
    UCB1,
    UCT,
    ExpandAll,
    GameRollout,
    Lazy,
    Prioritized,
    RandomRollout,
    SmoothUCT,
    games,
)
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import ROOT
from fastmcts.engine.plan import make_plan
from fastmcts.strategies.final import best_index
from fastmcts.testing import check_tree
from tests import naive
from tests.toys import OneShot

TIC_TAC_TOE = games.TicTacToe().new_initial_state()
SOS = games.SOS().new_initial_state()
KUHN = games.KuhnPoker().new_initial_state(0)


@pytest.mark.parametrize(
    ("state", "options", "message"),
    [
        (TIC_TAC_TOE, {"rollout": GameRollout()}, "tic_tac_toe has none: use RandomRollout"),
        (TIC_TAC_TOE, {"expansion": Prioritized()}, "tic_tac_toe does not have it: use Lazy"),
        (TIC_TAC_TOE, {"expansion": ExpandAll(), "selection": UCT(first_play=0.5)}, "first_play means nothing"),
        (TIC_TAC_TOE, {"selection": UCT(bias=1.0)}, "tic_tac_toe has no method prior: use bias=0"),
        (TIC_TAC_TOE, {"solver": True, "trees": 2}, "solver=True proves things in one tree, not in trees=2"),
        (TIC_TAC_TOE, {"solver": True, "selection": SmoothUCT()}, "draws moves whatever is proven about them"),
        (TIC_TAC_TOE, {"parallel": "shared", "threads": 2, "selection": SmoothUCT()}, "a shared tree draws no moves"),
        (KUHN, {"method": ISMCTS(), "selection": SmoothUCT()}, "draws moves by their visits, among which are those of"),
        (TIC_TAC_TOE, {"final": "best"}, "final must be one of visits, value, robust_max, lcb, not 'best'"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else None,
)
def test_a_combination_that_makes_no_sense_is_refused(state: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fastmcts.search(state, simulations=10, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Prioritized(value=1.5), "Prioritized's value must be at most 1, not 1.5"),
        (lambda: Prioritized(visits=-1), "Prioritized's visits must be from 0 to 32,767, not -1"),
        (lambda: ExpandAll(visits=-1), "ExpandAll's visits must be at least 0"),
        (lambda: RandomRollout(discount=0.0), "RandomRollout's discount must be above 0"),
        (lambda: RandomRollout(discount=1.1), "RandomRollout's discount must be at most 1"),
        (lambda: MAST(epsilon=2.0), "MAST's epsilon must be at most 1"),
        (lambda: MAST(temperature=0.0), "MAST's temperature must be above 0"),
        (lambda: GRAVE(reference=-1), "GRAVE's reference must be at least 0"),
        (lambda: SmoothUCT(most=1.1), "SmoothUCT's most must be at most 1"),
        (lambda: SmoothUCT(least=-0.1), "SmoothUCT's least must be at least 0"),
        (lambda: SmoothUCT(decay=-1.0), "SmoothUCT's decay must be at least 0"),
        (lambda: UCT(first_play=math.nan), "UCT's first_play must be finite"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def scoring_position() -> fastmcts.State:
    """Three rows of SOS with an S and an O in place: one of 122 moves completes it."""
    state = SOS.clone()
    for move in ("a1S", "b1O"):
        state.apply_action(state.string_to_action(move))
    return state


SEARCHES = 20 if JIT_ENABLED else 5


def scoring_visits(**options: Any) -> int:
    """How often some searches of 100 simulations visit the scoring move, the assumed visits among them."""
    state = scoring_position()
    [promising] = [a for a in state.legal_actions() if state.game.is_promising(state.array, a)]
    searches = (fastmcts.search(state, simulations=100, seed=seed, **options) for seed in range(SEARCHES))
    return sum(int(result.visits[result.actions == promising].sum()) for result in searches)


@pytest.mark.slow_to_compile
def test_prioritized_gives_scoring_moves_twice_the_visits_by_assuming_one() -> None:
    plain: dict[str, Any] = {"strategy": "plain", "selection": UCB1()}
    lazy, prioritized = scoring_visits(**plain), scoring_visits(**plain, expansion=Prioritized())
    assert prioritized >= 2 * lazy
    # With 126 moves of which each is tried once first, the one real try comes early, and no second one in time.
    assert prioritized == SEARCHES * (1 + 1)


@pytest.mark.slow_to_compile
@pytest.mark.thorough
def test_with_first_play_urgency_prioritized_really_tries_scoring_moves_more_often() -> None:
    options: dict[str, Any] = {"strategy": "plain", "selection": UCB1(c=0.3, first_play=0.6)}
    assumed = SEARCHES
    assert scoring_visits(**options, expansion=Prioritized()) - assumed >= 2 * scoring_visits(**options)


@pytest.mark.slow_to_compile
def test_what_sos_recommends_really_tries_scoring_moves_at_least_twice_as_often_as_lazy() -> None:
    assert scoring_visits() >= 2 * scoring_visits(strategy="plain", selection=UCB1())


@pytest.mark.slow_to_compile
def test_expand_all_backs_up_sum_and_count_together() -> None:
    result = fastmcts.search(TIC_TAC_TOE, simulations=1, seed=0, expansion=ExpandAll(visits=1))
    assert result.tree.visits[0] == 9
    assert result.tree.value_sum[0] == result.tree.value_sum[1:10].sum()
    assert result.visits.tolist() == [1] * 9
    assert result.tree.num_tried[0] == 9
    check_tree(result.tree)


@pytest.mark.slow_to_compile
def test_expand_all_waits_for_the_visits_it_is_told() -> None:
    waiting = fastmcts.search(TIC_TAC_TOE, simulations=5, seed=0, expansion=ExpandAll(visits=5))
    assert waiting.visits.sum() == 9 + 4
    assert waiting.max_depth == 1
    expanded = fastmcts.search(TIC_TAC_TOE, simulations=2, seed=0, expansion=ExpandAll(visits=0))
    assert expanded.visits.sum() == 9 + 8
    assert expanded.max_depth == 2


@pytest.mark.slow_to_compile
def test_one_simulation_of_expand_all_is_an_answer_in_a_search_and_in_a_batch() -> None:
    options: dict[str, Any] = {"simulations": 1, "expansion": ExpandAll()}
    result = fastmcts.search(TIC_TAC_TOE, seed=fastmcts.spawn_seed(0, 0), **options)
    batch = fastmcts.search_batch([TIC_TAC_TOE], seed=0, **options)
    assert result.action == batch.action[0]
    assert result.policy.sum() == batch.policy[0].sum() == 1.0
    assert result.value == batch.value[0]


@dataclass(frozen=True)
class Advised(games.TicTacToe):
    """Recommends what differs from the plain strategy in every part."""

    @property
    def recommended(self) -> dict[str, Any]:
        return {"selection": PUCT(c=2.0), "rollout": RandomRollout(max_length=3), "solver": True, "final": "lcb"}


ADVISED = Advised()


def settled(game: fastmcts.Game = ADVISED, **options: Any) -> fastmcts.Options:
    return make_plan(game, fastmcts.Options(simulations=100, **options)).options


def test_a_game_recommends_what_the_caller_leaves_out() -> None:
    options = settled(expansion=ExpandAll(visits=0))
    assert (options.selection, options.expansion) == (PUCT(c=2.0), ExpandAll(visits=0))
    assert (options.rollout, options.solver, options.final) == (RandomRollout(max_length=3), True, "lcb")
    assert settled(selection=UCT(c=1.0), solver=False).selection == UCT(c=1.0)
    assert settled(solver=False).solver is False


def test_the_plain_strategy_is_the_same_for_every_game() -> None:
    for game in (ADVISED, games.TicTacToe()):
        options = settled(game, strategy="plain")
        assert (options.selection, options.expansion, options.rollout) == (UCT(c=0.5), Lazy(), RandomRollout())
        assert (options.solver, options.final) == (False, "visits")


@pytest.mark.parametrize("options", [{"trees": 2}, {"threads": 2, "parallel": "shared"}])
def test_the_plain_strategy_helps_out_where_the_recommended_one_does_not_fit(options: dict[str, Any]) -> None:
    assert settled(**options).selection == UCT(c=0.5)


@pytest.mark.slow_to_compile
def test_a_result_names_its_strategy() -> None:
    state = ADVISED.new_initial_state()
    result = fastmcts.search(state, simulations=20, seed=0, strategy="plain", selection=UCB1(c=1.4, bias=0.0))
    assert result.strategy == "UCB1(), Lazy(), RandomRollout(), PerfectInformation()"
    assert str(result).endswith(f"strategy: {result.strategy}")
    named = fastmcts.search(state, simulations=20, seed=0).strategy
    assert named == 'PUCT(c=2.0), Lazy(), RandomRollout(max_length=3), PerfectInformation(), solver=True, final="lcb"'
    assert fastmcts.search_batch([state], simulations=20, seed=0).strategy == named


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_what_a_game_recommends_goes_together(name: str) -> None:
    game = fastmcts.load_game(name)
    options = settled(game)
    assert all(getattr(options, part) == component for part, component in game.recommended.items())


def test_a_recommendation_that_is_no_part_of_a_strategy_is_refused() -> None:
    @dataclass(frozen=True)
    class Odd(games.TicTacToe):
        @property
        def recommended(self) -> dict[str, Any]:
            return {"trees": 4}

    with pytest.raises(fastmcts.GameError, match="recommended has 'trees', which is no part of a strategy"):
        settled(Odd())


@pytest.mark.slow_to_compile
def test_a_discount_prefers_earlier_wins() -> None:
    # X wins at once in the right column, or one round later elsewhere.
    state = TIC_TAC_TOE.clone()
    for action in (0, 4, 3, 8):
        state.apply_action(action)
    plain = fastmcts.search(state, simulations=3_000, seed=0)
    discounted = fastmcts.search(state, simulations=3_000, seed=0, rollout=RandomRollout(discount=0.9))
    assert plain.values[plain.actions == 6] == 1.0
    assert discounted.values[discounted.actions == 6] == pytest.approx(0.5 + 0.5 * 0.9)
    assert discounted.action == 6


@dataclass(frozen=True)
class SoonOrLate(OneShot):
    """Action 0 ends the game with the utility `soon`; action 1 goes on for some moves and ends it with `late`.

    State: [over, moves made].
    """

    soon: float = 0.3
    late: float = 0.0
    least: float = 0.0
    most: float = 1.0
    max_game_length = 5

    @property
    def min_utility(self):
        return self.least

    @property
    def max_utility(self):
        return self.most

    def legal_actions(self, state, actions):
        actions[0], actions[1] = 0, 1
        return 2 if state[1] == 0 else 1

    def apply(self, state, action):
        state[1] += 1
        state[0] = 1 if action == 0 and state[1] in (1, 5) else 0

    def returns(self, state, out):
        out[0] = self.soon if state[1] == 1 else self.late

    def evaluate(self, state, out):
        out[0] = self.late


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    ("utilities", "expected"),
    [  # soon, late, least, most -> the utilities after one move, and after five
        ((0.3, 0.0, 0.0, 1.0), (0.15, 0.0)),  # a late 0 is no better than an early 0.3
        ((0.3, 1.0, 0.0, 1.0), (0.15, 0.03125)),
        ((0.5, -1.0, -1.0, 1.0), (0.25, -0.03125)),
        ((-0.5, -1.0, -1.0, 0.0), (-0.25, -0.03125)),
        ((100.0, 400.0, 0.0, 800.0), (50.0, 12.5)),
        ((2.0, 3.0, 1.0, 5.0), (1.5, 1.0625)),  # where 0 cannot be, towards the least
        ((-2.0, -3.0, -5.0, -1.0), (-1.5, -1.0625)),  # or the most
    ],
)
def test_a_discount_draws_utilities_towards_0(utilities: tuple[float, ...], expected: tuple[float, float]) -> None:
    state = SoonOrLate(*utilities).new_initial_state()
    least, most = utilities[2:]
    result = fastmcts.search(state, simulations=40, seed=0, strategy="plain", rollout=RandomRollout(discount=0.5))
    assert least + result.values * (most - least) == pytest.approx(expected)
    assert result.action == (0 if expected[0] > expected[1] else 1)
    cut_off = RandomRollout(discount=0.5, max_length=0)  # at once, so that `evaluate` decides after the second action
    result = fastmcts.search(state, simulations=2, seed=0, strategy="plain", rollout=cut_off)
    zero = min(most, max(least, 0.0))
    assert least + result.values[1] * (most - least) == pytest.approx(zero + (utilities[1] - zero) / 2)


@pytest.mark.slow_to_compile
def test_priors_of_the_game_steer_puct_and_the_bias() -> None:
    @dataclass(frozen=True)
    class Opinionated(OneShot):
        """All moves are worth the same, but the game thinks the last one is best."""

        num_actions = 4

        def legal_actions(self, state, actions):
            for action in range(4):
                actions[action] = action
            return self.num_actions

        def prior(self, state, actions, count, out):
            for index in range(count):
                out[index] = 0.7 if actions[index] == 3 else 0.1

        def returns(self, state, out):
            out[0] = 0.0

    state = Opinionated().new_initial_state()
    for selection in (PUCT(c=2.0), UCT(bias=5.0)):
        result = fastmcts.search(state, simulations=100, seed=0, selection=selection)
        assert result.action == 3
    assert fastmcts.search(state, simulations=100, seed=0, selection=PUCT(c=2.0)).visits[3] > 60


@pytest.mark.slow_to_compile
def test_first_play_urgency_leaves_bad_moves_untried() -> None:
    all_tried = fastmcts.search(SOS, simulations=200, seed=0, strategy="plain")
    urgent = fastmcts.search(SOS, simulations=200, seed=0, strategy="plain", selection=UCT(c=0.1, first_play=0.4))
    assert (all_tried.visits > 0).sum() == 128
    assert (urgent.visits > 0).sum() < 100


@pytest.mark.slow_to_compile
def test_normalizing_makes_the_scale_of_rewards_irrelevant() -> None:
    @dataclass(frozen=True)
    class Scored(OneShot):
        """Rewards differ by a thousandth of the declared range."""

        num_actions = 8
        min_utility = 0.0
        max_utility = 1000.0

        def legal_actions(self, state, actions):
            for action in range(8):
                actions[action] = action
            return self.num_actions

        def returns(self, state, out):
            out[0] = state[1] / 7.0

    state = Scored().new_initial_state()
    plain = fastmcts.search(state, simulations=400, seed=0, selection=UCT(c=0.5))
    scaled = fastmcts.search(state, simulations=400, seed=0, selection=UCT(c=0.5, normalize=True))
    assert plain.policy.max() < 0.2, "differences vanish beside the bonus"
    assert scaled.action == 7
    assert scaled.policy[7] > 0.4


class Rave(naive.Grave):
    """Every node looks at what was played below itself, and nowhere else."""

    reference = 0


@pytest.mark.slow_to_compile
def test_rave_is_grave_without_a_threshold() -> None:
    state = games.Hex(size=4).new_initial_state()
    options: dict[str, Any] = {"simulations": 300, "seed": 0, "strategy": "plain"}
    rave = fastmcts.search(state, selection=GRAVE(reference=0), **options)
    check_tree(rave.tree)
    naive.assert_same_tree(rave.tree, ROOT, Rave(state, 0).run(300))
    assert fastmcts.search(state, selection=GRAVE(), **options).visits.tolist() != rave.visits.tolist()


def test_final_moves_follow_their_criterion() -> None:
    actions, visits = np.arange(3), np.array([100, 40, 2])
    values = np.array([0.6, 0.7, 1.0])
    assert best_index("visits", actions, visits, values) == 0
    assert best_index("value", actions, visits, values) == 2
    assert best_index("lcb", actions, visits, values) == 1


def test_moves_are_sampled_by_their_visits() -> None:
    result = fastmcts.search(TIC_TAC_TOE, simulations=500, seed=0)
    draws = [result.sample(temperature=1.0, seed=seed) for seed in range(2000)]
    shares = np.bincount(draws, minlength=9) / 2000
    assert np.abs(shares - result.policy).max() < 4 * 0.5 / math.sqrt(2000)
    assert {result.sample(temperature=0.0, seed=seed) for seed in range(5)} == {result.action}
    assert result.sample(seed=7) == result.sample(seed=7)
    cold = [result.sample(temperature=0.05, seed=seed) for seed in range(200)]
    assert np.mean(np.array(cold) == result.action) > 0.9
    with pytest.raises(ValueError, match="temperature must be at least 0"):
        result.sample(temperature=-1.0)


def test_robust_max_searches_on_until_visits_and_mean_agree() -> None:
    for seed in range(6):
        plain = fastmcts.search(TIC_TAC_TOE, simulations=60, seed=seed)
        robust = fastmcts.search(TIC_TAC_TOE, simulations=60, seed=seed, final="robust_max")
        agrees = len({best_index(how, plain.actions, plain.visits, plain.values) for how in ("visits", "value")}) == 1
        assert robust.simulations == 60 if agrees else 60 < robust.simulations <= 120
        assert robust.visits.sum() == robust.simulations


@pytest.mark.slow_to_compile
def test_a_batch_respects_proofs_and_the_final_move() -> None:
    states = [TIC_TAC_TOE, winning_position()]
    choices: list[dict[str, Any]] = [{"solver": True}, {"final": "value"}]
    for options in choices:
        batch = fastmcts.search_batch(states, simulations=300, seed=5, **options)
        for index, state in enumerate(states):
            alone = fastmcts.search(state, simulations=300, seed=fastmcts.spawn_seed(5, index), **options)
            assert batch.action[index] == alone.action


def winning_position() -> fastmcts.State:
    """X to move wins at once in the left column."""
    state = TIC_TAC_TOE.clone()
    for action in (0, 1, 3, 4):
        state.apply_action(action)
    return state


def test_the_name_of_the_type_that_kernels_are_cached_by_tells_the_order_of_the_fields() -> None:
    game = games.TicTacToe()
    strategy = make_plan(game, fastmcts.Options(simulations=1)).strategy
    fields = ("game", "selection", "expansion", "rollout", "proofs", "method", "evaluator")
    assert strategy._fields == fields
    assert numba.typeof(strategy).name.startswith(hashlib.sha256(repr(fields).encode()).hexdigest()[:4])
