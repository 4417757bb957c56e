"""The positions of a batch, and what one thread does for them in compiled code."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.atomics import fetch_add
from fastmcts.compiler.jit import compiled_for
from fastmcts.core.constants import NONE
from fastmcts.engine import capacity
from fastmcts.engine.aside import Flag
from fastmcts.engine.budget import Budget
from fastmcts.engine.searcher import COMPILED, Searcher, known_speed, note_speed
from fastmcts.game import Game
from fastmcts.kernels.batch import run_batch
from fastmcts.options import Options
from fastmcts.rng import make_rngs, spawn_seeds


class BatchQueue:
    """Deals out positions to threads, one at a time, so that none waits long for the last one."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.next = capacity.on_own_lines(np.zeros(1, np.int64))  # [1], the first that nobody has taken
        self.stop = Flag()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing more to take."""
        return self.stop.is_set or int(self.next[0]) >= self.total

    def taken(self) -> Iterator[int]:
        """Positions, each of which nobody else gets, until there are none or the batch is stopped."""
        while not self.is_empty and (index := int(fetch_add(self.next, 0, 1))) < self.total:
            yield index


class BatchTask:
    """The positions of a batch, and what is found about each; threads write to different rows."""

    def __init__(
        self, game: Game, options: Options, positions: NDArray[np.int64], viewers: tuple[int | None, ...]
    ) -> None:
        count = len(positions)
        self.game = game
        self.options = options
        self.positions = positions  # int64 [B, state_size]
        self.viewers = viewers  # [B], whose view each is; None for a full position
        self.simulations = options.simulations or 1  # for each
        self.generators = make_rngs(spawn_seeds(options.seed, count))  # uint64 [B, 2]
        self.visits = np.zeros((count, game.num_actions), np.int64)
        self.value_sums = np.zeros((count, game.num_actions), np.float64)
        proofs = (count if options.solver else 0, game.num_actions)
        self.lower = np.zeros(proofs)  # what each move is proven to bring
        self.upper = np.ones(proofs)
        self.only = np.full(count, NONE, np.int64)  # the only move where there is one
        self.action = np.full(count, NONE, np.int64)  # the move to make, where a worker has chosen it


class KernelWorker:
    """Searches positions one after the other in compiled code, in one tree."""

    def __init__(self, task: BatchTask, threads: int) -> None:
        self.task = task
        self.simulations = 0
        self.cursor = capacity.on_own_lines(np.array([NONE, 0, 0], np.int64))
        self.searcher = Searcher(task.game, task.options, threads)
        self.searcher.plant(task.positions[0])
        self.kernel = self.searcher.variant(run_batch)

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        key = run_batch, self.searcher.compiled_key
        if key not in COMPILED:
            self.run_kernel(BatchQueue(0), 0)
            COMPILED[key] = compiled_for(self.kernel, *self.arguments(BatchQueue(0)), 0)
        self.kernel = COMPILED[key]
        self.pace = Budget(None, None, known_speed(self.kernel, self.task.game))
        if self.task.simulations * capacity.most_new_nodes(self.searcher.strategy) > self.searcher.limit:
            self.searcher.prepare_recycling()
        return time.perf_counter() - start

    @property
    def positions(self) -> int:
        """How many were finished."""
        return int(self.cursor[2])

    @property
    def is_searching(self) -> bool:
        """Whether a position is half done."""
        return self.cursor[0] != NONE

    def work(self, queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search positions from a queue until there are none left; `show` is called now and then."""
        while (self.is_searching or not queue.is_empty) and not queue.stop.is_set:
            added = self.run_kernel(queue, self.pace.next_chunk())
            if added > 0:
                self.pace.record(added)
            self.simulations += added
            if self.is_searching and self.searcher.is_full:
                self.searcher.make_room(None, queue.stop)
            show()
        if self.simulations > 0:
            note_speed(self.kernel, self.task.game, self.pace.took / self.pace.chunk)

    def run_kernel(self, queue: BatchQueue, simulations: int) -> int:
        """Search on; return how many simulations were added."""
        with self.searcher.blaming_the_game(lambda: self.task.positions[max(0, self.cursor[0])]):
            return self.kernel(*self.arguments(queue), simulations)

    def arguments(self, queue: BatchQueue) -> tuple[Any, ...]:
        """Those of the kernel, but for the number of simulations."""
        task, searcher = self.task, self.searcher
        todo = (task.positions, task.generators, task.simulations, task.options.search_forced)
        found = (task.visits, task.value_sums, task.lower, task.upper, task.only)
        buffers = (searcher.tree, searcher.scratch, searcher.rng)
        return searcher.strategy, *buffers, todo, found, queue.next, self.cursor
