"""The options of a search, in one place for everything that searches."""

import dataclasses
import difflib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from fastmcts.checks import real_number, whole_number
from fastmcts.component import Component
from fastmcts.expansion import Expansion, Lazy
from fastmcts.method import Method, PerfectInformation
from fastmcts.progress import ProgressOption
from fastmcts.rollout import RandomRollout, Rollout
from fastmcts.selection import UCT, Selection
from fastmcts.stoppers import Stopper
from fastmcts.tree import MAX_VISITS

PARALLEL = ("trees", "shared")


class SearchOptions(TypedDict, total=False):
    """The options as keywords, for type checkers; `Options` documents them."""

    simulations: int | None
    seconds: float | None
    seed: int | None
    selection: Selection
    expansion: Expansion
    rollout: Rollout
    method: Method | None
    solver: bool
    final: str
    stop: Stopper | Sequence[Stopper]
    search_forced: bool
    memory_mb: float
    trees: int
    threads: int
    parallel: str
    progress: ProgressOption
    trace: bool


@dataclass(frozen=True)
class Options:
    """How to search.

    Args:
        simulations: How many simulations to run, exactly.
        seconds: How long to search. With `simulations` too, whichever ends first; one is needed.
        seed: The same options and seed give the same tree. None draws one, which `result.seed` tells.
        selection: Which child a simulation goes down to.
        expansion: Which untried move it adds to the tree.
        rollout: How it plays on where the tree ends.
        method: What a simulation knows; None follows from the game: `ISMCTS()` where something is hidden, else
            `PerfectInformation()`.
        solver: Keep proofs: what is decided is not searched again, and a decided root ends the search.
        final: Which move to play: the most visited ("visits"), the one with the highest mean ("value"), the most
            visited once it also has the highest mean ("robust_max": searches on until they agree, at most as long
            again), or the one with the highest lower confidence bound ("lcb").
        stop: A stopper or several, such as `Decided()`: reasons to stop before the budget is used up.
        search_forced: Search also where there is only one legal move; else it is returned at once.
        memory_mb: The most memory for all trees together, in megabytes. A full tree goes on by dropping the
            children of its least visited nodes. With `seconds` trees are also full when they could not be made
            smaller within half of them: at 0.1 s that is a million nodes, with hidden information half as many.
        trees: How many independent trees to grow, each with a seed of its own; their roots are added up.
        threads: How many threads work on them. The result is the same for any number, unless they share one tree.
        parallel: What the threads share: "trees" gives each tree to one thread, "shared" lets all of them search one
            tree, which is faster to good moves but never the same twice.
        progress: True shows a bar; a function is called with a `Snapshot` about ten times a second.
        trace: Record the statistics of the root at 1, 2, 4, ... simulations in `result.trace`.
    """

    simulations: int | None = None
    seconds: float | None = None
    seed: int = None  # pyright: ignore[reportAssignmentType]  # always set by __post_init__
    selection: Selection = UCT(c=0.5)
    expansion: Expansion = Lazy()
    rollout: Rollout = RandomRollout()
    method: Method | None = None
    solver: bool = False
    final: str = "visits"
    stop: tuple[Stopper, ...] = ()
    search_forced: bool = False
    memory_mb: float = 512.0
    trees: int = 1
    threads: int = 1
    parallel: str = "trees"
    progress: ProgressOption = False
    trace: bool = False

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            raise ValueError("a search needs a budget: simulations=..., seconds=..., or both")
        if self.simulations is not None:
            whole_number("simulations", self.simulations, low=1, high=MAX_VISITS)
        if self.seconds is not None:
            real_number("seconds", self.seconds, above=0.0)
        if self.seed is None:
            object.__setattr__(self, "seed", secrets.randbits(63))
        whole_number("seed", self.seed, low=-(2**63), high=2**64 - 1)
        for name, kind in STRATEGIES.items():
            component = getattr(self, name)
            if not isinstance(component, kind) and not (name == "method" and component is None):
                raise TypeError(f"{name} must be a {kind.__name__}, such as {example(kind)}, not {component!r}")
        if self.final not in FINAL_MOVES:
            raise ValueError(f"final must be one of {', '.join(FINAL_MOVES)}, not {self.final!r}")
        self.check_resources()
        self.check_watching()

    def check_resources(self) -> None:
        """Check what a search may use."""
        real_number("memory_mb", self.memory_mb, above=0.0)
        whole_number("trees", self.trees, low=1, high=MOST_TREES)
        whole_number("threads", self.threads, low=1, high=MOST_THREADS)
        if self.parallel not in PARALLEL:
            raise ValueError(f"parallel must be {' or '.join(map(repr, PARALLEL))}, not {self.parallel!r}")
        if self.solver and self.trees > 1:
            raise ValueError(f"solver=True proves things in one tree, not in trees={self.trees}: use trees=1")
        if self.parallel == "shared" and self.trees > 1:
            raise ValueError(f"parallel='shared' is for one tree, not trees={self.trees}: use parallel='trees'")
        if self.simulations is not None and self.simulations < self.trees:
            raise ValueError(f"trees={self.trees} cannot share simulations={self.simulations}: each needs at least one")

    def check_watching(self) -> None:
        """Check what looks on while a search goes on."""
        if isinstance(self.stop, Stopper):
            object.__setattr__(self, "stop", (self.stop,))
        if not isinstance(self.stop, Sequence) or not all(isinstance(one, Stopper) for one in self.stop):
            raise TypeError(f"stop must be a Stopper or several, such as Decided(), not {self.stop!r}")
        object.__setattr__(self, "stop", tuple(self.stop))
        if not isinstance(self.progress, bool) and not callable(self.progress):
            raise TypeError(f"progress must be True, False or a function, not {self.progress!r}")
        for name in ("search_forced", "trace", "solver"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")


FINAL_MOVES = ("visits", "value", "robust_max", "lcb")

MOST_TREES = 4096
MOST_THREADS = 1024

STRATEGIES: dict[str, type[Component]] = {
    "selection": Selection,
    "expansion": Expansion,
    "rollout": Rollout,
    "method": Method,
}


def make_options(keywords: dict[str, Any]) -> Options:
    """Check keyword options; an unknown one is refused with the name that was probably meant."""
    known = [option.name for option in dataclasses.fields(Options)]
    for name in keywords:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            raise TypeError(f"there is no search option {name!r}; {hint}")
    return Options(**keywords)


def example(kind: type[Component]) -> str:
    """How one might write a component of a kind."""
    return repr({Selection: UCT, Expansion: Lazy, Rollout: RandomRollout, Method: PerfectInformation}[kind]())
