import random

import pytest

from fastmcts import TERMINAL, games

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(
    ("m", "n", "k", "count"),
    [(3, 3, 3, 100), (4, 3, 3, 100), (3, 5, 3, 100), (7, 7, 4, 50), (9, 8, 4, 30), (15, 15, 5, 3)],
)
def test_random_games_agree(m, n, k, count):
    choice = random.Random(0)
    peer = open_spiel.load_game("mnk", {"m": m, "n": n, "k": k})
    game = games.MNK(m, n, k)
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
