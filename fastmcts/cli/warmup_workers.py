"""Processes that compile side by side; each writes to the disk cache what it has compiled."""

import multiprocessing
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

import fastmcts
from fastmcts.cli.app import read_game, search_options
from fastmcts.compiler.notice import Compilation
from fastmcts.errors import CompileError
from fastmcts.experiments.named_games import strategies_beside
from fastmcts.experiments.processes import follow_parent, holding_ctrl_c


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
