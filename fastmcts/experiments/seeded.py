"""Searches of many positions in one batch, each with a seed of its own.

`fastmcts.search_batch` derives the seed of a position from its place in the batch. In a match that place depends on
how many games are played side by side, and a game must not.
"""

import time
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from fastmcts.batch import chosen_actions, work_off, work_side_by_side, worker_for
from fastmcts.core.constants import NONE
from fastmcts.engine.batch_workers import BatchQueue, BatchTask
from fastmcts.engine.driver import Driver
from fastmcts.engine.plan import Plan, plan_for
from fastmcts.engine.progress import Progress
from fastmcts.engine.tasks import Task
from fastmcts.kernels.batch import Batch
from fastmcts.rng import make_rngs
from fastmcts.state import State
from fastmcts.strategies.expansion import Lazy


class Found(NamedTuple):
    """What searches of some positions have found, an entry for each."""

    actions: list[int]
    simulations: list[int]
    seconds: list[float]


class SeededTask(BatchTask):
    """The positions of a batch with a seed for each.

    Args:
        plan: How to search each.
        seeds: A seed for each.
        states: The positions.
    """

    def __init__(self, plan: Plan, seeds: Sequence[int], states: Sequence[State]) -> None:
        roots = [plan.root(state, seed) for state, seed in zip(states, seeds, strict=True)]
        super().__init__(plan, 0, roots)
        self.seeds = np.array([seed % 2**64 for seed in seeds], np.uint64)  # [B]

    @cached_property
    def rows(self) -> Batch:
        """The batch as kernels see it."""
        return super().rows._replace(generators=make_rngs(self.seeds))


def search_each(states: Sequence[State], seeds: Sequence[int], options: dict[str, Any]) -> Found:
    """Search positions of one game: each gets the tree that `fastmcts.search` gives it with its seed.

    Args:
        states: The positions, in each of which somebody is to move.
        seeds: A seed for each.
        options: Those of `fastmcts.search_batch`, without a seed.
    """
    plan, _ = plan_for(states[0].game, None, options, "batch")
    return in_kernels(plan, states, seeds) if counts_in_kernels(plan) else one_by_one(plan, states, seeds)


def counts_in_kernels(plan: Plan) -> bool:
    """Whether searches can run in compiled code and it is known afterwards how many simulations each had."""
    return plan.asks or (plan.is_fixed and (not plan.options.solver or isinstance(plan.options.expansion, Lazy)))


def in_kernels(plan: Plan, states: Sequence[State], seeds: Sequence[int]) -> Found:
    """Search positions without a return to Python in between, but to ask a network about many of them at once."""
    task = SeededTask(plan, seeds, states)
    threads = 1 if plan.asks else min(plan.options.threads, task.count)
    queue = BatchQueue(task.count)
    workers = [worker_for(task, threads) for _ in range(threads)]
    for worker in workers:
        worker.prepare()
    start = time.perf_counter()
    work_off(workers, queue, Progress(None), start)
    seconds = (time.perf_counter() - start) / task.count
    visits = task.visits.sum(axis=1)
    # What is proven ends a search early; without proofs each has all its simulations, or none at an only move.
    full = np.where(visits > 0, plan.options.simulations or 0, 0)
    simulations = visits if plan.options.solver else full
    return Found(checked(chosen_actions(task).tolist()), simulations.tolist(), [seconds] * task.count)


def one_by_one(plan: Plan, states: Sequence[State], seeds: Sequence[int]) -> Found:
    """Search positions with all that a search can do: clocks, stoppers, several trees."""
    queue = BatchQueue(len(states))
    threads = min(plan.options.threads, len(states))
    found = Found([NONE] * len(states), [0] * len(states), [0.0] * len(states))

    def work(driver: Driver) -> None:
        driver.stop = queue.stop
        for row in queue.taken():
            driver.start_over(seeds[row])
            result = driver.search(driver.request(states[row]))
            found.actions[row] = NONE if result.action is None else result.action
            found.simulations[row], found.seconds[row] = result.simulations, result.seconds

    drivers = [Driver(plan.in_worker(), 0, sharers=threads) for _ in range(threads)]
    if threads == 1:
        work(drivers[0])
    else:
        work_side_by_side([Task(partial(work, driver)) for driver in drivers], queue.stop, lambda: None)
    checked(found.actions)
    return found


def checked(actions: list[int]) -> list[int]:
    """Return the moves, or raise ValueError if there is none to make in some position."""
    if NONE in actions:
        raise ValueError("the game is over: there is no move to choose")
    return actions
