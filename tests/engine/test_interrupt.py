"""Ctrl-C, as a real signal: in a process of its own, and while a tree is compacted."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import fastmcts
from fastmcts import MCTS, games
from fastmcts.engine import searcher
from fastmcts.engine.searcher import Searcher
from fastmcts.testing import check_tree
from tests.helpers.trees import megabytes
from tests.subprocesses import run_python

GAME = games.TicTacToe()
START = GAME.new_initial_state()

SCRIPT = """
import json, os, signal, threading, time
import fastmcts
from fastmcts import games
from fastmcts.testing import check_tree

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in the background without it
game = games.ConnectFour()
start = game.new_initial_state()

def seconds_to_stop(work):  # of this process's own time, so that nothing else on the machine counts
    sent = []
    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.05, send)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.process_time() - sent[0]
    finally:
        timer.join()
    raise AssertionError("it was not interrupted")

class Until(fastmcts.Stopper):
    most = 1024
    def check(self, snapshot):
        return "enough" if snapshot.simulations >= self.most else None

def case(**options):
    until = Until()
    mcts = fastmcts.MCTS(game, simulations=1_000_000_000, seed=0, stop=until, **options)
    mcts.search(start)
    until.most = 1_000_000_000
    latency = min(seconds_to_stop(lambda: mcts.search(start)) for _ in range(3))
    visits = mcts.forest.root_visits
    for searcher in mcts.forest.searchers:
        check_tree(searcher.tree, recycled=searcher.recycled > 0)
    until.most = 1024
    reused = mcts.search(start).reused
    went_on = mcts.forest.root_visits - visits
    return dict(latency=latency, went_on=went_on, reused=reused, threads=threading.active_count())

def batch(**budget):
    fastmcts.search_batch([start] * 50, threads=2, seed=0, **budget)

def batch_case(short, long):
    batch(**short)
    latency = min(seconds_to_stop(lambda: batch(**long)) for _ in range(3))
    return dict(latency=latency, went_on=1024, reused=1.0, threads=threading.active_count())

report = dict(one=case(), recycling=case(memory_mb=1.0), threads=case(trees=2, threads=2))
report["batch"] = batch_case(dict(simulations=100), dict(simulations=100_000_000))
report["clocked batch"] = batch_case(dict(seconds=0.001), dict(seconds=100.0))
print(json.dumps(report))
"""


@pytest.mark.jit
def test_ctrl_c_stops_at_once_and_leaves_the_tree_whole(tmp_path: Path) -> None:
    report = run_python(SCRIPT, tmp_path, own_cache=False)
    assert set(report) == {"one", "recycling", "threads", "batch", "clocked batch"}
    for name, measured in report.items():
        threads = 1 if name in ("one", "recycling") else 2
        assert measured["latency"] < 0.05 * threads, f"{name}: {measured}"
        assert measured["went_on"] == 1_024, f"{name}: {measured}"
        assert measured["reused"] > 0.9, f"{name}: {measured}"
        assert measured["threads"] == 1, f"{name}: {measured}"


class SlowChange:
    """A change of a tree that waits until it may go on, and then takes its time."""

    def __init__(self) -> None:
        self.has_begun, self.may_go_on, self.goes_on = Event(), Event(), Event()

    def wait(self) -> None:
        """Send Ctrl-C at the first change, and hold up all of them."""
        if not self.has_begun.is_set():
            self.has_begun.set()
            os.kill(os.getpid(), signal.SIGINT)
        assert self.may_go_on.wait(600.0)
        time.sleep(0.2)  # for whoever does not wait to come first
        self.goes_on.set()


@contextmanager
def interrupted_changes(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowChange]:
    """Send Ctrl-C while a tree is changed, and expect it before the change goes on."""
    make_change, change = Searcher.make_change, SlowChange()

    def make_slow_change(searcher: Searcher, work: Callable[[], int]) -> None:
        def slowly() -> int:
            change.wait()
            return work()

        make_change(searcher, slowly)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patch:
        patch.setattr(Searcher, "make_change", make_slow_change)
        patch.setattr(searcher, "SMALL_TREE", 0)
        try:
            with pytest.raises(KeyboardInterrupt):
                yield change
            assert change.has_begun.is_set()
            assert not change.goes_on.is_set()
        finally:
            signal.signal(signal.SIGINT, before)
            change.may_go_on.set()


@pytest.mark.parametrize("options", [{}, {"trees": 2, "threads": 2}, {"threads": 2, "parallel": "shared"}])
def test_ctrl_c_does_not_wait_for_recycling_and_the_next_search_does(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    mcts = MCTS(GAME, simulations=2_000, seed=0, memory_mb=megabytes(200), **options)
    with interrupted_changes(monkeypatch) as change:
        mcts.search(START)
    visits = mcts.forest.root_visits
    assert change.goes_on.is_set(), "whoever looks at the tree waits"
    for tree in mcts.forest.trees:
        check_tree(tree, recycled=True)
    result = mcts.search(START)
    assert result.reused == pytest.approx(visits / (visits + 2_000))


@pytest.mark.parametrize("stop", [(), fastmcts.Converged(kl_gain=1e-12)])
def test_ctrl_c_does_not_wait_for_the_recycling_of_a_batch(stop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with interrupted_changes(monkeypatch) as change:
        fastmcts.search_batch([START] * 4, simulations=2_000, seed=0, threads=2, memory_mb=megabytes(200), stop=stop)
    assert change.goes_on.wait(600.0)


def test_ctrl_c_does_not_wait_for_the_tree_to_advance_and_the_next_search_does(monkeypatch: pytest.MonkeyPatch) -> None:
    mcts = MCTS(GAME, simulations=500, seed=0)
    visits = dict(zip(*(getattr(mcts.search(START), name).tolist() for name in ("actions", "visits")), strict=True))
    with interrupted_changes(monkeypatch) as change:
        mcts.advance(4)
        mcts.search(START.child(4))
    result = mcts.search(START.child(4))
    assert change.goes_on.is_set()
    assert result.reused == pytest.approx(visits[4] / (visits[4] + 500))
    check_tree(result.tree)


class CtrlC(fastmcts.Stopper):
    """Sends Ctrl-C after some simulations."""

    def check(self, snapshot: fastmcts.Snapshot) -> str | None:
        if snapshot.simulations >= 256:
            os.kill(os.getpid(), signal.SIGINT)
        return None


@pytest.mark.parametrize("options", [{}, {"trees": 2}])
def test_an_interrupted_search_returns_what_it_has_found_if_asked_to(options: dict[str, Any]) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = fastmcts.search(
            START, simulations=10**9, seed=0, stop=CtrlC(), on_interrupt="return", trace=True, **options
        )
        mcts = MCTS(GAME, simulations=10**9, seed=0, stop=CtrlC(), **options)
        with pytest.raises(KeyboardInterrupt):
            mcts.search(START)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.stopped_by == "interrupted"
    assert result.simulations == result.visits.sum() == 256
    assert result.trace is not None
    assert result.trace.simulations[-1] == 256
    found = mcts.result()
    assert found.visits.tolist() == result.visits.tolist()
    assert (found.action, found.simulations, found.stopped_by) == (result.action, 0, "not searched")


def test_a_search_that_has_not_begun_has_no_result() -> None:
    with pytest.raises(ValueError, match=r"search\(state\) comes first"):
        MCTS(GAME, simulations=1).result()
