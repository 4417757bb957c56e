"""One tree, and what it takes to add simulations to it."""

import time
from collections.abc import Callable, Hashable
from contextvars import copy_context
from functools import partial
from typing import Any

import numpy as np

from fastmcts.compiler.jit import JIT_ENABLED, bounds_checked, compiled_for
from fastmcts.core import tree as trees
from fastmcts.core.constants import DONE, FULL, NONE, ROOT
from fastmcts.core.scratch import HELD, Scratch, make_scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Position
from fastmcts.engine import capacity
from fastmcts.engine.plan import Plan
from fastmcts.engine.rule_checks import Remains, out_of_bounds
from fastmcts.engine.tasks import Flag, Task
from fastmcts.engine.trial import try_out
from fastmcts.errors import CompileError, GameError
from fastmcts.game import Game
from fastmcts.kernels.evaluate import renew_root
from fastmcts.kernels.loop import run
from fastmcts.kernels.plant import plant
from fastmcts.rng import make_rng

GRACE_SECONDS = 0.01  # by which making room may pass the deadline
GROWTH_SECONDS = 8e-8  # that copying a node to fresh memory may take; mostly it is a quarter of that
SMALL_TREE = 50_000  # nodes: to start a thread would take longer than to change the tree here


#: Kernels and games that were used in this process -> seconds for a simulation, when it was last measured.
KNOWN_SPEEDS: dict[tuple[Callable[..., Any], type[Game]], float] = {}
MOST_KNOWN = 1000

#: For searches that nobody stops.
NEVER = Flag()

#: The kernels that this process has compiled or loaded, by `Searcher.compiled_key` and for recycling.
COMPILED: dict[Hashable, Callable[..., Any]] = {}


def known_speed(kernel: Callable[..., Any], game: Game) -> float | None:
    """Seconds for a simulation by this kernel; None if it was not used yet."""
    return KNOWN_SPEEDS.get((kernel, type(game)))


def note_speed(kernel: Callable[..., Any], game: Game, seconds: float) -> None:
    """Remember the seconds for a simulation, so that the next search starts with a chunk that fits."""
    if len(KNOWN_SPEEDS) >= MOST_KNOWN:
        KNOWN_SPEEDS.clear()
    KNOWN_SPEEDS[kernel, type(game)] = seconds


def scratch_for(plan: Plan) -> Scratch:
    """The buffers of one thread."""
    game = plan.game
    sizes = game.state_size, game.num_actions, game.num_players, game.num_chance_outcomes
    held = HELD if plan.options.parallel == "shared" else 0
    return make_scratch(*sizes, plan.moves_kept, plan.longest_path, game.accounted_moves, held)


def empty_tree(plan: Plan, nodes: int) -> Tree:
    """A tree with the fields that the components ask for."""
    return trees.allocate(nodes, plan.statistics, plan.game.num_players, plan.game.num_actions)


class Searcher:
    """Grows one tree from a position.

    Args:
        plan: How to search.
        parts: How many trees share the memory that the options allow.
        writers: How many threads add nodes to the tree at the same time.
    """

    entry: Callable[..., tuple[int, int]] = staticmethod(run)

    def __init__(self, plan: Plan, parts: int = 1, writers: int = 1) -> None:
        self.plan = plan
        self.game = plan.game
        self.strategy = plan.strategy
        self.kernel = self.entry  # until it is compiled
        self.writers = writers
        self.room = capacity.most_nodes(plan, parts, writers)
        self.set_clock(plan.options.seconds)
        self.change: Task[int] | None = None  # of the tree, which is under way in another thread
        tree = empty_tree(plan, capacity.first_capacity(plan, plan.options.simulations))
        self.arrays = capacity.within(tree, self.limit)
        self.scratch = scratch_for(plan)
        self.is_apart = plan.options.threads > 1
        self.position = np.zeros(plan.game.state_size, np.int64)
        self.rng = np.zeros(2, np.uint64)
        if self.is_apart:
            self.scratch, self.arrays = capacity.set_apart(self.scratch), capacity.set_apart(self.arrays)
            self.rng = capacity.on_own_lines(self.rng)
        self.is_planted = False
        self.stopped = DONE  # why the kernel stopped: DONE, DECIDED or FULL
        self.observer = 0  # the player to move where the tree was planted, whose knowledge is in it
        self.recycled = 0  # nodes, since the tree was planted
        self.most_used = 0  # nodes, since the tree was planted
        self.seconds_per_node = capacity.seconds_per_node(plan)  # that recycling takes

    @property
    def tree(self) -> Tree:
        """The arrays, when nobody changes them any more."""
        self.finish_change()
        return self.arrays

    @tree.setter
    def tree(self, tree: Tree) -> None:
        self.arrays = tree

    @property
    def root(self) -> Position:
        """The position at the root, when nobody changes it any more."""
        self.finish_change()
        return self.position

    def plant(self, position: Position, seed: int | None = None) -> None:
        """Start a new tree at a position; without a seed the random numbers go on."""
        self.is_planted = False
        self.root[:] = position
        if seed is not None:
            self.rng[:] = make_rng(seed)
        self.observer = int(self.game.current_player(self.root))
        plant(self.game, self.tree, self.observer)
        self.recycled = 0
        self.most_used = 0
        self.is_planted = True

    def set_clock(self, seconds: float | None) -> None:
        """Have no more nodes than a search by the clock can compact within its time, if there is one."""
        self.limit = self.room
        if seconds is not None:
            self.limit = min(self.room, capacity.most_nodes_in_time(self.plan, seconds, self.writers))

    def advance(self, path: list[int], position: Position) -> None:
        """Make the node at the end of a path of actions the root, or start anew there if it is not in the tree."""
        node = ROOT
        for action in path:
            node = trees.child_for(self.tree, node, action)
            if node == NONE:
                self.plant(position)
                return
        self.note_use()
        self.make_change(partial(capacity.make_root, self.tree, node, self.root, position.copy()))

    def prepare(self) -> float:
        """Compile the kernel for the plan's components, or load it from the cache; return the seconds."""
        known = self.plan.kernels.get(self.entry)
        if known is not None:
            self.kernel = known
            return 0.0
        start = time.perf_counter()
        key = self.compiled_key(self.entry)
        try:
            if key not in COMPILED:
                try_out(self.game)
                self.kernel = self.variant(self.entry)
                self.run_kernel(0)
                COMPILED[key] = compiled_for(self.kernel, *self.arguments, 0)
        except CompileError as error:
            raise error.with_traceback(None) from None
        self.kernel = self.plan.kernels[self.entry] = COMPILED[key]
        return time.perf_counter() - start

    def compiled_key(self, entry: Callable[..., Any]) -> Hashable:
        """What decides how a kernel has to be compiled."""
        return entry, self.plan.options.checked, self.plan.several_wait, *self.plan.rules

    def variant(self, entry: Callable[..., Any]) -> Callable[..., Any]:
        """A kernel without or with bounds checks, as the options say."""
        return bounds_checked(entry) if self.plan.options.checked else entry

    def prepare_recycling(self) -> float:
        """Compile what makes room in a full tree, or load it from the cache; return the seconds."""
        return self.prepare_change(capacity.drop_least_visited)

    def prepare_advancing(self) -> float:
        """Compile what makes another node the root, or load it from the cache; return the seconds."""
        position = np.zeros_like(self.position)
        return self.prepare_change(capacity.make_root, ROOT, position, position.copy())

    def prepare_change(self, change: Callable[..., int], *arguments: Any) -> float:
        """Make a change to a tree like this one, unless that was done before in this process; return the seconds."""
        start = time.perf_counter()
        key = change, self.plan.statistics
        if key not in COMPILED:
            tree = empty_tree(self.plan, capacity.first_capacity(self.plan, 0))
            plant(self.game, tree, 0)
            change(tree, *arguments)
            COMPILED[key] = change
        return time.perf_counter() - start

    def renew(self) -> float:
        """Draw for a new search what begins at a root that was searched before; return the seconds of compiling."""
        start = time.perf_counter()
        if renew_root not in self.plan.kernels:
            arguments = (
                self.strategy,
                empty_tree(self.plan, capacity.first_capacity(self.plan, 0)),
                self.scratch,
                self.rng,
            )
            plant(self.game, arguments[1], 0)
            renew_root(*arguments)
            self.plan.kernels[renew_root] = compiled_for(renew_root, *arguments)
        seconds = time.perf_counter() - start
        self.plan.kernels[renew_root](self.strategy, self.tree, self.scratch, self.rng)
        return seconds

    def simulate(self, simulations: int, deadline: float | None = None, stop: Flag = NEVER) -> int:
        """Add simulations, making room in the tree where needed.

        Args:
            simulations: How many.
            deadline: When time is up (`time.perf_counter`): room is not made if that would take longer.
            stop: Set when nobody waits for room any more.

        Returns:
            How many were added: fewer only when time is up or nothing is left to find out.
        """
        done = self.run_kernel(simulations)
        while self.stopped == FULL and self.make_room(deadline, stop):
            done += self.run_kernel(simulations - done)
        return done

    def make_room(self, deadline: float | None, stop: Flag) -> bool:
        """Grow the tree, or recycle at the limit; False if it seems too long for the deadline, or nobody waits."""
        start = time.perf_counter()
        nodes = int(self.tree.size[0])
        grows = self.tree.visits.size < self.limit
        expected = nodes * (GROWTH_SECONDS if grows else self.seconds_per_node)
        if deadline is not None and start + expected > deadline + GRACE_SECONDS:
            return False
        self.note_use()
        if grows:
            tree = trees.grown(self.tree, capacity.next_capacity(self.tree, self.limit))
            self.tree = capacity.set_apart(tree) if self.is_apart else tree
            return True
        self.make_change(partial(capacity.drop_least_visited, self.tree))
        while self.change is not None and not self.change.wait():
            if stop.is_set:
                return False
        self.seconds_per_node = (time.perf_counter() - start) / nodes
        return True

    def make_change(self, work: Callable[[], int]) -> None:
        """Have the tree changed, by another thread if it is large: Ctrl-C need not wait for that.

        Args:
            work: Makes the change; returns how many nodes were recycled.
        """
        if JIT_ENABLED and int(self.tree.size[0]) < SMALL_TREE:
            self.recycled += work()
            return
        self.change = Task(partial(copy_context().run, work))  # it may have to be compiled, unseen or not
        self.change.start()

    def finish_change(self) -> None:
        """Wait until nobody changes the tree any more."""
        if self.change is not None:
            try:
                recycled = self.change.result()
            except Exception:
                self.change = None
                raise
            self.change = None
            self.recycled += recycled

    def note_use(self) -> None:
        """Remember how much of the arrays was used, before it shrinks."""
        self.most_used = max(self.most_used, int(self.tree.size[0]))

    @property
    def bytes_used(self) -> int:
        """How much memory the tree has used, now or before it was made smaller."""
        return max(self.most_used, int(self.tree.size[0])) * self.plan.node_bytes

    def run_kernel(self, simulations: int) -> int:
        """Add up to so many simulations, as many as surely find room; return how many, and note why no more."""
        try:
            added, self.stopped = self.kernel(*self.arguments, simulations)
            return added
        except BaseException as error:
            self.blame(error)
            raise

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Those of the kernel, but for the number of simulations."""
        return self.strategy, self.tree, self.root, self.scratch, self.rng

    @property
    def scratches(self) -> list[Scratch]:
        """The buffers of all threads that work on the tree."""
        return [self.scratch]

    def blame(self, error: BaseException, find_root: Callable[[], Position] | None = None) -> None:
        """Say which game is at fault if a kernel has failed, and do not go on from a tree that is half done.

        Args:
            error: How it has failed; what says enough already is not raised here.
            find_root: Tells from which position simulations started, if not from the root.
        """
        if isinstance(error, CompileError):
            return
        if isinstance(error, KeyboardInterrupt):
            # Compiled code is never interrupted; plain Python may have been in the middle of a simulation.
            self.is_planted = self.is_planted and JIT_ENABLED
            return
        self.is_planted = False
        if isinstance(error, GameError):
            raise GameError(f"{self.game.name} breaks the rules for games: {error}") from None
        if isinstance(error, IndexError):
            root = self.root if find_root is None else find_root()
            replayable = 0 if self.game.has_hidden_information else None  # moves in a world that was drawn are not
            remains = [Remains(root, s.moves[:replayable].tolist(), s.state) for s in self.scratches]
            raise out_of_bounds(self.game, remains, error) from error
