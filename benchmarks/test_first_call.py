"""What a fresh process pays before its first search is done, and what importing costs."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

#: Of the wall, since processes of their own do the work.
pytestmark = pytest.mark.benchmark(group="first call", timer=time.perf_counter)

IMPORT_NUMBA = "import numba"
IMPORT = "import fastmcts"
SEARCH = """
import fastmcts
state = fastmcts.load_game("connect_four").new_initial_state()
fastmcts.search(state, simulations=1000, seed=0)
"""


def run(code: str, cache: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.mark.parametrize("code", [IMPORT_NUMBA, IMPORT], ids=["import numba", "import fastmcts"])
def test_import(benchmark: Any, tmp_path: Path, code: str) -> None:
    benchmark.pedantic(run, args=(code, tmp_path), rounds=5, iterations=1, warmup_rounds=1)


def test_first_search_cold(benchmark: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    def fresh_cache() -> tuple[tuple[str, Path], dict[str, Any]]:
        return (SEARCH, tmp_path_factory.mktemp("cache")), {}

    benchmark.pedantic(run, setup=fresh_cache, rounds=1, iterations=1)


def test_first_search_cached(benchmark: Any, tmp_path: Path) -> None:
    benchmark.pedantic(run, args=(SEARCH, tmp_path), rounds=5, iterations=1, warmup_rounds=1)
