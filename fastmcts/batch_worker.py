"""What one thread does for a batch."""

import dataclasses
import time
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts import memory
from fastmcts import tree as trees
from fastmcts.budget import Budget
from fastmcts.constants import NONE
from fastmcts.game import Game
from fastmcts.kernels.batch import run_batch
from fastmcts.kernels.rng import make_rngs, spawn_seed, spawn_seeds
from fastmcts.mcts import MCTS
from fastmcts.options import Options
from fastmcts.searcher import Searcher, known_speed, note_speed

SHARE_TAKEN = 2  # a thread takes half of its part of what is left: much at first, little at last
WORTHWHILE_SECONDS = 0.0005  # a call of a kernel takes a tenth of it


class RangeQueue:
    """Deals out ranges of positions to threads, so that none waits long for the last one."""

    def __init__(self, total: int, threads: int) -> None:
        self.total = total
        self.threads = threads
        self.next = 0
        self.lock = Lock()
        self.stopped = Event()

    def take(self, least: int) -> range:
        """The next positions, `least` or more while they last; none when the batch was stopped."""
        with self.lock:
            start = self.total if self.stopped.is_set() else self.next
            share = (self.total - start) // (SHARE_TAKEN * self.threads)
            self.next = min(self.total, start + max(share, least))
            return range(start, self.next)


class BatchTask:
    """The positions of a batch, and what is found about each; threads write to different rows."""

    def __init__(self, game: Game, options: Options, positions: NDArray[np.int64]) -> None:
        count = len(positions)
        self.game = game
        self.options = options
        self.positions = positions  # int64 [B, state_size]
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
        self.positions = 0
        self.simulations = 0
        self.searcher = Searcher(task.game, task.options, threads)
        self.searcher.plant(task.positions[0])
        self.fresh = fresh_parts(self.searcher.tree)
        self.pace = Budget(None, None, known_speed(self.searcher.strategy))

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        self.run_kernel(np.zeros(3, np.int64), 0)
        if self.task.simulations * memory.most_new_nodes(self.searcher.strategy) > self.searcher.limit:
            self.searcher.prepare_recycling()
        return time.perf_counter() - start

    def work(self, queue: RangeQueue) -> None:
        """Search the positions that a queue deals out until there are none left."""
        while taken := queue.take(self.worthwhile):
            cursor = memory.on_own_lines(np.array([taken.start, 0, taken.stop], np.int64))
            while cursor[0] < taken.stop and not queue.stopped.is_set():
                before = int(cursor[0])
                added = self.run_kernel(cursor, self.pace.next_chunk())
                if added > 0:
                    self.pace.record(added)
                self.simulations += added
                self.positions += int(cursor[0]) - before
                if self.searcher.is_full and cursor[1] > 0:
                    self.searcher.make_room(None)
        if self.simulations > 0:
            note_speed(self.searcher.strategy, self.pace.took / self.pace.chunk)

    @property
    def worthwhile(self) -> int:
        """How many positions are worth a call of the kernel."""
        return max(1, self.pace.fitting(WORTHWHILE_SECONDS) // self.task.simulations)

    def run_kernel(self, cursor: NDArray[np.int64], simulations: int) -> int:
        """Search on from a cursor; return how many simulations were added."""
        task, searcher = self.task, self.searcher
        arrays = [array for array in searcher.tree if array.size > 0]
        seed_plot = tuple(zip(arrays, self.fresh, strict=True))
        todo = (task.positions, task.generators, task.simulations, task.options.search_forced)
        found = (task.visits, task.value_sums, task.lower, task.upper, task.only)
        with searcher.blaming_the_game():
            return run_batch(
                searcher.strategy, searcher.tree, seed_plot, searcher.scratch, todo, found, cursor, simulations
            )


class SearchWorker:
    """Searches positions one after the other with all that a search can do: clocks, stoppers, several trees."""

    def __init__(self, task: BatchTask, threads: int) -> None:
        self.task = task
        self.positions = 0
        self.simulations = 0
        memory_mb = task.options.memory_mb / threads
        self.options = dataclasses.replace(task.options, threads=1, progress=False, memory_mb=memory_mb)
        self.mcts = MCTS.__new__(MCTS)
        self.mcts.set_up(task.game, self.options)

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        self.mcts.forest.plant(self.task.positions[0])
        return self.mcts.forest.prepare()

    def work(self, queue: RangeQueue) -> None:
        """Search the positions that a queue deals out until there are none left."""
        task = self.task
        self.mcts.cancelled = queue.stopped
        while taken := queue.take(1):
            for index in taken:
                self.mcts.start_over(spawn_seed(task.options.seed, index))
                result = self.mcts.search(task.game.new_state(task.positions[index]))
                if queue.stopped.is_set():
                    return
                task.visits[index, result.actions] = result.visits
                task.value_sums[index, result.actions] = np.nan_to_num(result.values) * result.visits
                if len(result.actions) == 1:
                    task.only[index] = result.actions[0]
                if result.action is not None:
                    task.action[index] = result.action
                self.positions += 1
                self.simulations += result.simulations


def fresh_parts(tree: trees.Tree) -> list[Any]:
    """What each array of a tree starts with when it has just been planted."""
    per_node = memory.node_fields(tree)
    capacity = tree.visits.size
    return [
        array[: array.size // capacity].copy() if name in per_node else array.copy()
        for name, array in tree._asdict().items()
        if array.size > 0
    ]
