from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import Decided, games, search_batch, spawn_seed
from fastmcts.batch import BatchSnapshot
from fastmcts.rng import make_rng, make_rngs, spawn_seeds
from tests.helpers.trees import megabytes
from tests.toys import OneShot, Shuffled, ThreePlayers

GAME = games.TicTacToe()
START = GAME.new_initial_state()


def positions(count: int) -> list[fastmcts.State]:
    """Positions from the start to the end of random games."""
    rng = np.random.default_rng(0)
    states = []
    state = START.clone()
    while len(states) < count:
        states.append(state.clone())
        state = START.clone() if state.is_terminal() else state.child(int(rng.choice(state.legal_actions())))
    return states


def assert_as_alone(batch: fastmcts.BatchResult, states: list[fastmcts.State], seed: int, **options: Any) -> None:
    """Each row is what a search of its own finds."""
    for index, state in enumerate(states):
        alone = fastmcts.search(state, seed=spawn_seed(seed, index), **options)
        assert batch.action[index] == (-1 if alone.action is None else alone.action)
        assert batch.visits[index, alone.actions].tolist() == alone.visits.tolist()
        assert batch.visits[index].sum() == alone.visits.sum()
        np.testing.assert_allclose(batch.values[index, alone.actions], alone.values, rtol=1e-12)
        np.testing.assert_array_equal(batch.policy[index], alone.policy)
        np.testing.assert_allclose(batch.value[index], alone.value, rtol=1e-12)
    assert batch.simulations == batch.visits.sum()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_each_position_gets_the_tree_of_a_search_with_its_own_seed(threads: int) -> None:
    states = positions(40)
    batch = search_batch(states, simulations=60, seed=11, threads=threads)
    assert len(batch) == 40
    assert batch.visits.shape == batch.values.shape == batch.policy.shape == batch.value_sums.shape == (40, 9)
    assert batch.action.shape == batch.value.shape == (40,)
    assert_as_alone(batch, states, 11, simulations=60)


@pytest.mark.parametrize(
    "options",
    [
        {"trees": 2},
        {"stop": Decided()},
        {"search_forced": True},
        {"final": "value"},
        {"final": "lcb"},
        pytest.param({"solver": True}, marks=pytest.mark.slow_to_compile),
    ],
)
def test_all_options_of_a_search_work_in_a_batch(options: Any) -> None:
    states = positions(12)
    batch = search_batch(states, simulations=80, seed=3, threads=2, **options)
    assert_as_alone(batch, states, 3, simulations=80, **options)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("resample", [False, True])
def test_a_batch_of_single_perspectives_plays_as_searches_do(resample: bool) -> None:
    states = positions(30)
    method = fastmcts.SinglePerspective(player=1, resample=resample)
    batch = search_batch(states, simulations=30, seed=3, method=method)
    for index, state in enumerate(states):
        single = fastmcts.search(state, simulations=30, seed=spawn_seed(3, index), method=method)
        assert batch.positions[index].tolist() == single.state.array.tolist()
        assert batch.action[index] == (-1 if single.action is None else single.action)


def test_a_batch_by_the_clock_gives_each_position_its_time() -> None:
    batch = search_batch([START, START.child(4)], seconds=0.02, seed=0)
    assert (batch.visits.sum(axis=1) > 0).all()
    assert batch.seconds >= 0.04


def test_memory_is_reused_and_recycled_across_the_batch() -> None:
    states = positions(10)
    options: Any = {"simulations": 300, "memory_mb": megabytes(100)}
    batch = search_batch(states, seed=2, **options)
    assert_as_alone(batch, states, 2, **options)


@pytest.mark.parametrize(
    "game",
    [
        ThreePlayers(),
        *(
            pytest.param(game, marks=pytest.mark.slow_to_compile)
            for game in (games.ConnectFour(), Shuffled(), OneShot())
        ),
    ],
    ids=lambda game: game.name,
)
def test_other_games(game: fastmcts.Game) -> None:
    states = [game.new_initial_state(seed) for seed in range(5)]
    assert_as_alone(search_batch(states, simulations=50, seed=1), states, 1, simulations=50)


def test_a_long_batch_grows_its_tree_and_is_cut_into_chunks() -> None:
    states = positions(3)
    assert_as_alone(search_batch(states, simulations=1_500, seed=8), states, 8, simulations=1_500)


def test_positions_may_come_as_an_array() -> None:
    states = positions(6)
    array = np.stack([state.array for state in states])
    batch = search_batch(array, game=GAME, simulations=30, seed=4)
    assert batch.visits.tolist() == search_batch(states, simulations=30, seed=4).visits.tolist()
    assert np.array_equal(array, np.stack([state.array for state in states])), "they are not modified"


def test_the_generators_of_a_batch_are_those_of_single_searches() -> None:
    for seed in (0, -1, 2**63, 12345):
        seeds = spawn_seeds(seed, 50)
        assert seeds.tolist() == [spawn_seed(seed, index) for index in range(50)]
        assert make_rngs(seeds).tolist() == [make_rng(spawn_seed(seed, index)).tolist() for index in range(50)]


def test_a_callback_sees_the_batch_go_on() -> None:
    looks: list[BatchSnapshot] = []
    batch = search_batch(positions(20), simulations=20, seed=0, progress=looks.append)
    assert (looks[-1].positions, looks[-1].total, looks[-1].simulations) == (20, 20, batch.simulations)


@pytest.mark.parametrize(
    ("states", "options", "error", "message"),
    [
        ([], {}, ValueError, "at least one position"),
        (START, {}, TypeError, "takes a list of States"),
        ([START, 3], {}, TypeError, "takes a list of States"),
        ([START, OneShot().new_initial_state()], {}, ValueError, r"must be of TicTacToe.* number 1 is of OneShot"),
        (np.zeros((2, 3), np.int64), {}, TypeError, "needs the game too"),
        (np.zeros(3, np.int64), {"game": GAME}, ValueError, r"has shape \[B, "),
        (np.zeros((2, 3)), {"game": GAME}, TypeError, "int64"),
        ([START], {"threads": 0}, ValueError, "threads must be from 1"),
        ([START], {"trace": True}, ValueError, "keeps no traces"),
        ([START], {"memory_mb": 1e-4}, ValueError, "too small for tic_tac_toe"),
        ([START] * 3, {"memory_mb": 0.002, "threads": 2, "trees": 3}, ValueError, "=0.002, shared by 6 trees, is too"),
        ([START], {"colour": 1}, TypeError, "no search option 'colour'"),
    ],
)
def test_bad_batches_are_refused_in_words(states: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        search_batch(states, simulations=10, **options)


@pytest.mark.jit
@pytest.mark.usefixtures("untried")
def test_a_game_that_fails_in_a_thread_is_reported() -> None:
    from tests.helpers.faulty_games import Fragile

    with pytest.raises(fastmcts.GameError, match="Fragile breaks the rules for games"):
        search_batch([Fragile().new_initial_state()] * 4, simulations=10_000, threads=2, seed=0)


def test_a_batch_is_a_sequence_of_what_was_found_about_each_position() -> None:
    start = games.TicTacToe().new_initial_state()
    over = start.clone()
    for action in (0, 3, 1, 4, 2):
        over.apply_action(action)
    late = start.clone()
    for action in (0, 3, 1, 4):
        late.apply_action(action)
    batch = fastmcts.search_batch([start, over, late], simulations=200, seed=7, solver=True)
    results = list(batch)
    assert [result.action for result in results] == [batch.action[0], None, 2]
    for index, (result, state) in enumerate(zip(results, (start, over, late), strict=True)):
        alone = fastmcts.search(state, simulations=200, seed=fastmcts.spawn_seed(7, index), solver=True)
        assert result.state == state
        assert result.seed == alone.seed
        assert np.array_equal(result.actions, alone.actions)
        assert np.array_equal(result.visits, alone.visits)
        assert np.array_equal(result.policy, alone.policy)
        assert np.array_equal(result.proven, alone.proven, equal_nan=True)
        assert np.array_equal(result.proven_value, alone.proven_value, equal_nan=True)
        assert np.array_equal(batch.proven[index, alone.actions], alone.proven, equal_nan=True)
    assert results[2].proven_value == 1.0
    assert str(results[2]).splitlines()[0].split() == ["move", "visits", "share", "value", "proven"]
    assert results[2].sample(temperature=0.0) == 2
    assert batch[-1].action == 2
    with pytest.raises(IndexError):
        batch[3]
    by_clock = fastmcts.search_batch([late], seconds=10.0, seed=0, solver=True)
    assert by_clock.proven[0, 2] == by_clock.proven_value[0] == 1.0
