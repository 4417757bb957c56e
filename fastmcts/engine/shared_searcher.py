"""One tree that several threads search together."""

from typing import Any

import numpy as np

from fastmcts.core.constants import DONE, FULL, ROOT
from fastmcts.core.scratch import Scratch
from fastmcts.core.types import Position
from fastmcts.engine import capacity
from fastmcts.engine.plan import Plan
from fastmcts.engine.searcher import Searcher, scratch_for
from fastmcts.engine.tasks import Flag, Pool
from fastmcts.kernels.shared import run_shared
from fastmcts.rng import make_rng, spawn_seed


class SharedSearcher(Searcher):
    """Grows one tree with all threads at once; which of them comes first changes the tree."""

    entry = staticmethod(run_shared)

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, writers=plan.options.threads)
        self.thread_scratches = [capacity.set_apart(scratch_for(plan)) for _ in range(self.writers)]
        # A generator for each thread, on cache lines of its own.
        self.rng = np.zeros((self.writers, capacity.CACHE_LINES // 8), np.uint64)[:, :2]
        self.pool: Pool | None = None
        self.left = capacity.on_own_lines(np.zeros(1, np.int64))  # simulations that no thread has taken on yet

    def plant(self, position: Position, seed: int | None = None) -> None:
        """Start a new tree at a position; without a seed the random numbers go on."""
        super().plant(position)
        if seed is not None:
            for thread, rng in enumerate(self.rng):
                rng[:] = make_rng(spawn_seed(seed, thread))

    def run_kernel(self, simulations: int) -> int:
        """Add up to so many simulations, as many as surely find room; return how many, and note why no more."""
        try:
            alone = 0
            self.stopped = DONE
            if simulations > 0 and self.tree.num_tried[ROOT] == 0:
                # The first one gives the root a child: with it, no thread ever finds nothing to go on to there.
                self.left[0] = 1
                alone = self.run_thread(0)
            self.left[0] = simulations - alone
            if self.pool is None:
                return alone + sum(map(self.run_thread, range(self.writers)))
            return alone + self.pool.add_up(self.run_thread, zip(range(self.writers)), Flag())
        except BaseException as error:
            self.blame(error)
            raise

    def run_thread(self, thread: int) -> int:
        """Add simulations in one thread, until none are left for it; return how many."""
        added, why = self.kernel(*self.arguments_of(thread), self.writers)
        if why == FULL:
            self.stopped = FULL
        return added

    @property
    def scratches(self) -> list[Scratch]:
        """The buffers of all threads that work on the tree."""
        return self.thread_scratches

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Those of the kernel, but for the number of threads."""
        return self.arguments_of(thread=0)

    def arguments_of(self, thread: int) -> tuple[Any, ...]:
        """Those of one thread."""
        return self.strategy, self.tree, self.root, self.thread_scratches[thread], self.rng[thread], self.left
