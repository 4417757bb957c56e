"""2048 against OpenSpiel over random games."""

import random

import pytest

from fastmcts.games import Twenty48
from fastmcts.games.twenty48 import CELL, SCORE

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize("max_tile", [2048, 128])
def test_random_games_slide_merge_and_score_as_in_open_spiel(max_tile):
    game = Twenty48(max_tile=max_tile)
    peer = open_spiel.load_game(f"2048(max_tile={max_tile})")
    for seed in range(40):
        choice = random.Random(seed)
        mine, theirs = game.new_initial_state(), peer.new_initial_state()
        while not theirs.is_terminal():
            assert mine.current_player() == theirs.current_player()
            if theirs.is_chance_node():
                assert mine.legal_actions() == theirs.legal_actions()
                assert dict(mine.chance_outcomes()) == pytest.approx(dict(theirs.chance_outcomes()))
                action = choice.choices(*zip(*mine.chance_outcomes(), strict=True))[0]
            else:
                # OpenSpiel 2.0 leaves out directions in which tiles do merge, so it may list fewer.
                left_out = set(mine.legal_actions()) - set(theirs.legal_actions())
                assert set(theirs.legal_actions()) <= set(mine.legal_actions())
                assert all(mine.child(action).array[SCORE] > mine.array[SCORE] for action in left_out)
                action = choice.choice(theirs.legal_actions())
            mine.apply_action(action)
            theirs.apply_action(action)
            tiles = [2 ** int(cell) if cell else 0 for cell in mine.array[CELL:]]
            assert tiles == [int(tile) for tile in str(theirs).split()]
        assert mine.is_terminal()
        assert mine.returns() == theirs.returns()
