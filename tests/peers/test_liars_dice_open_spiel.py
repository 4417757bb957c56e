"""Liar's dice against OpenSpiel: thousands of random games, with several numbers of dice and sides."""

import random

import pytest

from fastmcts.games import LiarsDice

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


@pytest.mark.parametrize(("dice", "sides"), [(1, 6), (1, 3), (2, 4), (5, 6)])
def test_random_games_go_and_pay_as_in_open_spiel(dice: int, sides: int):
    game = LiarsDice(dice=dice, sides=sides)
    peer = open_spiel.load_game("liars_dice", {"numdice": dice, "dice_sides": sides})
    assert peer.num_distinct_actions() == game.num_actions
    assert peer.max_game_length() == game.max_game_length
    chooser = random.Random(0)
    winners = [0, 0]
    for _ in range(1_500):
        theirs = peer.new_initial_state()
        while theirs.is_chance_node():
            theirs.apply_action(chooser.choice(theirs.legal_actions()))
        faces = [face + 1 for face in theirs.history()]
        hands = (",".join(map(str, faces[:dice])), ",".join(map(str, faces[dice:])))
        mine = game.state_from_text(f"{hands[0]} {hands[1]}:")
        steps = chooser.choice([2, 4, game.num_actions])  # small ones too, or games would be short
        while not theirs.is_terminal():
            assert mine.current_player() == theirs.current_player()
            assert mine.legal_actions() == theirs.legal_actions()
            legal = theirs.legal_actions()
            action = chooser.choice([*legal[:steps], legal[-1]])
            theirs.apply_action(action)
            mine.apply_action(action)
        assert mine.is_terminal()
        assert mine.returns() == theirs.returns()
        winners[mine.returns().index(1.0)] += 1
    assert min(winners) > 300
