"""Who plays the games of a plan: threads, processes, somebody's executor, or a Dask cluster.

A pool takes tasks and gives futures. If a worker has died or hangs, its task is given up and handed out once more;
with processes and threads that takes all others with it.
"""

import multiprocessing
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fastmcts.core.validate import whole_number
from fastmcts.experiments.extras import needed
from fastmcts.experiments.processes import cores, follow_parent, holding_ctrl_c
from fastmcts.experiments.work import Played, Task, play_task

EXECUTORS = ("processes", "threads")
ASK_SECONDS = 2.0  # between two questions to a scheduler how many workers there are
DASK_SECONDS = 30.0  # how long to wait for a scheduler


class WorkerPool(ABC):
    """Plays tasks.

    Attributes:
        shares_cache: Whether what this process compiles is there for the workers as well.
    """

    shares_cache = True

    @property
    @abstractmethod
    def size(self) -> int:
        """How many tasks are played at a time; it may change."""

    @abstractmethod
    def submit(self, task: Task) -> "Future[Played]":
        """Hand over a task."""

    @abstractmethod
    def give_up(self, future: "Future[Played]") -> bool:
        """Give up a task whose worker has died or hangs; whether all others that were handed over are lost too."""

    @abstractmethod
    def close(self) -> None:
        """Stop at once; tasks that are not done are given up."""


class ProcessWorkerPool(WorkerPool):
    """Processes of this machine, which end with this one, however it ends."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.others = {*multiprocessing.active_children()}
        self.pool = self.make_pool()

    def make_pool(self) -> ProcessPoolExecutor:
        """Processes that are started anew, and not copied: a copy of a process with threads may hang."""
        return ProcessPoolExecutor(self.count, multiprocessing.get_context("spawn"), initializer=follow_parent)

    @property
    def size(self) -> int:
        """How many processes there are."""
        return self.count

    def submit(self, task: Task) -> "Future[Played]":
        """Hand over a task."""
        with holding_ctrl_c():  # it may start a process
            return self.pool.submit(play_task, task)

    def give_up(self, future: "Future[Played]") -> bool:
        """End all processes and start others."""
        self.close()
        self.pool = self.make_pool()
        return True

    def close(self) -> None:
        """End all processes."""
        for process in {*multiprocessing.active_children()} - self.others:
            process.kill()
        self.pool.shutdown(cancel_futures=True)


class ThreadWorkerPool(WorkerPool):
    """Threads of this process: kernels run side by side, all else takes turns."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.start()

    def start(self) -> None:
        """Make the threads, and the flag that stops them."""
        self.stop = threading.Event()
        self.pool = ThreadPoolExecutor(self.count, thread_name_prefix="fastmcts-games")

    @property
    def size(self) -> int:
        """How many threads there are."""
        return self.count

    def submit(self, task: Task) -> "Future[Played]":
        """Hand over a task."""
        return self.pool.submit(play_task, task, self.stop)

    def give_up(self, future: "Future[Played]") -> bool:
        """Leave the threads to themselves and start others; one that hangs cannot be ended."""
        self.stop.set()
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.start()
        return True

    def close(self) -> None:
        """Stop after the moves that are being searched."""
        self.stop.set()
        self.pool.shutdown(cancel_futures=True)


class ExecutorWorkerPool(WorkerPool):
    """An executor that somebody else has made, and will shut down."""

    def __init__(self, executor: Executor, count: int | None = None) -> None:
        self.executor = executor
        self.count = count or getattr(executor, "_max_workers", None) or cores()
        self.futures: set[Future[Played]] = set()

    @property
    def size(self) -> int:
        """How many tasks it is given at a time."""
        return self.count

    def submit(self, task: Task) -> "Future[Played]":
        """Hand over a task."""
        future = self.executor.submit(play_task, task)
        self.futures.add(future)
        future.add_done_callback(self.futures.discard)
        return future

    def give_up(self, future: "Future[Played]") -> bool:
        """Cancel a task; the executor itself is not ours to end."""
        future.cancel()
        return False

    def close(self) -> None:
        """Cancel what can be cancelled."""
        for future in [*self.futures]:
            future.cancel()


class DaskWorkerPool(ExecutorWorkerPool):
    """The workers of a Dask cluster.

    Args:
        address: Of the scheduler, such as "tcp://10.0.0.1:8786", or its file, which ends in ".json".
        files: Python files that workers need: games and agents of a user's own.
    """

    shares_cache = False

    def __init__(self, address: str, files: Iterable[Path] = ()) -> None:
        distributed: Any = needed("distributed", "dask", "A Dask cluster")
        place = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
        try:
            self.client = distributed.Client(**place, timeout=DASK_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(f"no Dask scheduler answers at {address}: {error}") from error
        for path in files:
            self.client.upload_file(str(path))
        super().__init__(self.client.get_executor(pure=False))
        self.due = 0.0

    @property
    def size(self) -> int:
        """How many threads all workers have; they come and go, and the scheduler is asked now and then."""
        if time.monotonic() > self.due:
            self.count = max(1, sum(self.client.nthreads().values()))
            self.due = time.monotonic() + ASK_SECONDS
        return self.count

    def close(self) -> None:
        """Give up what is not done, and leave the cluster as it is."""
        super().close()
        self.client.close()


def make_worker_pool(
    executor: "str | Executor | WorkerPool | None", workers: int | None, dask: str | None, files: Iterable[Path]
) -> WorkerPool:
    """Check who is to play, and get them.

    Args:
        executor: "processes", "threads", an executor of one's own, or a pool of workers; None for processes.
        workers: How many; None for all cores.
        dask: The address of a Dask scheduler, in place of an executor.
        files: Python files with games and agents.
    """
    if workers is not None:
        workers = whole_number("workers", workers, low=1)
    if dask is not None:
        if executor is not None:
            raise ValueError(f"dask={dask!r} and executor={executor!r} say who plays: leave one out")
        return DaskWorkerPool(dask, files)
    if isinstance(executor, WorkerPool):
        return executor
    if isinstance(executor, Executor):
        return ExecutorWorkerPool(executor, workers)
    if executor not in (None, *EXECUTORS):
        raise ValueError(
            f"executor must be 'processes', 'threads' or an Executor of concurrent.futures, not {executor!r}"
        )
    count = workers or cores()
    return ThreadWorkerPool(count) if executor == "threads" else ProcessWorkerPool(count)
