"""What a run looks like while it goes on."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fastmcts.experiments.extras import needed
from fastmcts.experiments.plan_parts import Cell
from fastmcts.experiments.tally import Tally

ROWS_SHOWN = 20
SECONDS_BETWEEN = 0.25


@dataclass
class RunProgress:
    """How far a run has come.

    Attributes:
        cells: The matches.
        tallies: The score of each so far.
        played: How many games were played in this run.
        started: When it began to play, by `time.monotonic`.
        workers: How many tasks are being played.
    """

    cells: Sequence[Cell]
    tallies: Sequence[Tally]
    played: int = 0
    started: float = field(default_factory=time.monotonic)
    workers: int = 0

    @property
    def total(self) -> int:
        """How many games the plan has."""
        return sum(cell.games for cell in self.cells)

    @property
    def done(self) -> int:
        """How many of them are over, with those of earlier runs."""
        return sum(tally.games for tally in self.tallies)

    @property
    def rate(self) -> float:
        """Games a second in this run."""
        return self.played / max(1e-9, time.monotonic() - self.started)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at this rate; None while nothing is known."""
        return (self.total - self.done) / self.rate if self.played else None

    def __str__(self) -> str:
        """One line."""
        left = "" if self.seconds_left is None else f", {duration(self.seconds_left)} left"
        return f"{self.done:,} of {self.total:,} games, {self.rate:,.1f} games/s{left}"


def duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


#: Called after every task, and while nothing happens some times a second.
ShowRun = Callable[[RunProgress], object]

#: True for a live table, a function of one's own, or None or False to see nothing.
RunProgressOption = bool | ShowRun | None


@contextmanager
def shown_run(option: RunProgressOption) -> Iterator[ShowRun]:
    """What an option says about progress, as a function that may be called at any time."""
    if not (option is None or isinstance(option, bool) or callable(option)):
        raise TypeError(f"progress must be True, False, None or a function, not {option!r}")
    if option is True:
        with live_table() as show:
            yield at_times(show)
    else:
        yield option if callable(option) else lambda progress: None


def at_times(show: ShowRun) -> ShowRun:
    """The same function, but not more often than somebody can look."""
    due = 0.0

    def show_if_due(progress: RunProgress) -> None:
        nonlocal due
        if time.monotonic() >= due or progress.done == progress.total:
            show(progress)
            due = time.monotonic() + SECONDS_BETWEEN

    return show_if_due


@contextmanager
def live_table() -> Iterator[ShowRun]:
    """Draw a table on standard error; nothing where that is no terminal."""
    rich: Any = needed("rich.live", "progress", "A live table")
    console: Any = needed("rich.console", "progress", "A live table").Console(stderr=True)
    if not console.is_terminal:
        yield lambda progress: None
        return
    with rich.Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda progress: live.update(table_of(progress), refresh=True)


def table_of(progress: RunProgress) -> Any:
    """The matches that are being played, with their scores so far; the last ones if there are none."""
    rich: Any = needed("rich.table", "progress", "A live table")
    table = rich.Table(title=str(progress), caption=f"{progress.workers} tasks at work; Ctrl-C loses none that is over")
    for name in ("game", "budget", "first", "second"):
        table.add_column(name, no_wrap=True)
    for name in ("games", "score of the first (95%)"):
        table.add_column(name, justify="right", no_wrap=True)
    pairs = list(zip(progress.cells, progress.tallies, strict=True))
    active = [pair for pair in pairs if pair[1].games < pair[0].games]
    for cell, tally in (active or pairs)[:ROWS_SHOWN]:
        names = (repr(cell.pairing.game), cell.budget, cell.first, cell.second)
        table.add_row(*names, f"{tally.games:,} of {cell.games:,}", tally.score)
    if len(active) > ROWS_SHOWN:
        table.add_row(f"and {len(active) - ROWS_SHOWN:,} more")
    return table
