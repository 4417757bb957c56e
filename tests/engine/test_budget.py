"""Budgets: how a search is cut into chunks, above all by the clock."""

import pytest

from fastmcts.engine import budget
from fastmcts.engine.budget import Budget


class Clock:
    """A clock that moves only when somebody works."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        """The time."""
        return self.now


def run(seconds: float, clock: Clock) -> tuple[Budget, int]:
    """Spend a budget on simulations that take longer the more there are, as in a growing tree; and count the chunks."""
    spent = Budget(None, seconds, speed=1e-6)
    chunks = 0
    while spent.ended_by is None:
        chunk = spent.next_chunk()
        clock.now += chunk * 4e-7 * (1.0 + ((spent.done + chunk) / 20_000) ** 0.5)
        spent.record(chunk)
        chunks += 1
    return spent, chunks


@pytest.mark.parametrize("seconds", [0.002, 0.01, 0.02, 0.05, 1.0])
def test_a_clock_is_kept_though_simulations_become_slower(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(budget, "time", clock)
    spent, chunks = run(seconds, clock)
    assert seconds <= spent.elapsed < 1.01 * seconds + 1e-5
    assert chunks < 40 + seconds / 0.01
