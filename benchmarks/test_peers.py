"""Beside other packages, where they are installed, and beside plain Python."""

from collections.abc import Callable
from typing import Any

import peer_speed
import pytest
import quick

ROUNDS = 3


@pytest.mark.benchmark(group="peers")
@pytest.mark.parametrize("name", quick.thorough_unless({"connect_four"}, peer_speed.CONTESTS))
def test_beside_a_peer(benchmark: Any, note: Callable[..., None], name: str) -> None:
    if name in peer_speed.OPEN_SPIEL and peer_speed.pyspiel is None:
        pytest.skip(peer_speed.NOT_INSTALLED)
    contest = peer_speed.CONTESTS[name]
    own, peer = contest.rates(ROUNDS)
    note(ratio=own / peer, goal=contest.goal)
    benchmark.pedantic(contest.ours(), args=(contest.simulations[0], 0), rounds=ROUNDS, iterations=1)
