"""The options of a search, in one place for everything that searches."""

import dataclasses
import difflib
import secrets
from dataclasses import dataclass
from typing import Any, TypedDict

from fastmcts.checks import real_number, whole_number
from fastmcts.component import Component
from fastmcts.expansion import Expansion, Lazy
from fastmcts.rollout import RandomRollout, Rollout
from fastmcts.selection import UCT, Selection
from fastmcts.tree import MAX_VISITS


class SearchOptions(TypedDict, total=False):
    """The options as keywords, for type checkers; `Options` documents them."""

    simulations: int | None
    seconds: float | None
    seed: int | None
    selection: Selection
    expansion: Expansion
    rollout: Rollout
    solver: bool
    final: str


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
        solver: Keep proofs: what is decided is not searched again, and a decided root ends the search.
        final: Which move to play: the most visited ("visits"), the one with the highest mean ("value"), the most
            visited once it also has the highest mean ("robust_max": searches on until they agree, at most twice
            the budget), or the one with the highest lower confidence bound ("lcb").
    """

    simulations: int | None = None
    seconds: float | None = None
    seed: int = None  # pyright: ignore[reportAssignmentType]  # always set by __post_init__
    selection: Selection = UCT()
    expansion: Expansion = Lazy()
    rollout: Rollout = RandomRollout()
    solver: bool = False
    final: str = "visits"

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
        if not isinstance(self.solver, bool):
            raise TypeError(f"solver must be True or False, not {self.solver!r}")
        if self.final not in FINAL_MOVES:
            raise ValueError(f"final must be one of {', '.join(FINAL_MOVES)}, not {self.final!r}")
        for name, kind in STRATEGIES.items():
            component = getattr(self, name)
            if not isinstance(component, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, such as {example(kind)}, not {component!r}")


FINAL_MOVES = ("visits", "value", "robust_max", "lcb")

STRATEGIES: dict[str, type[Component]] = {"selection": Selection, "expansion": Expansion, "rollout": Rollout}


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
    return repr({Selection: UCT, Expansion: Lazy, Rollout: RandomRollout}[kind]())
