"""How close is fastmcts to C++ written by hand for one game?

Both run the same UCT on Connect Four, on the same arrays, with the same random numbers, in turn:

    python benchmarks/native_limit.py [--simulations 100000] [--rounds 15]

Only the ratio counts. It compares the best round of each: whatever else the machine does only slows down.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import fastmcts
from fastmcts import UCT, games

SOURCE = Path(__file__).parent / "native" / "connect_four.cpp"
PROGRAM = SOURCE.parent / "build" / "connect_four"
C = 1.4


def build() -> Path | None:
    """Compile the program if needed; None where there is no compiler."""
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++", "c++"))), None)
    if compiler is None:
        return None
    if not PROGRAM.exists() or PROGRAM.stat().st_mtime < SOURCE.stat().st_mtime:
        PROGRAM.parent.mkdir(exist_ok=True)
        command = [compiler, "-std=c++17", "-O3", "-march=native", "-o", str(PROGRAM), str(SOURCE)]
        subprocess.run(command, check=True)
    return PROGRAM


def run_native(program: Path, simulations: int, seed: int) -> tuple[float, list[int]]:
    """Seconds and root visits of the C++ program."""
    command = [str(program), str(simulations), str(seed), str(C)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer["seconds"], answer["visits"]


def run_ours(simulations: int, seed: int) -> tuple[float, list[int]]:
    """Seconds and root visits of fastmcts."""
    start = games.ConnectFour().new_initial_state()
    result = fastmcts.search(start, simulations=simulations, seed=seed, strategy="plain", selection=UCT(c=C))
    return result.seconds, result.visits.tolist()


def compare(program: Path, simulations: int, rounds: int) -> list[tuple[float, float]]:
    """Seconds of ours and of the native program, a pair per round; the trees must be the same."""
    pairs = []
    for seed in range(rounds):
        ours, our_visits = run_ours(simulations, seed)
        native, native_visits = run_native(program, simulations, seed)
        if our_visits != native_visits:
            raise AssertionError(f"seed {seed}: ours visits {our_visits}, the native program {native_visits}")
        pairs.append((ours, native))
    return pairs


def main() -> None:
    """Print the ratio of speeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=100_000, help="simulations per search")
    parser.add_argument("--rounds", type=int, default=15, help="how often both run")
    arguments = parser.parse_args()
    program = build()
    if program is None:
        sys.exit("no C++ compiler (g++, clang++ or c++) was found")
    run_ours(100, 0)
    pairs = compare(program, arguments.simulations, arguments.rounds)
    ours, native = (arguments.simulations / min(column) for column in zip(*pairs, strict=True))
    median = statistics.median(native / ours for ours, native in pairs)
    print(f"fastmcts    {ours:>12,.0f} simulations/s")
    print(f"native C++  {native:>12,.0f} simulations/s")
    print(f"ratio: {ours / native:.2f} (best of {len(pairs)} rounds; median of rounds {median:.2f}), same tree")


if __name__ == "__main__":
    main()
