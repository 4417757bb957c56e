"""Compile ahead, so that later searches start at once."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from fastmcts.compiler.notice import Compilation, Heeding, recording
from fastmcts.engine.batch_workers import BatchTask, KernelWorker
from fastmcts.engine.wave_worker import WaveWorker
from fastmcts.game import Game
from fastmcts.mcts import MCTS
from fastmcts.options import SearchOptions

ANY_BUDGET = 1.0  # seconds, for options without one: nothing is searched


@dataclass(frozen=True)
class WarmupResult:
    """What was compiled ahead.

    Attributes:
        game: The game.
        compiled: The kernels that were not on disk yet, with their seconds.
        seconds: How long all of it took, with what was only loaded.
    """

    game: Game
    compiled: tuple[Compilation, ...]
    seconds: float

    def __str__(self) -> str:
        """The kernels, or that there was nothing to do."""
        return f"{self.game.name}: {compiled_text(self.compiled)}"


def compiled_text(compiled: Iterable[Compilation]) -> str:
    """What was compiled, in words."""
    parts = [f"{one.kernel} {one.seconds:.1f} s" for one in compiled]
    return f"compiled {', '.join(parts)}" if parts else "nothing to compile"


def warmup(game: Game, kernels: Iterable[str] | None = None, **options: Unpack[SearchOptions]) -> WarmupResult:
    """Compile what searches of a game need and keep it on disk, for this process and later ones.

    What is there already is loaded. Options decide what is compiled as far as they name a part of the strategy
    (`selection`, `expansion`, `rollout`, `method`, `solver`, `strategy`), `checked` or `parallel`; trees and threads
    need nothing more, and values of float fields, seeds and budgets make no difference.

    Args:
        game: The game.
        kernels: For what: "search", "clock" (a search by `seconds=`, or in a full tree), "advance" (an `MCTS` that
            follows the game), "batch" (`search_batch`), "shared" (`parallel="shared"`). By default all but the last.
        **options: Those of the searches to come, as for `fastmcts.search`; a budget may be left out.

    Returns:
        Which kernels were compiled, and how long it took.
    """
    has_budget = any(options.get(name) is not None for name in ("simulations", "seconds"))
    keywords: dict[str, Any] = dict(options) if has_budget else {**options, "seconds": ANY_BUDGET}
    chosen = checked_kernels(kernels, keywords)
    start = time.perf_counter()
    with Heeding(options.get("progress")), recording() as compiled:
        mcts = MCTS(game, **keywords)
        for name in chosen:
            KERNELS[name](mcts, keywords)
    return WarmupResult(game, tuple(compiled), time.perf_counter() - start)


def checked_kernels(names: Iterable[str] | None, options: Mapping[str, Any] | None = None) -> list[str]:
    """The names of what to compile, in order; ValueError if one is unknown.

    Args:
        names: Those, or one alone; None for what most users meet.
        options: Options of the search, by which some make no sense.
    """
    if names is None:
        shared = (options or {}).get("parallel") == "shared"
        return [name for name in DEFAULT_KERNELS if not (shared and name == "batch")]
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen or [""]:
        if name not in KERNELS:
            raise ValueError(f"there is nothing called {name!r} to compile; there are: {', '.join(KERNELS)}")
    return chosen


def prepare_search(mcts: MCTS, options: Mapping[str, Any]) -> None:
    """Compile what every search needs."""
    forest = mcts.forest
    forest.plant(mcts.game.new_initial_state(seed=0, draw_chance=True).array)
    forest.prepare(simulations=1)


def prepare_clock(mcts: MCTS, options: Mapping[str, Any]) -> None:
    """Compile what makes room in a full tree, as a search by the clock may have to at any time."""
    mcts.forest.searchers[0].prepare_recycling()


def prepare_advance(mcts: MCTS, options: Mapping[str, Any]) -> None:
    """Compile what follows the game, where a tree can be kept."""
    if mcts.options.method.keeps_below:
        mcts.forest.searchers[0].prepare_advancing()


def prepare_batch(mcts: MCTS, options: Mapping[str, Any]) -> None:
    """Compile what searches batches with a fixed number of simulations; others are searched one by one."""
    if options.get("parallel") == "shared":
        raise ValueError("a batch has no shared trees: leave parallel='shared' out, or 'batch'")
    if mcts.options.method.worlds == 0:
        start = mcts.game.new_initial_state(seed=0, draw_chance=True)
        task = BatchTask(mcts.driver.plan, 0, [start])
        worker = WaveWorker(task) if task.plan.asks else KernelWorker(task, threads=1)
        worker.prepare()


def prepare_shared(mcts: MCTS, options: Mapping[str, Any]) -> None:
    """Compile what lets threads share a tree."""
    prepare_search(with_shared_tree(mcts, options), options)


def with_shared_tree(mcts: MCTS, options: Mapping[str, Any]) -> MCTS:
    """A search like this one of a tree that threads share; ValueError where that makes no sense."""
    keywords: dict[str, Any] = {**options, "parallel": "shared", "threads": max(2, mcts.options.threads)}
    return MCTS(mcts.game, **keywords)


#: What can be compiled, by name; each is done without the others.
KERNELS: dict[str, Callable[[MCTS, Mapping[str, Any]], None]] = {
    "search": prepare_search,
    "clock": prepare_clock,
    "advance": prepare_advance,
    "batch": prepare_batch,
    "shared": prepare_shared,
}

#: Of these, what is the same for all games whose trees have the same fields.
KERNELS_OF_TREES = frozenset({"clock", "advance"})

DEFAULT_KERNELS = ("search", "clock", "advance", "batch")
