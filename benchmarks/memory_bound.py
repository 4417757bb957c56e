"""A long search in little memory: how much does the process grow?

python benchmarks/memory_bound.py [--simulations 5000000] [--memory-mb 64]
"""

import argparse
import gc
import threading
import time
from pathlib import Path

import fastmcts
from fastmcts import games

PAGE = 4096


def resident_mb() -> float:
    """The memory of this process that is in use now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 1e6


class Peak(threading.Thread):
    """Watches the memory of the process."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.start_mb = self.most_mb = resident_mb()
        self.is_over = threading.Event()

    def run(self) -> None:
        while not self.is_over.wait(0.002):
            self.most_mb = max(self.most_mb, resident_mb())


def main() -> None:
    """Search, and print how far memory grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=5_000_000)
    parser.add_argument("--memory-mb", type=float, default=64.0)
    arguments = parser.parse_args()
    state = games.ConnectFour().new_initial_state()
    fastmcts.search(state, simulations=20_000, memory_mb=0.1, seed=0)  # compiles everything
    gc.collect()
    peak = Peak()
    peak.start()
    start = time.perf_counter()
    result = fastmcts.search(state, simulations=arguments.simulations, memory_mb=arguments.memory_mb, seed=0)
    seconds = time.perf_counter() - start
    peak.is_over.set()
    peak.join()
    growth = peak.most_mb - peak.start_mb
    print(result)
    print(f"{result.simulations:,} simulations in {seconds:.1f} s, stopped by {result.stopped_by}")
    print(f"limit {arguments.memory_mb:g} MB: the nodes took {result.memory_mb:.1f} MB")
    print(f"the process grew by {growth:.1f} MB")
    print(f"{result.nodes:,} nodes, {result.recycled:,} recycled")
    assert growth <= arguments.memory_mb


if __name__ == "__main__":
    main()
