"""Search the positions of a batch side by side, with a network that judges one leaf of each at a time.

Trees that are kept from move to move stand side by side for a compiled evaluator too.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from fastmcts.core.constants import DONE, NONE
from fastmcts.core.tree import PADDING
from fastmcts.engine import capacity
from fastmcts.engine.asking import Asking
from fastmcts.engine.batch_workers import BatchQueue, BatchTask
from fastmcts.engine.forest import tree_seeds
from fastmcts.engine.kept import PARTS_ALONE, PARTS_TOGETHER, Kept, cut, plant_kept
from fastmcts.engine.plan import Plan
from fastmcts.engine.tasks import Task
from fastmcts.engine.wave_searcher import Rounds, WaveSearcher
from fastmcts.kernels.waves import mark_moves, plant_grove, read_grove
from fastmcts.rng import make_rng, spawn_seed
from fastmcts.state import State
from fastmcts.strategies.evaluation import Evaluated


class NoRoomError(ValueError):
    """Trees side by side need more memory than the options allow; fewer of them may need less."""


class WaveWorker:
    """Searches all positions that fit into the memory in one group of trees, and then the next group.

    Where trees are kept, who makes the task sees to it that it is one group. Its trees are there until the next task.

    Args:
        task: The positions, and where to write what is found.
    """

    def __init__(self, task: BatchTask) -> None:
        self.plan = task.plan
        self.asking = Asking(task.plan, task.plan.options.network)
        self.worlds = max(1, task.plan.method.worlds)
        self.searchers: dict[int, list[WaveSearcher]] = {}  # by the number of trees
        self.turn_to(task)

    def turn_to(self, task: BatchTask) -> None:
        """Go on with other positions of the same plan: arrays, and answers that are kept, stay."""
        self.task = task
        self.counts = np.zeros(task.count, np.int64)  # of legal moves
        self.positions = 0
        self.simulations = 0
        self.turns = min(task.plan.options.threads, task.count * self.worlds)
        self.group_size = task.count
        if task.kept is None:
            self.group_size = most_positions(task.plan, self.turns, task.count, self.worlds)

    def searchers_for(self, count: int) -> list[WaveSearcher]:
        """Who grows so many trees: as many searchers as there are threads; they take turns to ask a network."""
        if count not in self.searchers:
            turns = min(self.turns, count)
            sizes = [(count + turn) // turns for turn in reversed(range(turns))]
            parts = turns
            if self.task.kept is not None:
                parts = PARTS_ALONE if count == 1 else PARTS_TOGETHER * turns
            self.searchers = {count: [WaveSearcher(self.plan, self.asking, parts, count=size) for size in sizes]}
        return self.searchers[count]

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        searcher = self.searchers_for(min(self.group_size, self.task.count) * self.worlds)[0]
        searcher.grove.positions[: self.plan.game.state_size] = self.task.positions[0]
        searcher.prepare()
        legal = np.zeros((self.task.count, self.plan.game.num_actions), np.bool_)
        mark_moves(self.plan.game, self.task.positions, searcher.scratch, legal)
        self.task.marked = legal
        self.counts = legal.sum(axis=1)
        self.task.only[:] = np.where(self.counts == 1, legal.argmax(axis=1), NONE)
        return time.perf_counter() - start

    def work(self, queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search positions from a queue until there are none left; `show` is called after each wave."""
        group: list[int] = []
        for row in queue.taken():
            if self.task.kept is not None or self.counts[row] > (0 if self.plan.options.search_forced else 1):
                group.append(row)
            else:
                self.positions += 1
            if len(group) == self.group_size:
                self.search(group, queue, show)
                group = []
        if group and not queue.stop.is_set:
            self.search(group, queue, show)
        if self.plan.asks:
            self.task.evaluation = self.asking.report()

    def search(self, group: Sequence[int], queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search some positions side by side."""
        searchers = self.searchers_for(len(group) * self.worlds)
        owners = np.repeat(np.array(group, np.int64), self.worlds)
        start = 0
        for searcher in searchers:
            end = start + len(searcher.grove.done)
            searcher.prepare()
            self.plant(searcher, start, owners)
            start = end
        before = self.simulations

        def look() -> None:
            self.simulations = before + sum(searcher.finished for searcher in searchers)
            show()

        if self.plan.asks:
            self.ask_around(searchers, queue, look)
        else:
            self.grow(searchers, queue, look)
        self.simulations = before + sum(searcher.finished for searcher in searchers)
        self.read(searchers, owners)
        self.positions += len(group)

    def ask_around(self, searchers: Sequence[WaveSearcher], queue: BatchQueue, look: Callable[[], None]) -> None:
        """Let trees grow by what a network says; `look` is called after each wave."""
        rounds = Rounds(self.asking, [[(searcher, 0)] for searcher in searchers])
        try:
            while not queue.stop.is_set:
                if not rounds.step():
                    full = [searcher for searcher in searchers if searcher.is_full]
                    if not full:
                        break
                    for searcher in full:
                        self.make_room(searcher, queue)
                look()
        finally:
            rounds.dismiss()

    def grow(self, searchers: Sequence[WaveSearcher], queue: BatchQueue, look: Callable[[], None]) -> None:
        """Let trees grow by what a compiled evaluator says, those of each searcher in a thread of its own."""

        def grow_on(searcher: WaveSearcher, look: Callable[[], None]) -> None:
            finished = -1
            while not queue.stop.is_set and (searcher.is_full or finished < searcher.finished):
                finished = searcher.finished
                if searcher.is_full:
                    self.make_room(searcher, queue)
                searcher.gather(0)
                look()

        if len(searchers) == 1:
            grow_on(searchers[0], look)
            return
        tasks = [Task(partial(grow_on, searcher, lambda: None)) for searcher in searchers]
        try:
            for task in tasks:
                task.start()
            for task in tasks:
                while not task.wait():
                    look()
                task.result()
        except BaseException:
            queue.stop.is_set = True
            raise
        finally:
            for task in tasks:
                task.settle()

    def make_room(self, searcher: WaveSearcher, queue: BatchQueue) -> None:
        """Let the trees of a searcher grow on; only one tree alone can drop what it visits least."""
        if len(searcher.grove.done) > 1 and searcher.tree.visits.size >= searcher.limit:
            raise NoRoomError(
                f"{len(searcher.grove.done)} trees side by side do not fit into"
                f" memory_mb={self.plan.options.memory_mb:g}: set batch_size=... to fewer, or more memory"
            )
        searcher.make_room(None, queue.stop)

    def plant(self, searcher: WaveSearcher, start: int, owners: np.ndarray) -> None:
        """Start the trees of a searcher, which are those from `start` on."""
        game, grove, task = self.plan.game, searcher.grove, self.task
        rows = owners[start : start + len(grove.done)]
        worlds = (start + np.arange(len(rows))) % self.worlds
        grove.positions[:] = task.positions[rows].ravel()
        grove.generators[:] = task.rows.generators[rows].ravel()
        grove.asked[:] = (task.rows.simulations + self.worlds - worlds - 1) // self.worlds
        if self.plan.method.worlds > 0:
            for index, (row, world) in enumerate(zip(rows.tolist(), worlds.tolist(), strict=True)):
                seed = tree_seeds(int(task.seeds[row]), self.worlds)[world]
                grove.positions.reshape(len(rows), -1)[index] = world_of(task.roots[row], seed)
                grove.generators.reshape(len(rows), -1)[index] = make_rng(seed)
        kept = None if task.kept is None else [task.kept[row] for row in rows.tolist()]
        if kept is not None:
            self.provide(searcher, sum(one.nodes for one in kept if one is not None))
        plant_grove(game, searcher.tree, grove, searcher.scratch)
        searcher.stops = [DONE] * len(searcher.stops)
        if kept is not None:
            self.go_on(searcher, rows, kept)
        if searcher.tree.budget.size > 0:
            searcher.tree.budget[0] = grove.asked[0]

    def provide(self, searcher: WaveSearcher, nodes: int) -> None:
        """Let a searcher have room for nodes that are kept, and for as many simulations as without them."""
        count, game = len(searcher.grove.done), self.plan.game
        new = (2 + (self.plan.options.simulations or 0)) * game.num_actions + self.plan.most_new_nodes
        needed = nodes + count * (1 + new) + 2 * PADDING
        if searcher.tree.visits.size < min(needed, searcher.limit):
            # More than needed, since more may be kept after the next move; what is not used is not touched.
            searcher.allocate(min(searcher.limit, 2 * needed))

    def go_on(self, searcher: WaveSearcher, rows: np.ndarray, kept: Sequence[Kept | None]) -> None:
        """Let the trees of a searcher, which were planted at some rows, go on from what is kept."""
        grove = searcher.grove
        searched = self.counts[rows] > (0 if self.plan.options.search_forced else 1)
        grove.asked[:] = np.where(searched, grove.asked, 0)
        generators = grove.generators.reshape(len(rows), 2)
        for index, one in enumerate(kept):
            if one is not None:
                generators[index] = one.generator
        plant_kept(searcher.tree, kept)
        expansion = self.plan.strategy.expansion
        grove.renews[:] = searched & (isinstance(expansion, Evaluated) and expansion.adds_noise)

    def keep(self, paths: Sequence[Sequence[int] | None]) -> list[Kept]:
        """What is kept of the trees after some actions in each position of the task; the trees stay as they are.

        Args:
            paths: The actions; None if nothing but the random numbers is to be kept.
        """
        kept: list[Kept] = []
        for searcher in self.searchers_for(self.task.count):
            some = paths[len(kept) : len(kept) + len(searcher.grove.done)]
            generators = searcher.grove.generators.reshape(-1, 2).copy()
            there = [index for index, path in enumerate(some) if path is not None]
            found = [Kept(None, 0, 0, 0, 0, generator) for generator in generators]
            parts = cut(self.plan, searcher.tree, there, [path for path in some if path is not None], generators[there])
            for index, one in zip(there, parts, strict=True):
                found[index] = one
            kept += found
        return kept

    def read(self, searchers: Sequence[WaveSearcher], owners: np.ndarray) -> None:
        """Write down what was found about the roots."""
        task, start = self.task, 0
        for searcher in searchers:
            end = start + len(searcher.grove.done)
            read_grove(self.plan.game, searcher.tree, owners[start:end].copy(), task.rows)
            start = end
        rows = np.unique(owners)
        task.priors[rows] /= self.worlds
        task.estimates[rows] /= self.worlds


def most_positions(plan: Plan, turns: int, positions: int, worlds: int) -> int:
    """How many positions can be searched side by side in the memory that a plan allows."""
    nodes = turns * capacity.most_nodes(plan, turns, 1) - 2 * plan.most_new_nodes
    block = max(plan.game.num_actions, plan.game.num_chance_outcomes)
    needed = worlds + (plan.options.simulations or 1) * block + worlds * block + worlds * plan.most_new_nodes
    most = max(1, nodes // needed)
    return min(most, positions, max(1, (plan.options.batch_size or positions * worlds) // worlds))


def world_of(root: State, seed: int) -> np.ndarray:
    """The world in which one tree of a position is searched."""
    player = root.current_player()
    draws = player >= 0 and root.viewer in (None, player)
    return root.game.new_state(root.array).determinize(player, spawn_seed(seed, 0)).array if draws else root.array
