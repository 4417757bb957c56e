"""A result keeps what stays true, and travels without its tree."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import fastmcts
from fastmcts import ISMCTS, MCTS, SearchResult, games
from fastmcts.testing import check_tree
from tests.toys import OneShot

GAME = games.TicTacToe()
START = GAME.new_initial_state()


def assert_same(first: SearchResult, second: SearchResult) -> None:
    """Both say the same, but for their trees."""
    assert str(first) == str(second)
    assert first.principal_variation() == second.principal_variation()
    assert first.sample(seed=3) == second.sample(seed=3)
    assert first.state == second.state
    for name in ("actions", "visits", "values", "policy", "proven"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for name in ("action", "value", "simulations", "nodes", "max_depth", "reused", "seed", "stopped_by", "strategy"):
        assert getattr(first, name) == getattr(second, name), name
    assert (first.trace is None) == (second.trace is None)
    if first.trace is not None and second.trace is not None:
        np.testing.assert_array_equal(first.trace.visits, second.trace.visits)


def test_a_detached_result_says_all_but_its_tree() -> None:
    result = fastmcts.search(START, simulations=300, seed=0, trace=True)
    detached = result.detach()
    assert_same(detached, result)
    for read in (lambda: detached.tree, lambda: detached.trees):
        with pytest.raises(ValueError, match="no tree any more: it was detached, or came from another process: read"):
            read()
    assert result.tree.visits[0] == 300
    assert_same(detached.detach(), result)


def test_a_pickled_result_is_small_and_keeps_what_it_says() -> None:
    result = fastmcts.search(START, simulations=2_000, seed=0, memory_mb=4.0, trace=True)
    content = pickle.dumps(result)
    assert len(content) < 10_000 < result.tree.visits.nbytes
    again = pickle.loads(content)
    assert_same(again, result)
    with pytest.raises(ValueError, match="came from another process"):
        _ = again.tree
    assert pickle.loads(pickle.dumps(again)).principal_variation() == result.principal_variation()


def test_a_deep_copy_of_a_result_has_a_tree_of_its_own() -> None:
    mcts = MCTS(GAME, simulations=300, seed=0)
    result = mcts.search(START)
    copied = copy.deepcopy(result)
    mcts.search(START)
    assert_same(copied, result)
    assert copied.tree.visits.size == copied.nodes
    assert copied.tree.visits[0] == 300
    check_tree(copied.tree)


def test_the_tree_of_a_search_that_has_gone_on_is_not_shown() -> None:
    for go_on in (
        lambda mcts: mcts.search(START),
        lambda mcts: mcts.search(START.child(4)),
        lambda mcts: mcts.advance(0),
        lambda mcts: mcts.reset(),
    ):
        mcts = MCTS(GAME, simulations=300, seed=0)
        result = mcts.search(START)
        again = mcts.result()
        assert result.tree is again.tree, "to look does not change it"
        line = fastmcts.search(START, simulations=300, seed=0).principal_variation()
        go_on(mcts)
        for old in (result, again, pickle.loads(pickle.dumps(result))):
            with pytest.raises(ValueError, match=r"the MCTS has gone on from there: .* copy.deepcopy\(result\)"):
                _ = old.tree
            assert old.principal_variation() == line


def test_the_tree_of_the_search_function_stays() -> None:
    result = fastmcts.search(START, simulations=100, seed=0)
    fastmcts.search(START, simulations=100, seed=1)
    assert result.tree.visits[0] == 100


@pytest.mark.parametrize("options", [{}, {"trees": 2, "threads": 2}], ids=["one", "trees"])
def test_a_used_search_goes_on_after_pickling_and_copying(options: dict[str, int]) -> None:
    mcts = MCTS(GAME, simulations=200, seed=0, **options)  # pyright: ignore[reportArgumentType]
    mcts.search(START)
    pickled, copied = pickle.loads(pickle.dumps(mcts)), copy.deepcopy(mcts)
    for state in (START, START.child(4)):
        ours = mcts.search(state)
        for theirs in (pickled.search(state), copied.search(state)):
            assert ours.visits.tolist() == theirs.visits.tolist()
            assert ours.reused == theirs.reused


@pytest.mark.slow_to_compile
def test_a_search_of_hidden_information_goes_on_after_pickling() -> None:
    game = games.KuhnPoker()
    state = game.new_initial_state(seed=0)
    for method in (ISMCTS(), ISMCTS(observers="all"), fastmcts.PIMC(worlds=4), fastmcts.SinglePerspective()):
        mcts = MCTS(game, simulations=100, seed=0, method=method, strategy="plain")
        mcts.search(state)
        pickled = pickle.loads(pickle.dumps(mcts))
        assert pickled.search(state).visits.tolist() == mcts.search(state).visits.tolist()


def test_a_search_that_is_fresh_can_be_pickled_and_copied() -> None:
    mcts = MCTS(GAME, simulations=50, seed=0)
    visits = fastmcts.search(START, simulations=50, seed=0).visits.tolist()
    assert pickle.loads(pickle.dumps(mcts)).search(START).visits.tolist() == visits
    assert copy.deepcopy(mcts).search(START).visits.tolist() == visits


def test_a_progress_callback_is_copied_but_not_pickled() -> None:
    looks: list[object] = []
    mcts = MCTS(GAME, simulations=50, seed=0, progress=lambda look: looks.append(look))
    mcts.search(START)
    assert copy.deepcopy(mcts).options.progress is mcts.options.progress
    assert pickle.loads(pickle.dumps(mcts)).options.progress is None


class Named(MCTS):
    """A search with something of its own."""

    name = "nobody"


def test_what_a_class_of_ones_own_adds_to_a_search_is_kept() -> None:
    mcts = Named(GAME, simulations=20, seed=0)
    mcts.name = "somebody"
    for again in (pickle.loads(pickle.dumps(mcts)), copy.deepcopy(mcts)):
        assert type(again) is Named
        assert again.name == "somebody"


def searched_elsewhere(mcts: MCTS) -> tuple[MCTS, SearchResult]:
    result = mcts.search(START)
    return mcts, result


@pytest.mark.slow_to_compile
def test_searches_and_results_travel_between_processes() -> None:
    mcts = MCTS(GAME, simulations=100, seed=0)
    mcts.search(START)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there, result = pool.submit(searched_elsewhere, mcts).result()
    here = mcts.search(START)
    assert_same(result, here)
    assert there.search(START).visits.tolist() == mcts.search(START).visits.tolist()


@pytest.mark.slow_to_compile
def test_utilities_are_values_in_the_units_of_the_game() -> None:
    result = fastmcts.search(games.Pig(target=10).new_initial_state(), simulations=200, seed=0)
    assert result.utilities.tolist() == (2.0 * result.values - 1.0).tolist(), "from -1 to 1"
    assert result.utility == pytest.approx(2.0 * result.value - 1.0)
    state = OneShot().new_initial_state()
    batch = fastmcts.search_batch([state], simulations=50, seed=0)
    low, high = state.game.min_utility, state.game.max_utility
    assert np.array_equal(batch.utilities, low + batch.values * (high - low), equal_nan=True)
    assert batch.utility.tolist() == (low + batch.value * (high - low)).tolist()
    np.testing.assert_array_equal(batch[0].utilities, batch.utilities[0, batch[0].actions])
    assert np.isnan(fastmcts.search(state.child(1), simulations=5).utility), "nothing was searched"


def test_no_move_is_none_for_one_position_and_minus_one_in_a_batch() -> None:
    over = OneShot().new_initial_state().child(1)
    result, batch = fastmcts.search(over, simulations=5), fastmcts.search_batch([over], simulations=5)
    assert result.action is batch[0].action is None
    assert batch.action.tolist() == [-1]
    assert result.visits.shape == batch[0].visits.shape == (0,)
    assert batch.visits.shape == (1, over.game.num_actions)
