"""Search the positions of a batch side by side, with a network that judges one leaf of each at a time."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from fastmcts.engine import capacity
from fastmcts.engine.asking import Asking
from fastmcts.engine.batch_workers import BatchQueue, BatchTask
from fastmcts.engine.forest import tree_seeds
from fastmcts.engine.plan import Plan
from fastmcts.engine.wave_searcher import Rounds, WaveSearcher
from fastmcts.kernels.waves import count_moves, plant_grove, read_grove
from fastmcts.rng import make_rng, spawn_seed
from fastmcts.state import State


class WaveWorker:
    """Searches all positions that fit into the memory in one group of trees, and then the next group.

    Args:
        task: The positions, and where to write what is found.
    """

    def __init__(self, task: BatchTask) -> None:
        network = task.plan.options.network
        assert network is not None
        self.plan = task.plan
        self.asking = Asking(task.plan, network)
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
        self.group_size = most_positions(task.plan, self.turns, task.count, self.worlds)

    def searchers_for(self, trees: int) -> list[WaveSearcher]:
        """Who grows so many trees: in two turns, if there are two threads."""
        if trees not in self.searchers:
            sizes = [trees - trees // 2, trees // 2] if self.turns == 2 and trees > 1 else [trees]
            self.searchers = {trees: [WaveSearcher(self.plan, self.asking, len(sizes), count=size) for size in sizes]}
        return self.searchers[trees]

    def prepare(self) -> float:
        """Compile the kernels, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        searcher = self.searchers_for(min(self.group_size, self.task.count) * self.worlds)[0]
        searcher.grove.positions[: self.plan.game.state_size] = self.task.positions[0]
        searcher.prepare()
        count_moves(self.plan.game, self.task.positions, searcher.scratch, self.counts, self.task.only)
        return time.perf_counter() - start

    def work(self, queue: BatchQueue, show: Callable[[], None]) -> None:
        """Search positions from a queue until there are none left; `show` is called after each wave."""
        group: list[int] = []
        for row in queue.taken():
            if self.counts[row] > 1 or (self.counts[row] == 1 and self.plan.options.search_forced):
                group.append(row)
            else:
                self.positions += 1
            if len(group) == self.group_size:
                self.search(group, queue, show)
                group = []
        if group and not queue.stop.is_set:
            self.search(group, queue, show)
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
        rounds = Rounds(self.asking, [[(searcher, 0)] for searcher in searchers])
        before = self.simulations
        try:
            while not queue.stop.is_set:
                if not rounds.step():
                    full = [searcher for searcher in searchers if searcher.is_full]
                    if not full:
                        break
                    for searcher in full:
                        self.make_room(searcher, queue)
                self.simulations = before + sum(searcher.finished for searcher in searchers)
                show()
        finally:
            rounds.dismiss()
        self.simulations = before + sum(searcher.finished for searcher in searchers)
        self.read(searchers, owners)
        self.positions += len(group)

    def make_room(self, searcher: WaveSearcher, queue: BatchQueue) -> None:
        """Let the trees of a searcher grow on; only one tree alone can drop what it visits least."""
        if len(searcher.grove.done) > 1 and searcher.tree.visits.size >= searcher.limit:
            raise ValueError(
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
        plant_grove(game, searcher.tree, grove, searcher.scratch)
        if searcher.tree.budget.size > 0:
            searcher.tree.budget[0] = grove.asked[0]

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
