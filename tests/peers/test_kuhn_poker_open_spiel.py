"""Kuhn poker against OpenSpiel: every deal and every betting sequence."""

import itertools

import numpy as np
import pytest

from fastmcts.games import KuhnPoker
from fastmcts.games.kuhn_poker import START

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize("cards", list(itertools.permutations(range(3), 2)))
def test_every_game_goes_and_pays_as_in_open_spiel(cards):
    def compare(mine, theirs) -> int:
        assert mine.current_player() == theirs.current_player()
        assert mine.legal_actions() == theirs.legal_actions()
        if mine.is_terminal():
            assert mine.returns() == theirs.returns()
            return 1
        return sum(compare(mine.child(action), theirs.child(action)) for action in mine.legal_actions())

    theirs = open_spiel.load_game("kuhn_poker").new_initial_state()
    for card in cards:
        theirs.apply_action(card)
    assert compare(KuhnPoker().state_from_array(np.array([0, START, *cards])), theirs) == 5
