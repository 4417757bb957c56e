import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fastmcts import games
from fastmcts.experiments import (
    Plan,
    RunError,
    StoreError,
    load_plan,
    load_results,
    play_match,
    report,
    run,
    status,
    summarise,
)
from fastmcts.experiments.live import RunProgress
from fastmcts.experiments.tally import Tally
from tests.helpers.failing_agents import FailingOnce
from tests.helpers.picking import HighestPick, Pick
from tests.helpers.stored import rows_of
from tests.subprocesses import REPOSITORY

AGENTS = {"dice": "random", "two": "mcts(simulations=2)", "four": "mcts(simulations=4)"}
PLAN = """
games = ["tic_tac_toe", "pig(target=12)"]
pairs = {pairs}
seed = 3
[agents]
dice = "random"
two = "mcts(simulations=2)"
four = "mcts(simulations=4)"
"""


def plan_of(pairs: int = 6, **changes: Any) -> Plan:
    return Plan(**{"games": [games.TicTacToe()], "agents": AGENTS, "pairs": pairs, "seed": 3, **changes})


def test_a_plan_is_played_once_and_what_is_new_later(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    result = run(plan_of(), path, executor="threads")
    assert (result.played, result.done, result.total, result.interrupted) == (36, 36, 36, False)
    before = rows_of(path)
    assert len({*before}) == 36
    assert run(plan_of(), path, executor="threads").played == 0
    assert run(plan_of(pairs=8), path, executor="threads").played == 12
    assert {*before} <= {*rows_of(path)}
    more = {**AGENTS, "eight": "mcts(simulations=8)"}
    assert run(plan_of(pairs=8, agents=more), path, executor="threads").played == 3 * 16


def test_the_rows_are_the_same_whoever_plays(tmp_path: Path) -> None:
    for name, options in {
        "one": {"executor": "threads", "workers": 1},
        "threads": {"executor": "threads", "workers": 3},
        "processes": {"workers": 2},
    }.items():
        run(plan_of(), tmp_path / name, **options)
    with ThreadPoolExecutor(2) as executor:
        run(plan_of(), tmp_path / "own", executor=executor)
    expected = rows_of(tmp_path / "one")
    assert len(expected) == 36
    assert rows_of(tmp_path / "threads") == expected
    assert rows_of(tmp_path / "processes") == expected
    assert rows_of(tmp_path / "own") == expected


def test_a_match_of_a_plan_is_the_match_that_play_match_plays(tmp_path: Path) -> None:
    run(plan_of(pairs=5), tmp_path / "r", executor="threads")
    summary = summarise(tmp_path / "r")[0]
    match = play_match(games.TicTacToe(), "random", "mcts(simulations=2)", games=10, seed=3)
    assert (summary.score, summary.draws, summary.length) == (match.mean, match.draws, match.length)
    assert (summary.low, summary.high) == pytest.approx(match.interval)
    assert summary.second_simulations == match.simulations_per_move[1]


@pytest.mark.parametrize("how", ["die", "hang"])
def test_a_worker_that_dies_or_hangs_is_survived(tmp_path: Path, how: str) -> None:
    agents = {"failing": FailingOnce(str(tmp_path / "marker"), how), "dice": "random"}
    timeout = 3.0 if how == "hang" else None
    result = run(plan_of(pairs=8, agents=agents), tmp_path / "r", workers=1, timeout=timeout)
    assert (tmp_path / "marker").exists()
    assert result.done == 16
    calm = {"failing": FailingOnce(str(tmp_path / "marker"), "not any more"), "dice": "random"}
    run(plan_of(pairs=8, agents=calm), tmp_path / "calm", executor="threads")
    assert rows_of(tmp_path / "calm") == rows_of(tmp_path / "r")


def test_a_task_that_ends_every_worker_ends_the_run_and_what_was_stored_stays(tmp_path: Path) -> None:
    run(plan_of(), tmp_path / "r", executor="threads")
    agents = {**AGENTS, "failing": FailingOnce(str(tmp_path / "marker"), "die", times=99)}
    with pytest.raises(RunError, match="3 workers were lost"):
        run(plan_of(agents=agents), tmp_path / "r", workers=1)
    assert len(rows_of(tmp_path / "r")) >= 36


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_an_error_of_an_agent_is_told_with_its_match(tmp_path: Path, executor: str) -> None:
    agents = {"failing": FailingOnce(str(tmp_path / "marker"), "raise"), "dice": "random"}
    with pytest.raises(RunError, match=r"TicTacToe\(\): failing against dice: ValueError: I give up"):
        run(plan_of(agents=agents), tmp_path / "r", executor=executor, workers=1)
    assert run(plan_of(agents=agents), tmp_path / "r", executor="threads").done == 12


def test_ctrl_c_stops_and_keeps_what_is_over(tmp_path: Path) -> None:
    def stop(progress: RunProgress) -> None:
        if progress.done > 10:
            raise KeyboardInterrupt

    result = run(plan_of(), tmp_path / "r", executor="threads", workers=1, progress=stop)
    assert result.interrupted
    assert 10 < result.done < 36
    assert len(rows_of(tmp_path / "r")) == result.done
    assert "the same command goes on" in str(result)
    again = run(plan_of(), tmp_path / "r", executor="threads")
    assert (again.played, again.done) == (36 - result.done, 36)
    run(plan_of(), tmp_path / "undisturbed", executor="threads")
    assert rows_of(tmp_path / "r") == rows_of(tmp_path / "undisturbed")


def test_progress_is_told() -> None:
    cells = plan_of().cells
    progress = RunProgress(cells, [Tally("games") for _ in cells], played=0)
    assert str(progress).startswith("0 of 36 games")
    assert progress.seconds_left is None


def test_games_of_other_code_are_not_mixed_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    run(plan_of(), path, executor="threads")
    monkeypatch.setattr("fastmcts.experiments.running.code_of", lambda pairing: "other")
    with pytest.raises(StoreError, match=r"12 games of .* that other code has played"):
        run(plan_of(), path, executor="threads")
    assert run(plan_of(), path, executor="threads", other_code="keep").played == 0
    assert "code" not in report(path)
    assert run(plan_of(), path, executor="threads", other_code="again").played == 36
    assert len(summarise(path)) == 6
    assert "other" in report(path)


def test_a_table_for_everybody(tmp_path: Path) -> None:
    path = tmp_path / "r"
    run(
        plan_of(games=[HighestPick(2)], agents={"low": Pick(0), "high": Pick(2)}, opening_moves=0),
        path,
        executor="threads",
    )
    assert "HighestPick(num_players=2, deals=1)" in report(path)
    assert "0.0% (0.0% to 24.3%)" in report(path)
    assert report(path, "markdown").splitlines()[1].startswith("|---|---|---|---|---:|")
    latex = report(path, "latex")
    assert r"num\_players=2" in latex
    assert r"\toprule" in latex
    assert report(path, "csv").splitlines()[0].startswith("game,budget,first,second,games,score,low,high")
    assert '"score": 0.0' in report(path, "json")
    with pytest.raises(ValueError, match="style must be one of text, csv"):
        report(path, "html")


def test_ratings_stand_in_the_json(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    agents = {"low": Pick(0), "high": Pick(2), "middle": Pick(1)}
    run(plan_of(games=[HighestPick(2)], agents=agents, opening_moves=0), tmp_path / "r", executor="threads")
    ratings = json.loads(report(tmp_path / "r", "json"))["ratings"]
    assert [entry["agent"] for entry in ratings] == ["high", "middle", "low"]


def test_every_game_is_a_row_for_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    agents = {"uct": "mcts(simulations=3, selection=UCT(c={c}))", "dice": "random"}
    run(plan_of(agents=agents, grid={"c": [0.5, 1.0]}, against="dice"), tmp_path / "r", executor="threads")
    frame: Any = load_results(tmp_path / "r")
    assert len(frame) == 24
    assert sorted(frame["c"].unique()) == [0.5, 1.0]
    means = frame.groupby("first_name")["points"].mean()
    scores = {summary.first: summary.score for summary in summarise(tmp_path / "r")}
    assert means.to_dict() == pytest.approx(scores)


def test_status_counts_what_is_stored(tmp_path: Path) -> None:
    run(plan_of(pairs=2), tmp_path / "r", executor="threads")
    text = status(plan_of(pairs=6), tmp_path / "r")
    assert "4 of 12" in text
    assert text.endswith("12 of 36 games are stored")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "clouds"}, "executor must be 'processes', 'threads' or an Executor"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"other_code": "mix"}, "other_code must be one of refuse, again, keep"),
        ({"dask": "tcp://x:1", "executor": "threads"}, "leave one out"),
        ({"progress": 3}, "progress must be True"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        run(plan_of(), tmp_path / "r", **options)


def killed_run(folder: Path, plan: Path, seconds: float) -> bool:
    """Start a run in a process of its own and kill it; whether it was over before."""
    command = [sys.executable, "-m", "fastmcts", "experiment", "run", str(plan), "--out", str(folder / "killed.sqlite")]
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(
        [*command, "--workers", "2"], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return False
    assert process.returncode == 0
    return True


def survive(folder: Path, pairs: int, kills: int) -> None:
    """Kill a run several times at random moments, let it end, and compare with one that nobody has disturbed."""
    plan = folder / "plan.toml"
    plan.write_text(PLAN.format(pairs=pairs))
    draw = random.Random(0)
    was_killed = 0
    while was_killed < kills and not killed_run(folder, plan, draw.uniform(0.8, 3.0)):
        was_killed += 1
    assert was_killed == kills
    deadline = time.monotonic() + 300
    while not killed_run(folder, plan, 200.0):
        assert time.monotonic() < deadline
    run(load_plan(plan), folder / "whole.sqlite", executor="threads")
    rows = rows_of(folder / "killed.sqlite")
    assert len(rows) == 2 * 3 * 2 * pairs
    assert [row[:5] + row[6:] for row in rows] == [row[:5] + row[6:] for row in rows_of(folder / "whole.sqlite")]


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on Unix")
@pytest.mark.slow_to_compile
def test_a_run_that_is_killed_twice_ends_with_the_same_rows(tmp_path: Path) -> None:
    survive(tmp_path, pairs=20, kills=2)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on Unix")
@pytest.mark.thorough
def test_a_run_that_is_killed_ten_times_ends_with_the_same_rows(tmp_path: Path) -> None:
    survive(tmp_path, pairs=100, kills=10)
