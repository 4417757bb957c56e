"""Policies of searches, as functions of what a player knows."""

from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import ISMCTS, PIMC, UCT, SmoothUCT, games, spawn_seed
from fastmcts.testing import GameTree, SearchPolicy, TreePolicy

KUHN = games.KuhnPoker()
DEAL = ISMCTS(observers="all", begins="deal")
QUEEN = KUHN.state_from_knowledge(0, "Q")


def test_a_search_policy_is_the_mean_of_searches_with_different_seeds() -> None:
    policy = SearchPolicy(searches=3, seed=5, simulations=30)
    states = [QUEEN, KUHN.state_from_knowledge(1, "J", "bet")]
    found = policy.many(states)
    for row, state in enumerate(states):
        seeds = [spawn_seed(spawn_seed(5, number), row) for number in range(3)]
        shares = [fastmcts.search(state, simulations=30, seed=seed).policy for seed in seeds]
        assert found[row] == pytest.approx(np.mean(shares, axis=0))
    assert policy(QUEEN) == pytest.approx(found[0])
    assert policy.many([]).size == 0


def test_a_player_who_makes_the_best_move_is_another_policy() -> None:
    played = SearchPolicy(searches=4, plays="action", simulations=30)(QUEEN)
    assert set(4 * played) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    assert played.sum() == 1.0
    with pytest.raises(ValueError, match="plays must be one of visits, action, not 'best'"):
        SearchPolicy(plays="best")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="searches must be at least 1, not 0"):
        SearchPolicy(searches=0)


def test_from_the_deal_even_one_simulation_is_an_answer() -> None:
    state = KUHN.state_from_knowledge(0, "J", "pass bet")
    results = [fastmcts.search(state, simulations=1, seed=seed, method=DEAL) for seed in range(10)]
    assert all(sorted(result.policy) == [0.0, 1.0] for result in results)
    assert TreePolicy(*results)(QUEEN).tolist() == [0.5, 0.5], "where no simulation has been, all is alike"


@pytest.mark.parametrize("method", [DEAL, ISMCTS(observers="all")], ids=repr)
def test_a_tree_policy_is_the_shares_of_visits(method: fastmcts.Method) -> None:
    result = fastmcts.search(QUEEN, simulations=300, seed=0, method=method)
    policy = TreePolicy(result)
    assert policy(QUEEN).tolist() == result.policy.tolist()
    facing_bet = policy(KUHN.state_from_knowledge(1, "K", "bet"))
    assert facing_bet[1] > 0.7, "a king calls"
    unseen = policy(KUHN.state_from_knowledge(1, "Q", "bet")).tolist()
    assert (unseen == [0.5, 0.5]) == (method != DEAL), "with the queen here, nobody else has it"
    other = fastmcts.search(QUEEN, simulations=300, seed=1, method=method)
    assert TreePolicy(result, other)(QUEEN) == pytest.approx((result.policy + other.policy) / 2)


@pytest.mark.slow_to_compile
def test_trees_of_other_kinds_are_no_policies() -> None:
    with pytest.raises(ValueError, match="at least one result"):
        TreePolicy()
    with pytest.raises(ValueError, match=r"only the trees of ISMCTS\(observers='all'\) .* not those of ISMCTS"):
        TreePolicy(fastmcts.search(QUEEN, simulations=10, seed=0, method=ISMCTS()))


# ---- What is known of the methods: UCT stops improving, Smooth UCT goes on


def exploitability(selection: fastmcts.Selection, simulations: int) -> float:
    options: dict[str, Any] = {"strategy": "plain", "method": DEAL, "selection": selection}
    results = [fastmcts.search(QUEEN, simulations=simulations, seed=seed, **options) for seed in range(3)]
    return float(np.mean([GameTree(KUHN).exploitability(TreePolicy(result)) for result in results]))


@pytest.mark.thorough
@pytest.mark.jit
def test_smooth_uct_approaches_an_equilibrium_of_kuhn_poker_and_uct_does_not() -> None:
    smooth, plain = SmoothUCT(c=0.5), UCT(c=0.5)
    assert exploitability(smooth, 1_000) > 0.03
    assert exploitability(smooth, 1_000_000) < 0.006
    assert exploitability(plain, 1_000_000) > 0.012


@pytest.mark.jit
@pytest.mark.thorough
@pytest.mark.parametrize("method", [ISMCTS(), PIMC(worlds=20)], ids=repr)
def test_one_tree_and_open_cards_stay_exploitable(method: fastmcts.Method) -> None:
    tree = GameTree(KUHN)
    for simulations in (2_000, 20_000):
        policy = SearchPolicy(searches=5, simulations=simulations, method=method, strategy="plain")
        assert tree.exploitability(policy) > 0.05
