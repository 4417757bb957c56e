import dataclasses
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fastmcts import TERMINAL, Game, games
from fastmcts.experiments import (
    GameRecord,
    Plan,
    PlanError,
    RunError,
    Store,
    StoreError,
    load_plan,
    load_results,
    play_deals,
    play_match,
    report,
    run,
    status,
    summarise,
)
from fastmcts.experiments.intervals import wilson
from fastmcts.experiments.live import RunProgress
from fastmcts.experiments.running import Handed, Run
from fastmcts.experiments.tally import Tally
from fastmcts.experiments.worker_pools import ThreadWorkerPool
from fastmcts.rng import below
from tests.helpers.failing_agents import Failing
from tests.helpers.picking import HighestPick, Pick
from tests.helpers.stored import rows_of
from tests.subprocesses import REPOSITORY


@dataclass(frozen=True)
class OverAtTimes(Game):
    """One move, but for one deal of `chance` in which there is none. State: [whether it is over, what was won]."""

    chance: int = 3
    num_players = 1
    num_actions = 2
    state_size = 2
    min_utility = 0.0

    def initial(self, state: Any, rng: Any) -> None:
        state[0] = below(rng, self.chance) == 0
        state[1] = 0

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] else 0

    def legal_actions(self, state: Any, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply(self, state: Any, action: int) -> None:
        state[0], state[1] = 1, action

    def returns(self, state: Any, out: Any) -> None:
        out[0] = state[1]


AGENTS = {"dice": "random", "two": "mcts(simulations=2)", "four": "mcts(simulations=4)"}
PLAN = """
games = ["tic_tac_toe", "mnk(m=4, n=4, k=3)"]
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


def test_two_runs_at_a_time_on_one_file_end_with_the_rows_of_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as both:
        runs = [both.submit(run, plan_of(), tmp_path / "shared", executor="threads", workers=1) for _ in range(2)]
    assert [one.result().total for one in runs] == [36, 36]
    run(plan_of(), tmp_path / "alone", executor="threads", workers=1)
    assert rows_of(tmp_path / "shared") == rows_of(tmp_path / "alone")


def test_a_match_of_a_plan_is_the_match_that_play_match_plays(tmp_path: Path) -> None:
    run(plan_of(pairs=5), tmp_path / "r", executor="threads")
    summary = summarise(tmp_path / "r")[0]
    match = play_match(games.TicTacToe(), "random", "mcts(simulations=2)", games=10, seed=3)
    assert (summary.score, summary.draws, summary.length) == (match.mean, match.draws, match.length)
    assert (summary.low, summary.high) == pytest.approx(match.interval)
    assert summary.second_simulations == match.simulations_per_move[1]


@pytest.mark.slow_to_compile
def test_deals_of_one_are_those_that_play_deals_plays(tmp_path: Path) -> None:
    game = games.Twenty48(max_tile=16)
    plan = Plan([game], {"dice": "random", "few": "mcts(simulations=4)"}, deals=5, seed=3)
    assert run(plan, tmp_path / "r", executor="threads", workers=2).done == 10
    for summary, cell in zip(summarise(tmp_path / "r"), plan.cells, strict=True):
        alone = play_deals(game, cell.pairing.first, deals=5, seed=3)
        assert (summary.counts, summary.second, summary.games) == ("alone", "", 5)
        assert summary.margin == pytest.approx(alone.mean)
        assert summary.score == pytest.approx(alone.mean / game.max_utility)
        assert summary.low < summary.score < summary.high
    assert "(alone)" in report(tmp_path / "r")
    assert "few" in status(plan, tmp_path / "r")


@pytest.mark.slow_to_compile
def test_a_deal_that_is_over_at_once_counts(tmp_path: Path) -> None:
    game = OverAtTimes()
    plan = Plan([game], {"dice": "random"}, deals=12)
    assert run(plan, tmp_path / "r", executor="threads", workers=1).done == 12
    lengths = [row[12] for row in rows_of(tmp_path / "r")]
    assert {*lengths} == {0, 1}
    against = Plan([game], {"dice": "random", "one": "mcts(simulations=1)"}, pairs=12)
    assert run(against, tmp_path / "s", executor="threads", workers=1).done == 24
    with pytest.raises(PlanError, match="is over as soon as it is dealt"):
        Plan([OverAtTimes(chance=1)], {"dice": "random"}, deals=3)


def test_the_share_of_deals_won_has_wilsons_interval() -> None:
    tally = Tally("alone", (0.0, 1.0))
    record = GameRecord(0, 0, 0, 0, (), (1.0,), 1, (1, 0), (0, 0), (0.0, 0.0))
    tally.add([record, record, dataclasses.replace(record, returns=(0.0,))])
    assert tally.interval == wilson(2 / 3, 3)
    tally.add([dataclasses.replace(record, returns=(0.25,))])
    assert tally.mean == pytest.approx(2.25 / 4)


def test_a_plan_tells_its_own_matches_of_a_store_with_more(tmp_path: Path) -> None:
    run(plan_of(pairs=4), tmp_path / "r", executor="threads")
    names = {"nobody": "random", "some": "mcts(simulations=4)"}
    small = plan_of(pairs=2, agents=names)
    told = summarise(tmp_path / "r", small)
    assert [(one.first, one.second, one.games) for one in told] == [("nobody", "some", 4)]
    assert len(summarise(tmp_path / "r")) == 3
    assert "nobody" in report(tmp_path / "r", plan=small)
    assert summarise(tmp_path / "r", plan_of(seed=99)) == []


def test_a_plan_tells_games_of_the_code_as_it_is_or_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastmcts.experiments.running.code_of", lambda pairing: "other code")
    run(plan_of(pairs=2), tmp_path / "r", executor="threads")
    assert "other code" in report(tmp_path / "r", plan=plan_of())
    monkeypatch.undo()
    run(plan_of(pairs=3), tmp_path / "r", executor="threads", other_code="again")
    assert [one.games for one in summarise(tmp_path / "r", plan_of())] == [6, 6, 6]
    assert "other code" not in report(tmp_path / "r", plan=plan_of())
    assert "other code" in report(tmp_path / "r")


@pytest.mark.parametrize("how", ["die", "hang"])
def test_a_worker_that_dies_or_hangs_is_survived(tmp_path: Path, how: str) -> None:
    failing = Failing(str(tmp_path / "counter"), how, after=25)  # in the second task, when the worker is known to work
    timeout = 5.0 if how == "hang" else None
    result = run(
        plan_of(pairs=10, agents={"failing": failing, "dice": "random"}), tmp_path / "r", workers=1, timeout=timeout
    )
    assert (tmp_path / "counter").stat().st_size > 26
    assert result.done == 20
    calm = Failing(str(tmp_path / "other"), how, times=0)
    run(plan_of(pairs=10, agents={"failing": calm, "dice": "random"}), tmp_path / "calm", executor="threads")
    assert rows_of(tmp_path / "calm") == rows_of(tmp_path / "r")


def test_a_worker_is_not_given_up_for_the_time_in_which_the_run_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, given_up = [100.0], []

    class Pool(ThreadWorkerPool):
        def give_up(self, future: Any) -> bool:
            given_up.append(now[0])
            return False

    plan, pool = plan_of(), Pool(1)
    with Store(tmp_path / "r") as store:
        matches = [store.add_match(cell.pairing) for cell in plan.cells]
        going = Run(store, plan.cells, matches, store.start_run({}), timeout=1.0)
        going.is_warm = True
        going.handed[Future()] = Handed(going.rows[0].next_task(1), 1)
        monkeypatch.setattr("fastmcts.experiments.running.time.monotonic", lambda: now[0])
        for seconds in (100.0, 100.5, 500.0, 500.5, 501.2):
            now[0] = seconds
            going.look_after(pool)
    pool.close()
    assert given_up == [501.2]


def test_a_task_that_ends_every_worker_ends_the_run_and_what_was_stored_stays(tmp_path: Path) -> None:
    run(plan_of(), tmp_path / "r", executor="threads")
    agents = {**AGENTS, "failing": Failing(str(tmp_path / "counter"), "die", times=99)}
    with pytest.raises(RunError, match="3 workers were lost"):
        run(plan_of(agents=agents), tmp_path / "r", workers=1)
    assert len(rows_of(tmp_path / "r")) >= 36


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_an_error_of_an_agent_is_told_with_its_match(tmp_path: Path, executor: str) -> None:
    agents = {"failing": Failing(str(tmp_path / "counter"), "raise"), "dice": "random"}
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
    assert "HighestPick(num_players=2, num_deals=1)" in report(path)
    assert "0.0% (0.0% to 24.3%)" in report(path)
    assert report(path, "markdown").splitlines()[1].startswith("|---|---|---|---|---:|")
    latex = report(path, "latex")
    assert r"num\_players=2" in latex
    assert r"\toprule" in latex
    assert report(path, "csv").splitlines()[0].startswith("game,budget,first,second,games,score,low,high")
    assert '"score": 0.0' in report(path, "json")
    with pytest.raises(ValueError, match="style must be one of text, csv"):
        report(path, "html")


def test_one_pair_has_no_error_in_the_json(tmp_path: Path) -> None:
    run(plan_of(pairs=1), tmp_path / "r", executor="threads")
    assert "NaN" not in report(tmp_path / "r", "json")


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


def stored_rows(path: Path) -> int:
    """How many games a store has, while somebody else writes to it."""
    if not path.exists():
        return 0
    try:
        with Store(path, is_read_only=True) as store:
            return store.value("SELECT count(*) FROM games")
    except (StoreError, sqlite3.Error):  # it is being made
        return 0


def start_run(folder: Path, plan: Path, jit: bool) -> "subprocess.Popen[bytes]":
    """Start a run in a process of its own."""
    command = ("-m", "fastmcts", "experiment", "run", str(plan), "--out", str(folder / "killed.sqlite"))
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "0" if jit else "1", "PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen(
        [sys.executable, *command, "--workers", "2"],
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def survive(folder: Path, pairs: int, kills: int, jit: bool = False) -> None:
    """Kill a run at random moments, let it end, and compare with one that nobody has disturbed."""
    plan = folder / "plan.toml"
    text = PLAN.format(pairs=pairs)
    # Compiled, so few simulations would be over before anybody could kill them.
    plan.write_text(text.replace("=2)", "=4000)").replace("=4)", "=8000)") if jit else text)
    total = 2 * 3 * 2 * pairs
    draw = random.Random(0)
    for rows in sorted(draw.randrange(total * 2 // 3) for _ in range(kills)):
        process = start_run(folder, plan, jit)
        try:
            while stored_rows(folder / "killed.sqlite") <= rows:
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(draw.uniform(0.0, 0.1))
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL
    assert stored_rows(folder / "killed.sqlite") < total
    assert start_run(folder, plan, jit).wait() == 0
    run(load_plan(plan), folder / "whole.sqlite", executor="threads")
    rows = rows_of(folder / "killed.sqlite")
    assert len(rows) == total
    assert without_code(rows) == without_code(rows_of(folder / "whole.sqlite"))


def without_code(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows without the fingerprint, which is another one with the JIT off."""
    return [row[:5] + row[6:] for row in rows]


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on Unix")
@pytest.mark.slow_to_compile
def test_a_run_that_is_killed_twice_ends_with_the_same_rows(tmp_path: Path) -> None:
    survive(tmp_path, pairs=20, kills=2)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on Unix")
@pytest.mark.thorough
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.jit)], ids=["plain", "compiled"])
def test_a_run_that_is_killed_ten_times_ends_with_the_same_rows(tmp_path: Path, jit: bool) -> None:
    survive(tmp_path, pairs=100, kills=10, jit=jit)


@pytest.mark.thorough
def test_two_hundred_games_a_match_are_the_same_on_threads_and_processes(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(pairs=100))
    run(plan, tmp_path / "threads", executor="threads", workers=2)
    run(plan, tmp_path / "processes", workers=2)
    rows = rows_of(tmp_path / "threads")
    assert len(rows) == 2 * 3 * 200
    assert rows_of(tmp_path / "processes") == rows
