"""Changes of a tree that take a while: they are made aside."""

from collections.abc import Callable
from threading import Event, Thread

PATIENCE_SECONDS = 0.01  # between two looks whether to wait on


class Change(Thread):
    """Changes a tree aside, so that Ctrl-C, which only the main thread gets, need not wait for it.

    Args:
        work: Makes the change; returns how many nodes were recycled.
    """

    def __init__(self, work: Callable[[], int]) -> None:
        super().__init__(name="fastmcts")
        self.work = work
        self.ended = Event()
        self.recycled = 0  # nodes
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Called in the thread."""
        try:
            self.recycled = self.work()
        except BaseException as failure:
            self.failure = failure
        finally:
            self.ended.set()

    def has_ended(self, unless: Event) -> bool:
        """Wait until it has ended, or until something else has happened; whether it has ended."""
        while not self.ended.wait(PATIENCE_SECONDS):
            if unless.is_set():
                return False
        return True

    def result(self) -> int:
        """Wait until it has ended; how many nodes were recycled."""
        if self.ident is None:
            self.start()  # Ctrl-C came before
        self.ended.wait()  # not `join`, which takes a running thread for one that has ended when Ctrl-C interrupts it
        if self.failure is not None:
            raise self.failure
        return self.recycled
