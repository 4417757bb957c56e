import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fastmcts.experiments import PlanError, Span, Trial, TuningPlan, load_plan, load_tuning, summarise, tune
from tests.helpers.stored import rows_of
from tests.helpers.terminal import invoke

pytest.importorskip("optuna")
pytestmark = pytest.mark.filterwarnings("ignore")

PLAN = """
games = ["countdown.py:Guessing"]
pairs = 8
seed = 1
opening_moves = 0
[agents]
base = "countdown.py:Guess(number=50)"
guess = "countdown.py:Guess(number={n})"
[tune]
agent = "guess"
against = "base"
trials = 12
rematch = 5
[tune.parameters]
n = {low = 0, high = 100}
"""
GAME = '''
from dataclasses import dataclass
from fastmcts import Game
from fastmcts.experiments import Agent

@dataclass(frozen=True)
class Guessing(Game):
    """Both name a number; who is closer to 80 wins."""
    num_players = 2
    num_actions = 101
    state_size = 3
    def initial(self, state, rng): state[0] = 0
    def current_player(self, state): return state[0] if state[0] < 2 else -4
    def legal_actions(self, state, actions):
        for number in range(101): actions[number] = number
        return 101
    def apply(self, state, action):
        state[1 + state[0]] = action
        state[0] += 1
    def returns(self, state, out):
        one, other = abs(state[1] - 80), abs(state[2] - 80)
        out[0] = 1.0 if one < other else -1.0 if one > other else 0.0
        out[1] = -out[0]

@dataclass(frozen=True)
class Guess(Agent):
    number: int
    def choose(self, state, seed=0): return (seed % 3 + self.number) % 101
'''


@pytest.fixture
def plan(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    name = f"guessing_{abs(hash(request.node.name))}.py"
    (tmp_path / name).write_text(GAME)
    path = tmp_path / "tune.toml"
    path.write_text(PLAN.replace("countdown.py", name))
    return path


def test_better_values_are_found_and_play_a_rematch_from_fresh_openings(plan: Path, tmp_path: Path) -> None:
    seen: list[Trial] = []
    long = dataclasses.replace(load_tuning(plan), trials=30)
    result = tune(long, tmp_path / "r", executor="threads", workers=1, progress=seen.append)
    assert result.trials == seen
    assert len(seen) == 30
    assert 50 < result.best["n"] <= 100
    assert next(iter(result.rematch.values())).games == 10
    assert f"Guess(number={result.best['n']})" in result.agent
    assert "fresh openings" in str(result)
    assert {summary.games for summary in summarise(tmp_path / "r")} >= {10}
    assert any(trial.is_pruned and trial.pairs < 8 for trial in seen)


def test_an_interrupted_search_goes_on_where_it_was(plan: Path, tmp_path: Path) -> None:
    def stop(trial: Trial) -> None:
        if trial.number == 6:
            raise KeyboardInterrupt

    first = tune(plan, tmp_path / "r", executor="threads", workers=1, progress=stop)
    assert first.interrupted
    stored = rows_of(tmp_path / "r")
    again = tune(plan, tmp_path / "r", executor="threads", workers=1)
    assert again.trials[:7] == first.trials
    whole = tune(plan, tmp_path / "whole", executor="threads", workers=1)
    assert again == whole
    assert rows_of(tmp_path / "r") == rows_of(tmp_path / "whole")
    assert {*stored} < {*rows_of(tmp_path / "r")}


def test_trials_are_drawn(plan: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, output = invoke(
        *("experiment", "tune", str(plan), "--out", str(tmp_path / "r"), "--threads"),
        *("--picture", str(tmp_path / "p.svg"), "--trials", "3"),
    )
    assert code == 0, output
    assert "trial 2:" in output
    assert "3 trials" in output
    assert "score" in (tmp_path / "p.svg").read_text()


def test_choices_and_whole_numbers_are_suggested() -> None:
    @dataclass
    class Asked:
        def suggest_int(self, name: str, low: int, high: int, log: bool) -> int:
            return high

        def suggest_float(self, name: str, low: float, high: float, log: bool) -> float:
            return 0.123456

        def suggest_categorical(self, name: str, choices: tuple[Any, ...]) -> Any:
            return choices[-1]

    assert Span(1, 9).suggest(Asked(), "n") == 9
    assert Span(0.1, 9.0).suggest(Asked(), "n") == 0.1235
    assert Span(choices=("a", "b")).suggest(Asked(), "n") == "b"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('agent = "guess"', 'agent = "gues"', 10, "no agent is called 'gues'; did you mean guess?"),
        ('against = "base"', 'against = "guess"', 11, "cannot be tuned against itself"),
        ("trials = 12", "trails = 12", 12, "[tune] has no key 'trails'; did you mean trials?"),
        ("trials = 12", "trials = 0", 12, "trials must be at least 1"),
        ("n = {low = 0, high = 100}", "m = {low = 0, high = 100}", 15, "does not name the parameter {m}"),
        ("n = {low = 0, high = 100}", "", 8, "say what it may be"),
        ("n = {low = 0, high = 100}", "n = 3", 15, "must be a span"),
        ("n = {low = 0, high = 100}", "n = {low = 3}", 15, "needs two numbers"),
        ("n = {low = 0, high = 100}", "n = {low = 3, high = 2}", 15, "low must be below high"),
        ("n = {low = 0, high = 100}", "n = {low = 0, high = 2, log = true}", 15, "log is true, with a low above 0"),
        ("n = {low = 0, high = 100}", "n = {lo = 0, high = 2}", 15, "did you mean low?"),
        ("n = {low = 0, high = 100}", "n = {choices = []}", 15, "choices is a list that is not empty"),
        ("pairs = 8", "grid = 8", 3, "a plan that is to be tuned has no key 'grid'"),
        ("pairs = 8", "pairs = 0", 3, "pairs must be at least 1"),
    ],
)
def test_a_mistake_is_named_with_its_line(plan: Path, old: str, new: str, line: int, message: str) -> None:
    plan.write_text(plan.read_text().replace(old, new, 1))
    with pytest.raises(PlanError) as caught:
        load_tuning(plan)
    assert str(caught.value).startswith(f"{plan}, line {line}: "), str(caught.value)
    assert message in str(caught.value)


def test_a_plan_to_be_tuned_is_told_from_one_to_be_run(plan: Path, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="use fastmcts experiment tune"):
        load_plan(plan)
    (tmp_path / "p.toml").write_text('games = ["tic_tac_toe"]\n[agents]\na = "random"\nb = "random"\n')
    with pytest.raises(PlanError, match=r"no table \[tune\]"):
        load_tuning(tmp_path / "p.toml")
    with pytest.raises(PlanError, match="names no parameter"):
        TuningPlan(["tic_tac_toe"], {"a": "random", "b": "mcts(simulations=3)"}, "a", "b", {})
