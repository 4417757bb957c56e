"""The games of one match over processes."""

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool

from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.tables import Pairing
from fastmcts.experiments.work import Played, RunError, Task
from fastmcts.experiments.worker_pools import ProcessWorkerPool

SHARES = 4  # tasks for each process, so that none waits long for the last one
MOST_GAMES = 128  # in a task: as many as are played side by side


def play_over_processes(
    pairing: Pairing, games: Sequence[tuple[int, int]], processes: int
) -> Generator[list[GameRecord], None, None]:
    """Play games in other processes; yields some whenever they have ended.

    What this process has compiled for the pairing, they find on disk. If nobody asks for more, they are ended.

    Args:
        pairing: Who plays what.
        games: The number of the pair and the seat of each game.
        processes: How many processes.

    Raises:
        RunError: If an agent or a rule fails, or a process ends.
    """
    size = max(2, min(MOST_GAMES, len(games) // (SHARES * processes)))
    waiting = [Task(0, pairing, tuple(games[start : start + size])) for start in range(0, len(games), size)][::-1]
    running: set[Future[Played]] = set()
    worker_pool = ProcessWorkerPool(processes)
    try:
        while waiting or running:
            while waiting and len(running) <= processes:
                running.add(worker_pool.submit(waiting.pop()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                played = future.result()
                if played.error:
                    raise RunError(played.error.strip())
                yield played.records
    except BrokenProcessPool as error:
        raise RunError("a process that was playing has ended, perhaps because memory was short") from error
    finally:
        worker_pool.close()
