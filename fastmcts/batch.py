"""Search many positions at once."""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import same
from fastmcts.compiler.notice import Heeding
from fastmcts.core.constants import NONE
from fastmcts.core.validate import whole_number
from fastmcts.engine.aside import Aside
from fastmcts.engine.batch_workers import BatchQueue, BatchTask, KernelWorker
from fastmcts.engine.plan import describe, settled
from fastmcts.engine.progress import Bar, Progress
from fastmcts.game import Game
from fastmcts.mcts import MCTS, StoppedError, means, refuse_chance, refuse_view
from fastmcts.options import Options, ProgressOption, SearchOptions
from fastmcts.result import PositionResult, proven_value
from fastmcts.rng import spawn_seed
from fastmcts.state import State
from fastmcts.strategies.final import final_index
from fastmcts.strategies.methods import PIMC, Method, SinglePerspective


@dataclass(frozen=True, eq=False)
class BatchResult:
    """What the searches of a batch of B positions found, in a game with A actions.

    `batch[i]`, or a loop over the batch, gives what was found about one position as a `PositionResult`.

    Attributes:
        positions: int64 [B, state_size], those that were searched: the ones asked about, or with
            `SinglePerspective(player=...)` those where the player is to move.
        action: int64 [B], the move to make, -1 where the game is over.
        visits: int64 [B, A], how often each move was visited.
        value_sums: float64 [B, A], the rewards in [0, 1] for the player to move, summed.
        values: float64 [B, A], their means; NaN without visits.
        policy: float64 [B, A], the shares of visits; an only move that was not searched has all.
        value: float64 [B], the mean reward of the position for the player to move; NaN without visits.
        proven: float64 [B, A], the reward that each move is proven to bring; NaN where nothing is.
        proven_value: float64 [B], the reward that each position is proven to be worth; NaN where that is open.
        simulations: How many simulations all searches ran together.
        seconds: How long they took, without compilation.
        compile_seconds: How long compiling took, or loading what was compiled before.
        seed: The seed; position i was searched with `spawn_seed(seed, i)`.
        strategy: The components that were used, as one would write them.
        game: The game.
        viewers: Whose view each position is; None for a full position.
        solver: Whether the searches kept proofs.
    """

    positions: NDArray[np.int64]
    action: NDArray[np.int64]
    visits: NDArray[np.int64]
    value_sums: NDArray[np.float64]
    values: NDArray[np.float64]
    policy: NDArray[np.float64]
    value: NDArray[np.float64]
    proven: NDArray[np.float64]
    proven_value: NDArray[np.float64]
    simulations: int
    seconds: float
    compile_seconds: float
    seed: int
    strategy: str
    game: Game = field(repr=False)
    viewers: tuple[int | None, ...] = field(repr=False)
    solver: bool = field(repr=False)

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
            values=self.values[index, actions],
            policy=self.policy[index].copy(),
            proven=self.proven[index, actions],
            solver=self.solver,
            proven_value=float(self.proven_value[index]),
            value=float(self.value[index]),
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


class SearchWorker:
    """Searches positions one after the other with all that a search can do: clocks, stoppers, several trees."""

    def __init__(self, task: BatchTask, threads: int) -> None:
        self.task = task
        self.positions = 0
        self.simulations = 0
        options = dataclasses.replace(task.options, threads=1, progress=None)
        self.mcts = MCTS.__new__(MCTS)
        self.mcts.build(task.game, options, sharers=threads)

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        self.mcts.forest.plant(self.task.positions[0])
        self.mcts.forest.notice_edits()
        return self.mcts.forest.prepare(self.task.options.simulations)

    def work(self, queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search positions from a queue until there are none left; `show` is called after each."""
        task = self.task
        self.mcts.cancelled = queue.stop
        for index in queue.taken():
            self.mcts.start_over(spawn_seed(task.options.seed, index))
            try:
                result = self.mcts.search(task.game.new_state(task.positions[index]))
            except StoppedError:
                return
            task.visits[index, result.actions] = result.visits
            task.value_sums[index, result.actions] = np.nan_to_num(result.values) * result.visits
            if task.options.solver:
                is_proven = ~np.isnan(result.proven)
                for bounds in (task.lower, task.upper):
                    bounds[index, result.actions[is_proven]] = result.proven[is_proven]
            if len(result.actions) == 1:
                task.only[index] = result.actions[0]
            if result.action is not None:
                task.action[index] = result.action
            self.positions += 1
            self.simulations += result.simulations
            show()


def search_batch(
    states: Sequence[State] | NDArray[np.int64], game: Game | None = None, **options: Unpack[SearchOptions]
) -> BatchResult:
    """Search many positions of one game, over threads that each reuse one tree.

    Position i gets exactly the tree that `search` would give it with the seed `spawn_seed(seed, i)`, whatever the
    number of threads; they share `memory_mb`, and only a tree that outgrows its part is recycled. `seconds=` is the
    time for each position.

    Args:
        states: The positions, or what the player to move knows of each (`State.view`); or, with `game`, the arrays of
            full positions as int64 [B, state_size].
        game: The game, if `states` is an array.
        **options: `simulations=` or `seconds=` for each position, and any others of `fastmcts.Options`.

    Returns:
        Arrays with a row for each position.
    """
    game = game_of(states, game)
    checked = settled(game, dict(options))
    if checked.on_interrupt == "return":
        raise ValueError("a batch that is cut short has positions without a move: on_interrupt is for search and MCTS")
    if checked.trace:
        raise ValueError("a batch keeps no traces: trace=True is for search and MCTS")
    if checked.parallel == "shared":
        raise ValueError("the threads of a batch take a position each: parallel='shared' is for search and MCTS")
    asked = stacked(states, game, checked.method)
    positions = searched(game, checked, asked)
    task = BatchTask(game, checked, positions, viewers_of(states, asked, positions))
    kind = KernelWorker if is_plain(checked) else SearchWorker
    threads = min(checked.threads, len(positions))
    queue = BatchQueue(len(positions))
    workers = [kind(task, threads) for _ in range(threads)]
    with Heeding(checked.progress):
        compile_seconds = sum(worker.prepare() for worker in workers)
    start = time.perf_counter()
    with batch_progress(checked.progress) as progress:
        work_off(workers, queue, progress, start)
    return batch_result(
        task, sum(worker.simulations for worker in workers), time.perf_counter() - start, compile_seconds
    )


def is_plain(options: Options) -> bool:
    """Whether each position gets a fixed number of simulations in one tree."""
    one_tree = options.trees == 1 and not isinstance(options.method, PIMC)
    return one_tree and options.seconds is None and not options.stop and options.final != "robust_max"


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


def stacked(states: Sequence[State] | NDArray[np.int64], game: Game, method: Method) -> NDArray[np.int64]:
    """The positions as int64 [B, state_size]."""
    if isinstance(states, np.ndarray):
        states = [game.state_from_array(row) for row in states]
    for index, state in enumerate(states):
        if not same(state.game, game):
            raise ValueError(f"all positions of a batch must be of {game!r}, but number {index} is of {state.game!r}")
        refuse_view(state, method)
    return np.stack([state.array for state in states])


def searched(game: Game, options: Options, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions from which to search, int64 [B, state_size]."""
    starts = np.stack([options.method.start(game, row, spawn_seed(options.seed, i)) for i, row in enumerate(positions)])
    if game.has_chance:
        for row in starts:
            refuse_chance(game.new_state(row))
    return starts


def viewers_of(
    states: Sequence[State] | NDArray[np.int64], asked: NDArray[np.int64], positions: NDArray[np.int64]
) -> tuple[int | None, ...]:
    """Whose view each position is from which to search; a continuation of a view is a world, in which all is known."""
    if isinstance(states, np.ndarray):
        return (None,) * len(states)
    is_asked = (asked == positions).all(axis=1)
    return tuple(state.viewer if is_view else None for state, is_view in zip(states, is_asked, strict=True))


def work_off(
    workers: Sequence[KernelWorker | SearchWorker], queue: BatchQueue, progress: Progress, start: float
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

    def work(worker: KernelWorker | SearchWorker) -> None:
        try:
            worker.work(queue, lambda: None)
        except BaseException:
            queue.stop.is_set = True
            raise

    if len(workers) == 1:
        workers[0].work(queue, show)
    else:
        work_side_by_side([Aside(partial(work, worker)) for worker in workers], queue, show)
    progress.update(look())


def work_side_by_side(tasks: Sequence[Aside[None]], queue: BatchQueue, show: Callable[[], None]) -> None:
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
    """Choose the moves and derive what follows from visits and rewards."""
    visits, value_sums = task.visits, task.value_sums
    values = means(value_sums, visits)
    totals = visits.sum(axis=1)
    policy = visits / np.maximum(1, totals)[:, None]
    forced = np.flatnonzero((totals == 0) & (task.only != NONE))
    policy[forced, task.only[forced]] = 1.0
    return BatchResult(
        positions=task.positions,
        action=chosen_actions(task, values),
        visits=visits,
        value_sums=value_sums,
        values=values,
        policy=policy,
        value=means(value_sums.sum(axis=1), totals),
        proven=proven_rewards(task),
        proven_value=proven_values(task),
        simulations=simulations,
        seconds=seconds,
        compile_seconds=compile_seconds,
        seed=task.options.seed,
        strategy=describe(task.options),
        game=task.game,
        viewers=task.viewers,
        solver=task.options.solver,
    )


def proven_rewards(task: BatchTask) -> NDArray[np.float64]:
    """What each move is proven to bring, float64 [B, A]."""
    if not task.options.solver:
        return np.full(task.visits.shape, np.nan)
    return np.where(task.lower == task.upper, task.lower, np.nan)


def proven_values(task: BatchTask) -> NDArray[np.float64]:
    """What each position is proven to be worth, float64 [B]."""
    values = np.full(len(task.positions), np.nan)
    if task.options.solver:
        for row, position in enumerate(task.positions):
            legal = task.game.new_state(position, task.viewers[row]).legal_actions()
            values[row] = proven_value(task.lower[row, legal], task.upper[row, legal])
    return values


def chosen_actions(task: BatchTask, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The moves to make, int64 [B]: by the criterion of the options and by what is proven."""
    visits, options, method = task.visits, task.options, task.options.method
    leading = (visits == visits.max(axis=1, keepdims=True)) & (visits > 0)
    best = np.where(leading, np.nan_to_num(values), -np.inf).argmax(axis=1)
    action = np.where(task.action != NONE, task.action, np.where(visits.any(axis=1), best, task.only))
    if options.solver or options.final != "visits" or isinstance(method, SinglePerspective):
        for row in np.flatnonzero((task.action == NONE) & visits.any(axis=1)):
            position = task.positions[row]
            legal = np.array(task.game.new_state(position).legal_actions(), np.int64)
            if options.solver:
                lower, upper = task.lower[row, legal], task.upper[row, legal]
            else:
                lower, upper = np.zeros(len(legal)), np.ones(len(legal))
            found = visits[row, legal], values[row, legal]
            chosen = final_index(options.final, legal, *found, lower, upper)
            action[row] = legal[method.played_index(task.game, position, legal, values[row, legal], chosen)]
    return action
