"""A search by a network builds the tree that the slow, obvious one builds, to the last bit."""

import pytest

import fastmcts
from fastmcts import PUCT, games
from fastmcts.testing.tree_checks import check_tree
from tests.helpers.networks import judge, judge_three
from tests.naive.evaluated import EvaluatedSearch, assert_same_judgement
from tests.toys import ThreePlayers, TwiceInARow

RULES = {
    "constant": PUCT(c=1.5, first_play=0.4),
    "growing": PUCT(c_init=1.25, c_base=50.0, first_play=0.0),
    "reduced": PUCT(c_init=1.25, fpu_reduction=0.2),
    "forced": PUCT(c=1.0, forced_playouts=2.0),
    "offset": PUCT(c=1.0, offset=1.0),
}


def assert_naive(game: fastmcts.Game, rule: PUCT, batch_size: int, simulations: int = 150) -> None:
    evaluate = judge_three if game.num_players == 3 else judge
    state = game.new_initial_state(seed=3, draw_chance=True)
    options = {"evaluator": evaluate, "selection": rule, "batch_size": batch_size}
    result = fastmcts.search(state, simulations=simulations, seed=5, **options)
    naive = EvaluatedSearch(state, 5, rule, evaluate, batch_size)
    assert_same_judgement(result.tree, 0, naive.run(simulations))
    check_tree(result.tree)
    assert result.visits.sum() == result.simulations == simulations
    assert result.tree.visits[0] == 1 + simulations


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("game", [games.TicTacToe(), TwiceInARow(), ThreePlayers(), games.Pig(target=20)], ids=repr)
def test_a_network_guides_the_search_as_the_naive_one(game: fastmcts.Game, name: str, batch_size: int) -> None:
    assert_naive(game, RULES[name], batch_size)


def test_compiled_code_builds_the_same_tree() -> None:
    assert_naive(games.TicTacToe(), RULES["reduced"], batch_size=5, simulations=400)
