"""How does an experiment scale?  What one task, one row and one worker cost, and what follows for many cores.

    python benchmarks/throughput.py [--tasks 400] [--games-per-second 50] [--write]

Measured with a Dask cluster of two processes on this machine: the seconds of the processor that the process which hands
out tasks needs for each of them, with and without games in it, and the seconds until a new worker plays (importing, and
loading what is compiled). From these the model tells how many games a second a cluster plays: each core plays a share
of the time, and all tasks and rows go through one process. Needs the extra `dask`.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import page_tables

from fastmcts.experiments import Plan, Store, play_match
from fastmcts.experiments.extras import needed
from fastmcts.experiments.running import MOST_TASKS, TASK_SECONDS
from fastmcts.experiments.work import Task
from fastmcts.experiments.worker_pools import DaskWorkerPool

PAGE = page_tables.DOCS / "cluster.md"
CORES = (2, 16, 128, 1_000, 10_000)
START = "from fastmcts import games; from fastmcts.experiments import play_match;" + (
    'play_match(games.ConnectFour(), "mcts(simulations=1)", "random", games=2)'
)


def task_cost(tasks: int, pairing: Any) -> float:
    """The seconds of this process for handing out a task without games, and taking its answer."""
    distributed: Any = needed("distributed", "dask", "A Dask cluster")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        worker_pool = DaskWorkerPool(cluster.scheduler_address)
        for future in [worker_pool.submit(Task(0, pairing, ())) for _ in range(20)]:
            future.result()
        start = time.process_time()
        for future in [worker_pool.submit(Task(0, pairing, ())) for _ in range(tasks)]:
            future.result()
        seconds = time.process_time() - start
        worker_pool.close()
    return seconds / tasks


def row_cost(plan: Plan) -> float:
    """The seconds of this process for storing a game."""
    cell = plan.cells[0].pairing
    records = play_match(cell.game, "random", "random", games=1000).records
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "r.sqlite") as store:
        match, run = store.add_match(cell), store.start_run({})
        start = time.process_time()
        for first in range(0, len(records), 50):
            store.add_games(match, records[first : first + 50], run)
        return (time.process_time() - start) / len(records)


def start_cost() -> float:
    """The seconds until a new process has played a pair of games, everything being compiled."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", START], check=True)
        times.append(time.perf_counter() - start)
    return min(times[1:])


def figures(tasks: int, games_per_second: float) -> str:
    """What was measured, and what follows for many cores."""
    plan = Plan(["connect_four"], {"one": "mcts(simulations=1)", "two": "random"})
    per_task, per_row, start = task_cost(tasks, plan.cells[0].pairing), row_cost(plan), start_cost()
    rows = []
    for cores in CORES:
        seconds = max(TASK_SECONDS, cores / MOST_TASKS)
        played = games_per_second * cores  # a second, if nothing holds it up
        busy = cores / seconds * per_task + played * per_row  # of the process that hands out
        reached = played / max(1.0, busy)
        rows.append((f"{cores:,}", f"{seconds:.0f}", f"{played:,.0f}", f"{busy:.1%}", f"{reached:,.0f}"))
    header = ("cores", "seconds a task", "games/s of the cores", "the one process is busy", "games/s")
    measured = [("a task", f"{1e3 * per_task:.2f} ms"), ("a row", f"{1e6 * per_row:.0f} µs")]
    measured.append(("a new worker, from a warm cache", f"{start:.1f} s"))
    tables = (page_tables.table(("what", "takes"), measured), page_tables.table(header, rows))
    return "\n\n".join("\n".join(table) for table in tables)


def main() -> None:
    """Measure, print what follows, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--games-per-second", type=float, default=50.0, help="that one core plays")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.parent.name}/{PAGE.name}")
    arguments = parser.parse_args()
    text = figures(arguments.tasks, arguments.games_per_second)
    print(text)
    if arguments.write:
        page_tables.rewrite(PAGE, page_tables.markers("throughput"), text)


if __name__ == "__main__":
    main()
