"""The pages of the documentation are complete; that they can be built is checked by `mkdocs build --strict`."""

import json
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import fastmcts
from fastmcts import experiments, testing
from tests.subprocesses import REPOSITORY

REFERENCE = "\n".join(page.read_text() for page in (REPOSITORY / "docs" / "reference").glob("*.md"))
DOCUMENTED = {path.rpartition(".")[2] for path in re.findall(r"^::: ([\w.]+)$", REFERENCE, re.MULTILINE)}
CONSTANTS_AND_MODULES = {"CHANCE", "TERMINAL", "games", "rng", "testing"}


@pytest.mark.parametrize(
    "names",
    [set(fastmcts.__all__) - CONSTANTS_AND_MODULES, set(experiments.__all__), set(testing.__all__)],
    ids=["fastmcts", "experiments", "testing"],
)
def test_the_reference_has_every_public_name(names: set[str]) -> None:
    assert sorted(names - DOCUMENTED) == []


def test_the_reference_has_every_game() -> None:
    games = {type(fastmcts.load_game(name)).__name__ for name in fastmcts.registered_games()}
    assert sorted(games - DOCUMENTED) == []


def test_every_example_is_shown() -> None:
    pages = (REPOSITORY / "docs" / "examples.md").read_text() + (REPOSITORY / "docs" / "your_own_game.md").read_text()
    names = {path.name for path in (REPOSITORY / "examples").glob("*.py")}
    names |= {f"{path.parent.name}/" for path in (REPOSITORY / "examples").glob("*/__main__.py")}
    assert sorted(name for name in names if f"examples/{name}" not in pages) == []


def test_scores_are_read_as_the_table_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    picture = import_module("strength_picture")
    page = """<!-- scores -->

| game | simulations | games | recommended (95%) | plain |
|---|---:|---:|---:|---:|
| `hex` | 2,000 | 60 | 100.0% (94.0% to 100.0%) | 0.0% |
| `Klondike(macro=True)` | 200 | 60 | 45.0% (33.1% to 57.5%) | 1.0% (0.0% to 6.0%) |
| `twenty48` | 200 | 60 | 950 (900 to 1000) | 900 |

<!-- end of scores -->"""
    assert list(picture.read_scores(page)) == [
        picture.Score("hex", 2_000, 100.0, 94.0, 100.0, 0.0),
        picture.Score("Klondike(macro=True)", 200, 45.0, 33.1, 57.5, 1.0),
    ]
    games = ["hex", "Klondike(draw=3, macro=False)", "Klondike(draw=3, macro=True)"]
    assert list(picture.titles(games).values()) == ["hex", "Klondike\nmacro=False", "Klondike\nmacro=True"]


def test_tables_of_matches_have_a_plan_that_their_page_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    script, pages = import_module("match_tables"), import_module("page_tables")
    for name, table in script.TABLES.items():
        page = table.page.read_text()
        assert f"experiments/{table.plan}.toml" in page, name
        assert pages.between(page, pages.markers(name))[1].strip().startswith("| "), name
    told = "".join(path.read_text() for path in (REPOSITORY / "docs").rglob("*.md"))
    plans = [path.name for path in (REPOSITORY / "experiments").glob("*.toml")]
    assert [name for name in plans if f"experiments/{name}" not in told] == []


def test_a_run_of_alphazero_becomes_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    script = import_module("alphazero_page")
    about = json.dumps({"settings": {"game": "connect_four"}})
    np.savez(tmp_path / "checkpoint.npz", about=np.array(about))
    points = [{"minutes": 0.0, "iteration": 0, "games": 0, "text": "7%"}]
    points.append({"minutes": 59.96, "iteration": 300, "games": 307200, "text": "80%"})
    (tmp_path / "curve.jsonl").write_text("".join(json.dumps(point) + "\n" for point in points))
    assert script.row(tmp_path) == ["`connect_four`", "60.0", "300", "307,200", "7%", "80%"]


@pytest.mark.parametrize(("number", "source"), [(0, "kernels/loop.py"), (1, "core/tree.py")])
def test_what_the_docs_draw_is_in_the_source(number: int, source: str) -> None:
    page = (REPOSITORY / "docs" / "how_it_works.md").read_text()
    drawn = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[number].splitlines()
    lines = {line.strip() for line in (REPOSITORY / "fastmcts" / source).read_text().splitlines()}
    assert len(drawn) >= 3
    assert [line for line in drawn if line.strip() not in lines] == []


def test_constants_are_explained() -> None:
    for name in ("CHANCE", "TERMINAL"):
        assert f"`fastmcts.{name}` ({getattr(fastmcts, name)})" in REFERENCE
