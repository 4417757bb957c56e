"""The options of a search, in one place for everything that searches."""

import dataclasses
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from numba import config

from fastmcts.compiler.component import Component
from fastmcts.core.tree import MAX_VISITS
from fastmcts.core.validate import real_number, whole_number
from fastmcts.evaluators.blend import Blend, checked_evaluator
from fastmcts.evaluators.network import Evaluate, Network
from fastmcts.strategies.evaluation import Evaluator, RootNoise
from fastmcts.strategies.expansion import Expansion, Lazy
from fastmcts.strategies.methods import Method, PerfectInformation
from fastmcts.strategies.rollout import RandomRollout, Rollout
from fastmcts.strategies.selection import UCT, Selection
from fastmcts.strategies.stoppers import Stopper

NamedStrategy = Literal["recommended", "plain"]
FinalMove = Literal["visits", "value", "robust_max", "lcb"]
Parallel = Literal["trees", "shared"]
OnInterrupt = Literal["raise", "return"]

#: True for a bar, or a function that is called about ten times a second; False to see nothing at all, None only that
#: something is being compiled.
ProgressOption = bool | Callable[[Any], object] | None


class SearchOptions(TypedDict, total=False):
    """The options as keywords, for type checkers; `Options` documents them."""

    simulations: int | None
    seconds: float | None
    seed: int | None
    strategy: NamedStrategy
    selection: Selection | None
    expansion: Expansion | None
    rollout: Rollout | None
    method: Method | None
    solver: bool | None
    final: FinalMove | None
    evaluator: Evaluator | Network | Blend | Evaluate | None
    batch_size: int | None
    evaluation_cache: int
    root_noise: RootNoise | None
    stop: Stopper | Sequence[Stopper]
    search_forced: bool
    memory_mb: float
    trees: int
    threads: int
    parallel: Parallel
    progress: ProgressOption
    trace: bool
    on_interrupt: OnInterrupt
    checked: bool


@dataclass(frozen=True)
class Options:
    """How to search.

    `search`, `MCTS` and `search_batch` take them as keywords, or as `options=Options(...)` with keywords on top.

    What is None among `selection`, `expansion`, `rollout`, `method`, `solver` and `final` is filled in when it is known
    what game is searched.

    Args:
        simulations: How many simulations to run, exactly.
        seconds: How long to search. With `simulations` too, whichever ends first; one is needed.
        seed: The same options and seed give the same tree. None draws one, which `result.seed` tells.
        strategy: Who says what the caller leaves out: the game, by its `recommended` strategy ("recommended"), or
            nobody ("plain": `UCT(c=0.5)`, `Lazy()` and `RandomRollout()` in every game; `UCT()` alone has c=1.4). Where
            the recommended strategy does not go together with what the caller asks for, the plain one takes its place.
        selection: Which child a simulation goes down to.
        expansion: Which untried move it adds to the tree.
        rollout: How it plays on where the tree ends.
        method: What a simulation knows; in the plain strategy `ISMCTS()` where something is hidden, else
            `PerfectInformation()`.
        solver: Keep proofs: what is decided is not searched again, and a decided root ends the search. A game in which
            one player's gain is not the other's loss has to declare `constant_sum = False`.
        final: Which move to play: the most visited ("visits"), the one with the highest mean ("value"), the most
            visited once it also has the highest mean ("robust_max": searches on until they agree, at most as long
            again), or the one with the highest lower confidence bound ("lcb").
        evaluator: What says how good a position is and how likely its moves are, in place of rollouts: a function of
            whole batches, such as a network (`evaluate(observations, legal) -> (policy, values)`, see
            `fastmcts.Network`); a compiled `Evaluator`; or a `Blend` of one of them with a rollout. What it says about
            the root is no simulation.
        batch_size: The most positions that a function is asked about at a time. In `search` and `MCTS` so many leaves
            of a tree are gathered, each of which counts as a visit at once (None: 1); in `search_batch` so many trees
            are searched side by side, one leaf of each at a time (None: as many as fit into the memory).
        evaluation_cache: How many answers of a function are kept, by position; those that were used last stay.
        root_noise: Noise in the evaluator's policy at the root, such as `RootNoise(0.3, 0.25)`, for self-play.
        stop: A stopper or several, such as `Decided()`: reasons to stop before the budget is used up.
        search_forced: Search also where there is only one legal move; else it is returned at once.
        memory_mb: The most memory for all trees together, in megabytes. A full tree goes on by dropping the
            children of its least visited nodes. With `seconds` trees are also full when they could not be made
            smaller within half of them: at 0.1 s that is a million nodes, with hidden information half as many.
        trees: How many independent trees to grow, each with a seed of its own; their roots are added up.
        threads: How many threads work on them. The result is the same for any number, unless they share one tree.
        parallel: What the threads share: "trees" gives each tree to one thread, "shared" lets all of them search one
            tree, which is faster to good moves but never the same twice.
        progress: True shows a bar; a function is called with a `Snapshot` about ten times a second. Whatever takes more
            than a second to compile is announced on a terminal and in a notebook, unless this is False.
        trace: Record the statistics of the root at 1, 2, 4, ... simulations in `result.trace`.
        on_interrupt: What Ctrl-C does: "raise" raises KeyboardInterrupt, "return" returns the result so far, with
            `result.stopped_by == "interrupted"`.
        checked: Compile with bounds checks, for a game of your own that crashes or gives odd answers: a rule that reads
            or writes past the end of an array raises GameError instead of corrupting memory. The tree is the same;
            compiling it anew takes a while, and the search is slower.
    """

    simulations: int | None = None
    seconds: float | None = None
    seed: int = None  # pyright: ignore[reportAssignmentType]  # always set by __post_init__
    strategy: NamedStrategy = "recommended"
    selection: Selection = None  # pyright: ignore[reportAssignmentType]  # these are set when the game is known
    expansion: Expansion = None  # pyright: ignore[reportAssignmentType]
    rollout: Rollout = None  # pyright: ignore[reportAssignmentType]
    method: Method = None  # pyright: ignore[reportAssignmentType]
    solver: bool = None  # pyright: ignore[reportAssignmentType]
    final: FinalMove = None  # pyright: ignore[reportAssignmentType]
    evaluator: Evaluator | Network | Blend | None = None
    batch_size: int | None = None
    evaluation_cache: int = 0
    root_noise: RootNoise | None = None
    stop: tuple[Stopper, ...] = ()
    search_forced: bool = False
    memory_mb: float = 512.0
    trees: int = 1
    threads: int = 1
    parallel: Parallel = "trees"
    progress: ProgressOption = None
    trace: bool = False
    on_interrupt: OnInterrupt = "raise"
    checked: bool = False

    def __post_init__(self) -> None:
        self.check_budget()
        if self.seed is None:
            object.__setattr__(self, "seed", secrets.randbits(63))
        self.set_whole("seed", low=LEAST_SEED, high=MOST_SEED)
        self.check_components()
        self.check_evaluator()
        self.check_words()
        self.check_resources()
        self.check_watching()

    def set_whole(self, name: str, low: int, high: int) -> None:
        """Check an option that is a whole number, of whatever type, and keep it as an int."""
        object.__setattr__(self, name, whole_number(name, getattr(self, name), low, high))

    def completed(self, missing: dict[str, Any]) -> "Options":
        """The same options with components where there were none; nothing is checked again but what they may change."""
        complete = self.copied(missing)
        complete.check_components()
        complete.check_words()
        complete.check_resources()
        return complete

    def seeded(self, seed: int | None) -> "Options":
        """The same options with another seed, drawn at random if it is None."""
        other = self.copied({"seed": secrets.randbits(63) if seed is None else seed})
        other.set_whole("seed", low=LEAST_SEED, high=MOST_SEED)
        return other

    def limited(self, simulations: int | None, seconds: float | None) -> "Options":
        """The same options with another budget, if there is one: what of the two is None is then without a limit."""
        if simulations is None and seconds is None:
            return self
        other = self.copied({"simulations": simulations, "seconds": seconds})
        other.check_budget()
        other.check_resources()
        return other

    def copied(self, changes: dict[str, Any]) -> "Options":
        """The same options with some others, which nobody checks."""
        copy = object.__new__(Options)
        vars(copy).update(vars(self) | changes)
        return copy

    def check_budget(self) -> None:
        """Check how long a search may go on."""
        if self.simulations is None and self.seconds is None:
            raise ValueError("a search needs a budget: simulations=..., seconds=..., or both")
        if self.simulations is not None:
            self.set_whole("simulations", low=1, high=MAX_VISITS)
        if self.seconds is not None:
            object.__setattr__(self, "seconds", real_number("seconds", self.seconds, above=0.0))

    def check_components(self) -> None:
        """Check that each component is one of its kind."""
        for name, kind in STRATEGIES.items():
            component = getattr(self, name)
            if component is not None and not isinstance(component, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, such as {example(kind)}, not {component!r}")

    def check_evaluator(self) -> None:
        """Check the evaluator, and what is about it alone."""
        if self.evaluator is not None:
            object.__setattr__(self, "evaluator", checked_evaluator(self.evaluator))
        if self.batch_size is not None:
            self.set_whole("batch_size", low=1, high=MOST_AT_ONCE)
        self.set_whole("evaluation_cache", low=0, high=MOST_ANSWERS)
        if self.root_noise is not None and not isinstance(self.root_noise, RootNoise):
            raise TypeError(f"root_noise must be a RootNoise, such as RootNoise(0.3, 0.25), not {self.root_noise!r}")
        for name in ("batch_size", "evaluation_cache"):
            if getattr(self, name) and self.network is None:
                raise ValueError(f"{name} is about an evaluator that is a function of whole batches: set evaluator=...")
        if self.root_noise is not None and self.evaluator is None:
            raise ValueError("root_noise is mixed into the policy of an evaluator: set evaluator=...")

    @property
    def network(self) -> Network | None:
        """The function of whole batches that is asked, if one is."""
        asked = self.evaluator.evaluator if isinstance(self.evaluator, Blend) else self.evaluator
        return asked if isinstance(asked, Network) else None

    def check_words(self) -> None:
        """Check the options that are one of a few words."""
        words: dict[str, Any] = {"strategy": NamedStrategy, "parallel": Parallel, "on_interrupt": OnInterrupt}
        if self.final is not None:
            words["final"] = FinalMove
        for name, kind in words.items():
            known = get_args(kind)
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")

    def check_resources(self) -> None:
        """Check what a search may use."""
        object.__setattr__(self, "memory_mb", real_number("memory_mb", self.memory_mb, above=0.0))
        self.set_whole("trees", low=1, high=MOST_TREES)
        self.set_whole("threads", low=1, high=MOST_THREADS)
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
        if not (self.progress is None or isinstance(self.progress, bool) or callable(self.progress)):
            raise TypeError(f"progress must be True, False, None or a function, not {self.progress!r}")
        for name in ("search_forced", "trace", "checked", "solver"):
            if not isinstance(getattr(self, name), bool) and not (name == "solver" and self.solver is None):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if self.checked and config.BOUNDSCHECK == 0:  # pyright: ignore[reportAttributeAccessIssue]
            raise ValueError("checked=True needs bounds checks, which NUMBA_BOUNDSCHECK=0 turns off: unset it")


LEAST_SEED, MOST_SEED = -(2**63), 2**64 - 1
MOST_TREES = 4096
MOST_AT_ONCE = 2**20
MOST_ANSWERS = 2**30
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
            import difflib  # for mistakes alone

            close = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            raise TypeError(f"there is no search option {name!r}; {hint}")
    return Options(**keywords)


def without_callback(progress: ProgressOption) -> bool | None:
    """The option as far as it can be written to a file: without a function."""
    return progress if isinstance(progress, bool) else None


def example(kind: type[Component]) -> str:
    """How one might write a component of a kind."""
    return repr({Selection: UCT, Expansion: Lazy, Rollout: RandomRollout, Method: PerfectInformation}[kind]())
