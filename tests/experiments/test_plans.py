"""The plans in `experiments/` run as they are."""

import tomllib

import pytest

from fastmcts.experiments import load_plan, load_tuning
from tests.subprocesses import REPOSITORY

PLANS = sorted((REPOSITORY / "experiments").glob("*.toml"))


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_plan_is_one(path) -> None:
    if "OpenSpiel" in path.read_text():
        pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    if "tune" in tomllib.loads(path.read_text()):
        assert load_tuning(path).trials > 1
    else:
        plan = load_plan(path)
        assert plan.title
        assert len(plan.cells) >= 1


def test_there_are_plans() -> None:
    assert len(PLANS) >= 8
