"""The rules of Hex against OpenSpiel's."""

import random

import pytest

from fastmcts.games.hex import Hex

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(("size", "games"), [(2, 30), (3, 100), (5, 100), (8, 30), (11, 30), (14, 5)])
def test_random_games_are_the_same(size: int, games: int) -> None:
    their_game = open_spiel.load_game(f"hex(board_size={size})")
    our_game = Hex(size)
    draw = random.Random(0)
    for _ in range(games):
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
