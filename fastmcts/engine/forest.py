"""The trees of one search: one, or several that grow side by side and are read as one."""

import time
from collections.abc import Sequence
from types import TracebackType

import numpy as np

from fastmcts.compiler.notice import Heeding
from fastmcts.core.constants import DECIDED, DONE, FULL, ROOT
from fastmcts.core.tree import MAX_VISITS, PADDING, Tree
from fastmcts.core.types import Position
from fastmcts.engine.asking import Asking
from fastmcts.engine.budget import CHUNK_SECONDS
from fastmcts.engine.plan import Plan
from fastmcts.engine.searcher import Searcher
from fastmcts.engine.shared_searcher import SharedSearcher
from fastmcts.engine.tasks import Flag, Pool
from fastmcts.engine.wave_searcher import Rounds, WaveSearcher
from fastmcts.result import Evaluation
from fastmcts.rng import spawn_seed
from fastmcts.strategies.evaluation import Evaluated


class Forest:
    """Grows the independent trees of a plan, from one position, over its threads.

    It is a context, in which its threads live. Which of them works on a tree makes no difference to it.

    Args:
        plan: How to search.
        seed: From which each tree gets one of its own.
        sharers: How many forests share the memory that the plan allows.
    """

    def __init__(self, plan: Plan, seed: int, sharers: int = 1) -> None:
        self.plan = plan
        self.sharers = sharers
        network = plan.options.network if plan.asks else None
        self.asking = None if network is None else Asking(plan, network)
        self.searchers = make_searchers(plan, sharers, self.asking)
        self.rounds = None if self.asking is None else make_rounds(plan, self.asking, self.searchers)
        self.asked: Position | None = None  # the position of which each tree searches a world
        self.viewer: int | None = None  # whose view the root is; None where everything is known
        self.seed = seed
        self.pool: Pool | None = None

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The arrays."""
        return tuple([searcher.tree for searcher in self.searchers])

    @property
    def root(self) -> Position:
        """The position at the root of every tree, or that of which each has another world at its root."""
        return self.searchers[0].root if self.asked is None else self.asked

    @property
    def has_worlds(self) -> bool:
        """Whether each tree searches a world of its own."""
        return self.plan.method.worlds > 0

    @property
    def observer(self) -> int | None:
        """The player to move where the trees were planted."""
        return self.searchers[0].observer

    @property
    def is_planted(self) -> bool:
        """Whether there is something to go on from; not so after a failure in the middle of a change."""
        if not all(searcher.is_planted for searcher in self.searchers):
            return False
        if self.has_worlds:
            return self.asked is not None
        return all(np.array_equal(searcher.root, self.root) for searcher in self.searchers[1:])

    @property
    def root_visits(self) -> int:
        """How often the roots were visited."""
        return sum([int(tree.visits[ROOT]) for tree in self.trees])

    @property
    def visits_left(self) -> int:
        """How many more simulations can be counted: visits are int32."""
        most = max([int(tree.visits[ROOT]) for tree in self.trees])
        return (MAX_VISITS - most) // self.plan.most_visits_added * len(self.searchers)

    def plant(self, position: Position) -> None:
        """Start new trees at a position, or each in a world that looks the same to the player to move."""
        self.asked = None
        seeds = tree_seeds(self.seed, len(self.searchers))
        if not self.has_worlds:
            for searcher, seed in zip(self.searchers, seeds, strict=True):
                searcher.plant(position, seed)
            return
        state = self.plan.game.new_state(position)
        player = state.current_player()
        # A view tells nothing about the worlds of others; nobody searches it where they are to move.
        draws = player >= 0 and self.viewer in (None, player)
        for searcher, seed in zip(self.searchers, seeds, strict=True):
            searcher.plant(state.determinize(player, spawn_seed(seed, 0)).array if draws else position, seed)
        self.asked = position.copy()

    def stay(self, position: Position) -> None:
        """Keep the trees for a position that looks the same to the player to move."""
        if self.asked is not None:
            self.asked[:] = position
            return
        for searcher in self.searchers:
            searcher.root[:] = position

    def forget(self) -> None:
        """Have nothing to go on from."""
        for searcher in self.searchers:
            searcher.is_planted = False
        if self.asking is not None:
            self.asking.forget()

    def start_over(self, seed: int) -> None:
        """Forget everything and take another seed."""
        self.seed = seed
        self.forget()

    def advance(self, path: list[int], position: Position, keep: bool) -> None:
        """Move the roots along a path of actions; without `keep`, new trees start where it ends."""
        if self.has_worlds:
            self.plant(position)
            return
        with Heeding(self.plan.options.progress):
            for searcher in self.searchers:
                if keep:
                    searcher.advance(path, position)
                else:
                    searcher.plant(position)
            for searcher in self.searchers:
                searcher.finish_change()

    def begin(self, simulations: int | None) -> float:
        """Begin a search of so many simulations; return the seconds of compiling that took."""
        expansion, count, seconds = self.plan.strategy.expansion, len(self.searchers), 0.0
        if self.asking is not None:
            self.asking.begin()
        for index, searcher in enumerate(self.searchers):
            if searcher.tree.budget.size > 0:
                searcher.tree.budget[0] = ((simulations or 0) + count - index - 1) // count
            if isinstance(expansion, Evaluated) and expansion.adds_noise:
                seconds += searcher.renew()
        return seconds

    @property
    def finished(self) -> int:
        """How many simulations of this search have ended, where a network is asked."""
        return sum(one.finished - one.earlier for one in self.searchers if isinstance(one, WaveSearcher))

    @property
    def evaluation(self) -> Evaluation | None:
        """What a network was asked in the last search; None if there is none."""
        return None if self.asking is None else self.asking.report()

    def set_clock(self, seconds: float | None) -> None:
        """Let the next search have so many seconds, or any number."""
        for searcher in self.searchers:
            searcher.set_clock(seconds)

    def prepare(self, simulations: int | None) -> float:
        """Compile what a search of so many simulations needs, or load it from the cache; return the seconds."""
        with Heeding(self.plan.options.progress):
            seconds = sum([searcher.prepare() for searcher in self.searchers])
            if self.may_fill(simulations):
                seconds += self.searchers[0].prepare_recycling()
        return seconds

    def may_fill(self, simulations: int | None) -> bool:
        """Whether a search of so many simulations, of any number if it is None, may come to the limit of its memory."""
        if simulations is None:
            return True
        searcher = self.searchers[0]
        new = (1 + simulations // len(self.searchers)) * self.plan.most_new_nodes
        return int(searcher.tree.size[0]) + new + PADDING > searcher.limit

    def simulate(self, done: int, simulations: int, deadline: float | None, stop: Flag) -> int:
        """Add simulations; of n trees, tree i has (done + n - i - 1) // n of them at any time.

        Args:
            done: How many were added before in this search.
            simulations: How many to add.
            deadline: As in `Searcher.simulate`; but a search that has not begun makes room at any price, or a full
                tree would never get on.
            stop: Set when nobody waits for the search any more; Ctrl-C sets it.

        Returns:
            How many were added.
        """
        count = len(self.searchers)
        for searcher in self.searchers:
            searcher.stopped = DONE
        shares = [(done + simulations + i) // count - (done + i) // count for i in reversed(range(count))]
        if self.rounds is not None:
            wanted = [(done + simulations + i) // count for i in reversed(range(count))]
            return self.ask_around(self.rounds, done == 0, wanted, deadline if done > 0 else None, stop)

        def grow(searcher: Searcher, share: int) -> int:
            return searcher.simulate(share, deadline if done > 0 else None, stop) if share > 0 else 0

        if self.pool is None:
            return sum(map(grow, self.searchers, shares))
        return self.pool.add_up(grow, zip(self.searchers, shares, strict=True), stop)

    def ask_around(self, rounds: Rounds, begins: bool, wanted: list[int], deadline: float | None, stop: Flag) -> int:
        """Add simulations in waves; fewer when it is time for the caller to look at the clock.

        Args:
            rounds: Asks the network.
            begins: Whether no simulation of this search has ended before.
            wanted: How many simulations of this search each tree is to have in the end.
            deadline: When time is up.
            stop: Set when nobody waits for the search any more.

        Returns:
            How many were added, without those that wait for the network.
        """
        searchers = [searcher for searcher in self.searchers if isinstance(searcher, WaveSearcher)]
        before = sum(searcher.finished for searcher in searchers)
        for searcher, simulations in zip(searchers, wanted, strict=True):
            if begins:
                searcher.earlier = searcher.finished
            searcher.grove.asked[0] = searcher.earlier + simulations
        end = time.perf_counter() + CHUNK_SECONDS
        while not stop.is_set:
            if not rounds.step():
                full = [searcher for searcher in searchers if searcher.is_full]
                if not full or not all(searcher.make_room(deadline, stop) for searcher in full):
                    break
            if time.perf_counter() > end:
                break
        rounds.settle()
        for searcher in searchers:
            searcher.note_proof()
        return sum(searcher.finished for searcher in searchers) - before

    @property
    def ended_by(self) -> str | None:
        """What keeps the trees from growing on: no time to make room in one that is full, or a proof; None: nothing."""
        reasons = [searcher.stopped for searcher in self.searchers]
        if FULL in reasons:
            return "seconds"
        return "proven" if DECIDED in reasons else None

    @property
    def pool_owner(self) -> "Forest | SharedSearcher":
        """Who gives tasks to the pool: this, or the one tree that its workers share."""
        first = self.searchers[0]
        return first if isinstance(first, SharedSearcher) else self

    def __enter__(self) -> "Forest":
        threads = self.plan.options.threads
        if threads > 1 and self.rounds is None:
            most = threads if self.plan.options.parallel == "shared" else len(self.searchers)
            self.pool_owner.pool = Pool(min(threads, most)) if most > 1 else None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        if self.rounds is not None:
            self.rounds.dismiss()
        if self.pool_owner.pool is not None:
            self.pool_owner.pool.dismiss()
            self.pool_owner.pool = None


def make_searchers(plan: Plan, sharers: int, asking: Asking | None = None) -> list[Searcher]:
    """A searcher for each tree, or one for a tree that all threads share."""
    if asking is not None:
        most = -(-(plan.options.batch_size or 1) // plan.trees)
        turns = 2 if plan.options.threads > 1 and plan.trees == 1 else 1
        return [WaveSearcher(plan, asking, plan.trees * sharers, most=most, turns=turns) for _ in range(plan.trees)]
    if plan.options.parallel == "shared":
        return [SharedSearcher(plan)]
    return [Searcher(plan, plan.trees * sharers) for _ in range(plan.trees)]


def make_rounds(plan: Plan, asking: Asking, searchers: Sequence[Searcher]) -> Rounds:
    """Who asks a network about the trees of a forest: all in one turn, or with two threads in two."""
    growing = [searcher for searcher in searchers if isinstance(searcher, WaveSearcher)]
    if plan.options.threads == 1:
        return Rounds(asking, [[(searcher, 0) for searcher in growing]])
    if len(growing) == 1:
        return Rounds(asking, [[(growing[0], 0)], [(growing[0], 1)]])
    half = (len(growing) + 1) // 2
    return Rounds(asking, [[(searcher, 0) for searcher in part] for part in (growing[:half], growing[half:])])


def tree_seeds(seed: int, count: int) -> list[int]:
    """The seed of each tree: of one, the seed itself."""
    return [seed] if count == 1 else [spawn_seed(seed, index) for index in range(count)]
