"""Ctrl-C, as a real signal in a process of its own."""

from pathlib import Path

import pytest

from tests.subprocesses import run_python

SCRIPT = """
import json, os, signal, threading, time
import fastmcts
from fastmcts import games
from fastmcts.testing import check_tree

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in the background without it
game = games.ConnectFour()
start = game.new_initial_state()

def seconds_to_stop(work):
    sent = []
    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.1, send)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
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
    report = run_python(SCRIPT, tmp_path)
    assert set(report) == {"one", "recycling", "threads", "batch", "clocked batch"}
    for name, measured in report.items():
        assert measured["latency"] < 0.05, f"{name}: {measured}"
        assert measured["went_on"] == 1_024, f"{name}: {measured}"
        assert measured["reused"] > 0.9, f"{name}: {measured}"
        assert measured["threads"] == 1, f"{name}: {measured}"
