"""The arrows between the rooms of the house point one way."""

import ast
import sys
from pathlib import Path

import pytest

from tests.subprocesses import REPOSITORY, run_python

PACKAGE = REPOSITORY / "fastmcts"
STRATEGIES = {"selection", "expansion", "rollout", "solver", "method"}
BASE = {"arrays", "bits", "checks", "component", "constants", "errors", "game", "jit", "kernels.rng", "scratch", "tree"}

#: Folder or module -> what its modules may import from the package.
ALLOWED = {
    "kernels": {"arrays", "atomics", "checks", "constants", "errors", "jit", "tree", "scratch", "kernels"},
    "games": BASE | STRATEGIES | {"games", "state"},
    **{strategy: BASE | {"kernels.leaf", "kernels.moves"} for strategy in STRATEGIES},
    "method": BASE | {"kernels.children", "kernels.copy", "kernels.loop", "kernels.observers", "kernels.replies"},
}


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, without the package's name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("fastmcts."):
            names.add(node.module.removeprefix("fastmcts."))
        elif isinstance(node, ast.ImportFrom) and node.module == "fastmcts":
            names.update(alias.name for alias in node.names)
    return names


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_uses_only_what_stands_below_it(room: str) -> None:
    files = [*PACKAGE.glob(f"{room}.py"), *PACKAGE.glob(f"{room}/*.py")]
    assert files
    for path in files:
        for name in imports(path):
            allowed = any(name == other or name.startswith(f"{other}.") for other in ALLOWED[room])
            assert allowed, f"{path.relative_to(REPOSITORY)} must not import fastmcts.{name}"


#: Rooms at the top of the house -> who may use them.
USERS = {
    "experiments": ("experiments", "view", "cli"),
    "view": ("view", "cli"),
    "cli": ("cli", "__main__"),
}


@pytest.mark.parametrize("room", sorted(USERS))
def test_rooms_at_the_top_are_used_by_those_above_them_alone(room: str) -> None:
    for path in PACKAGE.rglob("*.py"):
        user = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        uses = any(name == room or name.startswith(f"{room}.") for name in imports(path))
        assert not uses or user in USERS[room], f"{path.relative_to(REPOSITORY)} must not import fastmcts.{room}"


def test_experiments_and_games_in_the_terminal_import_what_they_draw_with_when_they_draw(tmp_path: Path) -> None:
    code = "import json, sys, fastmcts.experiments, fastmcts.view.session, fastmcts.view.assistant"
    assert run_python(f"{code}; print(json.dumps([n for n in sys.modules if n in ('rich', 'typer')]))", tmp_path) == []


def test_importing_the_package_stays_light(tmp_path: Path) -> None:
    code = "import json, sys, numba; s = set(sys.modules); import fastmcts; print(json.dumps([*{*sys.modules} - s]))"
    modules = run_python(code, tmp_path)
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"numba", "numpy", "llvmlite"}
    assert foreign == {"fastmcts"}
    assert not any(name.startswith("fastmcts.games.") for name in modules), "games are loaded when asked for"


def test_every_module_says_what_it_is_for() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path
