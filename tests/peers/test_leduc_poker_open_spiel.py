"""Leduc poker against OpenSpiel: thousands of random games."""

import random

import pytest

from fastmcts.games import LeducPoker

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer

SUITS = 2


def test_random_games_go_and_pay_as_in_open_spiel():
    game, peer = LeducPoker(), open_spiel.load_game("leduc_poker")
    chooser = random.Random(0)
    ends: set[str] = set()
    for _ in range(5_000):
        theirs = peer.new_initial_state()
        for _ in range(2):
            theirs.apply_action(chooser.choice(theirs.legal_actions()))
        cards = [theirs.history()[player] // SUITS for player in range(2)]
        mine = game.state_from_array(game.start(*cards))
        while not theirs.is_terminal():
            assert mine.current_player() == theirs.current_player()
            action = chooser.choice(theirs.legal_actions())
            if theirs.is_chance_node():
                chances = {rank: 0.0 for rank, _ in mine.chance_outcomes()}
                for card, chance in theirs.chance_outcomes():
                    chances[card // SUITS] += chance
                assert dict(mine.chance_outcomes()) == pytest.approx(chances)
                mine.apply_action(action // SUITS)
            else:
                assert mine.legal_actions() == theirs.legal_actions()
                mine.apply_action(action)
            theirs.apply_action(action)
        assert mine.is_terminal()
        assert mine.returns() == theirs.returns()
        ends.add(str(mine).partition(":")[2])
    assert len(ends) == 4 + 5 * 3 * 9, "every course that a game can take"
    assert (game.min_utility, game.max_utility) == (peer.min_utility(), peer.max_utility())
