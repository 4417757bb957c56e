"""One plain search from the start of a game, in a process of its own: so it pays for all memory that it asks for.

python benchmarks/one_search.py connect_four 100000 0 1.4     # simulations, seed, c

The game is one of benchmarks/native.py. Prints seconds of the processor, without what was compiled or loaded before.
"""

import argparse
import dataclasses
import json
import subprocess
import sys
import time

import native

import fastmcts
from fastmcts import UCT

WARM_UP = 100  # simulations, for the code to be loaded
MEMORY_MB = 4_000


def search(name: str, simulations: int, seed: int, c: float) -> native.Run:
    """Search in this process."""
    state = native.GAMES[name].new_initial_state()

    def run(simulations: int) -> fastmcts.SearchResult:
        return fastmcts.search(
            state, simulations=simulations, seed=seed, memory_mb=MEMORY_MB, strategy="plain", selection=UCT(c=c)
        )

    run(WARM_UP)
    start = time.process_time()
    result = run(simulations)
    seconds = time.process_time() - start
    visits = dict(zip(result.actions, result.visits.tolist(), strict=True))
    return native.Run(seconds, result.value, tuple(visits.get(action, 0) for action in range(state.game.num_actions)))


def search_apart(name: str, simulations: int, seed: int, c: float) -> native.Run:
    """Search in a process of its own."""
    command = [sys.executable, __file__, name, *map(str, (simulations, seed, c))]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return native.Run(answer["seconds"], answer["value"], tuple(answer["visits"]))


def main() -> None:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=native.GAMES)
    parser.add_argument("simulations", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("c", type=float)
    arguments = parser.parse_args()
    run = search(arguments.game, arguments.simulations, arguments.seed, arguments.c)
    print(json.dumps(dataclasses.asdict(run)))


if __name__ == "__main__":
    main()
