"""Tasks for other threads, and a pool of workers that do them, which Ctrl-C cannot harm.

Only the main thread gets Ctrl-C, and it may get it between any two steps. The waiting of `threading` and
`concurrent.futures` can be interrupted while it holds a lock that nobody opens then, and threads hang for ever. So
everything that matters here is a single step: a thread is started, a lock is taken or opened, a flag is set.
"""

import _thread
import time
from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Generic, TypeVar

PATIENCE_SECONDS = 0.01  # between two looks whether to wait on
START_SECONDS = 2e-5  # between two looks whether a thread has begun

Result = TypeVar("Result")


class Flag:
    """Something that one thread sets and others look at.

    Attributes:
        is_set: Whether it is set.
    """

    def __init__(self) -> None:
        self.is_set = False


class Task(Generic[Result]):
    """Does something once, in another thread.

    Args:
        work: What to do.
        give: Whom to give it to; to a thread of its own if nobody is named.
    """

    def __init__(self, work: Callable[[], Result], give: "Callable[[Task[Result]], object] | None" = None) -> None:
        self.work = work
        self.give = give or in_new_thread
        self.claim = Lock()  # taken by who does it
        self.latch = Lock()  # open when it is done
        self.latch.acquire()
        self.is_done = False
        self.results: list[Result] = []
        self.failure: BaseException | None = None

    def start(self) -> None:
        """Have it begun; to say it twice makes no difference."""
        self.give(self)

    def run(self) -> None:
        """Do it, unless somebody else does."""
        if not self.claim.acquire(blocking=False):
            return
        try:
            self.results.append(self.work())
        except BaseException as failure:
            self.failure = failure
        self.is_done = True
        self.latch.release()

    def wait(self) -> bool:
        """Wait a while; whether it is done.

        A short while: a signal that comes just before the waiting begins does not end it.
        """
        if not self.is_done:
            if not self.claim.locked():  # Ctrl-C came before it was started, or it is about to begin
                self.start()
            self.latch.acquire(timeout=PATIENCE_SECONDS)
        return self.is_done

    def result(self) -> Result:
        """Wait until it is done; what came of it."""
        while not self.wait():
            pass
        if self.failure is not None:
            raise self.failure
        return self.results[0]

    def settle(self) -> None:
        """See to it that nobody is at work any more, without beginning anything; Ctrl-C is not listened to."""
        if self.claim.acquire(blocking=False):
            return
        while not self.is_done:
            try:
                self.latch.acquire(timeout=PATIENCE_SECONDS)
            except KeyboardInterrupt:
                continue  # it would only come on top of what has ended the waiting


def in_new_thread(task: Task[Any]) -> None:
    """Start a thread that does it, and sleep until it has begun.

    Without the sleep this thread would occupy its core while the next thread starts, and the system often puts two new
    threads on the other core: a batch of 20 ms took a third longer that way.
    """
    try:
        _thread.start_new_thread(task.run, ())
    except RuntimeError:  # there are too many threads
        task.run()
    while not task.claim.locked():
        time.sleep(START_SECONDS)


class Worker:
    """A thread that waits for tasks, one after the other, until it is sent away."""

    def __init__(self) -> None:
        self.call = Lock()  # open when there is something to do
        self.call.acquire()
        self.task: Task[Any] | None = None
        _thread.start_new_thread(self.serve, ())

    def serve(self) -> None:
        """Do what there is to do."""
        while self.call.acquire():
            task = self.task
            if task is None:
                return
            task.run()

    def give(self, task: "Task[Any] | None") -> None:
        """Have something done, or send it away; to say it twice makes no difference."""
        self.task = task
        if self.call.locked():
            self.call.release()


class Pool:
    """Workers that stay for a whole search: to start threads again and again would cost a tenth of the time.

    Args:
        size: How many.
    """

    def __init__(self, size: int) -> None:
        self.workers = [Worker() for _ in range(size)]

    def add_up(self, function: Callable[..., int], items: Iterable[tuple[Any, ...]], stop: Flag) -> int:
        """Call a function for each item, and add up the results.

        When this returns, or fails, or Ctrl-C interrupts it, no thread is at work any more.

        Args:
            function: What to call with the values of an item.
            items: Those.
            stop: Set by anybody to begin nothing more. Ctrl-C sets it.
        """
        todo = deque(items)

        def work() -> int:
            total = 0
            while todo and not stop.is_set:
                try:
                    item = todo.popleft()
                except IndexError:  # another thread was faster
                    break
                total += function(*item)
            return total

        tasks = [Task(work, worker.give) for worker in self.workers]
        try:
            for task in tasks:
                task.start()
            return sum(task.result() for task in tasks)
        except BaseException:
            stop.is_set = True
            raise
        finally:
            for task in tasks:
                task.settle()

    def dismiss(self) -> None:
        """Let all threads end."""
        for worker in self.workers:
            worker.give(None)
