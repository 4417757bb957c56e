"""Play what a plan asks for, and store every game."""

import heapq
import inspect
import itertools
import queue
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from fastmcts.core.validate import real_number
from fastmcts.experiments.agents import Search, UserAgent
from fastmcts.experiments.code import code_of
from fastmcts.experiments.live import RunProgress, RunProgressOption, ShowRun, shown_run
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plan_file import load_plan
from fastmcts.experiments.plan_parts import Cell
from fastmcts.experiments.store import Store, StoreError
from fastmcts.experiments.tally import Tally
from fastmcts.experiments.work import Played, RunError, Task
from fastmcts.experiments.worker_pools import WorkerPool, make_worker_pool

TASK_SECONDS = 3.0  # of play in a task: little is lost with a worker, and handing over costs milliseconds
MOST_TASKS = 200.0  # a second: what this process hands out and stores with ease; with many workers tasks are longer
FIRST_PAIRS = 2  # in the first task of a match, whose speed is not known
GROWTH = 8  # a task has at most so many times as many games as the one before
PATIENCE = 20.0  # a task may take so many times as long as expected,
LEAST_PATIENCE = 120.0  # and so many seconds in any case, before its worker is said to hang
START_SECONDS = 60.0  # how long workers may take until the first one answers
TRIES = 3  # how often a task may be lost with its worker
LOOK_SECONDS = 0.25
ASLEEP_SECONDS = 2.0  # between two looks: this process was stopped, or the machine asleep, and workers perhaps as well
OTHER_CODE = ("refuse", "again", "keep")


@dataclass(frozen=True)
class RunResult:
    """What a run has done.

    Attributes:
        path: The store.
        played: How many games were played in this run.
        done: How many games of the plan are in the store.
        total: How many games the plan has.
        seconds: How long the run took.
        interrupted: Whether Ctrl-C ended it; the same call goes on.
    """

    path: Path
    played: int
    done: int
    total: int
    seconds: float
    interrupted: bool = False

    def __str__(self) -> str:
        """One line."""
        end = "; interrupted, the same command goes on" if self.interrupted else ""
        return (
            f"{self.path}: {self.done:,} of {self.total:,} games, {self.played:,} of them played now,"
            f" in {self.seconds:,.1f} s{end}"
        )


def run(
    plan: Plan | str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    executor: str | Executor | WorkerPool | None = None,
    dask: str | None = None,
    timeout: float | None = None,
    other_code: str = "refuse",
    progress: RunProgressOption = None,
) -> RunResult:
    """Play all games of a plan that are not in the store.

    The rows of the store do not depend on who plays, in which order, or how often a run was stopped and started again;
    only the seconds do.

    Args:
        plan: A plan, or the path of its TOML file.
        out: The store, a file; it is made if it is not there.
        workers: How many processes or threads; by default one for every core.
        executor: "processes" (the default), "threads", or any `concurrent.futures.Executor`.
        dask: The address of a Dask scheduler, or its file, instead of an executor.
        timeout: After so many seconds a task of some seconds is taken from its worker and played again; by default
            after many times as long as others of the same match take.
        other_code: What to do about games of this plan that other code has played: "refuse", "again" plays them anew
            beside the old ones, "keep" counts them.
        progress: True for a live table, or a function that is called with a `RunProgress`.

    Raises:
        PlanError: If something is wrong with the plan.
        StoreError: If the store cannot be used, or has games of other code.
        RunError: If an agent or a rule fails, or workers are lost again and again.
    """
    plan = plan if isinstance(plan, Plan) else load_plan(plan)
    if other_code not in OTHER_CODE:
        raise ValueError(f"other_code must be one of {', '.join(OTHER_CODE)}, not {other_code!r}")
    if timeout is not None:
        timeout = real_number("timeout", timeout, above=0.0)
    start = time.monotonic()
    with shown_run(progress) as show, Store(out) as store:
        matches = [add_cell(store, cell, other_code) for cell in plan.cells]
        options = {"title": plan.title, "workers": workers, "executor": str(executor), "dask": dask}
        running = Run(store, plan.cells, matches, store.start_run(options), timeout)
        interrupted = False
        if running.has_work:
            try:
                worker_pool = make_worker_pool(executor, workers, dask, own_files(plan.cells))
                try:
                    running.play(worker_pool, show)
                finally:
                    if worker_pool is not executor:
                        worker_pool.close()
            except KeyboardInterrupt:
                interrupted = True
        state = running.progress
    return RunResult(Path(out), state.played, state.done, state.total, time.monotonic() - start, interrupted)


def add_cell(store: Store, cell: Cell, other_code: str) -> int:
    """The number of a match in the store; StoreError if other code has played it and nobody says what to do."""
    code = code_of(cell.pairing)
    others = store.other_code(cell.pairing, code)
    if others and other_code == "refuse":
        raise StoreError(
            f"{store.path} has {others[-1][2]:,} games of {cell.title!r} that other code has played ({others[-1][1]};"
            f" now it is {code}): use another file, or other_code='again' (--other-code again) to play them anew beside"
            " the old ones, or 'keep' to count the old ones"
        )
    return store.add_match(
        cell.pairing,
        others[-1][1] if others and other_code == "keep" else code,
        counts=cell.counts,
        first_name=cell.first,
        second_name=cell.second,
        budget=cell.budget,
        parameters=cell.parameters,
    )


def own_files(cells: Iterable[Cell]) -> list[Path]:
    """The Python files of games, agents and components that are a user's own."""
    objects: list[object] = []
    for cell in cells:
        objects.append(cell.pairing.game)
        for agent in cell.pairing.sides:
            objects += agent.options.values() if isinstance(agent, Search) else [agent]
            objects += [agent.player] if isinstance(agent, UserAgent) else []
    files = set()
    for cls in {type(value) for value in objects}:
        if cls.__module__.partition(".")[0] not in ("fastmcts", "builtins", "__main__"):
            files.add(Path(inspect.getfile(cls)))
    return sorted(files)


@dataclass
class Row:
    """What is left of a match.

    Attributes:
        number: That of the match in the plan.
        cell: The match.
        match: Its number in the store.
        waiting: The games that were not handed over.
        tally: The score so far.
        seconds: How long a game takes; None while nothing is known.
        size: How many games the last task had.
    """

    number: int
    cell: Cell
    match: int
    waiting: deque[tuple[int, int]]
    tally: Tally
    seconds: float | None = None
    size: int = 0

    @property
    def share_left(self) -> float:
        """The share of games that were not handed over."""
        return len(self.waiting) / self.cell.games

    def next_task(self, workers: int) -> Task:
        """Some games, for some seconds."""
        seconds = max(TASK_SECONDS, workers / MOST_TASKS)
        least = len(self.cell.pairing.sides)  # both games of a pair; deals may take minutes each
        first = FIRST_PAIRS * least if least > 1 else 1
        wanted = first if self.seconds is None else int(seconds / max(self.seconds, 1e-6))
        self.size = max(least, min(wanted, GROWTH * max(self.size, first), len(self.waiting)))
        games = [self.waiting.popleft() for _ in range(min(self.size, len(self.waiting)))]
        return Task(self.number, self.cell.pairing, tuple(games))


@dataclass
class Handed:
    """A task that was handed over: how often, and since when a worker may be playing it."""

    task: Task
    tries: int
    since: float | None = None


@dataclass
class Run:
    """Hands out tasks, takes what was played, and stores it: the only one that writes."""

    store: Store
    cells: list[Cell]
    matches: list[int]
    number: int
    timeout: float | None
    rows: list[Row] = field(init=False)
    handed: dict[Future[Played], Handed] = field(default_factory=dict)
    done: "queue.SimpleQueue[Future[Played]]" = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        self.rows = []
        for number, (cell, match) in enumerate(zip(self.cells, self.matches, strict=True)):
            tally = cell.tally
            tally.add(record for record in self.store.records(match) if record.pair < cell.pairs)
            stored = self.store.played(match)
            waiting = deque(game for game in cell.pairing.games(cell.pairs) if game not in stored)
            self.rows.append(Row(number, cell, match, waiting, tally))
        self.progress = RunProgress(self.cells, [row.tally for row in self.rows])
        #: Matches with games to hand out; first the one of which the most is left.
        self.order = [(-row.share_left, row.number) for row in self.rows if row.waiting]
        heapq.heapify(self.order)
        self.again: deque[tuple[Task, int]] = deque()  # tasks that were lost, and how often
        self.is_warm = False  # whether a worker has answered since all were started
        self.next_look = 0.0

    @property
    def has_work(self) -> bool:
        """Whether some games are not in the store."""
        return bool(self.order)

    def play(self, worker_pool: WorkerPool, show: ShowRun) -> None:
        """Play everything that is left."""
        show(self.progress)
        if worker_pool.shares_cache:
            for _, number in sorted(self.order, key=lambda entry: entry[1]):
                self.rows[number].cell.pairing.prepare()  # once, before workers look for it
        self.progress.started = time.monotonic()
        while True:
            self.hand_out(worker_pool)
            if not self.handed:
                return
            self.progress.workers = len(self.handed)
            with suppress(queue.Empty):
                self.take(self.done.get(timeout=LOOK_SECONDS), worker_pool)
            if time.monotonic() > self.next_look:
                self.look_after(worker_pool)
            show(self.progress)

    def hand_out(self, worker_pool: WorkerPool) -> None:
        """Keep all workers busy, with a task in hand for the next one that is free."""
        workers = worker_pool.size
        most = workers + max(1, workers // 4)
        while len(self.handed) < most and (self.again or self.order):
            if self.again:
                task, tries = self.again.popleft()
            else:
                _, number = heapq.heappop(self.order)
                row = self.rows[number]
                task, tries = row.next_task(workers), 1
                if row.waiting:
                    heapq.heappush(self.order, (-row.share_left, number))
            self.hand(worker_pool, task, tries)

    def hand(self, worker_pool: WorkerPool, task: Task, tries: int) -> None:
        """Give a task to a worker; if workers were lost and nobody has noticed yet, it waits."""
        try:
            future = worker_pool.submit(task)
        except RuntimeError as error:
            if not self.handed:
                raise RunError(f"no worker takes a task any more: {error}") from error
            self.again.append((task, tries))
            self.take(self.done.get(), worker_pool)
            return
        self.handed[future] = Handed(task, tries)
        future.add_done_callback(self.done.put)

    def take(self, future: Future[Played], worker_pool: WorkerPool) -> None:
        """Store what was played, or have it played again if the worker was lost."""
        handed = self.handed.pop(future, None)
        if handed is None:  # it was given up
            return
        row = self.rows[handed.task.cell]
        try:
            played = future.result()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self.recover(worker_pool, future, handed, f"{type(error).__name__}: {error}")
            return
        self.is_warm = True
        if played.error:
            raise RunError(f"{row.cell.title}: {played.error.strip()}")
        self.store.add_games(row.match, played.records, self.number)
        row.tally.add(played.records)
        row.seconds = played.seconds / max(1, len(played.records))
        self.progress.played += len(played.records)

    def look_after(self, worker_pool: WorkerPool) -> None:
        """Take tasks from workers that seem to hang; the oldest ones are being played, others may wait for a worker."""
        now = time.monotonic()
        late = now - self.next_look
        self.next_look = now + LOOK_SECONDS
        if late > ASLEEP_SECONDS:
            for handed in self.handed.values():
                handed.since = None
        for future, handed in [*itertools.islice(self.handed.items(), worker_pool.size)]:
            if handed.since is None:
                handed.since = now
            patience = self.patience(handed.task)
            if patience is not None and now - handed.since > patience:
                del self.handed[future]
                self.recover(worker_pool, future, handed, f"a worker gave no answer for {now - handed.since:,.0f} s")
                return

    def patience(self, task: Task) -> float | None:
        """How many seconds a task may take; None while nobody knows how long it should."""
        start = 0.0 if self.is_warm else START_SECONDS
        if self.timeout is not None:
            return start + self.timeout
        seconds = self.rows[task.cell].seconds
        return None if seconds is None else start + max(LEAST_PATIENCE, PATIENCE * seconds * len(task.games))

    def recover(self, worker_pool: WorkerPool, future: Future[Played], lost: Handed, reason: str) -> None:
        """Hand out again what was lost with a worker; RunError if that has happened to a task too often."""
        if lost.tries >= TRIES:
            title = self.rows[lost.task.cell].cell.title
            raise RunError(f"{title}: {lost.tries} workers were lost while they played it, the last one: {reason}")
        self.again.append((lost.task, lost.tries + 1))
        if worker_pool.give_up(future):
            self.is_warm = False
            self.again.extend((handed.task, handed.tries) for handed in self.handed.values())
            self.handed.clear()
