import random

import pytest

from fastmcts import TERMINAL, games

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(("rows", "columns", "count"), [(1, 1, 20), (2, 2, 200), (1, 4, 100), (3, 2, 100), (6, 7, 5)])
def test_random_games_agree(rows, columns, count):
    choice = random.Random(0)
    peer = open_spiel.load_game("dots_and_boxes", {"num_rows": rows, "num_cols": columns})
    game = games.DotsAndBoxes(rows, columns)
    assert game.num_actions == peer.num_distinct_actions()
    for _ in range(count):
        ours, theirs = game.new_initial_state(), peer.new_initial_state()
        while not theirs.is_terminal():
            assert ours.legal_actions() == theirs.legal_actions()
            assert ours.current_player() == theirs.current_player()
            action = choice.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
        assert ours.current_player() == TERMINAL
        assert ours.returns() == theirs.returns()
