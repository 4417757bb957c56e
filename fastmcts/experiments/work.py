"""What one worker plays at a time: some games of one match, for some seconds."""

import threading
import time
import traceback
from dataclasses import dataclass, field

from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.tables import Pairing, play_games


class RunError(Exception):
    """Games cannot be played to their end; what was stored stays."""


@dataclass(frozen=True)
class Task:
    """Games to be played.

    Attributes:
        cell: The number of the match in its plan.
        pairing: Who plays what.
        games: The number of the pair and the seat of each game.
    """

    cell: int
    pairing: Pairing
    games: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Played:
    """What came of a task.

    Attributes:
        records: The games.
        seconds: How long it took.
        error: What an agent, or a rule, has raised, with its traceback; empty if nothing.
    """

    records: list[GameRecord] = field(default_factory=list)
    seconds: float = 0.0
    error: str = ""


def play_task(task: Task, stop: threading.Event | None = None) -> Played:
    """Play the games of a task; an error of theirs is returned, so that any that is raised is one of the worker.

    Args:
        task: What to play.
        stop: Set by another thread to end after the next moves; then nothing of the task counts.
    """
    start = time.perf_counter()
    records: list[GameRecord] = []
    try:
        for ended in play_games(task.pairing, task.games):
            records += ended
            if stop is not None and stop.is_set():
                return Played()
    except Exception as error:
        return Played(error=f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
    return Played(records, time.perf_counter() - start)
