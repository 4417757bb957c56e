"""Worlds drawn per second in the middle of games of four: `pytest benchmarks/test_determinize.py -m thorough`."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastmcts import Game, State, games
from fastmcts.compiler.jit import JIT_ENABLED, entry
from fastmcts.kernels.copy import copy
from fastmcts.rng import make_rng

WORLDS = 100_000
LEAST_PER_SECOND = 100_000


@entry
def draw_worlds(game, position, world, player, rng, count):
    """Draw worlds that `player` cannot tell from a position, one after the other, into `world`."""
    for _ in range(count):
        copy(position, world)
        game.determinize(world, player, rng)


def mid_game(game: Game, tricks: int, seed: int) -> State:
    """A position after some tricks of a random game."""
    state, rng = game.new_initial_state(seed), np.random.default_rng(seed)
    while state.array[1] < game.num_players * tricks:
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.thorough
@pytest.mark.benchmark(group="determinize")
@pytest.mark.skipif(not JIT_ENABLED, reason="measures compiled code")
@pytest.mark.parametrize(("game", "tricks"), [(games.OhHell(), 5), (games.Whist(), 6)], ids=lambda value: str(value))
def test_determinize(benchmark: Any, note: Callable[..., None], game: Game, tricks: int) -> None:
    states = [mid_game(game, tricks, seed) for seed in range(10)]
    world, rng = np.zeros(game.state_size, np.int64), make_rng(0)
    draw_worlds(game, states[0].array, world, 0, rng, 1)
    seconds = []

    def draw() -> None:
        start = time.process_time()
        for state in states:
            draw_worlds(game, state.array, world, state.current_player(), rng, WORLDS // len(states))
        seconds.append(time.process_time() - start)

    benchmark.pedantic(draw, rounds=5, iterations=1)
    rate = WORLDS / float(np.median(seconds))
    note(worlds_per_second=round(rate))
    assert rate >= LEAST_PER_SECOND
