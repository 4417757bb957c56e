"""Rules in lanes score as their formulas say, and rules for one child go on as they were written."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import GRAVE, ISMCTS, PUCT, UCB1, UCT, ExpandAll, Prioritized, UCB1Tuned, games
from fastmcts.compiler.lanes import LANES, Block, at, sqrt, where
from fastmcts.compiler.logarithm import log
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree
from fastmcts.testing import check_tree
from tests import naive

SOS = games.SOS(rows=3, columns=4)
CONNECT_FOUR = games.ConnectFour()
BOARDS = [CONNECT_FOUR, pytest.param(SOS, marks=pytest.mark.slow_to_compile)]


@dataclass(frozen=True)
class Greedier(fastmcts.Selection):
    """The mean, plus a bonus that fades faster than UCT's."""

    c: float = 1.0

    def score(self, tree, node, child):
        visits = tree.visits[child]
        return tree.value_sum[child] / visits + self.c * math.sqrt(tree.visits[node]) / (1 + visits)


def greedier(path: list[naive.Node], child: naive.Node) -> Any:
    return child.value_sum / child.visits + 0.7 * math.sqrt(path[-1].visits) / (1 + child.visits)


@pytest.mark.parametrize("game", BOARDS, ids=["connect_four", "sos"])
def test_a_rule_for_one_child_is_compared_in_float64(game: fastmcts.Game) -> None:
    state = game.new_initial_state()
    result = fastmcts.search(state, simulations=600, seed=1, strategy="plain", selection=Greedier(c=0.7))
    assert not Greedier.in_lanes
    naive.assert_same_tree(result.tree, ROOT, naive.Search(state, 1, greedier).run(600))


@dataclass(frozen=True)
class Doubting(UCT):
    """UCT, with a mean of its own: it has branches, as only a rule for one child may."""

    def mean(self, tree, child):
        if tree.visits[child] < 3:
            return 0.5
        return tree.value_sum[child] / tree.visits[child]


def doubting(path: list[naive.Node], child: naive.Node) -> Any:
    mean = 0.5 if child.visits < 3 else child.value_sum / child.visits
    return mean + math.sqrt(0.25 * log(path[-1].visits) / child.visits)


@pytest.mark.slow_to_compile
def test_a_rule_that_overrides_a_part_for_one_child_is_asked_about_one_child() -> None:
    state = CONNECT_FOUR.new_initial_state()
    result = fastmcts.search(state, simulations=600, seed=1, strategy="plain", selection=Doubting(c=0.5))
    assert UCT.in_lanes
    assert not Doubting.in_lanes
    naive.assert_same_tree(result.tree, ROOT, naive.Search(state, 1, doubting).run(600))


@dataclass(frozen=True)
class Eager(PUCT):
    """PUCT, with another first-play urgency."""

    def untried_score(self, tree, node, child):
        return 2.0 if tree.action[child] == 3 else -1.0


@pytest.mark.slow_to_compile
def test_a_rule_that_overrides_the_score_of_untried_children_is_obeyed() -> None:
    state = CONNECT_FOUR.new_initial_state()
    result = fastmcts.search(state, simulations=60, seed=1, strategy="plain", selection=Eager(c=0.0))
    assert result.actions[result.visits > 0].tolist() == [3]


@dataclass(frozen=True)
class Swift(fastmcts.Selection):
    """A rule of one's own in lanes: the bonus fades faster, but not for children that do badly."""

    c: float = 1.0

    def exploration(self, trials):
        return self.c * sqrt(trials)

    def scores(self, tree, children, exploration):
        visits = at(tree.visits, children)
        mean = at(tree.value_sum, children) / visits
        return mean + where(mean < 0.4, exploration / visits, exploration / (1 + visits))


def swift(path: list[naive.Node], child: naive.Node) -> Any:
    exploration, visits = np.float32(0.7 * math.sqrt(path[-1].visits)), np.float32(child.visits)
    return child.mean + exploration / (visits if child.mean < np.float32(0.4) else np.float32(1.0) + visits)


@pytest.mark.parametrize("game", BOARDS, ids=["connect_four", "sos"])
def test_a_rule_of_ones_own_may_be_a_formula_over_lanes(game: fastmcts.Game) -> None:
    state = game.new_initial_state()
    result = fastmcts.search(state, simulations=600, seed=1, strategy="plain", selection=Swift(c=0.7))
    assert Swift.in_lanes
    naive.assert_same_tree(result.tree, ROOT, naive.Search(state, 1, swift).run(600))


def test_the_rules_in_the_box_but_grave_are_formulas_over_lanes() -> None:
    assert all(rule.in_lanes for rule in (UCT, UCB1, UCB1Tuned, PUCT))
    assert not GRAVE.in_lanes


#: Rules with what they may be combined with, and other options of the search.
RULES: list[tuple[fastmcts.Selection, dict[str, Any]]] = [
    (UCT(c=0.7, normalize=True, bias=0.4), {"expansion": ExpandAll()}),
    (UCB1Tuned(c=0.8, first_play=0.4, normalize=True), {}),
    (PUCT(c=0.8, first_play=0.3, bias=0.5, normalize=True), {"expansion": Prioritized()}),
]
MORE_RULES: list[tuple[fastmcts.Selection, dict[str, Any]]] = [
    (UCT(c=0.7), {}),
    (UCT(c=0.7, first_play=0.6), {"expansion": Prioritized(value=0.7, visits=2)}),
    (UCB1(c=0.7, first_play=0.9, bias=0.3), {}),
    (UCB1Tuned(bias=0.2), {"expansion": Prioritized()}),
    (PUCT(), {}),
]


@pytest.mark.parametrize(
    ("rule", "options"),
    [*RULES, *(pytest.param(*case, marks=pytest.mark.slow_to_compile) for case in MORE_RULES)],
    ids=str,
)
def test_lanes_hold_the_scores_of_each_child_alone_rounded(rule: Any, options: dict[str, Any]) -> None:
    tree = fastmcts.search(SOS.new_initial_state(), simulations=800, seed=0, selection=rule, **options).tree
    check_tree(tree)
    compared = 0
    for node in range(int(tree.size[0])):
        tried = int(tree.num_tried[node])
        competing = tried if rule.untried_first else int(tree.num_children[node])
        if competing > 0:
            first = int(tree.first_child[node])
            alone = [rule.score(tree, node, first + index) for index in range(tried)]
            alone += [rule.untried_score(tree, node, first + index) for index in range(tried, competing)]
            assert lane_scores(rule, tree, node, first, competing) == pytest.approx(alone, rel=2e-6, abs=2e-6)
            compared += competing
    assert compared >= 800


def lane_scores(rule: Any, tree: Tree, node: int, first: int, count: int) -> list[float]:
    """The scores of a block of children, and those behind."""
    exploration = rule.exploration(tree.visits[node])
    blocks = [Block(first + start, min(LANES, count - start)) for start in range(0, count, LANES)]
    return [score for block in blocks for score in rule.scores(tree, block, exploration).values[: block.size].tolist()]


@dataclass(frozen=True)
class Literal(fastmcts.Selection):
    """UCT as it is published, for one child."""

    c: float = 1.4

    def score(self, tree, node, child):
        bonus = self.c * math.sqrt(math.log(self.trials(tree, node, child)) / self.tries(tree, child))
        return self.mean(tree, child) + bonus


class LiteralSets(naive.InformationSets):
    def pick(self, node: naive.Node, legal: list[int]) -> int:
        if any(action not in node.children for action in legal):
            return super().pick(node, legal)

        def score(action: int) -> float:
            child = node.children[action]
            return child.value_sum / child.visits + self.c * math.sqrt(math.log(child.available) / child.visits)

        return max((action for action in node.children if action in legal), key=score)


OH_HELL = games.OhHell(num_players=3, hand_size=4).new_initial_state(seed=2)


@pytest.mark.slow_to_compile
def test_a_rule_for_one_child_chooses_among_the_moves_of_each_world() -> None:
    options: dict[str, Any] = {"strategy": "plain", "method": ISMCTS()}
    result = fastmcts.search(OH_HELL, simulations=300, seed=3, selection=Literal(c=0.7), **options)
    naive.assert_same_tree(result.tree, ROOT, LiteralSets(OH_HELL, 3, c=0.7).run(300))


@pytest.mark.slow_to_compile
def test_scores_that_are_no_numbers_still_lead_to_a_move_of_the_world() -> None:
    state = games.OhHell(num_players=2, hand_size=1).new_initial_state(seed=2)
    for selection in (UCT(c=1e200), Literal(c=1e200)):
        options: dict[str, Any] = {"strategy": "plain", "method": ISMCTS(), "selection": selection}
        result = fastmcts.search(state, simulations=200, seed=3, search_forced=True, **options)
        assert result.visits.sum() == 200
        check_tree(result.tree)


def test_threads_share_a_tree_by_a_rule_for_one_child() -> None:
    options: dict[str, Any] = {"strategy": "plain", "parallel": "shared", "threads": 2}
    result = fastmcts.search(
        CONNECT_FOUR.new_initial_state(), simulations=500, seed=0, selection=Greedier(c=0.7), **options
    )
    assert result.visits.sum() == 500
    assert result.visits.min() > 0
