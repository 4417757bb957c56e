"""The fingerprint follows what kernels import: an edit of any of it is a miss, an edit of anything else is not."""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastmcts.compiler import fingerprint
from tests.subprocesses import REPOSITORY


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package, which is hashed in its place."""
    ignored = shutil.ignore_patterns("__pycache__")
    monkeypatch.setattr(
        fingerprint, "PACKAGE", shutil.copytree(REPOSITORY / "fastmcts", tmp_path / "fastmcts", ignore=ignored)
    )
    yield tmp_path / "fastmcts"
    forget()


def forget() -> None:
    fingerprint.framework_sources.cache_clear()
    fingerprint.framework_digest.cache_clear()


def digest() -> bytes:
    """The hash of the package as it is now."""
    forget()
    return fingerprint.framework_digest()


def append(path: Path, line: str) -> None:
    path.write_text(f"{path.read_text()}{line}\n")


def name_of(path: Path, package: Path) -> str:
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def run_when_imported(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, but for those that only type checkers read."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        yield statement
        for block in ("body", "orelse", "finalbody"):
            yield from run_when_imported(getattr(statement, block, []))


def imported_modules(path: Path) -> Iterator[str]:
    """All that a file imports as it is imported: modules, and names in them."""
    for statement in run_when_imported(ast.parse(path.read_text()).body):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            assert statement.module
            yield statement.module
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def test_what_is_hashed_is_all_that_kernels_import() -> None:
    files = {name_of(path, REPOSITORY / "fastmcts"): path for path in (REPOSITORY / "fastmcts").rglob("*.py")}
    reached = {name for name in files if name.startswith(("fastmcts.kernels", "fastmcts.game.", "fastmcts.bits"))}
    reached.add("fastmcts.game")
    waiting = set(reached)
    while waiting:
        name = waiting.pop()
        more = {*imported_modules(files[name]), name.rpartition(".")[0]} & files.keys() - reached - {"fastmcts"}
        reached |= more
        waiting |= more
    assert set(fingerprint.framework_sources()) == reached
    assert {"fastmcts.kernels.shrink.compact", "fastmcts.core.constants", "fastmcts.rng"} <= reached


def test_an_edit_of_anything_that_kernels_reach_is_seen_and_of_nothing_else(copy: Path) -> None:
    before = digest()
    hashed = set(fingerprint.framework_sources())
    paths = sorted(copy.rglob("*.py"))
    assert len(paths) > 100
    for path in paths:
        source = path.read_text()
        append(path, "# edited")
        assert (digest() != before) == (name_of(path, copy) in hashed), path
        path.write_text(source)
    assert digest() == before


def test_a_kernel_in_a_new_folder_and_what_it_imports_from_elsewhere_are_seen(copy: Path) -> None:
    seen = [digest()]
    (copy / "kernels/shrink/deeper").mkdir()
    (copy / "kernels/shrink/deeper/more.py").write_text("from fastmcts.view import (\n    palette as colours,\n)\n")
    seen.append(digest())
    (copy / "view/palette.py").write_text("import fastmcts.view.shades\n")
    seen.append(digest())
    (copy / "view/shades.py").write_text("DARK = 1\n")
    seen.append(digest())
    append(copy / "view/shades.py", "LIGHT = 2")
    seen.append(digest())
    assert len(set(seen)) == len(seen)
    append(copy / "view/seen.py", "DARK = 1")
    assert digest() == seen[-1]


def test_what_is_imported_in_a_function_or_for_type_checkers_is_no_part_of_a_kernel(copy: Path) -> None:
    append(copy / "kernels/copy.py", "def later():\n    from fastmcts.view import screen")
    before = digest()
    append(copy / "view/screen.py", "# edited")
    assert digest() == before


def test_a_file_that_the_framework_holds_is_covered_and_helpers_of_rules_are_not() -> None:
    from fastmcts.core.tree import Tree
    from fastmcts.core.validate import whole_number
    from fastmcts.games.tic_tac_toe import TicTacToe
    from fastmcts.kernels.shrink.compact import move
    from fastmcts.rng import below
    from fastmcts.strategies.selection import UCT

    assert all(map(fingerprint.is_covered, (Tree, move, below)))
    assert not any(map(fingerprint.is_covered, (whole_number, TicTacToe, UCT)))
