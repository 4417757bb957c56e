"""Whist and Oh Hell as one player knows them: hands that are hidden, and what the cards played tell about them."""

import random

import pytest

import fastmcts
from fastmcts import games
from fastmcts.games._cards import CARDS, card_number, card_text, cards_text
from fastmcts.games._hidden_hands import is_possible
from tests.helpers.tricks import GAMES, all_worlds, hands_of, played_state, trump_of

WHIST = games.Whist(hand_size=4)

#: Player 0 has led a spade, on which 1 has thrown a club, and a diamond, on which 3 has thrown a heart.
KNOWN = WHIST.state_from_knowledge(0, "AH 2C", tricks=["AS 3C 5S 4S", "KD 2D 4D 7H"])
DRAWN = """
    seen by player 0
    trump: S
    >0: 2C AH (2 won)
     1: 2 unknown (0 won)
     2: 2 unknown (0 won)
     3: 2 unknown (0 won)
    trick 1, led by 0: AS 3C 5S 4S
    trick 2, led by 0: KD 2D 4D 7H
    table: -
"""

OH_HELL = games.OhHell(num_players=3, hand_size=3)


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def random_positions(game, seed):
    """Every position of a random game, with what each player knows of it, brought up by its moves."""
    state, chooser = game.new_initial_state(seed), random.Random(seed)
    views = [state.view(player) for player in range(game.num_players)]
    yield state, views
    while not state.is_terminal():
        action = chooser.choice(state.legal_actions())
        state.apply_action(action)
        for view in views:
            view.apply_action(action)
        yield state, views


# ---- From what a player knows


def test_a_position_is_made_from_a_hand_and_the_tricks():
    assert lines(str(KNOWN)) == lines(DRAWN)
    assert KNOWN.viewer == KNOWN.current_player() == 0
    assert KNOWN.hand(0) == ["2C", "AH"]
    assert [KNOWN.hand_size(player) for player in range(4)] == [2, 2, 2, 2]
    assert [KNOWN.known_voids(player) for player in range(4)] == [[], ["S"], [], ["D"]]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_what_a_player_knows_of_a_real_game_makes_its_view(game):
    for state, views in random_positions(game, 4):
        played = [card_text(card) for card in game.cards_so_far(state.array)]
        tricks = [played[n : n + game.num_players] for n in range(0, len(played), game.num_players)]
        opener = int(state.array[2])
        for player, view in enumerate(views[:2]):
            told = {"player": player, "hand": state.hand(player), "tricks": tricks}
            if isinstance(game, games.OhHell):
                order = [(opener + turn) % game.num_players for turn in range(game.num_players)]
                bids = [int(state.array[game.bids + bidder]) - 1 for bidder in order]
                told["bids"] = [bid for bid in bids if bid >= 0]
                told["turned"] = int(state.array[game.turned])
                told["dealer"] = (opener - 1) % game.num_players
            else:
                told["leader"] = opener
            assert game.state_from_knowledge(**told) == view


def test_the_hands_of_others_are_not_to_be_asked_for():
    for player, size in ((1, 2), (3, 2)):
        with pytest.raises(
            ValueError, match=f"the view of player 0, which does not contain the {size} cards of player"
        ):
            KNOWN.hand(player)
    with pytest.raises(ValueError, match="player must be from 0 to 3, not 4"):
        KNOWN.hand(4)
    with pytest.raises(ValueError, match="the view of player 0, which does not contain what player 1 knows"):
        KNOWN.determinize(1, 0)
    state = WHIST.new_initial_state(0)
    assert [len(state.hand(player)) for player in range(4)] == [4, 4, 4, 4], "of a full position they are"


def test_an_empty_hand_is_no_secret():
    *_, (state, views) = random_positions(WHIST, 0)
    assert views[0].is_terminal()
    assert [views[0].hand(player) for player in range(4)] == [[], [], [], []]
    assert views[0].returns() == state.returns()


def test_worlds_fit_what_is_known_and_are_searched():
    seen = {"AS", "3C", "5S", "4S", "KD", "2D", "4D", "7H", "AH", "2C"}
    unseen = {card_text(card) for card in range(CARDS)} - seen
    for seed in range(30):
        world = KNOWN.determinize(0, seed)
        assert world.viewer is None
        assert world.hand(0) == ["2C", "AH"]
        cards = [card for player in (1, 2, 3) for card in world.hand(player)]
        assert len(set(cards)) == 6
        assert set(cards) <= unseen
        assert not [card for card in world.hand(1) if card[1] == "S"]
        assert not [card for card in world.hand(3) if card[1] == "D"]
        WHIST.state_from_array(world.array)


@pytest.mark.slow_to_compile
def test_a_player_is_advised_from_what_it_knows():
    result = fastmcts.search(KNOWN, simulations=300, seed=0)
    assert result.action in KNOWN.legal_actions()
    assert result.visits.sum() == 300
    other = KNOWN.child(card_number("AH"))
    with pytest.raises(ValueError, match="player 1 is to move, and this is the view of player 0"):
        fastmcts.search(other, simulations=10)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hand": "AH"}, "player 0 was dealt 4 cards and played 2, so that it holds 2, not 1"),
        ({"hand": "AH AH"}, "a card is there twice"),
        ({"hand": "AH 1C"}, "a card is one of"),
        ({"hand": "AH AS"}, "trick 1: player 0 played AS, and does not hold it any more"),
        ({"hand": "AH 3C"}, "trick 1: player 1 cannot hold 3C, which is in the hand of player 0"),
        ({"hand": "AH 2S"}, ""),
        ({"hand": "AH 2D"}, "trick 2: player 1 cannot hold 2D, which is in the hand"),
        ({"player": 4}, "player must be from 0 to 3, not 4"),
        ({"leader": -1}, "leader must be from 0 to 3, not -1"),
        ({"tricks": ["AS 3C 5S 4S", "KD 2D 4D AS"]}, "trick 2: AS was played already"),
        ({"tricks": ["AS 3C 5S 4S", "KD 2S 4D 7H"]}, "trick 2: player 1 cannot hold 2S: .* lacks spades"),
        ({"tricks": ["AS 3C 5S 4S", "3: KD 2D 4D 7H"]}, "trick 2 was led by player 0, not 3"),
        ({"tricks": ["AS 3C 5S", "KD 2D 4D 7H"]}, "trick 1 has 3 cards: there are 4 tricks of 4 cards, and only"),
        ({"tricks": ["AS 3C 5S 4S 6S", "KD"]}, "trick 1 has 5 cards"),
        ({"tricks": ["AS 3C 5S 4S", "x: KD 2D"]}, "a trick begins with its leader, such as '0:', or a card, not 'x:'"),
        ({"tricks": [[60]]}, "trick 1: a card is a number from 0 to 51, not 60"),
    ],
)
def test_what_cannot_be_known_is_refused_with_the_reason(changed, message):
    told = {"player": 0, "hand": "AH 2C", "tricks": ["AS 3C 5S 4S", "KD 2D 4D 7H"], **changed}
    if not message:
        WHIST.state_from_knowledge(**told)
        return
    with pytest.raises(ValueError, match=message):
        WHIST.state_from_knowledge(**told)


def test_a_player_follows_suit_if_it_says_what_it_holds():
    with pytest.raises(ValueError, match="trick 1: player 0 may not play 3C now, but AD"):
        WHIST.state_from_knowledge(0, "AD 2H 4H", tricks=["2D 5D 6D 3C"], leader=1)


# ---- Playing on


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ("5S", "5S was played already"),
        ("2C", "player 1 cannot hold 2C, which is in the hand of player 0"),
        ("TS", "player 1 cannot hold TS: it has shown before that it lacks spades"),
        ("1C", "a card is one of"),
    ],
)
def test_a_card_that_cannot_be_there_is_refused_with_the_reason(card, reason):
    state = KNOWN.child(card_number("AH"))
    with pytest.raises(ValueError, match=reason):
        state.string_to_action(card)
    if card != "1C":
        with pytest.raises(ValueError, match=reason):
            state.apply_action(card_number(card))
    assert state == KNOWN.child(card_number("AH"))


def test_a_card_that_a_hidden_hand_may_hold_is_played_and_says_what_it_says():
    state = KNOWN.child(card_number("AH"))
    state.apply_action(state.string_to_action("5d"))
    assert state.known_voids(1) == ["S", "H"]
    assert state.hand_size(1) == 1
    for seed in range(20):
        assert state.determinize(0, seed).hand(1)[0][1] in "CD"


def test_a_card_that_would_leave_no_deal_is_refused():
    game = games.Whist(trump=-1, hand_size=13)
    hand = " ".join(f"{rank}C" for rank in "AKQJT98765432")
    state = game.state_from_knowledge(0, hand.replace("AC ", ""), tricks=["AC 2D 3D 4D"])
    assert [state.known_voids(player) for player in (1, 2, 3)] == [["C"]] * 3
    after = state.child(card_number("KC")).child(card_number("2S")).child(card_number("3S")).child(card_number("4S"))
    assert len(after.child(card_number("QC")).legal_actions()) == 33, "diamonds, spades and hearts that are left"
    two = games.OhHell(num_players=2, hand_size=25, trump_must_be_broken=False)
    everything = [card for card in range(CARDS) if card % 4 != 3]  # no hearts
    known = two.state_from_knowledge(0, everything[:25], turned="AH", bids=[3, 3])
    known.apply_action(card_number("2C"))
    with pytest.raises(
        ValueError, match="player 1 cannot play 2H: it must hold clubs, the suit led, since without any"
    ):
        known.apply_action(card_number("2H"))


@pytest.mark.parametrize(
    ("game", "seeds", "cards_left"),
    [
        (games.Whist(hand_size=13), range(3), 2),
        pytest.param(games.Whist(trump=-1, hand_size=13), range(3), 2, marks=pytest.mark.thorough),
        (games.OhHell(num_players=3, hand_size=17), range(8), 3),
        (games.OhHell(num_players=2, hand_size=25), range(6), 4),
        pytest.param(games.OhHell(num_players=6, hand_size=8), range(2), 1, marks=pytest.mark.thorough),
    ],
    ids=str,
)
def test_cards_are_possible_exactly_if_some_deal_allows_them(game, seeds, cards_left):
    fewer = 0
    for seed in seeds:
        state = played_state(game, seed, cards_left)
        for _ in range(game.num_players):
            if state.is_terminal():
                break
            mover = state.current_player()
            viewer = (mover + 1 + seed) % game.num_players
            allowed = set()
            for world in all_worlds(state, viewer):
                allowed |= legal_in(state, world[mover])
            possible = {card_text(action) for action in state.view(viewer).legal_actions()}
            assert possible == allowed
            unseen = cards_text(int(game.unseen(state.array, viewer))).split()
            fewer += viewer != mover and len(possible) < len(unseen)
            state.apply_action(random.Random(seed).choice(state.legal_actions()))
    assert fewer, "in some positions not every unseen card is"


def legal_in(state, hand):
    """The cards that the player to move may play if it holds these, by the rules of the book."""
    game, cards = state.game, set(hand)
    played = [card_text(card) for card in game.cards_so_far(state.array)]
    table = played[len(played) - len(played) % game.num_players :]
    if table:
        return {card for card in cards if card[1] == table[0][1]} or cards
    broken = any(card[1] == trump_of(state) for card in played) or not game.trump_must_be_broken
    return {card for card in cards if card[1] != trump_of(state) or broken} or cards


def test_the_real_hand_is_always_possible_and_no_deal_is_lost():
    for game in GAMES:
        for state, views in random_positions(game, 1):
            for view in views:
                assert game.has_world(view.array, view.viewer)
                assert set(state.legal_actions()) <= set(view.legal_actions())


def test_cards_can_be_dealt_if_any_players_together_find_enough():
    clubs = sum(1 << card for card in range(0, 20, 4))  # five clubs
    assert is_possible([0, 0], [3, 2], clubs)
    assert not is_possible([0, 0], [3, 3], clubs)
    assert not is_possible([1, 0], [1, 2], clubs)
    spades = clubs << 2
    assert is_possible([1, 4], [5, 5], clubs | spades)
    assert not is_possible([1, 1, 4], [3, 3, 1], clubs | spades)


# ---- Oh Hell


def test_bids_are_known_to_all_and_come_before_cards():
    state = OH_HELL.state_from_knowledge(2, "AC KC 2D", turned="2H", bids=[1])
    assert state.current_player() == 1
    assert state.legal_actions() == [52, 53, 54, 55]
    assert state.string_to_action("3") == 55
    for text, reason in (("QC", "player 1 is to bid, from 0 to 3; not QC"), ("4", "player 1 is to bid.*; not 4")):
        with pytest.raises(ValueError, match=reason):
            state.string_to_action(text)
    state.apply_action(52)
    state.apply_action(54)
    with pytest.raises(ValueError, match="all bids are made: player 0 is to play a card, not 1"):
        state.string_to_action("1")
    with pytest.raises(ValueError, match="2H was turned up, so that nobody holds it"):
        state.string_to_action("2H")
    assert str(state).splitlines() == [
        "seen by player 2",
        "trump: 2H",
        ">0: 3 unknown (0 won, bid 1)",
        " 1: 3 unknown (0 won, bid 0)",
        " 2: AC KC 2D (0 won, bid 2)",
        "table: -",
    ]


def test_who_leads_trump_before_it_is_broken_must_have_nothing_else():
    state = OH_HELL.state_from_knowledge(1, "AC KC 2D", turned="2H", bids=[1, 1, 1])
    state.apply_action(state.string_to_action("3H"))
    assert state.known_voids(0) == ["C", "D", "S"]
    full = games.OhHell(num_players=2, hand_size=25)
    no_trump = [card for card in range(CARDS) if card % 4 != 3]
    known = full.state_from_knowledge(0, no_trump[:25], turned="AH", bids=[3, 3], dealer=0)
    with pytest.raises(ValueError, match="player 1 cannot play KH: no deal fits both that and what was played before"):
        known.apply_action(card_number("KH"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"turned": "AC"}, "dealt twice: AC"),
        ({"bids": [4]}, "a bid must be from 0 to 3, not 4"),
        ({"bids": [0, 0, 0, 0]}, "3 players make a bid each, not 4"),
        ({"dealer": 3}, "dealer must be from 0 to 2, not 3"),
        ({"tricks": ["3C"]}, "trick 1: player 0 is to bid, from 0 to 3; not 3C"),
    ],
)
def test_what_cannot_be_known_about_bids_is_refused(changed, message):
    told = {"player": 2, "hand": "AC KC 2D", "turned": "2H", **changed}
    with pytest.raises(ValueError, match=message):
        OH_HELL.state_from_knowledge(**told)


def test_the_last_bid_is_restricted_on_a_view_too():
    game = games.OhHell(num_players=2, hand_size=3, last_bid_restricted=True)
    state = game.state_from_knowledge(0, "AC KC 2D", turned="2H", bids=[1], dealer=1)
    with pytest.raises(
        ValueError, match="player 1 is to bid, from 0 to 3, but not 2: the bids must not add up to 3; n"
    ):
        state.apply_action(54)


def test_the_dealer_is_the_games_own():
    game = games.OhHell(num_players=3, hand_size=3, dealer=0)
    assert game.state_from_knowledge(0, "AC KC 2D", turned="2H").current_player() == 1
    with pytest.raises(ValueError, match="player 2 cannot lead first where 0 deals"):
        game.state_from_knowledge(0, "AC KC 2D", turned="2H", dealer=1)


# ---- Text


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_what_is_drawn_reads_back_for_all_and_for_one(game):
    for number, (state, views) in enumerate(random_positions(game, 2)):
        assert game.state_from_text(str(state)) == state
        if number % 5 == 0 or state.is_terminal():
            for view in views:
                assert game.state_from_text(str(view)) == view
                others = {card for player, hand in enumerate(hands_of(state)) if player != view.viewer for card in hand}
                assert not others & set(str(view).split())


def test_small_letters_and_any_order_will_do():
    assert WHIST.state_from_text(DRAWN.replace("2C AH", "ah  2c")) == KNOWN


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seen by player 0", "", "a hand is unknown, but no line says whose view this is"),
        ("seen by player 0", "seen by player 7", "player 7 sees it, but there are only 0 to 3"),
        ("seen by player 0", "seen by player 1", "the hand of player 1, who sees this, must be named"),
        ("trump: S", "trump: H", "do not fit each other in trump: H is told, but it must be S"),
        ("(2 won)", "(1 won)", "do not fit each other in won"),
        ("1: 2 unknown", "1: 3 unknown", "do not fit each other in hands"),
        (">0", "0", "do not fit each other in mover: None is told, but it must be 0"),
        (" 1: 2", ">1: 2", "only one player is to move, not both 0 and 1"),
        (" 1: 2", " 0: 2", "a second line for player 0"),
        (" 1: 2 unknown (0 won)", "", "a line is needed for each player from 0 to 3, not"),
        ("trick 2, led by 0", "trick 3, led by 0", "should be trick 2"),
        ("trick 2, led by 0", "trick 2, led by 3", "trick 2 was led by player 0, not 3"),
        ("table: -", "table: AH", "trick 3: player 0 played AH, and does not hold it any more"),
        ("table: -", "desk: AH", "'desk: AH' cannot be read; lines are such as"),
        ("4D 7H", "4D 7X", "a card is one of"),
    ],
)
def test_a_drawing_whose_lines_do_not_fit_is_refused(old, new, message):
    assert old in DRAWN
    with pytest.raises(ValueError, match=message):
        WHIST.state_from_text(DRAWN.replace(old, new, 1))


def test_a_drawing_of_the_start_needs_a_mark_for_who_is_to_move():
    text = str(WHIST.new_initial_state(0))
    with pytest.raises(ValueError, match="no line begins with '>'"):
        WHIST.state_from_text(text.replace(">", " "))
