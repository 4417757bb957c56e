"""Beside other packages, where they are installed, and beside plain Python."""

from collections.abc import Callable
from typing import Any

import peer_mctx
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


@pytest.mark.thorough
@pytest.mark.benchmark(group="peers")
@pytest.mark.parametrize("count", [1, peer_mctx.POSITIONS])
def test_beside_mctx_and_pgx(benchmark: Any, note: Callable[..., None], count: int) -> None:
    for package in ("mctx", "pgx"):
        pytest.importorskip(package, reason='mctx and pgx are not installed (pip install "fastmcts-numba[mctx]")')
    runs = peer_mctx.runs_of(count)
    seconds = peer_mctx.best_seconds(runs, ROUNDS)
    note(**{f"{name}, times as fast": seconds[peer_mctx.PEER] / taken for name, taken in seconds.items()})
    benchmark.pedantic(runs[peer_mctx.ONE_THREAD], rounds=ROUNDS, iterations=1)


@pytest.mark.thorough
@pytest.mark.benchmark(group="peers")
@pytest.mark.parametrize("name", peer_mctx.NETWORKS)
def test_the_share_of_a_network(benchmark: Any, note: Callable[..., None], name: str) -> None:
    share, size = benchmark.pedantic(peer_mctx.network_share, args=(name, ROUNDS), rounds=1, iterations=1)
    note(share=share, batch_size=size)
