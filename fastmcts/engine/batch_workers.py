"""The positions of a batch, and what one thread does for them."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.atomics import fetch_add
from fastmcts.compiler.jit import compiled_for
from fastmcts.core.constants import FULL, NONE, ROOT
from fastmcts.engine import capacity
from fastmcts.engine.budget import Budget
from fastmcts.engine.driver import Driver, StoppedError
from fastmcts.engine.kept import Kept
from fastmcts.engine.plan import Plan
from fastmcts.engine.readout import Readout, root_priors
from fastmcts.engine.searcher import COMPILED, Searcher, known_speed, note_speed
from fastmcts.engine.tasks import Flag
from fastmcts.kernels.batch import Batch, Cursor, run_batch
from fastmcts.result import Evaluation
from fastmcts.rng import make_rngs, spawn_seeds
from fastmcts.state import State


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


def legal_masks(states: Sequence[State]) -> NDArray[np.bool_]:
    """Which moves are legal in positions in which a player is to move or the game is over: bool [B, A]."""
    legal = np.zeros((len(states), states[0].game.num_actions), np.bool_)
    for row, state in enumerate(states):
        legal[row, state.legal_actions()] = True
    return legal


class BatchTask:
    """The positions of a batch, and what is found about each; threads write to different rows.

    Args:
        plan: How to search each.
        seed: From which each gets one of its own.
        roots: The positions.
        numbers: Which of the positions of the whole batch they are; None if they are all of them.
        seeds: uint64 [B], the seed of each, where it does not follow from its number.
        kept: What is kept of the tree of each, from an earlier search; None if all begin anew.
    """

    def __init__(
        self,
        plan: Plan,
        seed: int,
        roots: Sequence[State],
        numbers: Sequence[int] | None = None,
        seeds: NDArray[np.uint64] | None = None,
        kept: Sequence[Kept | None] | None = None,
    ) -> None:
        count, num_actions = len(roots), plan.game.num_actions
        self.plan = plan
        self.seed = seed
        self.roots = roots
        self.kept = kept
        self.numbers = range(count) if numbers is None else numbers
        if seeds is None:
            seeds = spawn_seeds(seed, max(self.numbers) + 1)
            seeds = seeds if len(seeds) == count else seeds[np.array(self.numbers)]
        self.seeds = seeds
        self.positions = np.array([root.array for root in roots])  # int64 [B, state_size]
        self.visits = np.zeros((count, num_actions), np.int64)
        self.value_sums = np.zeros((count, num_actions), np.float64)
        proofs = (count if plan.options.solver else 0, num_actions)
        self.lower = np.zeros(proofs)  # what each move is proven to bring
        self.upper = np.ones(proofs)
        self.only = np.full(count, NONE, np.int64)  # the only move where there is one
        self.action = np.full(count, NONE, np.int64)  # the move to make, where a worker has chosen it
        evaluated = count if plan.options.evaluator is not None else 0
        self.priors = np.zeros((evaluated, num_actions))  # what an evaluator said
        self.noise = np.zeros((evaluated if "gumbel" in plan.statistics else 0, num_actions))
        self.estimates = np.zeros(evaluated)
        self.evaluation: Evaluation | None = None  # what a network was asked
        self.marked: NDArray[np.bool_] | None = None  # [B, A] the legal moves, where a worker has listed them anyway

    @property
    def count(self) -> int:
        """How many positions there are."""
        return len(self.roots)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """Which moves are legal, bool [B, A]."""
        return legal_masks(self.roots) if self.marked is None else self.marked

    @cached_property
    def rows(self) -> Batch:
        """The batch as kernels see it."""
        return Batch(
            positions=self.positions,
            generators=make_rngs(self.seeds),
            simulations=self.plan.options.simulations or 1,
            search_forced=self.plan.options.search_forced,
            visits=self.visits,
            value_sums=self.value_sums,
            lower=self.lower,
            upper=self.upper,
            only=self.only,
            priors=self.priors,
            noise=self.noise,
            estimates=self.estimates,
        )

    def found(self, row: int) -> Readout:
        """What was found about the legal moves of one position."""
        actions = np.array(self.roots[row].legal_actions(), np.int64)
        bounds = (self.lower[row, actions], self.upper[row, actions]) if self.plan.options.solver else ()
        return Readout(actions, self.visits[row, actions], self.value_sums[row, actions], *bounds)


class KernelWorker:
    """Searches positions one after the other in compiled code, in one tree."""

    def __init__(self, task: BatchTask, threads: int) -> None:
        self.task = task
        self.simulations = 0
        own = capacity.on_own_lines(np.array([NONE, 0, 0], np.int64))
        self.cursor = Cursor(own[0:1], own[1:2], own[2:3])
        self.searcher = Searcher(task.plan, parts=threads)
        self.kernel = self.searcher.variant(run_batch)

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        plan, searcher = self.task.plan, self.searcher
        if run_batch not in plan.kernels:
            key = searcher.compiled_key(run_batch)
            if key not in COMPILED:
                searcher.plant(self.task.positions[0])
                self.run_kernel(BatchQueue(0), 0)
                COMPILED[key] = compiled_for(self.kernel, *self.arguments(BatchQueue(0)), 0)
            plan.kernels[run_batch] = COMPILED[key]
        self.kernel = plan.kernels[run_batch]
        if searcher.tree.budget.size > 0:
            searcher.tree.budget[0] = self.task.rows.simulations
        self.pace = Budget(None, None, known_speed(self.kernel, plan.game))
        if self.task.rows.simulations * plan.most_new_nodes > searcher.limit:
            searcher.prepare_recycling()
        return time.perf_counter() - start

    @property
    def positions(self) -> int:
        """How many were finished."""
        return int(self.cursor.finished[0])

    @property
    def is_searching(self) -> bool:
        """Whether a position is half done."""
        return self.cursor.row[0] != NONE

    def work(self, queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search positions from a queue until there are none left; `show` is called now and then."""
        while (self.is_searching or not queue.is_empty) and not queue.stop.is_set:
            added, why = self.run_kernel(queue, self.pace.next_chunk())
            if added > 0:
                self.pace.record(added)
            self.simulations += added
            if why == FULL:
                self.searcher.make_room(None, queue.stop)
            show()
        if self.simulations > 0:
            note_speed(self.kernel, self.task.plan.game, self.pace.took / self.pace.chunk)

    def run_kernel(self, queue: BatchQueue, simulations: int) -> tuple[int, int]:
        """Search on; return how many simulations were added, and why no more."""
        try:
            return self.kernel(*self.arguments(queue), simulations)
        except BaseException as error:
            self.searcher.blame(error, lambda: self.task.positions[max(0, self.cursor.row[0])])
            raise

    def arguments(self, queue: BatchQueue) -> tuple[Any, ...]:
        """Those of the kernel, but for the number of simulations."""
        searcher = self.searcher
        buffers = (searcher.tree, searcher.scratch, searcher.rng)
        return searcher.strategy, *buffers, self.task.rows, queue.next, self.cursor


class DriverWorker:
    """Searches positions one after the other with all that a search can do: clocks, stoppers, several trees."""

    def __init__(self, task: BatchTask, threads: int) -> None:
        self.task = task
        self.positions = 0
        self.simulations = 0
        self.driver = Driver(task.plan.in_worker(), task.seed, sharers=threads)

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        self.driver.forest.plant(self.task.positions[0])
        return self.driver.forest.prepare(self.task.plan.options.simulations)

    def work(self, queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search positions from a queue until there are none left; `show` is called after each."""
        task = self.task
        self.driver.stop = queue.stop
        for row in queue.taken():
            self.driver.start_over(int(task.seeds[row]))
            try:
                result = self.driver.search(self.driver.request(task.roots[row]))
            except StoppedError:
                return
            actions = result.actions
            task.visits[row, actions] = result.visits
            task.value_sums[row, actions] = result.value_sums
            if result.lower is not None and result.upper is not None:
                task.lower[row, actions] = result.lower
                task.upper[row, actions] = result.upper
            if len(actions) == 1:
                task.only[row] = actions[0]
            if result.action is not None:
                task.action[row] = result.action
            if result.visits.any() and len(task.priors) > 0:
                trees = self.driver.forest.trees
                for tree in trees:
                    task.priors[row, actions] += root_priors(tree, actions) / len(trees)
                    task.estimates[row] += float(tree.estimate[ROOT]) / len(trees)
            self.positions += 1
            self.simulations += result.simulations
            show()
