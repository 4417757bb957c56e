"""Search many positions at once."""

import dataclasses
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import hashable, same
from fastmcts.compiler.notice import Heeding
from fastmcts.core.constants import NONE
from fastmcts.core.validate import whole_number
from fastmcts.engine.batch_workers import BatchQueue, BatchTask, DriverWorker, KernelWorker, legal_masks
from fastmcts.engine.plan import Plan, plan_for
from fastmcts.engine.progress import Bar, Progress
from fastmcts.engine.readout import chosen_action, halved, most_visited
from fastmcts.engine.tasks import Flag, Task
from fastmcts.engine.wave_worker import WaveWorker
from fastmcts.game import Game
from fastmcts.kernels.rewards import utility_of
from fastmcts.options import Options, ProgressOption, SearchOptions
from fastmcts.result import Evaluation, PositionResult, proven_value
from fastmcts.rng import spawn_seed
from fastmcts.state import State
from fastmcts.strategies.final import means
from fastmcts.strategies.selection import Selection
from fastmcts.strategies.selection.base import Roots

#: Who searches positions of a batch.
BatchWorker = KernelWorker | DriverWorker | WaveWorker


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
        game: The game; of several instances, that of the first position.
        games: The game of each position: all the same, or instances that differ in run-time values.
        viewers: Whose view each position is; None for a full position.
        priors: float64 [B, A], how likely an evaluator thought each move, without noise; None without one.
        estimates: float64 [B], the reward that an evaluator gave the player to move; None without one.
        marked: bool [B, A], the legal moves, where they were listed for the search; else None. `legal` has them anyway.
        evaluation: What a network was asked; None if there was none.
        selection: The selection rule.
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
    games: tuple[Game, ...] = field(repr=False)
    viewers: tuple[int | None, ...] = field(repr=False)
    priors: NDArray[np.float64] | None = field(repr=False, default=None)
    estimates: NDArray[np.float64] | None = field(repr=False, default=None)
    marked: NDArray[np.bool_] | None = field(repr=False, default=None)
    evaluation: Evaluation | None = None
    selection: Selection | None = field(repr=False, default=None)

    @cached_property
    def mean_rewards(self) -> NDArray[np.float64]:
        """float64 [B, A], the mean rewards in [0, 1] for the player to move; NaN without visits."""
        return means(self.value_sums, self.visits)

    @cached_property
    def mean_reward(self) -> NDArray[np.float64]:
        """float64 [B], the mean reward in [0, 1] of each position for the player to move; NaN without visits."""
        return means(self.value_sums.sum(axis=1), self.visits.sum(axis=1))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64 [B, A], the mean rewards in [0, 1] for the player to move; NaN without visits.

        In a game that pays rewards on the way they are mean discounted returns, in the units of the game.
        """
        return self.utilities if self.game.pays_rewards else self.mean_rewards

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """float64 [B], the same for each position."""
        return self.utility if self.game.pays_rewards else self.mean_reward

    @cached_property
    def utilities(self) -> NDArray[np.float64]:
        """float64 [B, A], `values` in the units of the game: from its `min_utility` to its `max_utility`."""
        return self.in_units(self.mean_rewards)

    @cached_property
    def utility(self) -> NDArray[np.float64]:
        """float64 [B], `value` in the units of the game."""
        return self.in_units(self.mean_reward)

    def in_units(self, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rewards, with a row for each position, in the units of its game."""
        if all(game is self.game for game in self.games):
            return utility_of(self.game, rewards)
        return np.array([utility_of(game, row) for game, row in zip(self.games, rewards, strict=True)])

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """float64 [B, A], the shares of visits; an only move that was not searched has all."""
        totals = self.visits.sum(axis=1)
        policy = self.visits / np.maximum(1, totals)[:, None]
        forced = np.flatnonzero((totals == 0) & (self.only != NONE))
        policy[forced, self.only[forced]] = 1.0
        return policy

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """Which moves are legal: bool [B, A]."""
        if self.marked is not None:
            return self.marked
        about = zip(self.games, self.positions, self.viewers, strict=True)
        return legal_masks([game.new_state(position, viewer) for game, position, viewer in about])

    @cached_property
    def improved_policy(self) -> NDArray[np.float64]:
        """float64 [B, A], what a network should learn: as `SearchResult.improved_policy`."""
        if self.priors is None:
            return self.policy
        assert self.estimates is not None
        assert self.selection is not None
        rows = self.visits.sum(axis=1) > 0
        policy = self.policy.copy()
        found = Roots(self.visits, self.value_sums, self.priors, self.estimates, self.legal)
        policy[rows] = self.selection.improved(found.only(rows))
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
            for row, legal in enumerate(self.legal):
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
        state = self.games[index].new_state(self.positions[index].copy(), self.viewers[index])
        actions = np.array(state.legal_actions(), np.int64)
        is_improved = self.priors is not None and self.visits[index].any()
        improved = self.improved_policy[index, actions] if is_improved else None
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
            improved=improved,
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
    """Search many positions of one game, or of instances of it that differ in run-time values, over threads.

    Position i gets exactly the tree that `search` would give it with the seed `spawn_seed(seed, i)`, whatever the
    number of threads; they share `memory_mb`, and only a tree that outgrows its part is recycled. `seconds=` is the
    time for each position. Instances of a game that differ only in floats, or in what is marked `RunTime`, are searched
    by the same compiled code; a thread works on one instance after the other.

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
    if isinstance(states, np.ndarray):
        states = [game.state_from_array(row) for row in states]
    tasks = []
    for instance, numbers in instances(game, states).items():
        own = plan if instance == id(game) else plan_for(states[numbers[0]].game, options, dict(keywords), "batch")[0]
        tasks.append(BatchTask(own, seed, roots_of(own, seed, states, numbers), numbers))
    threads = min(plan.options.threads, len(states) if len(tasks) == 1 else len(tasks))
    if plan.asks:  # its worker has both threads
        threads = 1
    with Heeding(plan.options.progress):
        # The first one compiles what all need.
        first = [worker_for(tasks[0], threads) for _ in range(threads if len(tasks) == 1 else 1)]
        compile_seconds = sum(worker.prepare() for worker in first)
    start = time.perf_counter()
    with batch_progress(plan.options.progress) as progress:
        if len(tasks) == 1:
            work_off(first, BatchQueue(tasks[0].count), progress, start)
            simulations = sum(worker.simulations for worker in first)
        else:
            simulations = work_off_instances(tasks, threads, progress, start)
    return batch_result(tasks, simulations, time.perf_counter() - start, compile_seconds)


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


def instances(game: Game, states: Sequence[State]) -> dict[int, Sequence[int]]:
    """The numbers of the positions of each instance of a game, by the id of the first object that is this instance.

    Raises:
        ValueError: If a position is of another game, or of one that would have to be compiled for itself.
    """
    if all(same(state.game, game) for state in states):
        return {id(game): range(len(states))}
    found: dict[int, list[int]] = {id(game): []}
    known: dict[Hashable, int] = {content(game): id(game)}
    for number, state in enumerate(states):
        of = state.game
        if id(of) not in found:
            if of.numba_type is not game.numba_type:
                raise ValueError(
                    f"all positions of a batch must be of {game!r}, but number {number} is of {of!r}; only floats, and"
                    " what is marked RunTime, may differ"
                )
            found.setdefault(known.setdefault(content(of), id(of)), [])
        found[id(of) if id(of) in found else known[content(of)]].append(number)
    return {instance: numbers for instance, numbers in found.items() if numbers}


def content(game: Game) -> Hashable:
    """Equal for instances of one game that are the same."""
    return tuple(hashable(getattr(game, field.name)) for field in fields(game) if field.compare)  # pyright: ignore


def roots_of(plan: Plan, seed: int, states: Sequence[State], numbers: Sequence[int]) -> list[State]:
    """The positions from which to search, given which of them."""
    return [plan.root(states[number], spawn_seed(seed, number)) for number in numbers]


def worker_for(task: BatchTask, threads: int) -> BatchWorker:
    """Who searches the positions of a task, in one of several threads; or all of them, where a network is asked."""
    if task.plan.asks:
        return WaveWorker(task)
    return (KernelWorker if task.plan.is_fixed else DriverWorker)(task, threads)


def taken(waiting: "deque[BatchTask]") -> BatchTask | None:
    """The next task, which nobody else gets; None if there is none."""
    try:
        return waiting.popleft()
    except IndexError:
        return None


def work_off_instances(tasks: Sequence[BatchTask], threads: int, progress: Progress, start: float) -> int:
    """Let threads take one instance of a game after the other; return how many simulations all have had."""
    waiting, stop, finished = deque(tasks), Flag(), list[tuple[int, int]]()
    total = sum(task.count for task in tasks)

    def look() -> BatchSnapshot:
        positions, simulations = (sum(counts) for counts in zip((0, 0), *finished, strict=True))
        return BatchSnapshot(positions, total, simulations, time.perf_counter() - start)

    def show() -> None:
        if progress.is_due:
            progress.update(look())

    def work(show: Callable[[], None]) -> None:
        try:
            for task in iter(lambda: None if stop.is_set else taken(waiting), None):
                worker, queue = worker_for(task, threads), BatchQueue(task.count)
                queue.stop = stop
                worker.prepare()
                worker.work(queue, show)
                finished.append((worker.positions, worker.simulations))
        except BaseException:
            stop.is_set = True
            raise

    if threads == 1:
        work(show)
    else:
        work_side_by_side([Task(partial(work, lambda: None)) for _ in range(threads)], stop, show)
    progress.update(look())
    return look().simulations


def work_off(workers: Sequence[BatchWorker], queue: BatchQueue, progress: Progress, start: float) -> None:
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

    def work(worker: BatchWorker) -> None:
        try:
            worker.work(queue, lambda: None)
        except BaseException:
            queue.stop.is_set = True
            raise

    if len(workers) == 1:
        workers[0].work(queue, show)
    else:
        work_side_by_side([Task(partial(work, worker)) for worker in workers], queue.stop, show)
    progress.update(look())


def work_side_by_side(tasks: Sequence[Task[None]], stop: Flag, show: Callable[[], None]) -> None:
    """Start tasks, wait for all of them, and stop those that are left if one fails or Ctrl-C comes."""
    try:
        for task in tasks:
            task.start()
        for task in tasks:
            while not task.wait():
                show()
            task.result()
    finally:
        stop.is_set = True
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


def batch_result(tasks: Sequence[BatchTask], simulations: int, seconds: float, compile_seconds: float) -> BatchResult:
    """Choose the moves, and hand over what was found, in the order of the positions."""
    plan = tasks[0].plan
    roots = [root for task in tasks for root in task.roots]
    order = None
    if len(tasks) > 1:
        order = np.argsort(np.concatenate([task.numbers for task in tasks]))
        roots = [roots[index] for index in order]
    merged = partial(in_order, order)
    return BatchResult(
        positions=merged([task.positions for task in tasks]),
        action=merged([chosen_actions(task) for task in tasks]),
        visits=merged([task.visits for task in tasks]),
        value_sums=merged([task.value_sums for task in tasks]),
        lower=merged([task.lower for task in tasks]) if plan.options.solver else None,
        upper=merged([task.upper for task in tasks]) if plan.options.solver else None,
        only=merged([task.only for task in tasks]),
        simulations=simulations,
        seconds=seconds,
        compile_seconds=compile_seconds,
        seed=tasks[0].seed,
        strategy=plan.text,
        game=plan.game,
        games=tuple([root.game for root in roots]),
        viewers=tuple([root.viewer for root in roots]),
        priors=merged([task.priors for task in tasks]) if plan.options.evaluator is not None else None,
        estimates=merged([task.estimates for task in tasks]) if plan.options.evaluator is not None else None,
        marked=merged([task.legal for task in tasks]) if plan.asks else None,
        evaluation=summed(task.evaluation for task in tasks) if plan.asks else None,
        selection=plan.strategy.selection,
    )


def in_order(order: NDArray[np.int64] | None, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The rows of several tasks in the order of the positions; None if there is only one task."""
    return parts[0] if order is None else np.concatenate(parts)[order]


def summed(evaluations: Iterable[Evaluation | None]) -> Evaluation:
    """What a network was asked, all together."""
    counts = [dataclasses.astuple(one) for one in evaluations if one is not None]
    return Evaluation(*(sum(column) for column in zip(*counts, strict=True)))


def chosen_actions(task: BatchTask) -> NDArray[np.int64]:
    """The moves to make, int64 [B]: where no worker has chosen one, by what was found, or the only one."""
    is_known = task.visits.any(axis=1)
    if task.plan.options.solver:  # a root may be proven before any of its moves is visited
        is_known |= task.lower.any(axis=1) | (task.upper < 1.0).any(axis=1)
    is_open = (task.action == NONE) & is_known
    action = np.where(task.action == NONE, task.only, task.action)
    if task.plan.goes_by_visits:
        return np.where(is_open, most_visited(task.visits, task.value_sums), action)
    if task.plan.strategy.selection.starts_anew and task.plan.method.worlds == 0:
        found = Roots(task.visits, task.value_sums, task.priors, task.estimates, task.legal)
        action[is_open] = halved(task.plan, found.only(is_open), task.noise[is_open])
        return action
    for row in np.flatnonzero(is_open).tolist():
        action[row] = chosen_action(task.plan, task.positions[row], task.found(row))
    return action
