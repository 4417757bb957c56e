"""Our search among OpenSpiel's bots, its bots in our matches, and its games as ours."""

from typing import Any

import numpy as np
import pytest

from fastmcts import games, search, spawn_seed
from fastmcts.experiments import Random, parse_agent, play_match
from fastmcts.experiments.openspiel import (
    OpenSpielAgent,
    OpenSpielGame,
    OpenSpielMCTS,
    make_bot,
    same_rules,
)
from fastmcts.testing import check_game
from tests.helpers.picking import HighestPick

open_spiel: Any = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


def test_our_search_plays_as_a_bot_of_theirs() -> None:
    theirs = open_spiel.load_game("tic_tac_toe")
    bot = make_bot(games.TicTacToe(), "mcts(simulations=100)", seed=4)
    won = 0.0
    for seed in range(10):
        dice = open_spiel.make_uniform_random_bot(1, seed)
        won += open_spiel.evaluate_bots(theirs.new_initial_state(), [bot, dice], seed)[0]
    assert won >= 7.0


def test_a_bot_makes_the_move_that_the_search_finds() -> None:
    state = open_spiel.load_game("tic_tac_toe").new_initial_state()
    state.apply_action(4)
    ours = games.TicTacToe().new_initial_state().child(4)
    bot = make_bot(games.TicTacToe(), "mcts(simulations=50)", seed=4)
    assert bot.step(state) == search(ours, simulations=50, seed=spawn_seed(4, 1)).action


def test_a_bot_for_another_game_is_refused() -> None:
    bot = make_bot(games.MNK(3, 3, 3), Random())
    with pytest.raises(ValueError, match="is not OpenSpiel's"):
        bot.step(open_spiel.load_game("mnk(m=4,n=4,k=3)").new_initial_state())
    with pytest.raises(ValueError, match="dealt when it starts"):
        make_bot(HighestPick(2, num_deals=5), Random())


def test_their_search_plays_in_our_matches_and_a_seed_gives_the_same_game() -> None:
    theirs = OpenSpielMCTS("tic_tac_toe", simulations=60)
    result = play_match(games.TicTacToe(), theirs, "random", games=20, seed=1)
    assert result.mean > 0.75
    assert result.simulations_per_move[0] == 60.0
    again = play_match(games.TicTacToe(), theirs, "random", games=20, seed=1)
    assert [record.actions for record in result.records] == [record.actions for record in again.records]
    assert "OpenSpielMCTS(game='tic_tac_toe', simulations=60" in str(result)


def uniform(game: Any, player: int, seed: int) -> Any:
    return open_spiel.make_uniform_random_bot(player, seed)


def test_their_search_reads_back_from_how_it_prints() -> None:
    theirs = OpenSpielMCTS("tic_tac_toe", simulations=60, seconds=0.5)
    assert parse_agent(repr(theirs)) == theirs
    assert parse_agent("openspielmcts(game='tic_tac_toe')") == OpenSpielMCTS("tic_tac_toe")
    with pytest.raises(ValueError, match="OpenSpielMCTS takes game="):
        parse_agent("OpenSpielMCTS(game='tic_tac_toe', simulation=3)")


def test_any_bot_of_theirs_plays_with_dice_too() -> None:
    dice = OpenSpielAgent("pig(winscore=20)", uniform, "their dice")
    result = play_match(games.Pig(target=20), dice, "random", games=6)
    assert result.games == 6


def test_an_agent_for_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="OpenSpiel has no game 'conect_four'"):
        play_match(games.ConnectFour(), OpenSpielMCTS("conect_four"), "random", games=2)
    with pytest.raises(ValueError, match="ours has 2 players and 7 actions, theirs 2 and 9"):
        play_match(games.ConnectFour(), OpenSpielMCTS("tic_tac_toe"), "random", games=2)
    with pytest.raises(ValueError, match="goes by the history"):
        OpenSpielMCTS("tic_tac_toe").choose(games.TicTacToe().new_initial_state())


@pytest.mark.parametrize(("game", "text"), [(games.ConnectFour(), "connect_four"), (games.Pig(), "pig")])
def test_equal_rules_are_found_to_be_equal(game: Any, text: str) -> None:
    same_rules(game, text, games=5)


def test_a_difference_in_the_rules_is_told_with_its_history() -> None:
    with pytest.raises(ValueError, match=r"after \[.*\] (current_player|returns) of MNK"):
        same_rules(games.MNK(4, 4, 4), "mnk(m=4,n=4,k=3)", games=20)


@pytest.mark.parametrize("text", ["tic_tac_toe", "pig(winscore=15)", "nim", "go(board_size=3)"])
def test_a_game_of_theirs_is_a_game_of_ours(text: str) -> None:
    game = OpenSpielGame(text)
    same_rules(game, text, games=5)
    result = play_match(game, "random", "random", games=4, opening_moves=0)
    assert result.games == 4
    assert all(record.returns == tuple(list(record.replay(game))[-1].returns()) for record in result.records)


@pytest.mark.slow_to_compile
def test_a_game_of_theirs_is_searched_as_ours_without_the_jit() -> None:
    game, ours = OpenSpielGame("tic_tac_toe"), games.TicTacToe()
    check_game(game, positions=50)
    theirs = search(game.new_initial_state(), simulations=60, seed=1, strategy="plain")
    found = search(ours.new_initial_state(), simulations=60, seed=1, strategy="plain")
    np.testing.assert_array_equal(theirs.visits, found.visits)


@pytest.mark.parametrize("text", ["kuhn_poker", "goofspiel", "no_such_game"])
def test_games_that_cannot_be_ours_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"hides something|one after the other|has no game"):
        OpenSpielGame(text)
