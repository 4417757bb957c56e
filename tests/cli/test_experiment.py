import json
import re
import shlex
from pathlib import Path

import pytest

from fastmcts.experiments import Span, load_tuning
from tests.helpers.terminal import Terminal, invoke, terminals
from tests.subprocesses import REPOSITORY

PLAN = """
games = ["tic_tac_toe"]
pairs = 3
[agents]
dice = "random"
few = "mcts(simulations=3)"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_a_plan_is_run_counted_and_reported(plan: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "results.sqlite")
    code, output = invoke("experiment", "run", str(plan), "--out", store, "--threads")
    assert code == 0
    assert "6 of 6 games, 6 of them played now" in output
    assert "6 of 6 games, 0 of them played now" in invoke("experiment", "run", str(plan), "--out", store)[1]
    code, output = invoke("experiment", "status", str(plan), "--out", store)
    assert code == 0
    assert "6 of 6 games are stored" in output
    code, output = invoke("experiment", "report", store)
    assert code == 0
    assert output.splitlines()[1].startswith("TicTacToe()")
    assert json.loads(invoke("experiment", "report", store, "--json")[1])["scores"][0]["games"] == 6
    assert invoke("experiment", "report", store, "--markdown")[1].startswith("| game |")
    assert invoke("experiment", "report", store, "--latex")[1].startswith("\\begin{tabular}")
    assert invoke("experiment", "report", store, "--csv")[1].startswith("game,")


def test_a_plan_with_a_mistake_plays_nothing(plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN.replace("pairs", "pears"))
    code, output = invoke("experiment", "run", str(plan), "--out", str(tmp_path / "results.sqlite"))
    assert code == 2
    assert "plan.toml, line 3: a plan has no key 'pears'; did you mean pairs?" in output
    assert not (tmp_path / "results.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "none.sqlite"), "there is no file none.sqlite"),
        (("report", "none.sqlite", "--csv", "--json"), "--csv and --json are two formats"),
        (("status", "none.toml", "--out", "none.sqlite"), "there is no plan none.toml"),
        (("run", "none.toml", "--out", "none.sqlite"), "there is no plan none.toml"),
    ],
)
def test_what_is_not_there_is_named(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke("experiment", *arguments)
    assert code in (1, 2)
    assert message in output
    assert "Traceback" not in output


def test_a_file_that_is_no_store_is_left_alone(plan: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes " * 50)
    code, output = invoke("experiment", "run", str(plan), "--out", str(notes))
    assert code == 1
    assert "it is no store of experiments" in output
    assert notes.read_text() == "my notes " * 50


@terminals
def test_a_live_table_is_shown_and_ctrl_c_loses_nothing(plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN.replace("pairs = 3", "pairs = 20000"))
    store = tmp_path / "results.sqlite"
    terminal = Terminal("experiment", "run", str(plan), "--out", str(store), "--workers", "1")
    terminal.wait_for("games/s")
    terminal.wait_for("left")
    terminal.type("\x03")
    assert terminal.finish() == 130
    assert "interrupted, the same command goes on" in terminal.shown
    code, output = invoke("experiment", "report", str(store))
    assert code == 0
    assert "few" in output


@pytest.mark.slow_to_compile
def test_the_commands_of_the_docs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    page = (REPOSITORY / "docs" / "experiments.md").read_text()
    plan = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    assert "pairs = 10 " in plan
    (tmp_path / "plan.toml").write_text(plan.replace("pairs = 10 ", "pairs = 2 "))
    monkeypatch.chdir(tmp_path)
    lines = [line for line in page.splitlines() if line.startswith("fastmcts experiment")]
    assert len(lines) == 4
    for line in lines:
        code, output = invoke(*shlex.split(line)[1:])
        assert code == 0, output
    assert (tmp_path / "results.svg").exists()


def test_the_plan_to_be_tuned_in_the_docs_is_one(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "experiments.md").read_text()
    plans = [text for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[tune]" in text]
    (tmp_path / "plan.toml").write_text(plans[0])
    assert load_tuning(tmp_path / "plan.toml").parameters == {"c": Span(0.1, 2.0, log=True)}
