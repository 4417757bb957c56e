"""Trees that stand side by side in one set of arrays and grow in waves."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fastmcts.compiler.jit import compiled_for
from fastmcts.core.constants import DECIDED, DONE, FULL, ROOT
from fastmcts.core.tree import PADDING
from fastmcts.core.types import Position
from fastmcts.core.wave import LEAVES, Grove, Wave, make_grove, make_wave
from fastmcts.engine import capacity
from fastmcts.engine.asking import Asking
from fastmcts.engine.plan import Plan
from fastmcts.engine.searcher import COMPILED, Searcher, empty_tree
from fastmcts.engine.tasks import Flag, Task, Worker
from fastmcts.engine.trial import try_out
from fastmcts.errors import CompileError
from fastmcts.kernels.waves import SOUND, gather, retract, scatter

#: Simulations of each tree in one call, where a compiled evaluator answers; Ctrl-C waits for one call.
AT_ONCE = 64


class WaveSearcher(Searcher):
    """Grows trees by what a network, or a compiled evaluator, says of their leaves.

    Args:
        plan: How to search.
        asking: Who asks the network, with the answers that are kept.
        parts: How many of these share the memory that the options allow.
        count: How many trees stand side by side; one may recycle its nodes, and more must find room for all.
        most: How many leaves of each tree may wait in a wave.
        turns: How many waves there are, of which one may be asked about while the next one is gathered.
    """

    def __init__(
        self, plan: Plan, asking: Asking, parts: int = 1, count: int = 1, most: int = 1, turns: int = 1
    ) -> None:
        super().__init__(plan, parts, writers=count * most * turns)
        game = plan.game
        self.asking = asking
        self.most = most
        self.grove: Grove = make_grove(count, game.state_size)
        if count == 1:  # the tree of which `position` is the root and `rng` the generator
            self.grove = self.grove._replace(positions=self.position, generators=self.rng)
        else:
            needed = 1 + count * (1 + (1 + (plan.options.simulations or 0)) * game.num_actions)
            self.allocate(
                min(self.limit, capacity.FIRST_CAPACITY + needed + (count + 1) * plan.most_new_nodes + PADDING)
            )
        sizes = game.state_size, game.num_actions, game.num_players, game.observation_size
        self.waves: list[Wave] = [make_wave(count * most, *sizes, plan.strategy.expansion.blends) for _ in range(turns)]
        self.stops = [DONE] * turns  # why each wave has no more leaves
        self.earlier = 0  # simulations before this search
        needed = (gather, scatter, retract) if plan.asks else (gather,)
        self.kernels: dict[Any, Callable[..., Any]] = {kernel: kernel for kernel in needed}

    def allocate(self, nodes: int) -> None:
        """Have empty arrays with room for so many nodes."""
        tree = empty_tree(self.plan, nodes)
        self.tree = capacity.set_apart(tree) if self.is_apart else tree

    def plant(self, position: Position, seed: int | None = None) -> None:
        """Start a new tree at a position; without a seed the random numbers go on."""
        super().plant(position, seed)
        self.grove.done[:] = self.grove.asked[:] = self.grove.waiting[:] = 0
        for wave in self.waves:
            wave.counts[LEAVES] = 0

    def prepare(self) -> float:
        """Compile the kernels for the plan's components, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        self.grove.asked[:] = self.grove.done
        for kernel in self.kernels:
            if kernel not in self.plan.kernels:
                key = self.compiled_key(kernel)
                try:
                    if key not in COMPILED:
                        try_out(self.game)
                        variant = self.variant(kernel)
                        variant(*self.arguments_of(kernel))
                        COMPILED[key] = compiled_for(variant, *self.arguments_of(kernel))
                except CompileError as error:
                    raise error.with_traceback(None) from None
                self.plan.kernels[kernel] = COMPILED[key]
            self.kernels[kernel] = self.plan.kernels[kernel]
        return time.perf_counter() - start

    def compiled_key(self, entry: Callable[..., Any]) -> Any:
        """What decides how a kernel has to be compiled: also whether answers are kept."""
        return (*super().compiled_key(entry), self.plan.options.evaluation_cache > 0)  # pyright: ignore

    def arguments_of(self, kernel: Any, turn: int = 0, per_player: bool = False) -> tuple[Any, ...]:
        """Those of a kernel, for one of the waves."""
        if kernel is retract:
            return self.tree, self.grove, self.waves[turn]
        common = self.strategy, self.tree, self.grove, self.waves[turn], self.asking.answers, self.scratch
        if kernel is gather:
            return *common, self.most if self.plan.asks else AT_ONCE
        assert self.asking.network is not None
        return *common, self.asking.network.logits, per_player

    # ---- One wave

    def is_waiting(self, turn: int) -> bool:
        """Whether leaves of a wave wait for answers."""
        return self.waves[turn].counts[LEAVES] > 0

    def gather(self, turn: int) -> None:
        """Go down to leaves that are to be judged."""
        try:
            self.stops[turn] = self.kernels[gather](*self.arguments_of(gather, turn))
        except BaseException as error:
            self.blame(error)
            raise

    def scatter(self, turn: int, per_player: bool) -> None:
        """Expand the leaves by what the network has said; ValueError, and nothing has changed, if that cannot be."""
        fault, row = self.kernels[scatter](*self.arguments_of(scatter, turn, per_player))
        if fault != SOUND:
            raise self.asking.refusal(self.waves[turn], fault, int(row))

    def retract(self) -> None:
        """Take back all simulations that wait."""
        for turn in reversed(range(len(self.waves))):
            if self.is_waiting(turn):
                self.kernels[retract](*self.arguments_of(retract, turn))

    @property
    def is_full(self) -> bool:
        """Whether nothing waits, and something was not begun because there was no room."""
        return FULL in self.stops and self.grove.waiting[0] == 0

    def make_room(self, deadline: float | None, stop: Flag) -> bool:
        """Grow, or recycle at the limit; False if it seems too long for the deadline, or nobody waits."""
        has_room = super().make_room(deadline, stop)
        if has_room:
            self.stops = [DONE] * len(self.stops)
        self.stopped = DONE if has_room else FULL
        return has_room

    def note_proof(self) -> None:
        """Note whether a proof keeps the tree from growing on."""
        if self.strategy.proofs.is_decided(self.tree, ROOT):
            self.stopped = DECIDED

    @property
    def finished(self) -> int:
        """How many simulations all trees have had, without those that wait."""
        waiting = sum(
            int(np.count_nonzero(w.leaves[: w.counts[LEAVES]] != w.trees[: w.counts[LEAVES]])) for w in self.waves
        )
        return int(self.grove.done.sum()) - waiting


class Rounds:
    """Asks a network about one round of waves after the other.

    Where there are two turns, another thread expands the leaves of one by what the network has said and gathers new
    ones, while the network answers the other. Which leaves come together depends on neither the clock nor the threads.

    Args:
        asking: Who asks.
        turns: For each turn, the searchers that take part in it, and which of their waves.
    """

    def __init__(self, asking: Asking, turns: list[list[tuple[WaveSearcher, int]]]) -> None:
        self.asking = asking
        self.turns = turns
        self.turn = 0
        self.answered: Answered | None = None  # whose leaves have yet to be expanded
        self.worker: Worker | None = None  # who does that, and gathers, while the network answers

    def is_waiting(self, turn: int) -> bool:
        """Whether leaves of a turn wait for answers."""
        is_answered = self.answered is not None and self.answered.turn == turn
        return not is_answered and any(searcher.is_waiting(wave) for searcher, wave in self.turns[turn])

    def gather(self, turn: int) -> None:
        """Go down to leaves in all trees of a turn, when those of the last round have been expanded."""
        self.scatter()
        for searcher, wave in self.turns[turn]:
            searcher.gather(wave)
            self.asking.note(searcher.waves[wave])

    def scatter(self) -> None:
        """Expand the leaves that the network has judged, if there are any."""
        answered, self.answered = self.answered, None
        if answered is not None:
            for searcher, wave in self.turns[answered.turn]:
                if searcher.is_waiting(wave):
                    searcher.scatter(wave, answered.per_player)

    def step(self) -> bool:
        """Ask the network once; False if there was nothing to ask, and all that it has said is in the trees.

        If the network fails, or Ctrl-C comes, all that waits is taken back, and the trees are whole.
        """
        try:
            for _ in self.turns:  # one may be done before the other
                turn = self.turn
                if not self.is_waiting(turn):
                    self.gather(turn)
                asks = self.is_waiting(turn)
                if asks:
                    self.answer(turn)
                self.turn = (turn + 1) % len(self.turns)
                if asks:
                    return True
            return False
        except BaseException:
            self.retract()
            raise

    def answer(self, turn: int) -> None:
        """Have the leaves of a turn judged, and those of the other expanded and gathered anew meanwhile."""
        following = (turn + 1) % len(self.turns)
        task = None
        try:
            if following != turn and not self.is_waiting(following):
                if self.worker is None:
                    self.worker = Worker()
                task = Task(partial(self.gather, following), self.worker.give)
                task.start()
            waiting = [searcher.waves[wave] for searcher, wave in self.turns[turn] if searcher.is_waiting(wave)]
            per_player = self.asking.ask(waiting)
            if task is not None:
                task.result()
        except BaseException:
            if task is not None:
                task.settle()
            raise
        self.scatter()
        self.answered = Answered(turn, per_player)
        if following == turn:
            self.scatter()

    def settle(self) -> None:
        """Have all that the network has said in the trees."""
        try:
            self.scatter()
        except BaseException:
            self.retract()
            raise

    def dismiss(self) -> None:
        """Take back all that waits, and need no other thread any more."""
        self.retract()
        if self.worker is not None:
            self.worker.give(None)
            self.worker = None

    def retract(self) -> None:
        """Take back all that waits."""
        self.answered = None
        for turn in self.turns:
            for searcher, _ in turn:
                searcher.retract()


class Answered(NamedTuple):
    """A turn about which the network was asked, and whether it has said a value for each player."""

    turn: int
    per_player: bool
