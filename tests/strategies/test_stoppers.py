import importlib.util
import sys
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import Converged, Decided, Snapshot, Stopper, games
from fastmcts.core.constants import ROOT
from fastmcts.engine import budget, progress
from fastmcts.engine.budget import Budget
from fastmcts.strategies.stoppers import next_check, next_trace
from fastmcts.testing import check_tree
from tests.helpers.trees import assert_same_subtree
from tests.toys import OneShot

START = games.TicTacToe().new_initial_state()


@dataclass(frozen=True)
class After(Stopper):
    """Stops at the first check with so many simulations."""

    simulations: int

    def check(self, snapshot: Snapshot) -> str | None:
        return "enough" if snapshot.simulations >= self.simulations else None


def test_a_stopper_of_ones_own_gives_its_reason() -> None:
    result = fastmcts.search(START, simulations=10_000, seed=0, stop=After(100))
    assert (result.simulations, result.stopped_by) == (112, "enough")
    assert_same_subtree(result.tree, ROOT, fastmcts.search(START, simulations=112, seed=0).tree, ROOT)


def test_of_several_stoppers_the_first_with_a_reason_stops() -> None:
    result = fastmcts.search(START, simulations=10_000, seed=0, stop=[After(300), Decided(), After(100)])
    assert result.simulations == 112


def test_stoppers_are_asked_at_fixed_numbers_of_simulations() -> None:
    asked: list[int] = []

    class Listener(Stopper):
        def check(self, snapshot: Snapshot) -> str | None:
            asked.append(snapshot.simulations)
            assert (snapshot.previous is None) == (len(asked) == 1)
            if snapshot.previous is not None:
                assert snapshot.previous.simulations == asked[-2]
                assert snapshot.previous.previous is None
            assert snapshot.visits.sum() == snapshot.simulations
            assert snapshot.simulations_left == snapshot.visits_left == 600 - snapshot.simulations
            assert snapshot.seconds_left is None
            return None

    fastmcts.search(START, simulations=600, seed=0, stop=Listener())
    assert asked == [*range(16, 257, 16), *range(288, 513, 32), 576]
    assert [next_trace(done) for done in (0, 1, 2, 3, 4, 1000)] == [1, 2, 4, 4, 8, 1024]
    assert next_check(1 << 20) == (1 << 20) + (1 << 17)


def test_decided_stops_exactly_when_the_leader_cannot_be_caught() -> None:
    result = fastmcts.search(OneShot().new_initial_state(), simulations=1_000, seed=0, stop=Decided())
    assert result.stopped_by == "decided"
    second, first = sorted(result.visits.tolist())
    assert first - second > 1_000 - result.simulations
    full = fastmcts.search(OneShot().new_initial_state(), simulations=1_000, seed=0)
    assert full.action == result.action


@pytest.mark.parametrize(
    ("visits", "left", "reason"), [([5, 9, 2], 4, None), ([5, 9, 2], 3, "decided"), ([7], 9, "decided")]
)
def test_decided_compares_the_two_most_visited(visits: list[int], left: int, reason: str | None) -> None:
    assert Decided().check(snapshot(visits, left)) == reason


def snapshot(visits: list[int], left: int, previous: Snapshot | None = None) -> Snapshot:
    counts = np.array(visits, np.int64)
    return Snapshot(
        np.arange(len(visits)), counts, 0.5 * np.ones(len(visits)), int(counts.sum()), left, left, 1.0, None, previous
    )


def test_converged_measures_how_far_the_shares_have_moved() -> None:
    before = snapshot([10, 30], 1_000)
    after = snapshot([30, 50], 960, before)
    gain = (0.25 * np.log(0.25 / 0.375) + 0.75 * np.log(0.75 / 0.625)) / 40
    assert Converged(kl_gain=gain * 1.01).check(after) == "converged"
    assert Converged(kl_gain=gain * 0.99).check(after) is None
    assert Converged().check(before) is None, "nothing to compare with"
    assert Converged(kl_gain=1.0).check(snapshot([40, 0], 960, before)) is None, "a move was not tried yet"
    with pytest.raises(ValueError, match="Converged's kl_gain must be above 0, not 0"):
        Converged(kl_gain=0.0)


def test_a_search_whose_shares_settle_stops() -> None:
    result = fastmcts.search(OneShot().new_initial_state(), simulations=100_000, seed=0, stop=Converged(kl_gain=1e-5))
    assert result.stopped_by == "converged"
    assert 16 < result.simulations < 100_000


def test_the_budget_says_what_ended_a_search() -> None:
    assert fastmcts.search(START, simulations=50, seed=0).stopped_by == "simulations"
    assert fastmcts.search(START, simulations=50, seconds=60.0, seed=0).stopped_by == "simulations"
    assert fastmcts.search(START, seconds=0.01, seed=0).stopped_by == "seconds"


class Clock:
    """A clock for budgets that stands still but for what is simulated."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.parametrize("speed", [1e-7, 1e-6, 1e-4, 0.004])
@pytest.mark.parametrize("seconds", [0.005, 0.05, 0.2, 3.0])
def test_seconds_are_overshot_by_less_than_a_simulation(
    seconds: float, speed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(budget, "time", clock)
    used = Budget(None, seconds)
    longest = 0.0
    while used.ended_by is None:
        chunk = used.next_chunk()
        clock.now += speed * chunk
        longest = max(longest, speed * chunk)
        used.record(chunk)
    assert seconds <= used.elapsed < seconds + 2 * speed
    assert longest < budget.CHUNK_SECONDS + speed
    assert used.done == pytest.approx(seconds / speed, rel=0.01, abs=1)


def test_seconds_of_a_search_are_overshot_by_less_than_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    fastmcts.search(START, simulations=100, seed=0)
    # By the time that this process has had, other work on the machine makes no difference.
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=time.process_time))
    for seconds in (0.005, 0.05, 0.1, 0.2):
        used = fastmcts.search(START, seconds=seconds, seed=0).seconds
        assert seconds <= used < seconds + budget.CHUNK_SECONDS


def test_time_spent_outside_of_the_chunks_does_not_slow_them_down() -> None:
    used = Budget(1_000_000, None, speed=1e-6)
    assert used.next_chunk() == 312, "20 ms, if it were 64 times as slow as before"
    assert used.next_chunk(up_to=70) == 70


def test_how_a_search_is_cut_makes_no_difference() -> None:
    ways: list[Any] = [{"trace": True}, {"stop": After(10**9)}, {"progress": lambda look: None}]
    for options in ways:
        cut = fastmcts.search(START, simulations=700, seed=4, **options)
        assert_same_subtree(cut.tree, ROOT, fastmcts.search(START, simulations=700, seed=4).tree, ROOT)


def test_a_trace_has_the_root_at_powers_of_two() -> None:
    result = fastmcts.search(START, simulations=300, seed=2, trace=True)
    trace = result.trace
    assert trace is not None
    assert trace.simulations.tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert trace.visits.shape == trace.values.shape == (9, 9)
    for simulations, visits, values in zip(trace.simulations, trace.visits, trace.values, strict=True):
        then = fastmcts.search(START, simulations=int(simulations), seed=2)
        assert visits.tolist() == then.visits.tolist()
        np.testing.assert_array_equal(values, then.values)
    assert fastmcts.search(START, simulations=10, seed=2).trace is None


def test_a_callback_sees_the_search_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Snapshot] = []
    by_own_time = SimpleNamespace(perf_counter=time.process_time)
    monkeypatch.setattr(budget, "time", by_own_time)
    monkeypatch.setattr(progress, "time", by_own_time)
    result = fastmcts.search(START, seconds=0.35, seed=0, progress=looks.append)
    assert 2 <= len(looks) <= 4, "every tenth of a second, and at the end"
    assert [look.simulations for look in looks] == sorted(look.simulations for look in looks)
    last = looks[-1]
    assert last.simulations == result.simulations
    assert last.action == result.action
    assert last.value == result.values.max() or last.value == result.values[result.visits.argmax()]
    assert last.rate > 0
    assert last.seconds_left == 0.0


def test_an_error_in_a_callback_ends_the_search_and_leaves_the_tree_whole() -> None:
    looks: list[Snapshot] = []

    def fail(look: Snapshot) -> None:
        looks.append(look)
        raise RuntimeError("stop here")

    mcts = fastmcts.MCTS(START.game, simulations=200, seed=0, progress=fail)
    with pytest.raises(RuntimeError, match="stop here"):
        mcts.search(START)
    assert len(looks) == 1
    assert mcts.forest.root_visits == looks[0].simulations > 0
    for tree in mcts.forest.trees:
        check_tree(tree)


@pytest.mark.skipif(importlib.util.find_spec("rich") is None, reason="needs rich")
def test_the_bar_shows_rate_move_and_value(capsys: pytest.CaptureFixture[str]) -> None:
    from fastmcts.engine.progress import Bar, search_progress

    bar = search_progress(True, START)
    assert isinstance(bar, Bar)
    assert bar.describe(snapshot([5, 9], 6)) == "14 simulations, 14/s; best: b1, value 0.500"
    assert bar.fraction(snapshot([5, 9], 6)) == 0.7
    fastmcts.search(START, simulations=20, seed=0, progress=True)
    fastmcts.search_batch([START], simulations=20, seed=0, progress=True)


def test_without_rich_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(ImportError, match=r'pip install "fastmcts-numba\[progress\]"'):
        fastmcts.search(START, simulations=20, seed=0, progress=True)


class Patience(Stopper):
    """Stops when it was asked so often."""

    asked = 0

    def check(self, snapshot: Snapshot) -> str | None:
        self.asked += 1
        return "enough" if self.asked == 5 else None


def test_what_a_stopper_notes_down_counts_for_one_search_alone() -> None:
    patience = Patience()
    mcts = fastmcts.MCTS(START.game, simulations=1_000, seed=0, stop=patience)
    for _ in range(3):
        assert mcts.search(START).simulations == 80
    batch = fastmcts.search_batch([START] * 4, simulations=1_000, seed=0, stop=patience, threads=2)
    assert batch.simulations == 4 * 80
    assert patience.asked == 0
