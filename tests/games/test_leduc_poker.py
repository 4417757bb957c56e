"""Leduc poker: the deck, both rounds of betting, and what is won."""

import itertools
from collections import Counter

import numpy as np
import pytest

from fastmcts.core.constants import CHANCE
from fastmcts.games import LeducPoker
from fastmcts.games.leduc_poker import CARD, CHIPS, FIRST, PLAYER, RAISES, SECOND, TABLE
from fastmcts.state import State
from fastmcts.testing import check_game

GAME = LeducPoker()
DEALS = list(itertools.product("JQK", repeat=2))


def after(drawing: str) -> State:
    return GAME.state_from_text(drawing)


def test_the_game_keeps_the_contract():
    check_game(GAME, positions=500)


@pytest.mark.parametrize(
    ("drawing", "chips"),
    [
        ("K J: raise fold", 1),
        ("K J: call raise fold", -1),
        ("K J: raise raise fold", -3),
        ("K J: call call Q call call", 1),
        ("J K: call call Q call call", -1),
        ("K J: call call J call call", -1),
        ("K K: call call J call call", 0),
        ("Q K: raise raise call Q raise raise call", 13),
        ("Q K: raise raise call K raise raise call", -13),
        ("K J: raise call Q raise fold", 3),
        ("K J: raise call Q raise raise fold", -7),
        ("K J: call raise call Q call raise call", 7),
    ],
)
def test_a_game_pays_what_the_rules_say(drawing, chips):
    state = after(drawing)
    assert state.is_terminal()
    assert state.returns() == [chips, -chips]


@pytest.mark.parametrize(
    ("drawing", "player", "moves"),
    [
        ("K J:", 0, "call raise"),
        ("K J: call", 1, "call raise"),
        ("K J: raise", 1, "fold call raise"),
        ("K J: raise raise", 0, "fold call"),
        ("K J: call raise raise", 1, "fold call"),
        ("K J: call raise call", CHANCE, "J Q K"),
        ("K K: call call", CHANCE, "J Q"),
        ("K J: call raise call Q", 0, "call raise"),
        ("K J: call raise call Q raise raise", 0, "fold call"),
    ],
)
def test_moves_are_those_of_the_rules(drawing, player, moves):
    state = after(drawing)
    assert state.current_player() == player
    assert " ".join(map(state.action_to_string, state.legal_actions())) == moves


def test_the_card_on_the_table_is_one_of_the_four_that_are_left():
    assert after("K J: call call").chance_outcomes() == [(0, 0.25), (1, 0.5), (2, 0.25)]
    assert after("K K: call call").chance_outcomes() == [(0, 0.5), (1, 0.5)]


def test_cards_are_dealt_from_two_of_each_rank():
    deals = Counter(tuple(GAME.new_initial_state(seed).array[CARD:].tolist()) for seed in range(1500))
    chances = {(first, second): (1 if first == second else 2) / 15 for first in range(3) for second in range(3)}
    assert sorted(deals) == sorted(chances)
    chi_square = sum((deals[pair] - 1500 * chance) ** 2 / (1500 * chance) for pair, chance in chances.items())
    assert chi_square < 26.1  # 99.9 % of 8 degrees


@pytest.mark.parametrize(
    ("drawing", "chances"),
    [("K J:", (0.4, 0.4, 0.2)), ("K J: call call Q", (0.5, 0.25, 0.25)), ("K J: call call K", (0.5, 0.5, 0.0))],
)
def test_determinize_draws_from_the_cards_that_are_left(drawing, chances):
    state = after(drawing)
    others = Counter(int(state.determinize(0, seed).array[CARD + 1]) for seed in range(1000))
    for rank, chance in enumerate(chances):
        assert abs(others[rank] - 1000 * chance) <= 4 * np.sqrt(1000 * chance * (1 - chance))


def test_a_player_knows_its_card_until_cards_are_shown():
    for course, shown in (("raise fold", False), ("call call Q call call", True), ("call call Q raise fold", False)):
        known = {after(f"K {other}: {course}").information_state_string(0) for other in "JQ"}
        assert (len(known) == 2) == shown
    assert after("K J: raise call Q").information_state_string(0) != after(
        "K J: call raise call Q"
    ).information_state_string(0), "how the chips came to the table is remembered"


def test_what_is_drawn_reads_back_for_all_and_for_one():
    for first, second in DEALS:
        for seed in range(20):
            state, draw = after(f"{first} {second}:"), np.random.default_rng(seed)
            while True:
                assert GAME.state_from_text(str(state)) == state
                for player in (0, 1):
                    assert GAME.state_from_text(str(state.view(player))) == state.view(player)
                if state.is_terminal():
                    break
                state.apply_action(int(draw.choice(state.legal_actions())))
    assert str(after("K J: raise call Q call").view(1)) == "? J: raise call Q call; seen by player 1"


def test_a_view_is_told_the_card_at_a_showdown():
    view = GAME.state_from_knowledge(0, "k", "call call K raise call")
    assert view.is_waiting()
    with pytest.raises(ValueError, match="which card player 1 has shown"):
        view.returns()
    with pytest.raises(ValueError, match="has shown one of J, Q, not card 2"):
        view.reveal("K")
    view.reveal("Q")
    assert view.returns() == [5.0, -5.0]


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("K ?: call", "does not say whose view it is"),
        ("K J call", "a position is drawn as"),
        ("K K: call call K", "'K' is not a legal move here; legal are: J, Q"),
        ("K J: fold", "'fold' is not a legal move here; legal are: call, raise"),
        ("? J: call; seen by player 0", "one of J, Q and K, not '\\?'"),
        ("K J: call; seen by player 0", "nothing was shown that is still to be told, but 'J' is told"),
    ],
)
def test_a_drawing_that_cannot_be_is_refused(drawing, message):
    with pytest.raises(ValueError, match=message):
        after(drawing)


@pytest.mark.parametrize(
    ("index", "entry", "message"),
    [
        (PLAYER, 1, "entry 0 is 0 after 'K J: raise call Q', not 1"),
        (FIRST, 0b1_10_00, "after 'K J: raise fold' there is no action 1"),
        (FIRST, 0b1_11, "there is no action 3"),
        (FIRST, -1, "no betting is written -1"),
        (SECOND, 0, "entry 2 is 1"),
        (TABLE, 5, "with 5 on the table"),
        (RAISES, 1, "entry 4 is 0"),
        (CHIPS, 1, "entry 5 is 3"),
        (CARD, -1, "cards are 0, 1 or 2, not -1"),
    ],
)
def test_an_array_that_is_no_position_is_refused(index, entry, message):
    array = after("K J: raise call Q").array
    array[index] = entry
    with pytest.raises(ValueError, match=message):
        GAME.state_from_array(array)


def test_three_cards_of_a_rank_are_refused():
    array = after("K K: raise call Q").array
    array[TABLE] = 2
    with pytest.raises(ValueError, match="two cards of each rank"):
        GAME.state_from_array(array)
