"""Open-loop search: a tree of sequences of decisions."""

from typing import Any

import pytest

import fastmcts
from fastmcts import OpenLoop, RandomRollout, games
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import children
from fastmcts.testing import check_tree
from tests import naive
from tests.toys import Paid, PaidInSecret

PIG = games.Pig(target=20, horizon=60)


@pytest.mark.parametrize("seed", [0, 1])
def test_pig_has_the_tree_of_the_naive_search(seed: int) -> None:
    state = PIG.new_initial_state()
    result = fastmcts.search(state, simulations=400, seed=seed, strategy="plain", method=OpenLoop())
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, naive.OpenLoop(state, seed).run(400))


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    "game", [Paid(), Paid(num_players=1), Paid(num_players=3), games.Twenty48(max_tile=16)], ids=repr
)
def test_other_games_do_too(game: fastmcts.Game) -> None:
    state = game.new_initial_state(seed=1, draw_chance=True)
    rollout = RandomRollout(max_length=8)
    result = fastmcts.search(state, simulations=300, seed=2, strategy="plain", method=OpenLoop(), rollout=rollout)
    check_tree(result.tree)
    search = naive.OpenLoop(state, 2)
    search.max_length = 8
    naive.assert_same_tree(result.tree, ROOT, search.run(300))


def test_only_whose_turn_it_becomes_is_told_apart() -> None:
    state = PIG.new_initial_state()
    tree = fastmcts.search(state, simulations=400, seed=0, strategy="plain", method=OpenLoop()).tree
    rolled = next(child for child in children(tree, ROOT) if tree.action[child] == 0)
    turns = list(children(tree, rolled))
    assert sorted(tree.action[turns].tolist()) == [0, 1]
    assert {int(tree.player[turn]) for turn in turns} == {0}
    for turn in turns:
        assert {int(tree.player[child]) for child in children(tree, turn)} == {int(tree.action[turn])}


@pytest.mark.slow_to_compile
def test_it_is_saved_and_loaded_and_kept_no_longer_than_a_move(tmp_path: Any) -> None:
    state = PIG.new_initial_state()
    mcts = fastmcts.MCTS(PIG, simulations=200, seed=0, method=OpenLoop())
    first = mcts.search(state)
    assert first.principal_variation() == [first.action]
    mcts.save(tmp_path / "pig.npz")
    loaded = fastmcts.MCTS.load(tmp_path / "pig.npz", PIG)
    assert loaded.search(state).visits.tolist() == mcts.search(state).visits.tolist()
    state.apply_action(0)
    state.apply_action(3)
    mcts.advance(0)
    mcts.advance(3)
    assert mcts.search(state).reused == 0.0


@pytest.mark.slow_to_compile
def test_it_finds_the_best_decision_of_pig() -> None:
    # Two points are missing: who rolls wins five times of six, and who holds gives the die away.
    array = PIG.new_initial_state().array
    array[-2:] = 18, 18
    state = PIG.state_from_array(array)
    rollout = RandomRollout()
    assert fastmcts.search(state, simulations=1_000, seed=0, method=OpenLoop(), rollout=rollout).action == 0


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (games.TicTacToe(), "nothing is left to chance in tic_tac_toe: leave method out"),
        (PaidInSecret(), "OpenLoop sees everything, and PaidInSecret has hidden information"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_makes_no_sense_is_refused(game: fastmcts.Game, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fastmcts.search(game.new_initial_state(0), simulations=10, method=OpenLoop())
