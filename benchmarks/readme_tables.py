"""Measure, and write the tables of the README: `python benchmarks/readme_tables.py`."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import native_limit

import fastmcts

README = Path(__file__).parent.parent / "README.md"
START, END = "<!-- tables -->", "<!-- end of tables -->"
SIMULATIONS = 100_000
ROUNDS = 7

FIRST_SEARCH = """
import fastmcts, time
start = time.perf_counter()
fastmcts.search(fastmcts.load_game("connect_four").new_initial_state(), simulations=1000, seed=0)
print(time.perf_counter() - start)
"""


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a Markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def games_table() -> Iterator[str]:
    """Simulations per second of every game, with default options."""
    rows = []
    for name in fastmcts.registered_games():
        game = fastmcts.load_game(name)
        state = game.new_initial_state()
        fastmcts.search(state, simulations=100, seed=0)
        results = [fastmcts.search(state, simulations=SIMULATIONS, seed=seed) for seed in range(ROUNDS)]
        rate = max(result.simulations / result.seconds for result in results)
        rows.append((f"`{game!r}`", f"{rate:,.0f}", f"{results[0].nodes / SIMULATIONS:.1f}"))
    return table((f"{SIMULATIONS:,} simulations from the start, one core", "simulations/s", "nodes each"), rows)


def native_table() -> Iterator[str]:
    """Ours beside C++ written for the one game."""
    program = native_limit.build()
    if program is None:
        sys.exit("no C++ compiler was found")
    pairs = native_limit.compare(program, SIMULATIONS, 2 * ROUNDS)
    ours, native = (SIMULATIONS / min(column) for column in zip(*pairs, strict=True))
    rows = [
        ("fastmcts", f"{ours:,.0f}", f"{ours / native:.2f}"),
        ("C++ by hand, `-O3 -march=native`, the same tree", f"{native:,.0f}", "1"),
    ]
    return table(("Connect Four 7x6", "simulations/s", "ratio"), rows)


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
    return table(("starting up (Connect Four, 1,000 simulations)", "seconds"), rows)


def first_search(cache: str) -> float:
    """Seconds of the first search in a fresh process."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", FIRST_SEARCH]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def import_seconds(module: str) -> float:
    """Seconds of a process that imports a module."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Replace what stands between the markers."""
    text = README.read_text()
    before, rest = text.split(START)
    _, after = rest.split(END)
    tables = ["\n".join(make()) for make in (native_table, games_table, first_search_table)]
    README.write_text(f"{before}{START}\n\n" + "\n\n".join(tables) + f"\n\n{END}{after}")


if __name__ == "__main__":
    main()
