from pathlib import Path

import pytest

from fastmcts import games
from fastmcts.experiments import Search, play_deals
from fastmcts.experiments.deals import DealsResult
from fastmcts.experiments.named_games import find_game
from tests.helpers.own_game import OWN_GAME
from tests.helpers.picking import HighestPick, Pick


def test_a_score_has_a_mean_with_its_interval() -> None:
    result = play_deals(games.Twenty48(max_tile=16), "random", deals=8, seed=1)
    low, high = result.interval
    assert len(result.utilities) == 8
    assert low < result.mean < high
    assert str(result).startswith("mean score")


def test_wins_are_counted_where_a_deal_is_won_or_lost() -> None:
    game = games.Klondike(idle_limit=4)
    result = play_deals(game, "greedy", deals=5, seed=0)
    assert result.is_won_or_lost
    assert str(result).startswith(f"won {result.won} of 5: ")
    assert "-0.0%" not in str(result)


def test_a_deal_depends_on_its_number_and_the_seed_alone() -> None:
    game = HighestPick(1, num_deals=1000)
    long = play_deals(game, Pick(1), deals=6, seed=4).utilities
    assert play_deals(game, Pick(1), deals=3, seed=4).utilities == long[:3]
    assert len(set(long)) > 3
    assert play_deals(game, Pick(2), deals=6, seed=4).utilities == [utility + 1 for utility in long]


@pytest.mark.slow_to_compile
def test_a_search_plays_better_than_chance() -> None:
    game = games.Twenty48(max_tile=16)
    searched = play_deals(game, Search(simulations=15), deals=6, seed=2)
    assert searched.mean > play_deals(game, "random", deals=6, seed=2).mean


def test_processes_give_the_same_result() -> None:
    game = games.Twenty48(max_tile=16)
    alone = play_deals(game, "random", deals=4, seed=3)
    assert play_deals(game, "random", deals=4, seed=3, processes=2).utilities == alone.utilities


def test_processes_find_a_game_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "dealt_alone.py"
    alone = OWN_GAME.format(name="Alone").replace("num_players = 2", "num_players = 1").replace("state[1] if", "0 if")
    path.write_text(
        alone.replace("out[1 - state[1]] = 1.0", "out[0] = state[1]").replace("out[state[1]] = -1.0", "pass")
    )
    game = find_game(f"{path}:Alone")
    assert (
        play_deals(game, "random", deals=3, seed=3, processes=2).utilities == play_deals(game, "random", 3, 3).utilities
    )


def test_ctrl_c_keeps_the_deals_that_are_over() -> None:
    def stop(over: float, result: object) -> None:
        if over == 2:
            raise KeyboardInterrupt

    result = play_deals(HighestPick(1), Pick(1), deals=10, progress=stop)
    assert result.interrupted
    assert len(result.utilities) == 2


def test_without_deals_there_is_nothing_to_say() -> None:
    result = DealsResult(HighestPick(1), Pick(1))
    assert str(result) == ""
    assert result.as_dictionary()["mean"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": games.TicTacToe()}, "has 2 players"),
        ({"deals": 0}, "deals must be at least 1"),
        ({"processes": 0}, "processes must be at least 1"),
        ({"agent": "greedy"}, "HighestPick has none"),
        ({"game": 5}, "takes a Game"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        play_deals(**{"game": HighestPick(1), "agent": Pick(0), "deals": 1, **arguments})
