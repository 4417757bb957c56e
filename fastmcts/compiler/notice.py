"""Let a person know that something is being compiled, once that has taken a second.

On a terminal this is a line on standard error, in a notebook a note below the cell; both are completed when the code is
ready. Without either, with `progress=False` and where FASTMCTS_QUIET is set nothing is said. Code that comes from
the disk cache is never compiled, and does not come here.
"""

import _thread
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from threading import Lock
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeVar

from numba import types

Result = TypeVar("Result")

QUIET = "FASTMCTS_QUIET"  # the environment variable that turns notices off
PATIENCE_SECONDS = 1.0  # before anything is said
PLAIN_KERNEL = "run"  # that of every search: it needs no name

#: Whether notices are wanted here, and who keeps the record of what is compiled.
IS_WANTED: ContextVar[bool] = ContextVar("IS_WANTED", default=True)
RECORD: ContextVar["list[Compilation] | None"] = ContextVar("RECORD", default=None)


class Compilation(NamedTuple):
    """A kernel that was compiled.

    Attributes:
        kernel: Its name.
        components: The classes of the components that it was compiled for: the game and its strategy.
        seconds: How long it took.
    """

    kernel: str
    components: tuple[str, ...]
    seconds: float


class Heeding:
    """A context in which nothing is said about what is compiled, if `progress` is False.

    Every search enters it, so it is no generator: that would take three times as long.
    """

    __slots__ = ("is_wanted", "was_wanted")

    def __init__(self, progress: object) -> None:
        self.was_wanted = IS_WANTED.get()
        self.is_wanted = self.was_wanted and progress is not False

    def __enter__(self) -> None:
        IS_WANTED.set(self.is_wanted)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        IS_WANTED.set(self.was_wanted)


@contextmanager
def recording() -> Iterator[list[Compilation]]:
    """Yields a list, to which all that is compiled here, in this thread, is added."""
    before, record = RECORD.get(), []
    try:
        RECORD.set(record)
        yield record
    finally:
        RECORD.set(before)


def announced(kernel: str, arguments: Sequence[types.Type], work: Callable[[], Result]) -> Result:
    """Compile a kernel, tell of it if it takes long, and put it on record.

    Args:
        kernel: The kernel's name.
        arguments: The types that it is compiled for.
        work: Compiles it.
    """
    components = tuple(component_names(arguments))
    start = time.perf_counter()
    notice = Notice(describe(kernel, components), outlet())
    try:
        notice.start()
        result = work()
        notice.is_success = True
    finally:
        # In a single step, so that the notice does not come later, should Ctrl-C come once more.
        notice.is_over = True
        notice.finish(time.perf_counter() - start)
    record = RECORD.get()
    if record is not None:
        record.append(Compilation(kernel, components, time.perf_counter() - start))
    return result


def component_names(arguments: Sequence[Any]) -> Iterator[str]:
    """The classes of the components among the types of arguments; that of the game comes first."""
    for argument in arguments:
        if isinstance(argument, types.BaseTuple):
            yield from component_names(tuple(argument))  # pyright: ignore[reportArgumentType]
        elif hasattr(argument, "component"):
            yield argument.component


def describe(kernel: str, components: Sequence[str]) -> str:
    """What is being compiled, in words."""
    name = "" if kernel == PLAIN_KERNEL else f" ({kernel})"
    if not components:
        return f"compiling {kernel}, once; kept on disk"
    strategy = " for this strategy" if len(components) > 1 else ""
    return f"compiling {components[0]}{strategy}{name}, once; kept on disk"


class Outlet(Protocol):
    """Where a notice is shown."""

    def begin(self, text: str) -> None:
        """Show a text."""

    def end(self, text: str, outcome: str) -> None:
        """Complete that text by how it has come out."""


class Line:
    """A line on a terminal."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def begin(self, text: str) -> None:
        """Write the line, and leave the cursor at its end."""
        self.write(f"{text} ...")

    def end(self, text: str, outcome: str) -> None:
        """Write the rest of the line."""
        self.write(f" {outcome}\n")

    def write(self, text: str) -> None:
        """Write at once."""
        self.stream.write(text)
        self.stream.flush()


class LinesAboveBars(Line):
    """Whole lines, which rich prints above what it is drawing."""

    def begin(self, text: str) -> None:
        """Write a line."""
        self.write(f"{text} ...\n")

    def end(self, text: str, outcome: str) -> None:
        """Write another one."""
        self.write(f"{text} ... {outcome}\n")


class Note:
    """A note below the cell of a notebook."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self.display = display
        self.handle: Any = None

    def begin(self, text: str) -> None:
        """Show the note."""
        self.handle = self.display(as_plain_text(f"{text} ..."), raw=True, display_id=True)

    def end(self, text: str, outcome: str) -> None:
        """Write it anew, in the same place."""
        if self.handle is not None:
            self.handle.update(as_plain_text(f"{text} ... {outcome}"), raw=True)


def as_plain_text(text: str) -> dict[str, str]:
    """A text as notebooks take it, so that it is shown without quotation marks."""
    return {"text/plain": text}


def outlet() -> Outlet | None:
    """Where a person would see a notice; None if nobody would, or wants to."""
    if not IS_WANTED.get() or os.environ.get(QUIET, "0") not in ("", "0"):
        return None
    if in_notebook():
        from IPython.display import display  # pyright: ignore[reportMissingImports]

        return Note(display)
    stream = sys.stderr
    if not is_terminal(stream):
        return None
    is_drawing = type(stream).__module__ == "rich.file_proxy"  # what rich puts in its place meanwhile
    return LinesAboveBars(stream) if is_drawing else Line(stream)


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython is not None and getattr(get_ipython(), "kernel", None) is not None


def is_terminal(stream: Any) -> bool:
    """Whether what is written there is seen on a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it was closed
        return False


class Notice:
    """Says something if it is not over after a while, and then how it came out.

    Args:
        text: What to say.
        outlet: Where; None to say nothing.
    """

    def __init__(self, text: str, outlet: Outlet | None) -> None:
        self.text = text
        self.outlet = outlet
        self.call = Lock()  # open when it is over
        self.call.acquire()
        self.writing = Lock()  # held by who writes
        self.is_over = self.is_success = self.is_shown = False

    def start(self) -> None:
        """Begin to wait, in a thread of its own: Numba keeps this one, but not all the time."""
        outlet, context = self.outlet, copy_context()  # by which a notebook knows below which cell a note belongs
        if outlet is not None:
            with suppress(RuntimeError):  # there are too many threads
                _thread.start_new_thread(lambda: context.run(self.wait, outlet), ())

    def wait(self, outlet: Outlet) -> None:
        """Show the text when it is time, unless it is over."""
        if self.call.acquire(timeout=PATIENCE_SECONDS):
            return
        with self.writing:
            if not self.is_over:
                self.is_shown = True
                with suppress(Exception):  # whatever it is that nobody can be told: the search goes on
                    outlet.begin(self.text)

    def finish(self, seconds: float) -> None:
        """Let the thread end, and complete what it has shown."""
        self.call.release()
        with self.writing:
            if self.outlet is not None and self.is_shown:
                outcome = f"{seconds:.1f} s" if self.is_success else f"stopped after {seconds:.1f} s"
                with suppress(Exception):
                    self.outlet.end(self.text, outcome)
