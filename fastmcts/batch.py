"""Search many positions at once."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import same
from fastmcts.compiler.notice import Heeding
from fastmcts.core.constants import NONE
from fastmcts.core.validate import whole_number
from fastmcts.engine.batch_workers import BatchQueue, BatchTask, DriverWorker, KernelWorker
from fastmcts.engine.plan import Plan, plan_for
from fastmcts.engine.progress import Bar, Progress
from fastmcts.engine.readout import chosen_action, most_visited
from fastmcts.engine.tasks import Task
from fastmcts.game import Game
from fastmcts.kernels.rewards import utility_of
from fastmcts.options import Options, ProgressOption, SearchOptions
from fastmcts.result import PositionResult, proven_value
from fastmcts.rng import spawn_seed
from fastmcts.state import State
from fastmcts.strategies.final import means


@dataclass(frozen=True, eq=False)
class BatchResult:
    """What the searches of a batch of B positions found, in a game with A actions.

    Arrays have a row for each position and a column for every action of the game, legal or not; where there is no move
    to make, `action` is -1. `batch[i]`, or a loop over the batch, gives what was found about one position as a
    `PositionResult`, which has an entry for each legal action, and None for no move.

    Attributes:
        positions: int64 [B, state_size], those that were searched: the ones asked about, or with
            `SinglePerspective(player=...)` those where the player is to move.
        action: int64 [B], the move to make, -1 where the game is over.
        visits: int64 [B, A], how often each move was visited.
        value_sums: float64 [B, A], the rewards in [0, 1] for the player to move, summed.
        lower: float64 [B, A], the least reward that each move is proven to bring; None if no proofs were kept.
        upper: float64 [B, A], the most reward that each move is proven to bring; None if no proofs were kept.
        only: int64 [B], the only legal move, -1 where there are more or none.
        simulations: How many simulations all searches ran together.
        seconds: How long they took, without compilation.
        compile_seconds: How long compiling took, or loading what was compiled before.
        seed: The seed; position i was searched with `spawn_seed(seed, i)`.
        strategy: The components that were used, as one would write them.
        game: The game.
        viewers: Whose view each position is; None for a full position.
    """

    positions: NDArray[np.int64]
    action: NDArray[np.int64]
    visits: NDArray[np.int64]
    value_sums: NDArray[np.float64]
    lower: NDArray[np.float64] | None = field(repr=False)
    upper: NDArray[np.float64] | None = field(repr=False)
    only: NDArray[np.int64] = field(repr=False)
    simulations: int
    seconds: float
    compile_seconds: float
    seed: int
    strategy: str
    game: Game = field(repr=False)
    viewers: tuple[int | None, ...] = field(repr=False)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64 [B, A], the mean rewards in [0, 1] for the player to move; NaN without visits."""
        return means(self.value_sums, self.visits)

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """float64 [B], the mean reward of each position for the player to move; NaN without visits."""
        return means(self.value_sums.sum(axis=1), self.visits.sum(axis=1))

    @cached_property
    def utilities(self) -> NDArray[np.float64]:
        """float64 [B, A], `values` in the units of the game: from its `min_utility` to its `max_utility`."""
        return utility_of(self.game, self.values)

    @cached_property
    def utility(self) -> NDArray[np.float64]:
        """float64 [B], `value` in the units of the game."""
        return utility_of(self.game, self.value)

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """float64 [B, A], the shares of visits; an only move that was not searched has all."""
        totals = self.visits.sum(axis=1)
        policy = self.visits / np.maximum(1, totals)[:, None]
        forced = np.flatnonzero((totals == 0) & (self.only != NONE))
        policy[forced, self.only[forced]] = 1.0
        return policy

    @property
    def solver(self) -> bool:
        """Whether the searches kept proofs."""
        return self.lower is not None

    @cached_property
    def proven(self) -> NDArray[np.float64]:
        """float64 [B, A], the reward that each move is proven to bring; NaN where nothing is."""
        if self.lower is None or self.upper is None:
            return np.full(self.visits.shape, np.nan)
        return np.where(self.lower == self.upper, self.lower, np.nan)

    @cached_property
    def proven_value(self) -> NDArray[np.float64]:
        """float64 [B], the reward that each position is proven to be worth; NaN where that is open."""
        values = np.full(len(self), np.nan)
        if self.lower is not None and self.upper is not None:
            for row, position in enumerate(self.positions):
                legal = self.game.new_state(position, self.viewers[row]).legal_actions()
                values[row] = proven_value(self.lower[row, legal], self.upper[row, legal])
        return values

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.action)

    def __iter__(self) -> Iterator[PositionResult]:
        """What was found about each position."""
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> PositionResult:
        """What was found about one position."""
        index = range(len(self))[whole_number("the number of a position", index)]
        state = self.game.new_state(self.positions[index].copy(), self.viewers[index])
        actions = np.array(state.legal_actions(), np.int64)
        return PositionResult(
            state=state,
            action=None if self.action[index] == NONE else int(self.action[index]),
            actions=actions,
            visits=self.visits[index, actions],
            value_sums=self.value_sums[index, actions],
            lower=None if self.lower is None else self.lower[index, actions],
            upper=None if self.upper is None else self.upper[index, actions],
            seed=spawn_seed(self.seed, index),
            strategy=self.strategy,
        )


@dataclass(frozen=True)
class BatchSnapshot:
    """How far a batch has come, for progress callbacks.

    Attributes:
        positions: How many positions are done.
        total: How many there are.
        simulations: How many simulations were run.
        seconds: How long the batch has run.
    """

    positions: int
    total: int
    simulations: int
    seconds: float


def search_batch(
    states: Sequence[State] | NDArray[np.int64],
    game: Game | None = None,
    options: Options | None = None,
    **keywords: Unpack[SearchOptions],
) -> BatchResult:
    """Search many positions of one game, over threads that each reuse one tree.

    Position i gets exactly the tree that `search` would give it with the seed `spawn_seed(seed, i)`, whatever the
    number of threads; they share `memory_mb`, and only a tree that outgrows its part is recycled. `seconds=` is the
    time for each position.

    Args:
        states: The positions, or what the player to move knows of each (`State.view`); or, with `game`, the arrays of
            full positions as int64 [B, state_size].
        game: The game, if `states` is an array.
        options: How to search.
        **keywords: `simulations=` or `seconds=` for each position, and any others of `fastmcts.Options`; they count
            more than `options`.

    Returns:
        Arrays with a row for each position.
    """
    game = game_of(states, game)
    plan, seed = plan_for(game, options, dict(keywords), "batch")
    task = BatchTask(plan, seed, roots_of(plan, seed, states))
    kind = KernelWorker if plan.is_fixed else DriverWorker
    threads = min(plan.options.threads, task.count)
    queue = BatchQueue(task.count)
    workers = [kind(task, threads) for _ in range(threads)]
    with Heeding(plan.options.progress):
        compile_seconds = sum(worker.prepare() for worker in workers)
    start = time.perf_counter()
    with batch_progress(plan.options.progress) as progress:
        work_off(workers, queue, progress, start)
    return batch_result(
        task, sum(worker.simulations for worker in workers), time.perf_counter() - start, compile_seconds
    )


def game_of(states: Sequence[State] | NDArray[np.int64], game: Game | None) -> Game:
    """The game of some positions; TypeError or ValueError if they are none."""
    if isinstance(states, np.ndarray):
        if not isinstance(game, Game):
            raise TypeError("an array of positions needs the game too: search_batch(positions, game=..., ...)")
        if states.ndim != 2:
            raise ValueError(f"an array of positions has shape [B, {game.state_size}], not {list(states.shape)}")
    elif not isinstance(states, Sequence) or not all(isinstance(state, State) for state in states):
        raise TypeError("search_batch takes a list of States, or an array of positions and game=...")
    if len(states) == 0:
        raise ValueError("a batch needs at least one position")
    return states[0].game if game is None else game


def roots_of(plan: Plan, seed: int, states: Sequence[State] | NDArray[np.int64]) -> list[State]:
    """The positions from which to search."""
    game = plan.game
    if isinstance(states, np.ndarray):
        states = [game.state_from_array(row) for row in states]
    for index, state in enumerate(states):
        if not same(state.game, game):
            raise ValueError(f"all positions of a batch must be of {game!r}, but number {index} is of {state.game!r}")
    return [plan.root(state, spawn_seed(seed, index)) for index, state in enumerate(states)]


def work_off(
    workers: Sequence[KernelWorker | DriverWorker], queue: BatchQueue, progress: Progress, start: float
) -> None:
    """Let workers work until all is done, or one fails, or Ctrl-C.

    One works in this thread. Several have a thread each, and this one only waits: were it to work too, the system would
    often start another beside it on the same core.
    """

    def look() -> BatchSnapshot:
        done = sum(worker.positions for worker in workers)
        return BatchSnapshot(done, queue.total, sum(w.simulations for w in workers), time.perf_counter() - start)

    def show() -> None:
        if progress.is_due:
            progress.update(look())

    def work(worker: KernelWorker | DriverWorker) -> None:
        try:
            worker.work(queue, lambda: None)
        except BaseException:
            queue.stop.is_set = True
            raise

    if len(workers) == 1:
        workers[0].work(queue, show)
    else:
        work_side_by_side([Task(partial(work, worker)) for worker in workers], queue, show)
    progress.update(look())


def work_side_by_side(tasks: Sequence[Task[None]], queue: BatchQueue, show: Callable[[], None]) -> None:
    """Start tasks, wait for all of them, and stop those that are left if one fails or Ctrl-C comes."""
    try:
        for task in tasks:
            task.start()
        for task in tasks:
            while not task.wait():
                show()
            task.result()
    finally:
        queue.stop.is_set = True
        for task in tasks:
            task.settle()


def batch_progress(option: ProgressOption) -> Progress:
    """What shows the progress of a batch."""
    if option is not True:
        return Progress(option or None)

    def describe(look: BatchSnapshot) -> str:
        rate = look.simulations / max(look.seconds, 1e-9)
        return f"{look.positions:,} of {look.total:,} positions, {rate:,.0f} simulations/s"

    return Bar(describe, lambda look: look.positions / look.total)


def batch_result(task: BatchTask, simulations: int, seconds: float, compile_seconds: float) -> BatchResult:
    """Choose the moves, and hand over what was found."""
    plan = task.plan
    return BatchResult(
        positions=task.positions,
        action=chosen_actions(task),
        visits=task.visits,
        value_sums=task.value_sums,
        lower=task.lower if plan.options.solver else None,
        upper=task.upper if plan.options.solver else None,
        only=task.only,
        simulations=simulations,
        seconds=seconds,
        compile_seconds=compile_seconds,
        seed=task.seed,
        strategy=plan.text,
        game=plan.game,
        viewers=tuple([root.viewer for root in task.roots]),
    )


def chosen_actions(task: BatchTask) -> NDArray[np.int64]:
    """The moves to make, int64 [B]: where no worker has chosen one, by what was found, or the only one."""
    is_open = (task.action == NONE) & task.visits.any(axis=1)
    action = np.where(task.action == NONE, task.only, task.action)
    if task.plan.goes_by_visits:
        return np.where(is_open, most_visited(task.visits, task.value_sums), action)
    for row in np.flatnonzero(is_open).tolist():
        action[row] = chosen_action(task.plan, task.positions[row], task.found(row))
    return action
