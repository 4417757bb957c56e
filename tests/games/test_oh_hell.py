from collections import Counter

import numpy as np
import pytest

from fastmcts import games
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.games._cards import CARDS, card_set, card_text, cards_text
from fastmcts.rng import make_rng

SMALL = games.OhHell(num_players=3, hand_size=2)
SMALL_HANDS = ["AC KC", "2C 3D", "4D 5H"]


def play(state, moves):
    for move in moves.split():
        state.apply_action(state.string_to_action(move))
    return state


def hand(state, player):
    return cards_text(state.array[state.game.hands + player]).split()


def rollout_choice(state, seed=0):
    buffer = np.zeros(state.game.num_actions, np.int64)
    with wrapping_integers():
        return state.action_to_string(int(state.game.rollout_action(state.array, buffer, make_rng(seed))))


def careful_choice(state, seed=0):
    buffer = np.zeros(state.game.num_actions, np.int64)
    with wrapping_integers():
        return state.action_to_string(int(state.game.careful_action(state.array, buffer, make_rng(seed))))


def test_bids_are_made_in_turn_from_the_left_of_the_dealer_and_then_that_player_leads():
    game = games.OhHell(num_players=3, hand_size=2, dealer=0)
    state = game.new_initial_state(seed=0)
    for player in (1, 2, 0):
        assert state.current_player() == player
        assert state.legal_actions() == [52, 53, 54]
        assert [state.action_to_string(bid) for bid in (52, 53, 54)] == ["0", "1", "2"]
        play(state, "1")
    assert state.current_player() == 1
    assert max(state.legal_actions()) < CARDS


def test_the_dealer_is_drawn_with_the_cards_unless_given():
    game = games.OhHell()
    first = Counter(game.new_initial_state(seed).current_player() for seed in range(400))
    assert all(60 < first[player] < 140 for player in range(4))
    fixed = games.OhHell(dealer=3)
    assert {fixed.new_initial_state(seed).current_player() for seed in range(20)} == {0}


def test_the_last_bidder_may_not_make_the_bids_add_up_where_that_is_restricted():
    game = games.OhHell(num_players=3, hand_size=2, last_bid_restricted=True, dealer=2)
    for bids, legal in (
        ("0 0", ["0", "1"]),
        ("1 0", ["0", "2"]),
        ("1 1", ["1", "2"]),
        ("2 1", ["0", "1", "2"]),
    ):
        state = play(game.new_initial_state(seed=1), bids)
        assert [state.action_to_string(bid) for bid in state.legal_actions()] == legal
        buffer = np.zeros(game.num_actions, np.int64)
        rng = make_rng(0)
        for policy in (game.random_action, game.rollout_action):
            with wrapping_integers():
                chosen = {int(policy(state.array, buffer, rng)) for _ in range(60)}
            assert chosen <= set(state.legal_actions())
        with wrapping_integers():
            drawn = Counter(int(game.random_action(state.array, buffer, rng)) for _ in range(300))
        assert set(drawn) == set(state.legal_actions())
        assert min(drawn.values()) > 60


def test_trump_may_be_led_only_once_broken_or_by_who_has_nothing_else():
    hands = ["AH 2C 3C", "JH 4C 5D", "6C 7C 8C"]
    restricted = games.OhHell(num_players=3, hand_size=3)
    state = play(restricted.state_from_hands(hands, turned="2H"), "0 0 0")
    assert state.legal_actions() == [card for card in range(CARDS) if card_text(card) in ("2C", "3C")]
    play(state, "2C 4C 8C 6C 3C")  # player 1 has no club left
    assert {card_text(card) for card in state.legal_actions()} == {"JH", "5D"}
    unbroken = play(state.clone(), "5D")
    assert {card_text(card) for card in unbroken.legal_actions()} == {"7C"}  # won by player 2
    broken = play(state.clone(), "JH")
    assert {card_text(card) for card in broken.legal_actions()} == {"5D"}

    free = games.OhHell(num_players=3, hand_size=3, trump_must_be_broken=False)
    state = play(free.state_from_hands(hands, turned="2H"), "0 0 0")
    assert len(state.legal_actions()) == 3

    only_trumps = restricted.state_from_hands(["AH KH QH", *hands[1:]], turned="2H")
    assert {card_text(card) for card in play(only_trumps, "0 0 0").legal_actions()} == {"AH", "KH", "QH"}


def test_after_a_trump_was_thrown_trump_may_be_led():
    game = games.OhHell(num_players=2, hand_size=3)
    state = play(game.state_from_hands(["AC KC 2D", "3H 4H 5D"], turned="2H"), "0 0 AC 3H")
    assert state.current_player() == 1
    assert {card_text(card) for card in state.legal_actions()} == {"4H", "5D"}


# AC wins, then player 0 leads KC: ruffed or not, by the trump turned up.
@pytest.mark.parametrize(
    ("scoring", "points_per_trick", "returns"),
    [
        ("bid", 1, [6.0, -7.0, -5.0]),
        ("tricks", 1, [11.0, 0.0, 1.0]),
        ("tricks", 3, [13.0, 0.0, 3.0]),
        ("penalty", 1, [11.0, -2.0, -1.0]),
        ("penalty", 3, [13.0, -6.0, -3.0]),
    ],
)
def test_exact_bids_score(scoring, points_per_trick, returns):
    game = games.OhHell(num_players=3, hand_size=2, scoring=scoring, points_per_trick=points_per_trick)
    state = game.state_from_hands(SMALL_HANDS, turned="2H")
    play(state, "1 2 0 AC 2C 4D KC 3D 5H")
    assert state.is_terminal()
    assert state.returns() == returns


def test_the_range_of_utilities_follows_from_the_scoring():
    def bounds(**options):
        game = games.OhHell(hand_size=10, **options)
        return game.min_utility, game.max_utility

    assert bounds() == (-15.0, 15.0)
    assert bounds(scoring="tricks") == (0.0, 20.0)
    assert bounds(scoring="penalty", points_per_trick=2) == (-20.0, 30.0)


def test_the_card_turned_up_is_known_to_all_and_never_dealt():
    for seed in range(5):
        state = games.OhHell().new_initial_state(seed)
        turned = str(state).splitlines()[0].removeprefix("trump: ")
        for player in range(4):
            for draw in range(40):
                world = state.determinize(player, draw)
                assert str(world).splitlines()[0] == f"trump: {turned}"
                assert all(turned not in hand(world, other) for other in range(4))
                assert hand(world, player) == hand(state, player)


def test_cards_left_in_the_stock_are_as_likely_as_any_others_to_be_dealt():
    state = games.OhHell(num_players=2, hand_size=5).new_initial_state(seed=0)
    dealt = Counter(card for draw in range(2000) for card in hand(state.determinize(0, draw), 1))
    expected = 2000 * 5 / (CARDS - 6)
    assert len(dealt) == CARDS - 6
    assert all(abs(count - expected) < 4.5 * expected**0.5 for count in dealt.values())


def test_a_void_that_leaves_one_world_is_understood():
    # Player 0 has every heart but the ace and the two turned up; player 1 shows that it has none.
    hearts = [f"{rank}H" for rank in "3456789TJQK"]
    others = [f"{rank}{suit}" for suit in "CDS" for rank in "23456789TJQKA"]
    game = games.OhHell(num_players=2, hand_size=25, trump_must_be_broken=False, dealer=1)
    state = game.state_from_hands([hearts + others[:14], others[14:]], turned="2H")
    play(state, "0 0 KH")
    assert len({tuple(hand(state.determinize(0, draw), 1)) for draw in range(200)}) == 26
    play(state, "3D")
    for draw in range(20):
        assert hand(state.determinize(0, draw), 1) == hand(state, 1)


def test_bids_and_the_card_turned_up_are_part_of_what_a_player_knows():
    state = SMALL.state_from_hands(SMALL_HANDS, turned="2H")
    assert state.information_state_string(0) != SMALL.state_from_hands(
        SMALL_HANDS, turned="3H"
    ).information_state_string(0)
    assert play(state.clone(), "0 1").information_state_string(2) != play(
        state.clone(), "1 0"
    ).information_state_string(2)
    other = SMALL.state_from_hands([SMALL_HANDS[0], "2C 7S", "4D 9S"], turned="2H")
    assert play(state.clone(), "0 1").information_state_string(0) == play(other, "0 1").information_state_string(0)


def test_the_estimated_bid_counts_high_cards_and_trumps():
    game = games.OhHell(hand_size=4, dealer=3)
    rest = ["2C 3C 4C 5C", "2D 3D 4D 5D", "6C 7C 8C 9C"]
    for cards, bids in (
        ("AC AD AS KH", {"4"}),  # three aces and a high trump
        ("AC 2S 3S 4S", {"1"}),
        ("KC 6D 3S 4S", {"0", "1"}),
        ("AH KH QH JH", {"3", "4"}),
        ("6D 7D 3S 4S", {"0"}),
    ):
        state = game.state_from_hands([cards, *rest], turned="2H")
        assert {rollout_choice(state, seed) for seed in range(30)} == bids
    # The count is close to what is won: all bids together are about all tricks.
    game = games.OhHell()
    total = 0
    for seed in range(100):
        state = game.new_initial_state(seed)
        for turn in range(4):
            bid = rollout_choice(state, seed * 4 + turn)
            total += int(bid)
            play(state, bid)
    assert 8.5 < total / 100 < 11.5


def test_the_rollout_policy_plays_thriftily_after_the_bids():
    state = play(SMALL.state_from_hands(["9C 2D", "TC AC", "3D 5H"], turned="2H"), "0 0 0")
    assert rollout_choice(state) == "2D"
    assert rollout_choice(play(state.clone(), "9C")) == "TC"
    assert rollout_choice(play(state.clone(), "9C TC")) == "5H"


def test_wrong_options_and_deals_are_refused():
    for options, message in (
        ({"num_players": 7}, "num_players must be from 2 to 6"),
        ({"hand_size": 13}, "hand_size must be from 1 to 12"),
        ({"scoring": "points"}, "scoring must be one of bid, tricks, penalty"),
        ({"dealer": 4}, "dealer must be from -1 to 3"),
        ({"points_per_trick": 0}, "points_per_trick must be from 1"),
    ):
        with pytest.raises(ValueError, match=message):
            games.OhHell(**options)
    with pytest.raises(TypeError, match="last_bid_restricted must be True or False"):
        games.OhHell(last_bid_restricted=1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="dealt twice: AC"):
        SMALL.state_from_hands(SMALL_HANDS, turned="AC")
    with pytest.raises(ValueError, match="turned must be from 0 to 51, not 52"):
        SMALL.state_from_hands(SMALL_HANDS, turned=52)
    with pytest.raises(TypeError, match=r"turned must be a whole number, not 1\.5"):
        SMALL.state_from_hands(SMALL_HANDS, turned=1.5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="cannot lead first"):
        games.OhHell(num_players=3, hand_size=2, dealer=1).state_from_hands(SMALL_HANDS, "2H", dealer=0)


def test_a_position_is_drawn_with_trump_hands_bids_and_table():
    state = play(SMALL.state_from_hands(SMALL_HANDS, turned="2H"), "1 2")
    assert str(state).splitlines() == [
        "trump: 2H",
        " 0: AC KC (0 won, bid 1)",
        " 1: 2C 3D (0 won, bid 2)",
        ">2: 4D 5H (0 won, bid -)",
        "table: -",
    ]
    assert int(state.array[SMALL.hands]) == card_set("AC KC")


@pytest.mark.parametrize(
    ("bid", "lead", "choice"),
    [
        ("1", "9C", "TC"),  # a trick is wanted, and this one can be had
        ("0", "9C", "8C"),  # none is wanted: the highest card that does not win
        ("0", "3C", "TC"),  # every card wins: the highest goes
        ("0", "AD", "TC"),  # and so does the highest where suit cannot be followed
        ("1", "AD", "5C"),
    ],
)
def test_a_careful_player_wins_as_many_tricks_as_it_bid_and_no_more(bid, lead, choice):
    game = games.OhHell(num_players=2, hand_size=3, dealer=1)
    state = game.state_from_hands([f"{lead} 2D 3D", "5C 8C TC"], turned="2S")
    play(state, f"0 {bid} {lead}")
    assert careful_choice(state) == choice
