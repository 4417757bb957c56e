"""A search whose tree is kept from move to move."""

import copy
import dataclasses
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import same
from fastmcts.core.constants import CHANCE
from fastmcts.engine.aside import Flag
from fastmcts.engine.budget import Budget
from fastmcts.engine.forest import Forest
from fastmcts.engine.plan import describe, settle, settled
from fastmcts.engine.progress import search_progress
from fastmcts.engine.reuse import find_below, looks_equal, told
from fastmcts.engine.searcher import known_speed, note_speed
from fastmcts.engine.turns import Turn, one_at_a_time
from fastmcts.game import Game
from fastmcts.options import Options, SearchOptions, without_callback
from fastmcts.result import SearchResult, proven_value
from fastmcts.state import State
from fastmcts.strategies.final import final_index, voted_index
from fastmcts.strategies.methods import PIMC, Method
from fastmcts.strategies.snapshot import Snapshot, make_trace
from fastmcts.strategies.stoppers import Agreed, Stopper, next_check, next_trace

#: What a copy or a pickle of a search makes anew.
MADE_ANEW = frozenset({"game", "options", "method", "forest", "results", "turns"})


class StoppedError(Exception):
    """Another thread has ended a search whose result nobody waits for."""


class MCTS:
    """Searches positions of one game and keeps what it has learnt.

    A search of the position that was searched last, or of one up to three moves below it, goes on from the
    statistics there; any other position starts anew, exactly as `fastmcts.search` would, and so does one after the
    rules were edited. After Ctrl-C the tree is whole, and the next search goes on from it.

    It is for one thread: while it is busy, calls from other threads, and from what it calls itself, are refused by
    RuntimeError. It can be copied (`copy.deepcopy`) and pickled, without a progress callback, with all it knows.

    Args:
        game: The game.
        **options: `simulations=` or `seconds=` for each search, and any others of `fastmcts.Options`.
    """

    #: Set by another thread to end a search after its chunk, by StoppedError.
    cancelled: Flag | None = None

    def __init__(self, game: Game, **options: Unpack[SearchOptions]) -> None:
        refuse_other_things(game)
        self.build(game, settled(game, dict(options)))

    def set_up(self, game: Game, options: Options) -> None:
        """Check that options suit a game, and make room for the trees."""
        refuse_other_things(game)
        self.build(game, settle(game, options))

    def build(self, game: Game, options: Options, sharers: int = 1) -> None:
        """Make room for the trees of one of several sharers of the memory, with options that suit the game."""
        self.method = options.method
        check_worlds(options)
        is_alone = options.trees == 1 and options.parallel == "trees" and not isinstance(self.method, PIMC)
        if options.threads > 1 and is_alone:
            raise ValueError(
                f"threads={options.threads} have only one tree to work on: set trees={options.threads},"
                " or parallel='shared', or threads=1 (or search many positions with search_batch)"
            )
        self.game = game
        self.options = options
        self.forest = Forest(game, options, sharers)
        self.results: list[weakref.ref[SearchResult]] = []  # those that show the trees as they are now
        self.turns: list[Turn] = []

    @one_at_a_time
    def search(self, state: State, simulations: int | None = None, seconds: float | None = None) -> SearchResult:
        """Search for the best move in a position.

        Args:
            state: The position, or what the player to move knows of it (`State.view`), which is searched alike if the
                method draws worlds; it is not modified. Where chance decides, apply an outcome first.
            simulations: The budget of this search alone, with `seconds` or without; None and None: that of the options.
            seconds: As `simulations`.

        Returns:
            The statistics of the legal moves and the move to make, None if the game is over.
        """
        limits = self.options.limited(simulations, seconds)
        check_worlds(limits)
        self.check_state(state)
        refuse_view(state, self.method)
        start = self.method.start(self.game, state.array, self.options.seed)
        state = self.game.new_state(start, state.viewer if start is state.array else None)
        refuse_chance(state)
        actions = np.array(state.legal_actions(), np.int64)
        self.leave_results()
        start = time.perf_counter()
        self.forest.notice_edits()
        self.go_to(state)
        before = self.forest.root_visits
        spent = time.perf_counter() - start
        if len(actions) == 0:
            return self.read_result(state, actions, "game over", before)
        if len(actions) == 1 and not self.options.search_forced:
            return self.read_result(state, actions, "single move", before)
        self.forest.set_clock(limits.seconds)
        compile_seconds = self.forest.prepare(limits.simulations)
        budget = self.make_budget(limits, spent)
        looks: list[Snapshot] = []
        try:
            reason = self.run(state, actions, budget, self.options.stop, looks)
            if self.options.final == "robust_max" and reason in ("simulations", "seconds"):
                self.run_on(state, actions, budget, limits)
        except KeyboardInterrupt:
            if self.options.on_interrupt == "raise" or not self.forest.is_planted:
                raise
            reason = "interrupted"
            if not self.options.expansion.at_once:  # what was added to the trees and not counted any more
                budget.record(self.forest.root_visits - before - budget.done)
        note_speed(self.forest.searchers[0].kernel, self.game, budget.elapsed / max(1, budget.done))
        return self.read_result(state, actions, reason, before, budget, compile_seconds, looks)

    @one_at_a_time
    def result(self) -> SearchResult:
        """What is known about the position that was searched last, or advanced to, without searching on.

        After Ctrl-C this is what the search had found. All visits count as reused, since none is new.
        """
        if not self.forest.is_planted:
            raise ValueError("nothing is known: search(state) comes first")
        state = self.game.new_state(self.forest.root.copy(), self.forest.viewer)
        actions = np.array(state.legal_actions(), np.int64)
        return self.read_result(state, actions, "not searched", self.forest.root_visits)

    def choose(self, state: State, simulations: int | None = None, seconds: float | None = None) -> str | None:
        """The text of the move to make in a position, None if the game is over.

        The next call, for the position after that move or a few moves later, goes on from what is known.

        Args:
            state: The position; it is not modified.
            simulations: As in `search`.
            seconds: As in `search`.
        """
        action = self.search(state, simulations, seconds).action
        return None if action is None else state.action_to_string(action)

    @one_at_a_time
    def advance(self, action: int) -> None:
        """Follow a move that was played: the position after it becomes the root, with its statistics.

        Where a move reveals something hidden (`Game.reveals`), what was learnt about other worlds is dropped. What
        was revealed to a view, the position of the next search tells.

        Args:
            action: A legal action at the root.
        """
        if not self.forest.is_planted:
            raise ValueError("there is no position to advance from: search(state) comes first")
        root = self.game.new_state(self.forest.root.copy(), self.forest.viewer)
        after = root.child(action)
        self.leave_results()
        if after.is_waiting():
            self.forest.stay(after.array)  # until the next search, which drops the trees
            return
        keep = self.method.keeps_below and not reveals_something(root, [int(action)])
        self.forest.advance([int(action)], after.array, keep)

    @one_at_a_time
    def reset(self) -> None:
        """Forget everything, the state of the random numbers too."""
        self.leave_results()
        self.forest.forget()

    def start_over(self, seed: int) -> None:
        """Forget everything and go on with another seed."""
        self.options = dataclasses.replace(self.options, seed=seed)
        self.forest.start_over(self.options)

    @one_at_a_time
    def save(self, path: str | Path) -> None:
        """Write everything to a file, at once or not at all; `MCTS.load` goes on from there.

        A progress callback is not saved. A class of your own is saved by its name.

        Args:
            path: Where to write; an existing file is replaced.
        """
        from fastmcts.engine.archive.saving import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, game: Game | None = None, classes: Iterable[type] = ()) -> "MCTS":
        """Read what `save` has written; its searches go on bit for bit as those of the saved one would.

        A file is not trusted: everything in it is checked before it is used, and it cannot have anything imported. The
        classes that it names are those of this package and of modules that were imported before, or handed over.

        Args:
            path: The file.
            game: The game, which must be the one that was saved; its class may be in another module now.
            classes: Further classes of games, strategies and stoppers that the file may name.

        Raises:
            LoadError: If it is damaged, of something else, of a later version, or not what a search can have written.
        """
        from fastmcts.engine.archive.saving import load

        def make(game: Game, options: Options) -> MCTS:
            mcts = cls.__new__(cls)
            mcts.set_up(game, options)
            return mcts

        return load(make, Path(path), game, classes)

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """What pickle writes: the same as `save`, but classes by pickle's own rules."""
        from fastmcts.engine.archive.saving import forest_arrays, forest_header

        return {
            **{name: value for name, value in self.__dict__.items() if name not in MADE_ANEW},
            "game": self.game,
            "options": dataclasses.replace(self.options, progress=without_callback(self.options.progress)),
            "header": forest_header(self.forest),
            "arrays": {name: array.copy() for name, array in forest_arrays(self.forest).items()},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        from fastmcts.engine.archive.saving import restore_forest

        state = dict(state)
        header, arrays = state.pop("header"), state.pop("arrays")
        self.set_up(state.pop("game"), state.pop("options"))
        restore_forest(self.forest, header, arrays, trusted=True)
        self.__dict__.update(state)

    def __deepcopy__(self, memo: dict[int, Any]) -> "MCTS":
        """A search that goes on by itself, with a progress callback too."""
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        state = self.__getstate__() | {"options": self.options}
        game, arrays = state.pop("game"), state.pop("arrays")
        copied.__setstate__({**copy.deepcopy(state, memo), "game": game, "arrays": arrays})
        return copied

    def check_state(self, state: State) -> None:
        """Raise if something is not a position of this game."""
        if not isinstance(state, State):
            raise TypeError(f"search takes a State, such as game.new_initial_state(), not {state!r}")
        if not same(state.game, self.game):
            raise ValueError(f"this searches {self.game!r}, but the state is one of {state.game!r}")

    def go_to(self, state: State) -> None:
        """Have the roots at a position, with what is known about it."""
        forest = self.forest
        player = state.current_player() if self.method.draws_worlds else None
        self.finish_waiting(state)
        forest.viewer, viewer = state.viewer, forest.viewer
        if not forest.is_planted or player not in (None, forest.observer):
            forest.plant(state.array)
        elif looks_equal(self.game, forest.root, state.array, player):
            forest.stay(state.array)
        else:
            root = self.game.new_state(forest.root.copy(), viewer)
            path = find_below(forest.trees[0], root, state.array, player) if self.method.keeps_below else None
            if path is None:
                forest.plant(state.array)
            else:
                forest.advance(path, state.array, keep=not reveals_something(root, path))

    def finish_waiting(self, state: State) -> None:
        """If the root is a view that waits, fill in what a position shows and start anew there, or forget it."""
        forest = self.forest
        if forest.is_planted and forest.viewer is not None:
            root = self.game.new_state(forest.root.copy(), forest.viewer)
            if root.is_waiting():
                if told(root, state.array):
                    forest.advance([], root.array, keep=False)
                else:
                    forest.forget()

    def make_budget(self, limits: Options, spent: float = 0.0) -> Budget:
        """The budget of one search, of which some seconds are spent, within what the visits can count."""
        asked, countable = limits.simulations, self.forest.visits_left
        if (asked or 1) > countable:
            raise ValueError(
                f"the tree has {self.forest.root_visits:,} visits and can count {max(0, countable):,} more:"
                " reset() or advance(action) before searching on"
            )
        speed = known_speed(self.forest.searchers[0].kernel, self.game)
        return Budget(countable if asked is None else asked, limits.seconds, speed, spent)

    def run_on(self, state: State, actions: NDArray[np.int64], budget: Budget, limits: Options) -> None:
        """Search on, at most as long again, until the most visited move also has the highest mean."""
        if Agreed().check(self.look(actions, budget, None)) is None:
            more = self.make_budget(limits)
            self.run(state, actions, more, (Agreed(),), [])
            budget.add(more)

    def run(
        self,
        state: State,
        actions: NDArray[np.int64],
        budget: Budget,
        stop: tuple[Stopper, ...],
        looks: list[Snapshot],
    ) -> str:
        """Simulate until something ends it; return the reason, and append the looks for the trace to `looks`."""
        options, forest = self.options, self.forest
        shown: Snapshot | None = None
        reason = None
        halt = self.cancelled or Flag()
        stop = tuple(stopper.started() for stopper in stop)
        with forest, search_progress(options.progress, state) as progress:
            while reason is None:
                check = next_check(budget.done) if stop else None
                trace = next_trace(budget.done) if options.trace else None
                chunk = budget.next_chunk(min((end for end in (check, trace) if end is not None), default=None))
                added = forest.simulate(budget.done, chunk, budget.deadline, halt)
                budget.record(added)
                if halt.is_set:
                    raise StoppedError
                if budget.done == trace:
                    looks.append(self.look(actions, budget, None))
                reason = budget.ended_by
                if reason is None and added < chunk:
                    reason = "seconds" if any(searcher.is_full for searcher in forest.searchers) else "proven"
                if reason is None and budget.done == check:
                    shown = self.look(actions, budget, shown)
                    reason = next(filter(None, (stopper.check(shown) for stopper in stop)), None)
                if progress.is_due or (reason is not None and progress.show is not None):
                    progress.update(self.look(actions, budget, None))
        return reason

    def look(self, actions: NDArray[np.int64], budget: Budget, previous: Snapshot | None) -> Snapshot:
        """What the search looks like now."""
        visits, value_sums = self.forest.statistics(actions)
        left = budget.simulations_left
        return Snapshot(
            actions=actions,
            visits=visits,
            values=means(value_sums, visits),
            simulations=budget.done,
            simulations_left=left,
            visits_left=left * self.forest.most_visits_added,
            seconds=budget.elapsed,
            seconds_left=budget.seconds_left,
            previous=None if previous is None else without_history(previous),
        )

    def read_result(
        self,
        state: State,
        actions: NDArray[np.int64],
        stopped_by: str,
        visits_before: int,
        budget: Budget | None = None,
        compile_seconds: float = 0.0,
        looks: list[Snapshot] | None = None,
    ) -> SearchResult:
        """Read the result off the trees."""
        forest = self.forest
        trees = forest.trees
        visits, value_sums = forest.statistics(actions)
        values = means(value_sums, visits)
        lower, upper = forest.bounds(actions, state.current_player())
        total = int(visits.sum())
        policy = np.zeros(self.game.num_actions)
        policy[actions] = visits / total if total > 0 else len(actions) == 1
        result = SearchResult(
            state=state.clone(),
            action=None if len(actions) == 0 else self.chosen(state, actions, visits, values, lower, upper),
            actions=actions,
            visits=visits,
            values=values,
            policy=policy,
            proven=np.where(lower == upper, lower, np.nan),
            solver=self.options.solver,
            proven_value=proven_value(lower, upper),
            value=float(value_sums.sum()) / total if total > 0 else np.nan,
            simulations=0 if budget is None else budget.done,
            seconds=0.0 if budget is None else budget.elapsed,
            compile_seconds=compile_seconds,
            nodes=sum(int(tree.size[0]) for tree in trees),
            max_depth=max(int(tree.depth[0]) for tree in trees),
            reused=visits_before / max(1, forest.root_visits),
            seed=self.options.seed,
            stopped_by=stopped_by,
            memory_mb=sum(searcher.bytes_used for searcher in forest.searchers) / 1e6,
            recycled=sum(searcher.recycled for searcher in forest.searchers),
            arrays=trees,
            method=self.method,
            strategy=describe(self.options),
            trace=make_trace(looks or [], len(actions)) if self.options.trace else None,
        )
        self.results = [known for known in self.results if known() is not None]
        self.results.append(weakref.ref(result))
        return result

    def chosen(
        self,
        state: State,
        actions: NDArray[np.int64],
        visits: NDArray[np.int64],
        values: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> int:
        """The move to make."""
        if isinstance(self.method, PIMC) and self.method.vote != "visits":
            return int(actions[voted_index(self.method.vote, self.forest.trees, actions)])
        best = final_index(self.options.final, actions, visits, values, lower, upper)
        return int(actions[self.method.played_index(self.game, state.array, actions, values, best)])

    def leave_results(self) -> None:
        """Let results read from the trees what they may be asked for, before they change and do not fit any more."""
        while self.results:
            result = self.results[-1]()
            if result is not None:
                result.leave_trees()
            self.results.pop()


def refuse_other_things(game: Game) -> None:
    """Raise TypeError at something that is no game."""
    if not isinstance(game, Game):
        raise TypeError(f"MCTS takes a Game, such as games.ConnectFour(), not {game!r}")


def check_worlds(options: Options) -> None:
    """Raise ValueError if the options do not suit a search in several worlds."""
    method = options.method
    if not isinstance(method, PIMC):
        return
    if options.trees > 1:
        raise ValueError(f"PIMC grows a tree in each of its {method.worlds} worlds: leave trees={options.trees} out")
    if options.simulations is not None and options.simulations < method.worlds:
        raise ValueError(
            f"PIMC(worlds={method.worlds}) cannot share simulations={options.simulations}: each world needs one"
        )
    if method.vote != "visits" and (options.final != "visits" or options.stop):
        which = "stop" if options.stop else "final"
        raise ValueError(f'{which}= goes by visits, but the worlds vote by {method.vote}: use PIMC(vote="visits")')


def refuse_chance(state: State) -> None:
    """Raise ValueError at a position in which nobody has a choice."""
    if state.is_chance_node():
        raise ValueError(
            "chance decides here: apply an outcome first (state.chance_outcomes() lists them), or start from"
            " game.new_initial_state(seed, draw_chance=True)"
        )


def refuse_view(state: State, method: Method) -> None:
    """Raise ValueError if a position is a view from which the method cannot search."""
    viewer = state.viewer
    if viewer is None or state.is_terminal():
        return
    if not method.draws_worlds:
        raise ValueError(
            f"{method!r} needs to see everything, and this is the view of player {viewer}: leave method out, or search"
            f" a world drawn by state.determinize({viewer}, seed)"
        )
    player = getattr(method, "player", None)
    if player is not None and player != viewer:
        raise ValueError(f"{method!r} needs what player {player} knows, and this is the view of player {viewer}")
    if player is None and state.current_player() not in (viewer, CHANCE):
        raise ValueError(
            f"player {state.current_player()} is to move, and this is the view of player {viewer}:"
            " apply that player's move first"
        )


def reveals_something(state: State, path: list[int]) -> bool:
    """Whether one of the moves of a path shows its player something hidden."""
    position = state.clone()
    for action in path:
        if not position.is_chance_node() and bool(position.game.reveals(position.array, action)):
            return True
        position.apply_action(action)
    return False


def means(value_sums: NDArray[np.float64], visits: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean rewards; NaN without visits."""
    return np.divide(value_sums, visits, out=np.full(visits.shape, np.nan), where=visits > 0)


def without_history(look: Snapshot) -> Snapshot:
    """A look that does not hold on to all looks before it."""
    return dataclasses.replace(look, previous=None)
