"""Oh Hell agrees with OpenSpiel's, deal by deal."""

import random

import pytest

from fastmcts import games
from fastmcts.games._cards import CARDS
from fastmcts.games._tricks import OPENER

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer


def same_deal(peer, state):
    """Drive OpenSpiel's chance nodes to the deal of a position."""
    game = state.game
    players = game.num_players
    hands = [
        [card for card in range(CARDS) if int(state.array[game.hands + player]) >> card & 1]
        for player in range(players)
    ]
    other = peer.new_initial_state()
    other.apply_action(game.hand_size)
    other.apply_action((int(state.array[OPENER]) - 1) % players)  # the dealer
    for number in range(game.num_plays):
        other.apply_action(hands[number % players][number // players])
    other.apply_action(int(state.array[game.turned]))
    return other


@pytest.mark.parametrize(("players", "hand_size"), [(3, 17), (3, 5), (4, 10), (4, 12), (5, 10), (6, 8), (6, 1)])
@pytest.mark.parametrize(("scoring", "points"), [("tricks", 1), ("penalty", 1), ("penalty", 2)])
def test_random_deals_are_bid_played_and_scored_alike(players, hand_size, scoring, points):
    game = games.OhHell(
        num_players=players,
        hand_size=hand_size,
        trump_must_be_broken=False,
        last_bid_restricted=True,
        scoring=scoring,
        points_per_trick=points,
    )
    penalty = str(scoring == "penalty").lower()
    peer = open_spiel.load_game(
        f"oh_hell(players={players},num_tricks_fixed={hand_size},off_bid_penalty={penalty},points_per_trick={points})"
    )
    assert game.num_actions == peer.num_distinct_actions()
    chooser = random.Random(players * 100 + hand_size)
    for seed in range(100):
        state = game.new_initial_state(seed)
        other = same_deal(peer, state)
        while not state.is_terminal():
            legal = state.legal_actions()
            assert state.current_player() == other.current_player()
            assert legal == other.legal_actions()
            action = chooser.choice(legal)
            state.apply_action(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert state.returns() == other.returns()
        assert game.min_utility <= min(state.returns()) <= max(state.returns()) <= game.max_utility
