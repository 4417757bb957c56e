import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fastmcts.experiments import Plan, run
from tests.helpers.stored import rows_of

distributed: Any = pytest.importorskip("distributed")

# Dask warns about ports and about workers that have died.
pytestmark = [pytest.mark.slow_to_compile, pytest.mark.filterwarnings("ignore")]

PAIRS = 30


def plan(pairs: int = PAIRS) -> Plan:
    agents = {"dice": "random", "two": "mcts(simulations=2)", "four": "mcts(simulations=4)"}
    return Plan(["tic_tac_toe", "mnk(m=4, n=4, k=3)"], agents, pairs=pairs)


@pytest.mark.thorough
def test_a_cluster_that_loses_a_worker_plays_the_same_games(tmp_path: Path) -> None:
    lose_a_worker(tmp_path, PAIRS)


@pytest.mark.thorough
def test_a_cluster_that_loses_a_worker_plays_two_hundred_games_a_match(tmp_path: Path) -> None:
    lose_a_worker(tmp_path, 100)


def lose_a_worker(folder: Path, pairs: int) -> None:
    """Kill one of two workers in the middle, and compare with threads."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        killed = threading.Event()

        def kill_one(progress: Any) -> None:
            if progress.played > progress.total // 4 and not killed.is_set():
                killed.set()
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

        result = run(plan(pairs), folder / "dask", dask=cluster.scheduler_address, progress=kill_one)
    assert killed.is_set()
    assert result.done == 2 * 3 * 2 * pairs
    run(plan(pairs), folder / "threads", executor="threads")
    assert rows_of(folder / "dask") == rows_of(folder / "threads")


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastmcts.experiments.worker_pools.DASK_SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(ValueError, match="no Dask scheduler answers at tcp"):
        run(plan(), tmp_path / "r", dask="tcp://127.0.0.1:9")
    assert time.monotonic() - start < 30.0
