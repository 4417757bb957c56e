"""What whist and Oh Hell share: following suit, winning tricks, and hidden hands."""

import math
import random
import re
from collections import Counter

import numpy as np
import pytest

from fastmcts import games
from fastmcts.bits import lowest_bit
from fastmcts.compiler.jit import entry, wrapping_integers
from fastmcts.core.constants import TERMINAL
from fastmcts.errors import GameError
from fastmcts.games._cards import CARDS, DECK, SUITS, card_number, card_set, card_text, cards_text
from fastmcts.games._hidden_hands import WIDTH, draw_cards, redeal, ways, ways_for_two
from fastmcts.games._tricks import GONE, OPENER, TRICKS
from fastmcts.rng import make_rng
from fastmcts.testing import check_game
from tests.helpers.tricks import GAMES, all_worlds, hands_of, naive_game, played_state, plays_of, trump_of


def world_of(state):
    return tuple(frozenset(hand) for hand in hands_of(state))


def void_sets(state, viewer):
    """The different non-empty sets of voids among the other players that hold cards."""
    game = state.game
    return {
        int(state.array[game.voids + player])
        for player in range(game.num_players)
        if player != viewer and state.array[game.hands + player]
    } - {0}


def test_cards_have_the_numbers_and_names_of_the_documentation():
    assert [card_text(card) for card in (0, 1, 2, 3, 4, 51)] == ["2C", "2D", "2S", "2H", "3C", "AH"]
    assert [card_number(card_text(card)) for card in range(CARDS)] == list(range(CARDS))
    assert cards_text(card_set("2H qc AC TD")) == "AC QC TD 2H"
    assert card_set([0, "2D"]) == 0b11
    for wrong in ("10C", "1C", "QX", ""):
        with pytest.raises(ValueError, match="a card is one of"):
            card_number(wrong)
    with pytest.raises(ValueError, match="twice"):
        card_set("QC QC")
    with pytest.raises(ValueError, match="not 52"):
        card_set([52])


@pytest.mark.parametrize("game", [games.Whist(), games.OhHell()], ids=lambda game: game.name)
def test_cards_are_read_in_small_letters_too(game):
    state = played_state(game, 0, cards_left=5)
    for action in state.legal_actions():
        assert state.string_to_action(f" {card_text(action).lower()} ") == action
    with pytest.raises(ValueError, match="is not a legal move here; legal are"):
        state.string_to_action("1c")


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("positions", [50, pytest.param(500, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "game", [*GAMES[5:7], *(pytest.param(game, marks=pytest.mark.thorough) for game in GAMES[:5] + GAMES[7:])], ids=str
)
def test_the_contract_is_kept(game, positions):
    check_game(game, positions)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_games_agree_with_the_rules_of_the_book(game):
    for seed in range(6):
        first = game.new_initial_state(seed)
        state = played_state(game, seed, cards_left=0)
        assert state.is_terminal()
        hands, plays = hands_of(first), plays_of(state)
        assert len(plays) == game.num_plays
        wins = [0] * game.num_players
        replay = first.clone()
        for bid in game.actions_so_far(state.array)[: -game.num_plays]:
            replay.apply_action(bid)
        referee = naive_game(hands, first.array[OPENER], trump_of(first), game.trump_must_be_broken, plays)
        for number, (player, legal) in enumerate(referee):
            assert replay.current_player() == player
            assert {card_text(card) for card in replay.legal_actions()} == legal
            if number and number % game.num_players == 0:
                wins[player] += 1
            replay.apply_action(card_number(plays[number]))
        wins = [int(won) - before for won, before in zip(replay.array[TRICKS:], wins, strict=False)]
        assert sorted(wins) == [0] * (game.num_players - 1) + [1]  # the last trick


def test_a_draw_of_cards_is_uniform_over_all_sets():
    rng = make_rng(0)
    cards = card_set("2C 9D TS JS AH")
    for number in range(6):
        with wrapping_integers():
            drawn = Counter(draw_cards(cards, number, rng) for _ in range(1000))
        assert all(hand.bit_count() == number and hand & ~cards == 0 for hand in drawn)
        assert_uniform(drawn, math.comb(5, number))


def assert_uniform(counts, cells):
    """Chi-square: no more than four standard deviations above what chance gives, and every cell hit."""
    total = sum(counts.values())
    assert total >= 10 * cells
    assert len(counts) == cells
    expected = total / cells
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square <= cells - 1 + 4 * math.sqrt(2 * cells)


@pytest.mark.parametrize("groups", [2, 3, 4, 5])
def test_ways_are_counted_exactly(groups):
    """Against a recursion over single cards."""
    chooser = random.Random(groups)
    most = {2: 13, 3: 6, 4: 4, 5: 3}[groups]
    game = games.OhHell(num_players=groups + 1, hand_size=5)
    nonzero = 0
    for _ in range(30):
        counts = [chooser.randint(0, most) for _ in SUITS]
        needs = [chooser.randint(0, sum(counts) // groups) for _ in range(groups)]
        voids = [chooser.randrange(15) for _ in range(groups)]
        ends = Counter({(0,) * groups: 1})
        for suit, count in enumerate(counts):
            for _ in range(count):
                after = Counter()
                for taken, number in ends.items():
                    after[taken] += number
                    for group in range(groups):
                        if not voids[group] >> suit & 1 and taken[group] < needs[group]:
                            after[(*taken[:group], taken[group] + 1, *taken[group + 1 :])] += number
                ends = after
        exact = ends[tuple(needs)]
        nonzero += exact > 0
        entries = packed(counts), packed(needs), packed(voids), 0
        counted = ways_for_two(*entries) if groups == 2 else ways(game, *entries, groups)
        assert counted == pytest.approx(exact, rel=1e-12)
    assert nonzero >= 5


def packed(numbers):
    return sum(number << WIDTH * index for index, number in enumerate(numbers))


@pytest.mark.parametrize(
    ("game", "seed", "cards_left", "different_voids", "num_worlds"),
    [
        (games.Whist(), 71, 3, 3, 124),
        (games.Whist(trump=-1), 117, 3, 3, 140),
        (games.OhHell(num_players=3, hand_size=16), 5, 2, 2, 100),
        (games.OhHell(num_players=4, hand_size=12), 12, 2, 3, 330),
        (games.OhHell(num_players=2, hand_size=23), 0, 5, 1, 126),
        (games.OhHell(num_players=6, hand_size=8, trump_must_be_broken=False), 90, 1, 5, 192),
        (games.Whist(), 13, 1, 3, 1),
        (games.Whist(), 366, 2, 3, 1),
        (games.OhHell(num_players=3, hand_size=17), 2, 2, 2, 1),
    ],
    ids=str,
)
def test_worlds_are_drawn_uniformly_from_all_that_fit_the_history(game, seed, cards_left, different_voids, num_worlds):
    state = played_state(game, seed, cards_left)
    viewer = state.current_player()
    assert len(void_sets(state, viewer)) == different_voids
    worlds = set(all_worlds(state, viewer))
    assert len(worlds) == num_worlds
    assert_drawn_uniformly(state, viewer, worlds)


def test_leading_trump_before_it_is_broken_shows_a_hand_of_trumps():
    game = games.OhHell(num_players=3, hand_size=2)
    state = game.state_from_hands(["AH KH", "2C 3C", "4D 5D"], turned="2H")
    for move in ("1", "0", "0", "AH", "2C"):
        state.apply_action(state.string_to_action(move))
    worlds = set(all_worlds(state, viewer=2))
    assert len(worlds) == 11 * (12 + 11 + 13)  # a heart for player 0, another suit for player 1
    assert_drawn_uniformly(state, 2, worlds)


def test_a_free_lead_of_trump_shows_nothing():
    game = games.OhHell(num_players=2, hand_size=2, trump_must_be_broken=False)
    state = game.state_from_hands(["AH KC", "2C 3C"], turned="2H")
    for move in ("1", "0", "AH"):
        state.apply_action(state.string_to_action(move))
    assert len({world_of(state.determinize(1, draw)) for draw in range(500)}) == CARDS - 4


def play_and_redeal(game, state, actions, rng, seen):
    """Let the rollout policy finish a game in a new world at each move; fill `seen` [length, state_size]."""
    number = 0
    while game.current_player(state) != TERMINAL:
        game.determinize(state, game.current_player(state), rng)
        game.apply(state, game.rollout_action(state, actions, rng))
        for index in range(game.state_size):
            seen[number, index] = state[index]
        number += 1
    return number


@pytest.mark.jit
@pytest.mark.parametrize("game", [games.Whist(), games.OhHell(num_players=6, hand_size=8)], ids=str)
def test_compiled_rules_draw_the_worlds_that_plain_python_draws(game):
    kernel = entry(play_and_redeal)
    for seed in range(20):
        runs = []
        for function in (play_and_redeal, kernel):
            seen = np.zeros((game.max_game_length, game.state_size), np.int64)
            state = game.new_initial_state(seed)
            with wrapping_integers():
                moves = function(game, state.array, np.zeros(game.num_actions, np.int64), make_rng(seed), seen)
            runs.append(seen)
            assert moves == game.max_game_length
            game.check_state(state.array)
        assert np.array_equal(*runs)


def assert_drawn_uniformly(state, viewer, worlds):
    drawn = Counter(world_of(state.determinize(viewer, draw)) for draw in range(12 * len(worlds)))
    assert set(drawn) <= worlds
    assert_uniform(drawn, len(worlds))


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_player_cannot_tell_its_worlds_apart(game):
    different = 0
    for seed in range(3):
        state = played_state(game, seed, cards_left=max(1, game.hand_size // 2))
        for player in range(game.num_players):
            known = state.information_state_string(player)
            worlds = [state.determinize(player, draw) for draw in range(10)]
            for world in worlds:
                assert world.information_state_string(player) == known
                if player == state.current_player():
                    assert world.legal_actions() == state.legal_actions()
                game.check_state(world.array)  # the history is legal in it
            different += len({world_of(world) for world in worlds}) > 1
    assert different


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_no_void_and_no_hand_is_forgotten_when_five_groups_differ(game):
    """Deals by hand: each player may lack anything, whatever the cards played say."""
    chooser = random.Random(5)
    lacking_suits = 0
    for _ in range(40):
        position = played_state(game, chooser.randrange(1000), max(1, game.hand_size // 2)).array.copy()
        hands = [int(hand) for hand in position[game.hands : game.voids]]
        for player, hand in enumerate(hands):
            held = {card % 4 for card in range(CARDS) if hand >> card & 1}
            position[game.voids + player] = sum(
                1 << suit for suit in range(4) if suit not in held and chooser.random() < 0.9
            )
        unseen = sum(hands[1:])
        before = position.copy()
        with wrapping_integers():
            redeal(game, position, 0, unseen, make_rng(chooser.randrange(99)))
        after = [int(hand) for hand in position[game.hands : game.voids]]
        assert after[0] == hands[0]
        assert sum(after[1:]) == unseen
        for player in range(1, game.num_players):
            assert after[player].bit_count() == hands[player].bit_count()
            for suit in range(4):
                if position[game.voids + player] >> suit & 1:
                    lacking_suits += 1
                    assert not any(after[player] >> card & 1 for card in range(suit, CARDS, 4))
        position[game.hands : game.voids] = before[game.hands : game.voids]
        assert np.array_equal(position, before)
    assert lacking_suits > 0


NO_CLUBS = "2S 3S 4S 5S 6S 2D 3D 4D 5D 2H 3H 4H 5H"  # 8 spades, 9 diamonds and 9 hearts are left for others
IMPOSSIBLE_VOIDS = [
    [0, 15, 15, 15],
    [0, 0, 0, 15],
    [0, 7, 0, 0],  # hearts only: 13 of 9
    [0, 3, 5, 1],  # nobody has clubs: 39 of 26
    [0, 3, 3, 0],  # hearts and spades: 26 of 17
]


def lacking(voids):
    """The start of a game of whist in which players are said to lack suits, whatever they hold."""
    others = cards_text(DECK & ~card_set(NO_CLUBS)).split()
    state = games.Whist().state_from_hands([NO_CLUBS, others[:13], others[13:26], others[26:]])
    state.array[state.game.voids : state.game.history] = voids
    return state


@pytest.mark.parametrize("voids", IMPOSSIBLE_VOIDS)
def test_voids_that_fit_no_world_are_refused(voids):
    with pytest.raises(GameError, match="no world fits: too few cards"):
        lacking(voids).determinize(0, 0)


def test_hands_larger_than_the_deck_are_refused():
    state = games.Whist().new_initial_state(seed=0)
    state.array[GONE] |= 1 << lowest_bit(int(state.array[state.game.hands + 1]))
    with pytest.raises(GameError, match="no world fits: too few cards"):
        state.determinize(0, 0)


def determinize(game, state, player, rng):
    game.determinize(state, player, rng)


@pytest.mark.jit
@pytest.mark.parametrize("voids", IMPOSSIBLE_VOIDS)
def test_compiled_rules_refuse_voids_that_fit_no_world(voids):
    state = lacking(voids)
    with pytest.raises(GameError, match="no world fits: too few cards"):
        entry(determinize)(state.game, state.array, 0, make_rng(0))


#: What arrays that are no position are told, with the names of the parts that are wrong.
REFUSALS = re.compile(
    r"the history is 1 \+ card, .* not \[|entry \d+ of the position is -?\d+, but its deal and history lead to -?\d+"
    r"|hands are sets of 52 cards, not \[|a player from 0 to \d leads first, not -?\d+"
    r"|player \d cannot lead first where \d deals"
    r"|[2-9TJQKA][CDHS] is there twice|from 0 to \d+ cards are played, not -?\d+|bids are 1 \+ bid, .* not \["
    r"|\d players have \d+ cards each at the start, not \[|the card turned up is from 0 to 51, not -?\d+"
    r"|the history is not legal: player \d chose [2-9TJQKA][CDHS] after \d+ cards; legal were"
)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_arrays_that_are_no_position_are_refused(game):
    state = played_state(game, 1, cards_left=max(1, game.hand_size // 2))
    derived = {*range(game.hands), *range(game.voids, game.history)}  # the rest may have other legal values
    for index in range(game.state_size):
        for value in (-1, 70, 2**60, *(range(5) if index in derived else ())):
            array = state.array.copy()
            array[index] = value
            if not np.array_equal(array, state.array):
                with pytest.raises(ValueError, match=REFUSALS):
                    game.state_from_array(array)


def test_an_impossible_history_is_refused():
    game = games.Whist(hand_size=2)
    state = game.state_from_hands(["AC KD", "2C 3C", "4C 5D", "6C 7D"])
    for card in ("AC", "2C", "4C", "6C"):
        state.apply_action(state.string_to_action(card))
    array = state.array.copy()
    # Player 1 claims to have thrown a diamond on clubs, and still holds one.
    array[game.history + 1] = 1 + card_number("2D")
    with pytest.raises(ValueError, match="history is not legal: player 1 chose 2D"):
        game.state_from_array(array)
