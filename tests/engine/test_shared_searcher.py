"""Several threads in one tree: nothing is lost, and the tree is whole."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import GRAVE, MAST, MCTS, PUCT, UCT, ExpandAll, Lazy, RandomRollout, games
from fastmcts.compiler.atomics import compare_and_swap, fetch_add, fetch_max, publish, read
from fastmcts.compiler.jit import entry
from fastmcts.core.tree import MAX_VISITS, children
from fastmcts.kernels.shared import BUSY_VISITS
from fastmcts.testing import check_tree
from tests.toys import OneShot, ThreePlayers, TwiceInARow

START = games.TicTacToe().new_initial_state()


@dataclass(frozen=True)
class FirstFirst(Lazy):
    """Tries moves in the order of their numbers."""

    def choose(self, waiting, rng):
        return 0


@dataclass(frozen=True)
class Attentive(RandomRollout):
    """Wants to know how rollouts end."""

    def learn(self, game, tree, scratch):
        pass


@dataclass(frozen=True)
class Failing(TwiceInARow):
    """Falls over one of its last positions."""

    def returns(self, state, out):
        if state[0] == 13:
            raise ZeroDivisionError("no such sum")
        out[0] = 1.0
        out[1] = -1.0


@entry
def all_atomics(integers, floats, small):
    before = fetch_add(integers, 0, np.int64(5))
    raised = fetch_max(small, 1, np.int16(7))
    kept = fetch_max(small, 1, np.int16(3))
    swapped = compare_and_swap(integers, 1, np.int64(0), np.int64(9))
    refused = compare_and_swap(integers, 1, np.int64(0), np.int64(11))
    fetch_add(floats, 0, 0.25)
    publish(integers, 2, np.int64(42))
    return before, raised, kept, swapped, refused, read(integers, 2)


def test_atomic_steps_do_what_they_say() -> None:
    integers, floats, small = np.array([1, 0, 0]), np.zeros(1), np.zeros(2, np.int16)
    assert all_atomics(integers, floats, small) == (1, 0, 7, True, False, 42)
    assert integers.tolist() == [6, 9, 42]
    assert floats.tolist() == [0.25]
    assert small.tolist() == [0, 7]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_no_simulation_is_lost(threads: int) -> None:
    result = fastmcts.search(START, simulations=2_003, seed=0, threads=threads, parallel="shared")
    assert result.simulations == 2_003 == result.tree.visits[0] == result.visits.sum()
    check_tree(result.tree, own_visits=MAX_VISITS)
    assert result.tree.value_sum[0] == pytest.approx(result.value * 2_003)


def test_one_thread_alone_never_meets_a_busy_node() -> None:
    result = fastmcts.search(START, simulations=1_000, seed=0, threads=1, parallel="shared")
    check_tree(result.tree)
    again = fastmcts.search(START, simulations=1_000, seed=0, threads=1, parallel="shared")
    assert result.visits.tolist() == again.visits.tolist()


@pytest.mark.jit
@pytest.mark.parametrize(
    "game",
    [
        OneShot(),
        *(pytest.param(game, marks=pytest.mark.thorough) for game in (ThreePlayers(stones=4), TwiceInARow())),
        games.TicTacToe(),
    ],
    ids=repr,
)
def test_a_million_simulations_on_a_tiny_tree_keep_every_invariant(game: fastmcts.Game) -> None:
    result = fastmcts.search(
        game.new_initial_state(), simulations=1_000_000, seed=0, threads=4, parallel="shared", selection=UCT(c=1.0)
    )
    assert result.tree.visits[0] == 1_000_000 == result.visits.sum()
    check_tree(result.tree, own_visits=MAX_VISITS)
    sums = result.values * result.visits
    assert result.tree.value_sum[0] == pytest.approx(sums.sum())


@pytest.mark.jit
@pytest.mark.jit
def test_busy_nodes_get_every_visit_though_threads_hold_them_back() -> None:
    mcts = MCTS(games.TicTacToe(), simulations=40_000, seed=0, threads=2, parallel="shared", strategy="plain")
    for scratch in mcts.driver.forest.searchers[0].scratches:  # what a search that failed has left is not counted
        scratch.held_nodes[:], scratch.held_visits[:], scratch.held_sums[:] = 10**6, 5, 2.5
    result = mcts.search(START)
    assert result.visits.sum() == result.simulations == 40_000
    assert result.visits.max() > 4 * BUSY_VISITS
    for child in children(result.tree, 0):
        below = sum(result.tree.visits[grandchild] for grandchild in children(result.tree, child))
        # Those in which it was tried, or another thread was laying out its children.
        assert 1 <= result.tree.visits[child] - below < BUSY_VISITS
    check_tree(result.tree, own_visits=MAX_VISITS)


def test_a_shared_tree_is_recycled_and_kept_like_any_other() -> None:
    state = games.ConnectFour().new_initial_state()
    mcts = MCTS(state.game, simulations=60_000, seed=0, threads=2, parallel="shared", memory_mb=1.0)
    result = mcts.search(state)
    assert result.recycled > 0
    assert result.memory_mb <= 1.0
    check_tree(result.tree, recycled=True)
    assert result.action is not None
    mcts.advance(result.action)
    after = mcts.search(state.child(result.action))
    assert after.reused > 0.0
    check_tree(after.tree, recycled=True)


@pytest.mark.parametrize("threads", [4, 8, 16])
def test_it_lives_on_the_least_memory_that_is_accepted(threads: int) -> None:
    with pytest.raises(ValueError, match=f"shared by {threads} threads, is too small .* at least") as refused:
        fastmcts.search(START, simulations=300, threads=threads, parallel="shared", memory_mb=0.002)
    least = float(str(refused.value).split()[-1])
    result = fastmcts.search(START, simulations=300, seed=0, threads=threads, parallel="shared", memory_mb=least)
    assert result.simulations == 300 == result.tree.visits[0]


@pytest.mark.jit
def test_no_simulation_ends_at_the_root() -> None:
    for seed in range(300):
        result = fastmcts.search(START, simulations=12, seed=seed, threads=4, parallel="shared")
        assert result.visits.sum() == 12


def test_a_game_that_fails_leaves_no_tree_to_go_on_from() -> None:
    mcts = MCTS(Failing(), simulations=5_000, seed=0, threads=2, parallel="shared")
    with pytest.raises(ZeroDivisionError):
        mcts.search(mcts.game.new_initial_state())
    assert not mcts.forest.is_planted


@pytest.mark.jit
def test_it_finds_the_move_that_the_sequential_search_finds() -> None:
    state = games.ConnectFour().new_initial_state()
    for column in (3, 4, 3, 4, 3, 4):
        state.apply_action(column)
    assert fastmcts.search(state, simulations=2_000, seed=0, threads=2, parallel="shared").action == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": 2}, "parallel='shared' is for one tree, not trees=2"),
        ({"solver": True}, "keeps no proofs"),
        ({"selection": GRAVE()}, "keeps no statistics for GRAVE"),
        ({"selection": PUCT()}, "keeps no statistics for PUCT"),
        ({"selection": UCT(first_play=0.5)}, "no first_play and no normalize"),
        ({"rollout": MAST()}, "keeps no statistics for MAST"),
        ({"expansion": ExpandAll()}, "expands lazily"),
        ({"expansion": FirstFirst()}, "expands lazily"),
        ({"rollout": Attentive()}, "keeps no statistics for Attentive"),
    ],
)
def test_what_cannot_be_shared_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fastmcts.search(START, simulations=10, threads=2, parallel="shared", **options)


def test_a_batch_does_not_share_trees() -> None:
    with pytest.raises(ValueError, match="parallel='shared' is for search and MCTS"):
        fastmcts.search_batch([START], simulations=10, threads=2, parallel="shared")
