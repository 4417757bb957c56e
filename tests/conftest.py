import pytest

from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.engine import trial


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let games be searched that a trial would refuse, to see what notices their faults later."""
    monkeypatch.setattr(trial, "PASSED", set())
    monkeypatch.setattr(trial, "is_remembered", lambda key: True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if JIT_ENABLED:
        for item in items:
            if "slow_to_compile" in item.keywords:
                item.add_marker(pytest.mark.thorough)
        return
    skip = pytest.mark.skip(reason="needs the JIT")
    for item in items:
        if "jit" in item.keywords:
            item.add_marker(skip)
