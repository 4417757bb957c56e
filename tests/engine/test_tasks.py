"""Work in other threads, with Ctrl-C at any time."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident

import pytest

from fastmcts.engine.tasks import Flag, Pool, Task


def test_work_is_done_once_in_another_thread_however_often_it_is_started() -> None:
    done: list[int] = []

    def work() -> str:
        done.append(get_ident())
        return "done"

    task = Task(work)
    for _ in range(10):
        task.start()
    assert task.result() == task.result() == "done"
    assert len(done) == 1
    assert done[0] != get_ident()


def test_who_asks_for_the_result_of_what_was_not_started_gets_it_all_the_same() -> None:
    assert Task(lambda: 3).result() == 3


def test_a_failure_comes_with_the_result() -> None:
    task = Task(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        task.result()


def test_what_is_settled_before_it_begins_is_never_done() -> None:
    done: list[bool] = []
    task = Task(lambda: done.append(True))
    task.settle()
    task.run()
    assert not done


def test_a_pool_adds_up_and_stops_when_told() -> None:
    pool, stop = Pool(3), Flag()
    assert pool.add_up(pow, [(2, n) for n in range(10)], stop) == 1023
    assert pool.add_up(pow, [], stop) == 0
    with pytest.raises(ZeroDivisionError):
        pool.add_up(lambda n: 1 // n, [(1,), (0,), (1,)], stop)
    assert stop.is_set, "nobody begins anything after a failure"
    assert pool.add_up(pow, [(2, 2)], stop) == 0
    assert pool.add_up(pow, [(2, 2)], Flag()) == 4
    pool.dismiss()


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Send Ctrl-C to what is done in this context, unless it is over before."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c_at_any_time_leaves_nothing_locked_and_nobody_at_work() -> None:
    times, pool, working, interrupts = random.Random(0), Pool(2), set[int](), 0

    def work(item: int) -> int:
        working.add(item)
        time.sleep(1e-5)
        working.discard(item)
        return 1

    for _ in range(1_000):
        try:
            with interrupted_after(1e-5 + times.random() * 1e-3):
                while True:
                    assert pool.add_up(work, zip(range(4)), Flag()) == 4
        except KeyboardInterrupt:
            interrupts += 1
        assert not working
    assert interrupts == 1_000
    assert pool.add_up(work, zip(range(4)), Flag()) == 4
    pool.dismiss()
