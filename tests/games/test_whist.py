from collections import Counter
from functools import cache

import numpy as np
import pytest

from fastmcts import games
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import TERMINAL
from fastmcts.games._cards import CARDS, SUITS, card_text, cards_text
from fastmcts.rng import make_rng
from fastmcts.testing import perft

CLUBS, DIAMONDS, SPADES, HEARTS = range(4)
NO_TRUMP = -1

# Player 2 lacks hearts, player 3 clubs.
HANDS = [
    "AH KH QH JH  AC KC QC  AD KD QD  2S 3S 4S",
    "TH 9H 8H 7H 6H  JC TC 9C  JD TD 9D  5S 6S",
    "8C 7C 6C 5C 4C 3C 2C  8D 7D 6D  7S 8S 9S",
    "5H 4H 3H 2H  5D 4D 3D 2D  AS KS QS JS TS",
]


def play(state, cards):
    for card in cards.split():
        state.apply_action(state.string_to_action(card))
    return state


def hand(state, player):
    return cards_text(state.array[state.game.hands + player]).split()


def rollout_choice(state, seed=0):
    buffer = np.zeros(state.game.num_actions, np.int64)
    with wrapping_integers():
        return card_text(int(state.game.rollout_action(state.array, buffer, make_rng(seed))))


def careful_choice(state, seed=0):
    buffer = np.zeros(state.game.num_actions, np.int64)
    with wrapping_integers():
        return card_text(int(state.game.careful_action(state.array, buffer, make_rng(seed))))


@pytest.mark.parametrize(
    ("trump", "cards", "winner"),
    [
        (NO_TRUMP, "2C 9C 5C 4C", 1),
        (NO_TRUMP, "2C AD 5C AH", 2),
        (DIAMONDS, "2C 3D 5C AH", 1),
        (DIAMONDS, "2C 3D AC 2D", 1),
        (DIAMONDS, "2C 3D AC 4D", 3),
        (CLUBS, "2C 3D AD 4D", 0),
    ],
)
def test_the_highest_trump_wins_or_else_the_highest_card_of_the_suit_led(trump, cards, winner):
    game = games.Whist(trump=trump, hand_size=1)
    state = play(game.state_from_hands(cards.split()), cards)
    assert state.is_terminal()
    assert state.returns() == [float(player % 2 == winner % 2) for player in range(4)]


def test_suit_is_followed_where_possible_and_any_suit_may_be_led():
    state = games.Whist(trump=SPADES).state_from_hands(HANDS)
    assert len(state.legal_actions()) == 13
    play(state, "2S")
    assert {card_text(card) for card in state.legal_actions()} == {"5S", "6S"}
    state = play(games.Whist(trump=SPADES).state_from_hands(HANDS), "AH 6H")
    assert len(state.legal_actions()) == 13  # player 2 has no heart


def test_the_winner_of_a_trick_leads_to_the_next():
    state = play(games.Whist(trump=SPADES).state_from_hands(HANDS, leader=1), "6H")
    assert state.current_player() == 2
    play(state, "7S 2H")
    assert state.current_player() == 0
    play(state, "AH")
    assert state.current_player() == 2


def test_partners_share_their_tricks_and_all_tricks_are_shared_out():
    for seed in range(20):
        state = games.Whist(hand_size=6).new_initial_state(seed)
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[-1])
        first, second, *partners = state.returns()
        assert partners == [first, second]
        assert first + second == 6
    assert (games.Whist().min_utility, games.Whist().max_utility) == (0.0, 13.0)


def test_an_unfinished_game_is_worth_its_tricks_and_half_of_the_rest():
    game = games.Whist(trump=NO_TRUMP, hand_size=2)
    state = play(game.state_from_hands(["AC 2D", "3C 4D", "5C 6D", "7C 8D"]), "AC 3C 5C 7C")
    out = np.zeros(4)
    game.evaluate(state.array, out)
    assert out.tolist() == [1.5, 0.5, 1.5, 0.5]


def test_the_deal_depends_on_the_seed_alone_and_gives_each_card_to_each_player_as_often():
    game = games.Whist()
    assert game.new_initial_state(3) == game.new_initial_state(3)
    assert game.new_initial_state(3) != game.new_initial_state(4)
    holders = Counter(
        (player, card)
        for seed in range(1000)
        for player in range(4)
        for card in hand(game.new_initial_state(seed), player)
    )
    assert len(holders) == 4 * CARDS
    assert all(abs(count - 250) < 4.5 * (1000 * 3 / 16) ** 0.5 for count in holders.values())


def test_a_player_that_did_not_follow_hearts_is_never_dealt_a_heart():
    state = play(games.Whist(trump=SPADES).state_from_hands(HANDS), "AH 6H 2C")  # the trick is not over
    suits = Counter()
    for seed in range(100):
        world = state.determinize(3, seed)
        assert len(hand(world, 2)) == 12
        suits.update(card[1] for card in hand(world, 2))
        assert hand(world, 3) == hand(state, 3)
    assert suits["H"] == 0
    assert set(suits) == set("CDS")


def test_several_voids_are_kept_at_once():
    # Player 2 lacks hearts, player 3 clubs, and then player 1 spades: it has no more.
    state = play(games.Whist(trump=NO_TRUMP).state_from_hands(HANDS), "AH 6H 2C 2H  AC 9C 3C 2D  KC TC 4C 3D")
    play(state, "2S 5S 7S TS  AS 3S 6S 8S  KS 4S JC 9S")
    for viewer in range(4):
        for seed in range(50):
            world = state.determinize(viewer, seed)
            held = [{card[1] for card in hand(world, player)} for player in range(4)]
            assert "H" not in held[2]
            assert "C" not in held[3]
            assert "S" not in held[1]
            assert hand(world, viewer) == hand(state, viewer)
            assert sorted(len(hand(world, player)) for player in range(4)) == [7, 7, 7, 7]


def test_what_a_player_knows_is_its_hand_and_who_played_what_when():
    game = games.Whist(trump=NO_TRUMP, hand_size=3)
    hands = ["AC KC 2D", "3C 4C 5D", "6C 7C 8D", "9C TC JD"]
    state = game.state_from_hands(hands)
    swapped = game.state_from_hands([hands[0], hands[2], hands[1], hands[3]])
    assert state.information_state_string(0) == swapped.information_state_string(0)
    assert state.information_state_string(1) != swapped.information_state_string(1)
    assert state.information_state_string(3) == swapped.information_state_string(3)

    one = play(state.clone(), "AC 3C 6C 9C KC 4C 7C TC")
    other = play(state.clone(), "KC 3C 6C 9C AC 4C 7C TC")
    assert one.array[: game.history].tolist() == other.array[: game.history].tolist()
    for player in range(4):
        assert one.information_state_string(player) != other.information_state_string(player)


@pytest.mark.parametrize(
    ("trump", "hands", "played", "choice"),
    [
        (NO_TRUMP, ["2C 3C", "4C 9C", "5C 6C", "7C 8C"], "2C", "4C"),  # the cheapest that wins
        (NO_TRUMP, ["8C 2D", "9C TC", "JC 7C", "QC 3C"], "8C 9C", "JC"),
        (NO_TRUMP, ["8C 2D", "9C TC", "5C 7C", "QC 3C"], "8C 9C", "5C"),  # none wins: the lowest
        (
            HEARTS,
            ["8C 2D", "2H AD", "5C 7C", "QC 3C"],
            "8C",
            "2H",
        ),  # ruffed, though the ace is of higher rank
        (HEARTS, ["8C 2D", "2H TH", "5H 9H", "QC 3C"], "8C 2H", "5H"),
        (HEARTS, ["8C 2D", "9H TH", "5H AD", "QC 3C"], "8C 9H", "AD"),  # cannot win: a side card, even an ace
        (HEARTS, ["2H 8C", "9H TH", "5H AD", "QC 3C"], "", "8C"),  # leads a side card
        (HEARTS, ["8C 2D", "9D AD", "QC 7C", "JH 3S"], "8C 9D QC", "JH"),
    ],
)
def test_the_rollout_policy_wins_cheaply_or_throws_the_lowest(trump, hands, played, choice):
    state = play(games.Whist(trump=trump, hand_size=2).state_from_hands(hands), played)
    assert {rollout_choice(state, seed) for seed in range(5)} == {choice}


def test_the_rollout_policy_chooses_among_suits_of_one_rank_by_chance():
    state = games.Whist(trump=HEARTS, hand_size=3).state_from_hands(["2C 2D 2H", "3C 3D 3S", "4C 4D 4S", "5C 5D 5S"])
    assert {rollout_choice(state, seed) for seed in range(20)} == {"2C", "2D"}


def naive_sequences(hands, leader, table, trump):
    """How many ways there are to play the rest, by the rules of the book."""
    if not any(hands):
        return 1
    player = (leader + len(table)) % 4
    legal = [card for card in hands[player] if table and card % 4 == table[0] % 4] or hands[player]
    total = 0
    for card in legal:
        after = [held - {card} for held in hands]
        cards = [*table, card]
        if len(cards) < 4:
            total += naive_sequences(after, leader, cards, trump)
        else:
            best = max(cards, key=lambda c: (c % 4 == trump, c % 4 == cards[0] % 4, c))
            total += naive_sequences(after, (leader + cards.index(best)) % 4, [], trump)
    return total


@pytest.mark.parametrize("trump", [NO_TRUMP, SPADES])
def test_play_sequences_number_as_many_as_a_naive_count(trump):
    game = games.Whist(trump=trump, hand_size=3)
    for seed in range(3):
        state = game.new_initial_state(seed)
        hands = [{card for card in range(CARDS) if int(state.array[game.hands + p]) >> card & 1} for p in range(4)]
        assert perft(state, 12) == naive_sequences(hands, 0, [], trump)


def double_dummy(state):
    """Tricks for players 0 and 2 with best play by all."""

    @cache
    def best(key):
        position = state.game.new_state(np.array(key))
        if position.is_terminal():
            return position.returns()[0]
        values = [best(tuple(position.child(action).array.tolist())) for action in position.legal_actions()]
        return max(values) if position.current_player() % 2 == 0 else min(values)

    return best(tuple(state.array.tolist()))


def test_known_endings_have_their_double_dummy_value():
    finesse = games.Whist(trump=NO_TRUMP, hand_size=2)
    # Led from the other side, the king falls between ace and queen; behind them it wins.
    assert double_dummy(finesse.state_from_hands(["2S 3S", "KS 4S", "AS QS", "5S 6S"])) == 2
    assert double_dummy(finesse.state_from_hands(["2S 3S", "5S 6S", "AS QS", "KS 4S"])) == 1
    ruff = ["AC KC", "2C 3D", "2D 3S", "4C 5C"]
    assert double_dummy(games.Whist(trump=NO_TRUMP, hand_size=2).state_from_hands(ruff)) == 2
    assert double_dummy(games.Whist(trump=DIAMONDS, hand_size=2).state_from_hands(ruff)) == 1


def test_wrong_options_and_hands_are_refused():
    for trump in (-2, 4):
        with pytest.raises(ValueError, match="trump must be from -1 to 3"):
            games.Whist(trump=trump)
    with pytest.raises(ValueError, match="hand_size must be from 1 to 13"):
        games.Whist(hand_size=14)
    game = games.Whist(hand_size=1)
    with pytest.raises(ValueError, match="dealt twice: 2C"):
        game.state_from_hands(["2C", "2C", "3C", "4C"])
    with pytest.raises(ValueError, match="1 cards each at the start"):
        game.state_from_hands(["2C 5C", "3C", "6C", "4C"])
    with pytest.raises(ValueError, match="leader must be from 0 to 3"):
        game.state_from_hands(["2C", "5C", "3C", "4C"], leader=4)


def test_a_position_is_drawn_with_hands_tricks_and_table():
    state = games.Whist(trump=HEARTS, hand_size=2).state_from_hands(["AC 2D", "3C TH", "5C 6D", "7C 8D"])
    assert str(play(state, "AC 3C")).splitlines() == [
        "trump: H",
        " 0: 2D (0 won)",
        " 1: TH (0 won)",
        ">2: 5C 6D (0 won)",
        " 3: 7C 8D (0 won)",
        "table: AC 3C",
    ]
    play(state, "5C 7C 2D TH 6D 8D")
    assert state.current_player() == TERMINAL
    assert str(state).splitlines()[1:3] == [" 0: - (1 won)", " 1: - (1 won)"]
    assert str(games.Whist(trump=NO_TRUMP).new_initial_state(seed=0)).startswith("no trump\n>0:")
    assert SUITS[HEARTS] == "H"


@pytest.mark.parametrize(
    ("played", "simple", "careful"),
    [
        ("9C 3C KC", "AC", "AC"),  # the other side wins the trick as it stands
        ("9C 3C 8C", "TC", "TC"),
        ("3C 9C 4C", "TC", "2C"),  # the partner does
        ("3C KC 4C", "AC", "2C"),
    ],
)
def test_a_careful_player_does_not_overtake_a_partner_who_wins_the_trick(played, simple, careful):
    game = games.Whist(trump=NO_TRUMP, hand_size=3)
    hands = [f"{card} {others}" for card, others in zip(played.split(), ("5D 6D", "7D 8D", "9D TD"), strict=True)]
    state = play(game.state_from_hands([*hands, "2C TC AC"]), played)
    assert (rollout_choice(state), careful_choice(state)) == (simple, careful)


def test_a_careful_player_plays_what_wins_for_sure_while_others_may_still_beat_the_rest():
    game = games.Whist(trump=NO_TRUMP, hand_size=2)
    state = game.state_from_hands(["2C AD", "6C AC", "KC 7D", "QC 8D"])
    assert (rollout_choice(state), careful_choice(state)) == ("2C", "AD")
    play(state, "2C")
    assert (rollout_choice(state), careful_choice(state)) == ("6C", "AC")
