"""Show how a search is getting on: a bar, or a callback of the user's."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from fastmcts.options import ProgressOption
from fastmcts.state import State
from fastmcts.strategies.snapshot import Snapshot

SECONDS_BETWEEN = 0.1


class Progress:
    """Passes on a look at the search every now and then, and once at the end.

    Args:
        show: What to do with it; None to do nothing.
    """

    def __init__(self, show: Callable[[Any], object] | None) -> None:
        self.show = show
        self.last = time.perf_counter()

    @property
    def is_due(self) -> bool:
        """Whether it is time for another look."""
        return self.show is not None and time.perf_counter() - self.last >= SECONDS_BETWEEN

    def update(self, look: Any) -> None:
        """Show a look at the search."""
        if self.show is not None:
            self.show(look)
            self.last = time.perf_counter()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        """Nothing to put away."""


class Bar(Progress):
    """A bar on the terminal.

    Args:
        describe: What to write beside it.
        fraction: How much is done, from 0 to 1.
    """

    def __init__(self, describe: Callable[[Any], str], fraction: Callable[[Any], float]) -> None:
        super().__init__(self.draw)
        try:
            from rich import progress
        except ImportError as error:
            raise ImportError(
                'progress=True draws with rich, which is not installed: pip install "fastmcts-numba[progress]",'
                " or pass a function of your own"
            ) from error
        from rich.console import Console

        columns = (progress.BarColumn(), progress.TaskProgressColumn(), progress.TextColumn("{task.description}"))
        self.bar = progress.Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        self.task = self.bar.add_task("", total=1.0)
        self.describe = describe
        self.fraction = fraction

    def draw(self, look: Any) -> None:
        """Move the bar."""
        self.bar.update(self.task, completed=self.fraction(look), description=self.describe(look), refresh=True)

    def __enter__(self) -> "Progress":
        self.bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        """Take the bar away."""
        self.bar.stop()


def search_progress(option: ProgressOption, state: State) -> Progress:
    """What shows the progress of one search."""
    if option is not True:
        return Progress(option or None)

    def describe(look: Snapshot) -> str:
        move = state.action_to_string(look.action)
        return f"{look.simulations:,} simulations, {look.rate:,.0f}/s; best: {move}, value {look.value:.3f}"

    return Bar(describe, fraction_done)


def fraction_done(look: Snapshot) -> float:
    """How much of the budget is used, by the part of it that will end first."""
    return look.simulations / max(1, look.simulations + look.simulations_left)
