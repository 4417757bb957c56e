"""How long a search goes on, and in what portions.

Ctrl-C, clocks and the growth of the tree wait until a kernel returns to Python, so a search runs in
chunks of about 20 ms. How it is cut never changes its tree.
"""

import time

CHUNK_SECONDS = 0.02
FIRST_CHUNK = 16  # simulations, while nothing is known about their speed
MOST_GROWTH = 16  # from one chunk to the next


class Budget:
    """Deals out the simulations of one search until they, or the time, are used up.

    Args:
        simulations: The most to run, or None.
        seconds: The longest to search, or None.
    """

    def __init__(self, simulations: int | None, seconds: float | None) -> None:
        self.simulations = simulations
        self.seconds = seconds
        self.done = 0
        self.chunk = 0
        self.is_finished = False
        self.start = self.last = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds from the start to the end of the last chunk."""
        return self.last - self.start

    def record(self, simulations: int) -> None:
        """Count what was done of a chunk; less than asked for means that nothing is left to do."""
        self.done += simulations
        self.is_finished = simulations < self.chunk

    def next_chunk(self) -> int:
        """How many simulations to run before asking again; 0 when the search is over."""
        now = time.perf_counter()
        took, self.last = now - self.last, now
        time_left = CHUNK_SECONDS if self.seconds is None else self.seconds - self.elapsed
        if self.chunk == 0:
            chunk = FIRST_CHUNK
        elif time_left <= 0.0 or self.is_finished:
            chunk = 0
        else:
            fitting = self.chunk * min(CHUNK_SECONDS, time_left) / max(took, 1e-9)
            chunk = max(1, min(int(fitting), MOST_GROWTH * self.chunk))
        if self.simulations is not None:
            chunk = min(chunk, self.simulations - self.done)
        self.chunk = chunk
        return chunk
