"""The disk cache: no edit is a hit in the next process; any edit is a miss and the new behaviour."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.edited_game import GAME, HELPER, TABLES
from tests.subprocesses import REPOSITORY, run_python

pytestmark = pytest.mark.jit


SEARCH = """
import json
import fastmcts
from fastmcts.kernels.loop import run
from choice import Choice

result = fastmcts.search(Choice().new_initial_state(), simulations=20, seed=0)
stats = run.stats
print(json.dumps({"action": result.action, "value": result.value, "visits": result.visits.tolist(),
                  "hits": sum(stats.cache_hits.values()), "misses": sum(stats.cache_misses.values())}))
"""


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the game, in which it was compiled into the cache."""
    folder = tmp_path_factory.mktemp("searched")
    (folder / "choice.py").write_text(GAME)
    (folder / "helper.py").write_text(HELPER)
    (folder / "tables.py").write_text(TABLES)
    first = run_python(SEARCH, folder)
    assert (first["hits"], first["misses"], first["action"]) == (0, 1, 1)
    return folder


@pytest.fixture
def folder(searched: Path, tmp_path: Path) -> Path:
    """A copy of that folder, cache included, to edit."""
    return shutil.copytree(searched, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_unchanged_game_of_a_users_own_is_a_hit_in_the_next_process(folder: Path) -> None:
    second = run_python(SEARCH, folder)
    assert (second["hits"], second["misses"], second["action"]) == (1, 0, 1)


def test_what_numba_compiles_with_is_imported_only_to_compile(folder: Path) -> None:
    """It takes longer than all the rest, the more so where SciPy is installed."""
    code = """
import json, sys
import fastmcts
from choice import Choice

def search(**options):
    result = fastmcts.search(Choice().new_initial_state(), simulations=20, seed=0, **options)
    return result.action, "numba.np.arrayobj" in sys.modules or "numba.np.arraymath" in sys.modules

print(json.dumps([*search(), *search(selection=fastmcts.UCB1()), *search()]))
"""
    assert run_python(code, folder) == [1, False, 1, True, 1, True]


def edit_rule(folder: Path) -> None:
    edit(folder / "choice.py", "prize(state[1])", "prize(1 - state[1])")


def edit_helper(folder: Path) -> None:
    edit(folder / "helper.py", "action == WINNER", "action != WINNER")


def edit_constant(folder: Path) -> None:
    edit(folder / "helper.py", "WINNER = 1", "WINNER = 0")


def edit_table(folder: Path) -> None:
    edit(folder / "tables.py", "[0.0, 0.0]", "[1.0, -1.0]")


@pytest.mark.parametrize(
    "change",
    [edit_rule, *(pytest.param(f, marks=pytest.mark.thorough) for f in (edit_helper, edit_constant, edit_table))],
)
def test_an_edit_is_a_miss_with_the_new_behaviour(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    changed = run_python(SEARCH, folder)
    assert (changed["hits"], changed["misses"]) == (0, 1)
    assert changed["action"] == 0


@pytest.mark.thorough
def test_an_edit_of_a_kernel_is_a_miss_with_the_new_behaviour(folder: Path) -> None:
    shutil.copytree(REPOSITORY / "fastmcts", folder / "fastmcts", ignore=shutil.ignore_patterns("__pycache__"))
    before = run_python(SEARCH, folder, package=folder)
    assert before["misses"] == 1, "another copy of the package has a cache of its own"
    edit(
        folder / "fastmcts/kernels/backup.py",
        "+= scratch.rewards[tree.player[node]]",
        "+= 1.0 - scratch.rewards[tree.player[node]]",
    )
    after = run_python(SEARCH, folder, package=folder)
    assert (after["hits"], after["misses"]) == (0, 1)
    assert (before["action"], after["action"]) == (1, 0)


def test_a_change_of_comments_alone_is_a_hit(folder: Path) -> None:
    edit(folder / "choice.py", "    num_players = 1", "    # one player\n    num_players = 1")
    assert run_python(SEARCH, folder)["hits"] == 1


def test_a_sweep_over_ten_values_of_c_compiles_once(folder: Path) -> None:
    sweep = """
import json
import fastmcts
from fastmcts.kernels.loop import run
from choice import Choice

visits = [
    fastmcts.search(Choice().new_initial_state(), simulations=50, seed=0, selection=fastmcts.UCT(c=c / 2)).visits
    for c in range(10)
]
print(json.dumps({"misses": sum(run.stats.cache_misses.values()), "signatures": len(run.signatures),
                  "different": len({tuple(row.tolist()) for row in visits})}))
"""
    answer = run_python(sweep, folder)
    assert (answer["misses"], answer["signatures"]) == (0, 1)
    assert answer["different"] > 3, "the values of c matter"


def test_bounds_checked_code_is_never_taken_for_unchecked(folder: Path) -> None:
    assert run_python(SEARCH, folder, NUMBA_BOUNDSCHECK="1")["misses"] == 1


def cut_off(content: bytes) -> bytes:
    return content[: len(content) // 2]


def emptied(content: bytes) -> bytes:
    return b""


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def replaced(content: bytes) -> bytes:
    return b"something else"


@pytest.mark.thorough
@pytest.mark.parametrize("damage", [flipped, cut_off, emptied, replaced])
def test_a_damaged_file_of_the_cache_is_compiled_and_written_again(
    folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    files = [*(folder / "cache").rglob("*.nbc")]
    assert files
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    for hits in (0, 1):
        answer = run_python(SEARCH, folder)
        assert (answer["hits"], answer["misses"], answer["action"]) == (hits, 1 - hits, 1)


@pytest.mark.thorough
def test_a_full_disk_costs_the_cache_and_not_the_search(folder: Path) -> None:
    shutil.rmtree(folder / "cache")
    full = """
import errno
import tempfile
import warnings

def no_room(*arguments, **options):
    raise OSError(errno.ENOSPC, "No space left on device")

warnings.simplefilter("always")
caught = warnings.catch_warnings(record=True)
messages = caught.__enter__()
from fastmcts.kernels.loop import run
assert run.stats.cache_path  # there is a folder, and then no room in it
tempfile.TemporaryFile = no_room
"""
    told = 'print(json.dumps({"action": result.action, "said": [str(m.message) for m in messages]}))'
    answer = run_python(full + SEARCH[: SEARCH.index("stats =")] + told, folder)
    assert answer["action"] == 1
    assert any("No space left on device" in said and "NUMBA_CACHE_DIR" in said for said in answer["said"])
    assert not [*(folder / "cache").rglob("*.nbc")]


@pytest.mark.thorough
def test_no_folder_to_write_to_costs_the_cache_and_not_the_search(folder: Path) -> None:
    told = 'print(json.dumps({"action": result.action, "said": [str(m.message) for m in messages]}))'
    nowhere = """
import warnings
from numba.core.caching import FunctionCache

warnings.simplefilter("always")
caught = warnings.catch_warnings(record=True)
messages = caught.__enter__()
FunctionCache._impl_class._locator_classes = []
"""
    answer = run_python(nowhere + SEARCH[: SEARCH.index("stats =")] + told, folder)
    assert answer["action"] == 1
    assert [said for said in answer["said"] if "no folder can be written to" in said and "NUMBA_CACHE_DIR" in said]
