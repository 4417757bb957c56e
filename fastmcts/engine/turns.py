"""One call at a time: an object that two threads must not use at once says so instead of breaking."""

import functools
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class Turn:
    """A call that is under way, and the thread that makes it."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.is_over = False


class Busy(Protocol):
    """An object that is used by one call at a time.

    Attributes:
        turns: The calls that are under way or were refused a moment ago; empty at first.
    """

    turns: list[Turn]


Owner = TypeVar("Owner", bound=Busy)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def one_at_a_time(
    method: Callable[Concatenate[Owner, Parameters], Result],
) -> Callable[Concatenate[Owner, Parameters], Result]:
    """Refuse a call of a method while the object is busy with one, of this method or of another with this mark.

    Ctrl-C may come between any two steps, and must not leave an object busy for ever. So what matters is a single step:
    to append to a list, to set a flag, to remove from a list. Who stands first in the list may go on.
    """

    @functools.wraps(method)
    def alone(self: Owner, *arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        turn = Turn()
        try:
            self.turns.append(turn)
            while (first := self.turns[0]) is not turn:
                if not first.is_over:
                    raise refusal(type(self).__name__, method.__name__, first)
                forget(self.turns, first)
            return method(self, *arguments, **keywords)
        finally:
            turn.is_over = True
            forget(self.turns, turn)

    return alone


def forget(turns: list[Turn], turn: Turn) -> None:
    """Take a turn off the list, if nobody else has."""
    with suppress(ValueError):
        turns.remove(turn)


def refusal(name: str, method: str, first: Turn) -> Exception:
    """What to say to who comes second."""
    if first.thread == threading.get_ident():
        return RuntimeError(
            f"{method}() was called by something that this {name} calls while it searches, such as a progress callback"
            " or a stopper: call it when the search is over"
        )
    return RuntimeError(
        f"{method}() was called while another thread uses this {name}: one {name} is for one thread. Make one for each"
        " thread, or search many positions at once with search_batch"
    )
