import pytest

from fastmcts.engine import trial
from tests.helpers.workers import (
    pytest_cmdline_main,
    pytest_collection_finish,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_configure_node,
    pytest_xdist_make_scheduler,
)

__all__ = [
    "pytest_cmdline_main",
    "pytest_collection_finish",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_xdist_make_scheduler",
]


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let games be searched that a trial would refuse, to see what notices their faults later."""
    monkeypatch.setattr(trial, "PASSED", set())
    monkeypatch.setattr(trial, "is_remembered", lambda key: True)
