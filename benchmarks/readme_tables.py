"""Measure, and write the tables of the README.

python benchmarks/readme_tables.py             # speed: a few minutes
python benchmarks/readme_tables.py --matches   # beside OpenSpiel, and strategies in matches: half an hour
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import arena
import default_rule
import native
import native_limit
import peer_speed
import strategy_matches
import two_threads

import fastmcts
from fastmcts.testing.strategies import first_decision, searchable_games

README = Path(__file__).parent.parent / "README.md"
SPEED = ("<!-- tables -->", "<!-- end of tables -->")
MATCHES = ("<!-- match tables -->", "<!-- end of match tables -->")
ROUNDS = 7
GAME_SIMULATIONS = 20_000  # for each game: some have long rollouts
GAME_ROUNDS = 3
GAMES = 400  # of each match
RULE_GAMES = 100  # for each selection rule and board

FIRST_SEARCH = """
import fastmcts, time
start = time.perf_counter()
fastmcts.search(fastmcts.load_game("connect_four").new_initial_state(), simulations=1000, seed=0)
print(time.perf_counter() - start)
"""


def games_table() -> Iterator[str]:
    """Simulations per second of every game, with default options."""

    def rows() -> Iterator[tuple[str, ...]]:
        for name in searchable_games():
            game = fastmcts.load_game(name)
            state = first_decision(game)
            fastmcts.search(state, simulations=100, seed=0)
            results = [fastmcts.search(state, simulations=GAME_SIMULATIONS, seed=seed) for seed in range(GAME_ROUNDS)]
            rate = max(result.simulations / result.seconds for result in results)
            yield f"`{game!r}`", f"{rate:,.0f}", f"{results[0].nodes / GAME_SIMULATIONS:.1f}"

    return arena.table(
        (f"{GAME_SIMULATIONS:,} simulations from the start, one core", "simulations/s", "nodes each"), rows()
    )


def native_table() -> Iterator[str]:
    """Ours as a multiple of C++ written for each game."""
    if native.compiler() is None:
        sys.exit(f"no C++ compiler was found: none of {', '.join(native.COMPILERS)}")
    for name in native.GAMES:
        native_limit.check(name)
    return native_limit.ratio_table(list(native.GAMES), ROUNDS)


def first_search_table() -> Iterator[str]:
    """Seconds from the end of the import to the end of a search of 1,000 simulations, in fresh processes."""
    with tempfile.TemporaryDirectory() as cache:
        cold = first_search(cache)
        cached = min(first_search(cache) for _ in range(ROUNDS))
    extra = min(import_seconds("fastmcts") for _ in range(ROUNDS)) - min(import_seconds("numba") for _ in range(ROUNDS))
    rows = [
        ("`import fastmcts`, beyond `import numba`", f"{max(0.0, extra):.2f}"),
        ("first search ever: compiled", f"{cold:.1f}"),
        ("first search of a later process: from the disk cache", f"{cached:.2f}"),
    ]
    return arena.table(("starting up (Connect Four, 1,000 simulations)", "seconds"), rows)


def first_search(cache: str) -> float:
    """Seconds of the first search in a fresh process."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", FIRST_SEARCH]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def import_seconds(module: str) -> float:
    """Seconds that an import takes in a fresh process."""
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def peer_table() -> Iterator[str]:
    """Ours beside OpenSpiel and plain Python."""
    return peer_speed.speed_table(ROUNDS)


def strategy_table() -> Iterator[str]:
    """Strategies against the plain search."""
    return strategy_matches.score_table(strategy_matches.play_all(list(strategy_matches.MATCHES), GAMES, seed=0))


def default_table() -> Iterator[str]:
    """Selection rules over our games."""
    boards = list(default_rule.BOARDS)
    scores = default_rule.play_all(boards, default_rule.RULES, RULE_GAMES, default_rule.SIMULATIONS, seed=0)
    return default_rule.score_table(scores, boards, default_rule.RULES)


def rewrite(markers: tuple[str, str], makers: tuple[Callable[[], Iterator[str]], ...]) -> None:
    """Replace what stands between two markers of the README."""
    tables = ["\n".join(shown(make())) for make in makers]
    arena.rewrite(README, markers, "\n\n".join(tables))


def shown(lines: Iterator[str]) -> Iterator[str]:
    """Lines, each printed when it is there: they take their time."""
    for line in lines:
        print(line, flush=True)
        yield line


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", action="store_true", help="the slow tables instead")
    if parser.parse_args().matches:
        rewrite(MATCHES, (peer_table, strategy_table, default_table))
    else:
        rewrite(SPEED, (native_table, two_threads.speed_up_table, games_table, first_search_table))


if __name__ == "__main__":
    main()
