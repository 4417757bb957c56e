"""A game, a selection rule, a rollout policy and a stopper are one file each, and nothing else knows of them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fastmcts
from fastmcts.testing import check_game
from tests.newcomer.boldness import Boldness
from tests.newcomer.countdown import Countdown
from tests.newcomer.first_to import FirstTo
from tests.newcomer.large_steps import LargeSteps
from tests.subprocesses import REPOSITORY

OWN = {"selection": Boldness(c=0.4), "rollout": LargeSteps(), "stop": FirstTo(300)}


def test_they_work_together_in_a_search() -> None:
    state = Countdown(number=10).new_initial_state()
    result = fastmcts.search(state, simulations=1_000_000, seed=0, **OWN)
    assert result.action == 0  # 9 is a multiple of three: the other is lost
    assert result.stopped_by == "first"
    assert result.visits.max() >= 300
    assert "Boldness(c=0.4)" in str(result.strategy)
    assert "LargeSteps()" in str(result.strategy)


def test_they_are_kept_saved_and_loaded(tmp_path: Path) -> None:
    mcts = fastmcts.MCTS(Countdown(number=10), simulations=1_000, seed=0, **OWN)
    state = mcts.game.new_initial_state()
    mcts.search(state)
    mcts.save(tmp_path / "search")
    loaded = fastmcts.MCTS.load(tmp_path / "search")
    assert loaded.game == Countdown(number=10)
    assert loaded.result().visits.tolist() == mcts.result().visits.tolist()


@pytest.mark.slow_to_compile
def test_the_game_passes_the_checks_for_authors() -> None:
    check_game(Countdown())


def test_nothing_but_this_test_knows_of_them() -> None:
    names = {"Countdown", "Boldness", "LargeSteps", "FirstTo"}
    own = {Path(__file__), *(Path(__file__).parent / "newcomer").glob("*.py")}
    others = [path for folder in ("fastmcts", "tests") for path in (REPOSITORY / folder).rglob("*.py")]
    assert [path for path in others if path not in own and any(name in path.read_text() for name in names)] == []


@pytest.mark.slow_to_compile
def test_types_are_checked_in_a_file_outside_of_the_package(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed")
    for path in (Path(__file__).parent / "newcomer").glob("*.py"):
        shutil.copy(path, tmp_path)
    wrong = "import fastmcts\n\nfastmcts.search(3, simulations='many')\n"
    (tmp_path / "wrong.py").write_text(wrong)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    good = [str(path) for path in tmp_path.glob("*.py") if path.name != "wrong.py"]
    right = subprocess.run([*command, *good], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert right.returncode == 0, right.stdout
    found = subprocess.run([*command, "wrong.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "simulations" in found.stdout
