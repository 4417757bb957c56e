"""Pig against OpenSpiel over random games."""

import random

import pytest

from fastmcts.games import Pig

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(("players", "target", "horizon"), [(2, 100, 1000), (3, 20, 1000), (2, 30, 40)])
def test_random_games_go_and_pay_as_in_open_spiel(players, target, horizon):
    game = Pig(target=target, num_players=players, horizon=horizon)
    peer = open_spiel.load_game(f"pig(players={players},winscore={target},horizon={horizon})")
    for seed in range(100):
        choice = random.Random(seed)
        mine, theirs = game.new_initial_state(), peer.new_initial_state()
        while not theirs.is_terminal():
            assert mine.current_player() == theirs.current_player()
            assert mine.legal_actions() == theirs.legal_actions()
            if theirs.is_chance_node():
                assert mine.chance_outcomes() == theirs.chance_outcomes()
            action = choice.choice(mine.legal_actions())
            mine.apply_action(action)
            theirs.apply_action(action)
        assert mine.is_terminal()
        assert mine.returns() == theirs.returns()
