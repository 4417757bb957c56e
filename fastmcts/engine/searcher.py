"""One tree, and what it takes to add simulations to it."""

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from fastmcts.compiler.jit import JIT_ENABLED, bounds_checked, compiled_for
from fastmcts.core import tree as trees
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.scratch import Scratch, make_scratch
from fastmcts.core.tree import PADDING, Tree
from fastmcts.core.types import Position
from fastmcts.engine import capacity
from fastmcts.engine.aside import Aside, Flag
from fastmcts.engine.plan import make_strategy
from fastmcts.engine.rule_checks import Remains, out_of_bounds
from fastmcts.engine.trial import try_out
from fastmcts.errors import CompileError, GameError
from fastmcts.game import Game
from fastmcts.kernels.loop import run
from fastmcts.kernels.plant import plant
from fastmcts.options import Options
from fastmcts.rng import make_rng
from fastmcts.strategies.strategy import Strategy

GRACE_SECONDS = 0.01  # by which making room may pass the deadline
GROWTH_SECONDS = 8e-8  # that copying a node to fresh memory may take; mostly it is a quarter of that
SMALL_TREE = 50_000  # nodes: to change a tree aside would take longer than to change it


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


def scratch_for(strategy: Strategy, checked: bool = False) -> Scratch:
    """The buffers of one thread; a checked search keeps its moves, to find out which rule fails."""
    game = strategy.game
    moves_kept = game.max_game_length if strategy.keeps_moves or checked else 0
    path = game.max_game_length if strategy.method.keeps_path else 0
    sizes = game.state_size, game.num_actions, game.num_players, game.num_chance_outcomes
    return make_scratch(*sizes, moves_kept, path)


def empty_tree(strategy: Strategy, nodes: int) -> Tree:
    """A tree with the fields that the components ask for."""
    return trees.allocate(nodes, strategy.statistics, strategy.game.num_players, strategy.game.num_actions)


class Searcher:
    """Grows one tree from a position.

    Args:
        game: The game.
        options: How to search.
        parts: How many trees share the memory that the options allow.
        trees: How many trees the search has.
        writers: How many threads add nodes to the tree at the same time.
    """

    kernel: Callable[..., int] = staticmethod(run)  # until it is compiled

    def __init__(self, game: Game, options: Options, parts: int = 1, trees: int = 1, writers: int = 1) -> None:
        self.game = game
        self.strategy = make_strategy(game, options)
        self.checked = options.checked
        self.scratch = scratch_for(self.strategy, self.checked)
        tree = empty_tree(self.strategy, capacity.first_capacity(self.strategy, options.simulations))
        self.writers = writers
        self.room = capacity.most_nodes(self.strategy, tree, options.memory_mb, parts, writers)
        self.arrays, self.trees = tree, trees
        self.set_clock(options.seconds)
        self.change: Aside[int] | None = None  # of the tree, which goes on aside
        self.tree = capacity.within(tree, self.limit)
        self.is_apart = options.threads > 1
        self.position = np.zeros(game.state_size, np.int64)
        self.rng = np.zeros(2, np.uint64)
        if self.is_apart:
            self.scratch, self.tree = capacity.set_apart(self.scratch), capacity.set_apart(self.tree)
            self.rng = capacity.on_own_lines(self.rng)
        self.is_planted = False
        self.observer = 0  # the player to move where the tree was planted, whose knowledge is in it
        self.recycled = 0  # nodes, since the tree was planted
        self.most_used = 0  # nodes, since the tree was planted
        self.seconds_per_node = capacity.seconds_per_node(tree)  # that recycling takes
        self.node_bytes = capacity.bytes_per_node(tree)

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
            in_time = capacity.most_nodes_in_time(self.strategy, self.arrays, seconds, self.trees, self.writers)
            self.limit = min(self.room, in_time)

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

    def prepare(self, key: Hashable) -> float:
        """Compile the kernels for these components, of this key, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        try:
            if key not in COMPILED:
                try_out(self.game)
                self.kernel = self.variant(type(self).kernel)
                self.run_kernel(0)
                COMPILED[key] = compiled_for(self.kernel, *self.arguments, 0)
        except CompileError as error:
            raise error.with_traceback(None) from None
        self.kernel = COMPILED[key]
        return time.perf_counter() - start

    @property
    def compiled_key(self) -> Hashable:
        """What decides which kernel has to be compiled."""
        return type(self), self.checked, *(component.numba_type for component in self.strategy)

    def variant(self, kernel: Callable[..., int]) -> Callable[..., int]:
        """The kernel without or with bounds checks, as the options say."""
        return bounds_checked(kernel) if self.checked else kernel

    def prepare_recycling(self) -> float:
        """Compile what makes room in a full tree, or load it from the cache; return the seconds."""
        start = time.perf_counter()
        key = "recycling", self.strategy.statistics
        if key not in COMPILED:
            tree = empty_tree(self.strategy, capacity.first_capacity(self.strategy, 0))
            plant(self.game, tree, 0)
            capacity.drop_least_visited(tree)
            COMPILED[key] = capacity.drop_least_visited
        return time.perf_counter() - start

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
        while done < simulations and self.is_full and self.make_room(deadline, stop):
            done += self.run_kernel(simulations - done)
        return done

    @property
    def is_full(self) -> bool:
        """Whether the next simulations, one for each writer, might not find room."""
        new = self.writers * capacity.most_new_nodes(self.strategy)
        return int(self.tree.size[0]) > self.tree.visits.size - PADDING - new

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
        """Have the tree changed, if it is large aside: Ctrl-C need not wait for that, but who looks at the tree does.

        Args:
            work: Makes the change; returns how many nodes were recycled.
        """
        if JIT_ENABLED and int(self.tree.size[0]) < SMALL_TREE:
            self.recycled += work()
            return
        self.change = Aside(work)
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
        return max(self.most_used, int(self.tree.size[0])) * self.node_bytes

    def run_kernel(self, simulations: int) -> int:
        """Add up to so many simulations, as many as surely find room; return how many."""
        with self.blaming_the_game():
            return self.kernel(*self.arguments, simulations)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Those of the kernel, but for the number of simulations."""
        return self.strategy, self.tree, self.root, self.scratch, self.rng

    @property
    def scratches(self) -> list[Scratch]:
        """The buffers of all threads that work on the tree."""
        return [self.scratch]

    @contextmanager
    def blaming_the_game(self, find_root: Callable[[], Position] | None = None) -> Iterator[None]:
        """Say which game is at fault if a kernel fails, and do not go on from a tree that is half done.

        Args:
            find_root: Tells then from which position simulations started, if not from the root.
        """
        try:
            yield
        except CompileError:
            raise
        except GameError as error:
            self.is_planted = False
            raise GameError(f"{self.game.name} breaks the rules for games: {error}") from None
        except IndexError as error:
            self.is_planted = False
            root = self.root if find_root is None else find_root()
            replayable = 0 if self.game.has_hidden_information else None  # moves in a world that was drawn are not
            remains = [Remains(root, s.moves[:replayable].tolist(), s.state) for s in self.scratches]
            raise out_of_bounds(self.game, remains, error) from error
        except Exception:
            self.is_planted = False
            raise
        except KeyboardInterrupt:
            # Compiled code is never interrupted; plain Python may have been in the middle of a simulation.
            self.is_planted = self.is_planted and JIT_ENABLED
            raise
