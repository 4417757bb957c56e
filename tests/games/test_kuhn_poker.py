"""Kuhn poker: every deal and every betting sequence."""

import itertools
from collections import Counter

import numpy as np
import pytest

from fastmcts.games import KuhnPoker
from fastmcts.games.kuhn_poker import CARD, HISTORY, PLAYER, START
from fastmcts.state import State
from fastmcts.testing import check_game

DEALS = list(itertools.permutations(range(3), 2))

#: The betting, and what player 0 wins with the higher and with the lower card.
SEQUENCES = {
    "pass pass": (1, -1),
    "bet pass": (1, 1),
    "bet bet": (2, -2),
    "pass bet pass": (-1, -1),
    "pass bet bet": (2, -2),
}


def deal(first: int, second: int) -> State:
    return KuhnPoker().state_from_array(np.array([0, START, first, second]))


def test_the_game_keeps_the_contract():
    check_game(KuhnPoker(), positions=300)


@pytest.mark.parametrize("cards", DEALS)
@pytest.mark.parametrize("betting", SEQUENCES)
def test_every_deal_and_betting_pays_what_the_rules_say(cards, betting):
    state = deal(*cards)
    for number, action in enumerate(betting.split()):
        assert state.current_player() == number % 2
        assert state.legal_actions() == [0, 1]
        state.apply_action(state.string_to_action(action))
    chips = SEQUENCES[betting][cards[0] < cards[1]]
    assert state.is_terminal()
    assert state.returns() == [chips, -chips]


def test_the_betting_sequences_are_exactly_these():
    def endings(state: State, betting: tuple[str, ...]) -> list[str]:
        if state.is_terminal():
            return [" ".join(betting)]
        return [
            ending
            for action in state.legal_actions()
            for ending in endings(state.child(action), (*betting, state.action_to_string(action)))
        ]

    assert sorted(endings(deal(0, 1), ())) == sorted(SEQUENCES)


def test_all_six_deals_are_equally_likely():
    deals = Counter(tuple(KuhnPoker().new_initial_state(seed).array[CARD:].tolist()) for seed in range(1200))
    assert sorted(deals) == sorted(DEALS)
    assert sum((count - 200) ** 2 / 200 for count in deals.values()) < 20.5  # 99.9 % of 5 degrees


@pytest.mark.parametrize("player", [0, 1])
def test_determinize_draws_both_other_cards_equally_often(player):
    for cards in DEALS:
        state = deal(*cards)
        worlds = [state.determinize(player, seed) for seed in range(200)]
        assert {int(world.array[CARD + player]) for world in worlds} == {cards[player]}
        others = Counter(int(world.array[CARD + 1 - player]) for world in worlds)
        assert len(others) == 2
        assert abs(others[cards[1 - player]] - 100) < 45
        known = state.information_state_string(player)
        assert {world.information_state_string(player) for world in worlds} == {known}


def test_a_player_knows_its_card_and_the_betting_until_cards_are_shown():
    before, other = deal(2, 0), deal(2, 1)
    assert before.information_state_string(0) == other.information_state_string(0)
    assert before.information_state_string(1) != other.information_state_string(1)
    for action, shown in ((0, False), (1, True)):
        answers = [state.child(1).child(action) for state in (before, other)]
        assert before.game.reveals(before.child(1).array, action) == shown
        assert (len({answer.information_state_string(0) for answer in answers}) == 2) == shown


def test_a_position_is_drawn_with_cards_and_betting():
    assert str(deal(2, 0).child(0).child(1)) == "K J: pass bet"


@pytest.mark.parametrize(
    ("index", "entry", "message"),
    [
        (HISTORY, 8, "history 8"),
        (PLAYER, 1, "the player is not 1"),
        (CARD, 1, "different cards"),
        (CARD, 3, "not 3"),
    ],
)
def test_an_array_that_is_no_position_is_refused(index, entry, message):
    array = deal(0, 1).array
    array[index] = entry
    with pytest.raises(ValueError, match=message):
        KuhnPoker().state_from_array(array)
