"""The rules of Othello against OpenSpiel's."""

import random

import pytest

from fastmcts.games.othello import Othello

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


def test_random_games_are_the_same() -> None:
    their_game = open_spiel.load_game("othello")
    our_game = Othello()
    draw = random.Random(0)
    for _ in range(200):
        ours, theirs = our_game.new_initial_state(), their_game.new_initial_state()
        while not theirs.is_terminal():
            legal = ours.legal_actions()
            assert legal == theirs.legal_actions()
            assert ours.current_player() == theirs.current_player()
            action = draw.choice(legal)
            assert ours.action_to_string(action) == theirs.action_to_string(action)
            ours.apply_action(action)
            theirs.apply_action(action)
        assert ours.is_terminal()
        assert ours.returns() == theirs.returns()
