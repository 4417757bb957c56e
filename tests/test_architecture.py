"""The arrows between the rooms of the house point one way."""

import ast
import sys
from pathlib import Path

import pytest

import fastmcts
from fastmcts.strategies import expansion, methods, rollout, selection, stoppers
from tests.subprocesses import REPOSITORY, run_python

PACKAGE = REPOSITORY / "fastmcts"

#: What a component is made of, from the ground up; rooms are folders, and modules at the top.
GROUND = ("errors", "compiler", "core", "rng", "bits")
SEARCHES = (
    *GROUND,
    "kernels",
    "game",
    "strategies",
    "games",
    "evaluators",
    "options",
    "result",
    "engine",
    "search",
    "mcts",
    "batch",
    "playing",
    "self_play",
    "shards",
    "warmup",
)

#: Room -> what it may import besides itself: rooms, or single modules of them. Each stands below those that use it.
ROOMS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "compiler": ("errors",),
    "core": ("errors", "compiler.bundle", "compiler.lanes"),
    "rng": ("compiler.jit", "core"),
    "bits": ("compiler.vectors",),
    # They call components by name and import none.
    "kernels": (
        "errors",
        "compiler.atomics",
        "compiler.bundle",
        "compiler.guess",
        "compiler.jit",
        "compiler.lanes",
        "compiler.prefetch",
        "core",
        "rng",
    ),
    "game": (*GROUND, "kernels.chance", "kernels.moves", "kernels.observation"),
    "strategies": (*GROUND, "kernels", "game"),
    "games": (*GROUND, "game", "strategies"),
    "evaluators": (*GROUND, "kernels", "game", "strategies"),
    "options": (*GROUND, "strategies", "evaluators"),
    "result": (*GROUND, "kernels.rewards", "game", "strategies"),
    "engine": (*GROUND, "kernels", "game", "strategies", "games.__init__", "evaluators", "options", "result"),
    "search": ("game", "options", "result", "engine"),
    "mcts": ("game", "options", "result", "engine"),
    "batch": (*GROUND, "kernels.rewards", "game", "strategies", "options", "result", "engine"),
    "playing": (*GROUND, "kernels.chance", "game", "engine", "batch"),
    # It searches, and evaluators are below all that searches.
    "self_play": (
        *GROUND,
        "kernels.observation",
        "game",
        "evaluators",
        "options",
        "result",
        "engine",
        "batch",
        "playing",
    ),
    "shards": ("core", "errors", "game", "evaluators", "options", "engine", "playing", "self_play"),
    "warmup": ("compiler.notice", "game", "options", "engine", "mcts"),
    "__init__": SEARCHES,
    "testing": (*SEARCHES, "__init__"),
    "experiments": (*SEARCHES, "__init__"),
    "view": (*SEARCHES, "__init__", "experiments"),
    "cli": (*SEARCHES, "__init__", "experiments", "testing", "view"),
    "__main__": ("cli",),
}

#: A game makes its states, and a state asks its game: they are one room.
SAME_ROOM = {"state": "game"}


def module_of(path: Path) -> str:
    """The name of a file's module, without the package's; a folder is its `__init__`."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(module: str) -> str:
    """The room in which a module stands."""
    first = module.partition(".")[0]
    return SAME_ROOM.get(first, first)


def found(name: str) -> str | None:
    """The module that a name stands for, such as `fastmcts.core.tree`; None if it is none of the package."""
    place = name.removeprefix("fastmcts").removeprefix(".")
    candidates = (place, f"{place}.__init__".removeprefix("."))
    return next((module for module in candidates if module in MODULES), None)


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports: at its top, in functions, or for type checkers alone."""
    names: set[str | None] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(found(alias.name) for alias in node.names if alias.name.split(".")[0] == "fastmcts")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports from a relative place"
            if node.module and node.module.split(".")[0] == "fastmcts":
                names.update(found(f"{node.module}.{alias.name}") or found(node.module) for alias in node.names)
    assert None not in names, f"{path} imports a module that is not there"
    return {name for name in names if name is not None}


def may_use(room: str, module: str) -> bool:
    """Whether files of a room may import a module."""
    return room_of(module) == room or any(
        allowed in (module, room_of(module)) or module.startswith(f"{allowed}.") for allowed in ROOMS[room]
    )


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_uses_only_what_it_may(room: str) -> None:
    inside = [module for module in MODULES if room_of(module) == room]
    assert inside
    for module in inside:
        for other in imports(MODULES[module]):
            assert may_use(room, other), f"fastmcts.{module} must not import fastmcts.{other}"


def test_every_module_stands_in_a_room() -> None:
    assert {room_of(module) for module in MODULES} == set(ROOMS)


def test_a_room_may_use_nothing_that_stands_above_it() -> None:
    above = list(ROOMS)
    for index, room in enumerate(ROOMS):
        assert not {room_of(allowed) for allowed in ROOMS[room]} & set(above[index:]), room


def test_imports_are_seen_wherever_they_stand(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text(
        "import numpy, fastmcts.rng\n"
        "from typing import TYPE_CHECKING\n"
        "from fastmcts.core import constants as numbers, tree\n"
        "from fastmcts import MCTS, games\n"
        "if TYPE_CHECKING:\n    from fastmcts.state import State\n"
        "def later():\n    from fastmcts.engine.archive.saving import load\n"
    )
    expected = {"rng", "core.constants", "core.tree", "__init__", "games.__init__", "state", "engine.archive.saving"}
    assert imports(tmp_path / "file.py") == expected
    assert not may_use("kernels", "compiler.component")
    assert not may_use("kernels", "games.hex")
    assert not may_use("engine", "games.hex")
    assert may_use("engine", "games.__init__")


def test_experiments_and_games_in_the_terminal_import_what_they_draw_with_when_they_draw(tmp_path: Path) -> None:
    code = "import json, sys, fastmcts.experiments, fastmcts.view.session, fastmcts.view.assistant"
    assert run_python(f"{code}; print(json.dumps([n for n in sys.modules if n in ('rich', 'typer')]))", tmp_path) == []


def test_importing_the_package_stays_light(tmp_path: Path) -> None:
    code = "import json, sys, numba; s = set(sys.modules); import fastmcts; print(json.dumps([*{*sys.modules} - s]))"
    modules = run_python(code, tmp_path)
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"numba", "numpy", "llvmlite"}
    assert foreign == {"fastmcts"}
    rooms = {name.split(".")[1] for name in modules if name.startswith("fastmcts.")}
    assert rooms.isdisjoint({"cli", "experiments", "testing", "view"})
    assert not any(name.startswith("fastmcts.games.") for name in modules), "games are loaded when asked for"
    assert not any(name.startswith("fastmcts.engine.archive") for name in modules), "files are for those who save"


def test_games_and_testing_are_there_after_importing_the_package(tmp_path: Path) -> None:
    code = "import json, fastmcts; print(json.dumps([fastmcts.games.Pig().name, fastmcts.testing.check_game.__name__]))"
    assert run_python(code, tmp_path) == ["pig", "check_game"]
    with pytest.raises(AttributeError, match="module 'fastmcts' has no attribute 'tests'"):
        _ = fastmcts.tests


def test_every_module_says_what_it_is_for() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path


@pytest.mark.parametrize("folder", ["compiler", "core", "engine", "engine/archive", "kernels/shrink", "strategies"])
def test_a_folder_says_in_one_sentence_what_belongs_there(folder: str) -> None:
    text = ast.get_docstring(ast.parse((PACKAGE / folder / "__init__.py").read_text())) or ""
    assert text.count(".") == 1
    assert text.endswith(".")


def test_the_public_names_are_all_there_and_nothing_else_is_shown() -> None:
    assert dir(fastmcts) == sorted([*fastmcts.__all__, "testing", "__version__"])
    assert len(set(fastmcts.__all__)) == len(fastmcts.__all__)
    for name in fastmcts.__all__:
        assert hasattr(fastmcts, name)
    for family in (selection, expansion, rollout, methods, stoppers):
        assert set(family.__all__) <= set(fastmcts.__all__)


def test_no_test_borrows_from_a_file_of_tests() -> None:
    files = sorted((REPOSITORY / "tests").rglob("*.py"))
    borrowed = [
        f"{path.relative_to(REPOSITORY)}: {line.strip()}"
        for path in files
        for line in path.read_text().splitlines()
        if line.lstrip().startswith(("from tests", "import tests"))
        and any(word.startswith("test_") and word != path.stem for word in line.split()[1].split("."))
    ]
    assert len(files) > 50
    assert borrowed == [], "what several files use belongs in tests/helpers"
