"""Processes that compile side by side; each writes to the disk cache what it has compiled."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import fastmcts
from fastmcts.cli.app import read_game, search_options
from fastmcts.compiler.notice import Compilation
from fastmcts.errors import CompileError
from fastmcts.experiments.named_games import strategies_beside


@dataclass(frozen=True)
class Order:
    """What one process is to compile, as it stands on the command line: every process reads it for itself.

    Attributes:
        game: The game's name.
        game_options: Its options.
        texts: Options of the search, with components as text; None where nothing was given.
        kernels: As for `fastmcts.warmup`.
    """

    game: str
    game_options: tuple[str, ...]
    texts: dict[str, Any]
    kernels: tuple[str, ...]


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fulfilled(orders: Sequence[Order], workers: int) -> Generator[tuple[Order, list[Compilation]], None, None]:
    """Compile in other processes; yields each order as it is done, with what was compiled.

    If something fails, Ctrl-C comes, or nobody asks for more, the processes are ended at once.
    """
    others = {*multiprocessing.active_children()}
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(orders)), context, initializer=follow_parent)
    is_done = False
    try:
        with holding_ctrl_c():
            futures = {pool.submit(fulfil, order): order for order in orders}
        for future in as_completed(futures):
            yield futures[future], future.result()
        is_done = True
    except BrokenProcessPool as error:
        raise CompileError(
            "a process that was compiling has ended, perhaps because memory was short: try fewer --processes"
        ) from error
    finally:
        if not is_done:
            for process in {*multiprocessing.active_children()} - others:
                process.kill()
        pool.shutdown(cancel_futures=True)


def fulfil(order: Order) -> list[Compilation]:
    """Compile, in a process of its own; what was compiled."""
    game = read_game(order.game, list(order.game_options))
    options = search_options(strategies_beside(game), **order.texts)
    return [*fastmcts.warmup(game, kernels=order.kernels, progress=False, **options).compiled]


@contextmanager
def holding_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C wait. A terminal sends it to all processes, but those that are started here never hear of it."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """Leave Ctrl-C to the process that has started this one, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Wait for the end of the process that has started this one."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
