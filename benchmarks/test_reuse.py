"""What share of its visits a search finds already done when its tree is kept from move to move."""

import itertools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import quick

import fastmcts
from fastmcts import MCTS


def self_play(game: fastmcts.Game, simulations: int, seed: int) -> list[float]:
    """The reused shares of all searches but the first, in one game of a tree against itself."""
    mcts = MCTS(game, simulations=simulations, seed=seed)
    state = game.new_initial_state()
    state.apply_action(int(np.random.default_rng(seed).choice(state.legal_actions())))
    shares = []
    while not state.is_terminal():
        result = mcts.search(state)
        assert result.action is not None
        shares.append(result.reused)
        mcts.advance(result.action)
        state.apply_action(result.action)
    return shares[1:]


GAMES, BUDGETS = ("connect_four", "othello", "breakthrough"), (1_000, 10_000)


@pytest.mark.benchmark(group="reuse")
@pytest.mark.parametrize(
    ("name", "simulations"), quick.thorough_unless({("connect_four", 1_000)}, itertools.product(GAMES, BUDGETS))
)
def test_reused_visits(benchmark: Any, note: Callable[..., None], name: str, simulations: int) -> None:
    game = fastmcts.load_game(name)
    shares: list[float] = []

    def play() -> None:
        shares.extend(self_play(game, simulations, seed=len(shares)))

    benchmark.pedantic(play, rounds=4, iterations=1)
    note(mean_share_of_reused_visits=statistics.mean(shares))
    assert statistics.mean(shares) > 0.1
