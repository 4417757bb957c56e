"""The loop of a search: chunks of simulations, until something ends it, in trees that are kept for the next one."""

import dataclasses
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.engine.budget import Budget
from fastmcts.engine.forest import Forest
from fastmcts.engine.plan import Plan
from fastmcts.engine.progress import search_progress
from fastmcts.engine.readout import chosen_action, improved_shares, read_root
from fastmcts.engine.reuse import find_below, looks_equal, told
from fastmcts.engine.searcher import known_speed, note_speed
from fastmcts.engine.tasks import Flag
from fastmcts.options import Options
from fastmcts.result import SearchResult
from fastmcts.state import State
from fastmcts.strategies.snapshot import Snapshot, make_trace
from fastmcts.strategies.stoppers import Agreed, Stopper, next_check, next_trace


class StoppedError(Exception):
    """Another thread has ended a search whose result nobody waits for."""


class Request(NamedTuple):
    """What one search is asked for, checked."""

    state: State  # the position at the root; nobody else changes it
    player: int  # who is to move there
    actions: NDArray[np.int64]  # [L], the legal actions
    limits: Options  # the options with the budget of this search


class Course(NamedTuple):
    """How a search went."""

    stopped_by: str
    visits_before: int  # of the root
    budget: Budget | None = None  # None if nothing was to be searched
    compile_seconds: float = 0.0
    looks: tuple[Snapshot, ...] = ()  # for the trace


class Driver:
    """Searches positions of one game by one plan, and keeps its trees from search to search.

    Args:
        plan: How to search.
        seed: The same seed gives the same trees.
        sharers: How many drivers share the memory that the plan allows.
    """

    def __init__(self, plan: Plan, seed: int, sharers: int = 1) -> None:
        self.plan = plan
        self.forest = Forest(plan, seed, sharers)
        self.stop: Flag | None = None  # set by another thread to end a search after its chunk, by StoppedError

    @property
    def seed(self) -> int:
        """The seed of the trees."""
        return self.forest.seed

    @property
    def options(self) -> Options:
        """The options, complete, with the seed."""
        return self.plan.options.copied({"seed": self.seed})

    # ---- One search

    def request(self, state: State, simulations: int | None = None, seconds: float | None = None) -> Request:
        """Check what a search is asked for; nothing changes."""
        limits = self.plan.limited(simulations, seconds)
        root = self.plan.root(state, self.seed)
        return Request(root, root.current_player(), np.array(root.legal_actions(), np.int64), limits)

    def search(self, request: Request) -> SearchResult:
        """Search as it was asked for."""
        start = time.perf_counter()
        self.go_to(request.state, request.player)
        forest, options = self.forest, self.plan.options
        before = forest.root_visits
        spent = time.perf_counter() - start
        if len(request.actions) == 0:
            return self.read_result(request, Course("game over", before))
        if len(request.actions) == 1 and not options.search_forced:
            return self.read_result(request, Course("single move", before))
        forest.set_clock(request.limits.seconds)
        compile_seconds = forest.prepare(request.limits.simulations)
        if self.plan.begins_searches:
            compile_seconds += forest.begin(request.limits.simulations)
        budget = self.make_budget(request.limits, spent)
        looks: list[Snapshot] = []
        try:
            reason = self.run(request, budget, options.stop, looks)
            if options.final == "robust_max" and reason in ("simulations", "seconds"):
                self.run_on(request, budget)
        except KeyboardInterrupt:
            if options.on_interrupt == "raise" or not forest.is_planted:
                raise
            reason = "interrupted"
            if self.plan.asks:
                budget.record(forest.finished - budget.done)
            elif not options.expansion.at_once:  # what was added to the trees and not counted any more
                budget.record(forest.root_visits - before - budget.done)
        if not self.plan.asks:
            note_speed(forest.searchers[0].kernel, self.plan.game, budget.elapsed / max(1, budget.done))
        return self.read_result(request, Course(reason, before, budget, compile_seconds, tuple(looks)))

    def make_budget(self, limits: Options, spent: float = 0.0) -> Budget:
        """The budget of one search, of which some seconds are spent, within what the visits can count."""
        asked, countable = limits.simulations, self.forest.visits_left
        if (asked or 1) > countable:
            raise ValueError(
                f"the tree has {self.forest.root_visits:,} visits and can count {max(0, countable):,} more:"
                " reset() or advance(action) before searching on"
            )
        speed = known_speed(self.forest.searchers[0].kernel, self.plan.game)
        return Budget(countable if asked is None else asked, limits.seconds, speed, spent)

    def run_on(self, request: Request, budget: Budget) -> None:
        """Search on, at most as long again, until the most visited move also has the highest mean."""
        if Agreed().check(self.look(request, budget, None)) is None:
            more = self.make_budget(request.limits)
            self.run(request, more, (Agreed(),), [])
            budget.add(more)

    def run(self, request: Request, budget: Budget, stop: tuple[Stopper, ...], looks: list[Snapshot]) -> str:
        """Simulate until something ends it; return the reason, and append the looks for the trace to `looks`."""
        options, forest = self.plan.options, self.forest
        shown: Snapshot | None = None
        reason = None
        halt = self.stop or Flag()
        stop = tuple(stopper.started() for stopper in stop)
        with forest, search_progress(options.progress, request.state) as progress:
            while reason is None:
                check = next_check(budget.done) if stop else None
                trace = next_trace(budget.done) if options.trace else None
                end = trace if check is None else check if trace is None else min(check, trace)
                chunk = budget.up_to(end) if self.plan.asks else budget.next_chunk(end)
                added = forest.simulate(budget.done, chunk, budget.deadline, halt)
                budget.record(added)
                if halt.is_set:
                    raise StoppedError
                if budget.done == trace:
                    looks.append(self.look(request, budget, None))
                reason = budget.ended_by or forest.ended_by
                if reason is None and budget.done == check:
                    shown = self.look(request, budget, shown)
                    reason = next(filter(None, (stopper.check(shown) for stopper in stop)), None)
                if progress.is_due or (reason is not None and progress.show is not None):
                    progress.update(self.look(request, budget, None))
        return reason

    # ---- What is seen of it

    def look(self, request: Request, budget: Budget, previous: Snapshot | None) -> Snapshot:
        """What the search looks like now."""
        found = read_root(self.plan, self.forest.trees, request.actions, request.player)
        left = budget.simulations_left
        return Snapshot(
            actions=found.actions,
            visits=found.visits,
            values=found.values,
            simulations=budget.done,
            simulations_left=left,
            visits_left=left * self.plan.most_visits_added,
            seconds=budget.elapsed,
            seconds_left=budget.seconds_left,
            previous=None if previous is None else without_history(previous),
        )

    def result(self) -> SearchResult:
        """What is known about the root, without searching on."""
        state = self.plan.game.new_state(self.forest.root.copy(), self.forest.viewer)
        actions = np.array(state.legal_actions(), np.int64)
        request = Request(state, state.current_player(), actions, self.plan.options)
        return self.read_result(request, Course("not searched", self.forest.root_visits))

    def read_result(self, request: Request, course: Course) -> SearchResult:
        """Read the result off the trees."""
        plan, forest, budget = self.plan, self.forest, course.budget
        trees = forest.trees
        found = read_root(plan, trees, request.actions, request.player)
        return SearchResult(
            state=request.state,
            action=chosen_action(plan, request.state.array, found, trees),
            actions=found.actions,
            visits=found.visits,
            value_sums=found.value_sums,
            lower=found.lower,
            upper=found.upper,
            simulations=0 if budget is None else budget.done,
            seconds=0.0 if budget is None else budget.elapsed,
            compile_seconds=course.compile_seconds,
            nodes=sum([int(tree.size[0]) for tree in trees]),
            max_depth=max([int(tree.depth[0]) for tree in trees]),
            reused=course.visits_before / max(1, forest.root_visits),
            seed=self.seed,
            stopped_by=course.stopped_by,
            memory_mb=sum([searcher.bytes_used for searcher in forest.searchers]) / 1e6,
            recycled=sum([searcher.recycled for searcher in forest.searchers]),
            arrays=trees,
            method=plan.method,
            strategy=plan.text,
            trace=make_trace(course.looks, len(request.actions)) if plan.options.trace else None,
            improved=improved_shares(plan, trees, found),
            evaluation=forest.evaluation,
        )

    # ---- From search to search

    def notice_edits(self) -> None:
        """Start over with new trees if somebody has edited the rules by which they were grown."""
        if not self.plan.is_current:
            self.plan = self.plan.renewed()
            self.forest = Forest(self.plan, self.seed, self.forest.sharers)

    def go_to(self, state: State, player: int) -> None:
        """Have the roots at a position, with what is known about it."""
        forest, method = self.forest, self.plan.method
        self.finish_waiting(state)
        forest.viewer, viewer = state.viewer, forest.viewer
        looking = player if method.draws_worlds else None
        if (
            not forest.is_planted
            or looking not in (None, forest.observer)
            or (player >= 0 and self.plan.strategy.selection.starts_anew)
        ):
            forest.plant(state.array)
        elif looks_equal(self.plan.game, forest.root, state.array, looking):
            forest.stay(state.array)
        else:
            root = self.plan.game.new_state(forest.root.copy(), viewer)
            path = find_below(forest.trees[0], root, state.array, looking) if method.keeps_below else None
            if path is None:
                forest.plant(state.array)
            else:
                forest.advance(path, state.array, keep=not reveals_something(root, path))

    def finish_waiting(self, state: State) -> None:
        """If the root is a view that waits, fill in what a position shows and start anew there, or forget it."""
        forest = self.forest
        if forest.viewer is not None and forest.is_planted:
            root = self.plan.game.new_state(forest.root.copy(), forest.viewer)
            if root.is_waiting():
                if told(root, state.array):
                    forest.advance([], root.array, keep=False)
                else:
                    forest.forget()

    def after(self, action: int) -> State:
        """The position after a move at the root, which is checked; nothing changes."""
        if not self.forest.is_planted:
            raise ValueError("there is no position to advance from: search(state) comes first")
        return self.plan.game.new_state(self.forest.root.copy(), self.forest.viewer).child(action)

    def advance(self, action: int, after: State) -> None:
        """Follow a legal move at the root: the position after it becomes the root, with its statistics."""
        forest = self.forest
        if after.is_waiting():
            forest.stay(after.array)  # until the next search, which drops the trees
            return
        root = self.plan.game.new_state(forest.root.copy(), forest.viewer)
        keep = self.plan.method.keeps_below and not reveals_something(root, [int(action)])
        forest.advance([int(action)], after.array, keep)

    def start_over(self, seed: int) -> None:
        """Forget everything and go on with another seed."""
        self.forest.start_over(seed)


def reveals_something(state: State, path: list[int]) -> bool:
    """Whether one of the moves of a path shows its player something hidden."""
    position = state.clone()
    for action in path:
        if not position.is_chance_node() and bool(position.game.reveals(position.array, action)):
            return True
        position.apply_action(action)
    return False


def without_history(look: Snapshot) -> Snapshot:
    """A look that does not hold on to all looks before it."""
    return dataclasses.replace(look, previous=None)
