"""What matches and stores cost besides the searches: `pytest benchmarks/test_experiments.py`."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from quick import thorough_unless

import fastmcts
from fastmcts import State, games
from fastmcts.experiments import MatchResult, Plan, Search, Store, play_match, run

pytestmark = pytest.mark.benchmark(group="experiments", min_rounds=1)

BATCH = 128  # positions, as many as games are played side by side
ROUNDS = 3


def processor_seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of the processor that a call takes, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def decisions(result: MatchResult) -> list[State]:
    """The positions in which agents had to choose."""
    found = []
    for record in result.records:
        found += list(record.replay(result.game))[record.opening : -1]
    return found


def batch_rate(positions: list[State], simulations: int) -> float:
    """Simulations a second of batches of these positions."""
    seconds = total = 0.0
    for start in range(0, len(positions), BATCH):
        batch = positions[start : start + BATCH]
        took, found = processor_seconds(
            lambda batch=batch: fastmcts.search_batch(batch, simulations=simulations, seed=0)
        )
        seconds, total = seconds + took, total + found.simulations
    return total / seconds


@pytest.mark.parametrize("count", thorough_unless((100,), (100, 400)))
def test_connect_four_matches_are_nearly_as_fast_as_batches(
    benchmark: Any, note: Callable[..., None], count: int
) -> None:
    game, agent = games.ConnectFour(), Search(simulations=1000)
    positions = decisions(play_match(game, agent, agent, games=20, seed=1))
    matches, batches = [], []  # simulations a second; the best of each, since whatever else happens only slows down
    for seed in range(ROUNDS):
        seconds, result = processor_seconds(lambda seed=seed: play_match(game, agent, agent, games=count, seed=seed))
        matches.append(sum(result.simulations) / seconds)
        batches.append(batch_rate(positions, 1000))
    benchmark.pedantic(play_match, (game, agent, agent), {"games": count, "seed": 9}, rounds=1)
    note(share_of_batch_speed=max(matches) / max(batches))
    assert max(matches) >= 0.8 * max(batches)


def test_a_thousand_games_of_tic_tac_toe(benchmark: Any, note: Callable[..., None]) -> None:
    game, agent = games.TicTacToe(), Search(simulations=100)
    play_match(game, agent, agent, games=2)
    seconds, result = processor_seconds(lambda: play_match(game, agent, agent, games=1000))
    assert result.games == 1000
    benchmark.pedantic(play_match, (game, agent, agent), {"games": 1000}, rounds=ROUNDS)
    note(games_per_second=1000 / seconds)


def test_rows_are_written(benchmark: Any, note: Callable[..., None], tmp_path: Path) -> None:
    result = play_match(games.ConnectFour(), "random", "random", games=400)
    plan = Plan([result.game], {"one": "random", "two": "mcts(simulations=2)"}, pairs=200)
    numbers = iter(range(1000))

    def write() -> None:
        with Store(tmp_path / f"{next(numbers)}.sqlite") as store:
            store.add_games(store.add_match(plan.cells[0].pairing), result.records, store.start_run({}))

    seconds, _ = processor_seconds(write)
    benchmark.pedantic(write, rounds=ROUNDS)
    note(rows_per_second=400 / seconds)


def test_a_plan_costs_little_more_than_its_matches(benchmark: Any, note: Callable[..., None], tmp_path: Path) -> None:
    plan = Plan(["connect_four"], {"one": "mcts(simulations=200)", "two": "mcts(simulations=100)"}, pairs=100)
    cell = plan.cells[0].pairing
    play_match(cell.game, cell.first, cell.second, games=2)
    alone, _ = processor_seconds(lambda: play_match(cell.game, cell.first, cell.second, games=200))
    numbers = iter(range(1000))

    def play() -> None:
        assert run(plan, tmp_path / str(next(numbers)), executor="threads", workers=1).done == 200

    seconds, _ = processor_seconds(play)
    benchmark.pedantic(play, rounds=1)
    note(times_as_long_as_the_match=seconds / alone)
