"""How long a search goes on, and in what portions.

Ctrl-C, clocks and the growth of the tree wait until a kernel returns to Python, so a search runs in
chunks of about 20 ms. How it is cut never changes its tree.
"""

import time

CHUNK_SECONDS = 0.02
MOST_GROWTH = 16  # from one chunk to the next
#: Of the time that is left, a chunk is planned to take so much, but for the last moment, and of all the time no more
#: than one of so many parts: simulations take longer the larger the tree is, and where others use the processor too,
#: so that the speed so far promises too much. Chunks that were to take all of it made a search of 20 ms last 24 to
#: 32 ms, and one of 50 ms up to 120 ms on a busy machine.
SHARE_OF_TIME = 0.5
PARTS_OF_TIME = 16
LAST_SECONDS = 2e-4
UNLIMITED = 2**62  # simulations
CAUTION = 64.0  # how much slower than before a search may be: another position, another load


class Budget:
    """Deals out the simulations of one search until they, or the time, are used up.

    Args:
        simulations: The most to run, or None for no end.
        seconds: The longest to search, or None.
        speed: Seconds for a simulation, if that is known from before.
        spent: Seconds that are used up already.
    """

    def __init__(
        self, simulations: int | None, seconds: float | None, speed: float | None = None, spent: float = 0.0
    ) -> None:
        self.simulations = UNLIMITED if simulations is None else simulations
        self.seconds = seconds
        self.done = 0
        self.chunk = 1 if speed else 0  # simulations in the last one
        self.took = CAUTION * (speed or 0.0)  # seconds, for the last one
        self.chunk_start = self.last = time.perf_counter()
        self.start = self.last - spent

    @property
    def elapsed(self) -> float:
        """Seconds from the start to the end of the last chunk."""
        return self.last - self.start

    @property
    def deadline(self) -> float | None:
        """When time is up, by `time.perf_counter`."""
        return None if self.seconds is None else self.start + self.seconds

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the end of the last chunk."""
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed)

    @property
    def simulations_left(self) -> int:
        """Simulations left; with a clock no more than the speed so far allows."""
        left = self.simulations - self.done
        if self.seconds_left is None or self.done == 0:
            return left
        return min(left, int(self.done * self.seconds_left / max(self.elapsed, 1e-9)))

    @property
    def ended_by(self) -> str | None:
        """What is used up: "simulations", "seconds", or nothing yet."""
        if self.done >= self.simulations:
            return "simulations"
        if self.seconds is not None and self.done > 0 and self.elapsed >= self.seconds:
            return "seconds"
        return None

    def next_chunk(self, up_to: int | None = None) -> int:
        """How many simulations to run next: at least one, and no more than `up_to` in all."""
        self.chunk_start = time.perf_counter()
        time_left = CHUNK_SECONDS
        if self.deadline is not None:
            time_left = max(0.0, min(CHUNK_SECONDS, self.planned(self.deadline - self.chunk_start)))
        fitting = self.fitting(time_left)
        chunk = max(1, min(fitting, MOST_GROWTH * self.chunk) if self.done > 0 else fitting)
        end = self.simulations if up_to is None else min(self.simulations, up_to)
        return min(chunk, end - self.done)

    def up_to(self, end: int | None = None) -> int:
        """How many simulations there are left, or up to `end`, for who looks at the clock itself."""
        self.chunk_start = time.perf_counter()
        return (self.simulations if end is None else min(self.simulations, end)) - self.done

    def planned(self, seconds_left: float) -> float:
        """How long the next chunk may take by the clock."""
        assert self.seconds is not None
        if seconds_left < LAST_SECONDS:
            return seconds_left
        return min(SHARE_OF_TIME * seconds_left, self.seconds / PARTS_OF_TIME)

    def fitting(self, seconds: float) -> int:
        """How many simulations fit into so many seconds, at the speed of the last chunk."""
        return int(self.chunk * seconds / max(self.took, 1e-9))

    def add(self, other: "Budget") -> None:
        """Count what another budget was used for as well."""
        self.done += other.done
        self.last += other.elapsed

    def record(self, simulations: int) -> None:
        """Count a chunk that was run."""
        self.last = time.perf_counter()
        self.took = self.last - self.chunk_start
        self.chunk = simulations
        self.done += simulations
