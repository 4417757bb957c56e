"""The rules of Breakthrough against OpenSpiel's."""

import random

import pytest

from fastmcts.games.breakthrough import Breakthrough

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(
    ("rows", "columns", "games"), [(8, 8, 80), (6, 6, 100), (5, 4, 100), (3, 2, 30), (2, 2, 10), (7, 9, 20)]
)
def test_random_games_are_the_same(rows: int, columns: int, games: int) -> None:
    their_game = open_spiel.load_game(f"breakthrough(rows={rows},columns={columns})")
    our_game = Breakthrough(rows, columns)
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
