"""Kuhn poker: every deal and every betting sequence."""

import itertools
from collections import Counter

import numpy as np
import pytest

from fastmcts import search
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


# ---- What a player knows


def test_a_position_is_made_from_ones_own_card_and_the_betting():
    for cards in DEALS:
        for player in (0, 1):
            state = deal(*cards).child(0)
            view = KuhnPoker().state_from_knowledge(player, "JQK"[cards[player]].lower(), "pass")
            assert view == state.view(player)
            assert view.legal_actions() == [0, 1]
            others = {int(view.determinize(player, seed).array[CARD + 1 - player]) for seed in range(20)}
            assert others == {0, 1, 2} - {cards[player]}


@pytest.mark.parametrize("betting", SEQUENCES)
def test_only_a_showdown_tells_the_other_card(betting):
    shown = betting.split()[-2:] in (["pass", "pass"], ["bet", "bet"])
    for cards in DEALS:
        state = deal(*cards)
        for player in (0, 1):
            view = KuhnPoker().state_from_knowledge(player, "JQK"[cards[player]], betting)
            assert view.is_waiting() == shown
            if shown:
                with pytest.raises(ValueError, match=f"which card player {1 - player} has shown"):
                    view.returns()
                view.reveal("JQK"[cards[1 - player]])
            chips = SEQUENCES[betting][cards[0] < cards[1]]
            assert view.returns() == [chips, -chips]
        assert state == deal(*cards)


def test_what_is_drawn_reads_back_for_all_and_for_one():
    game = KuhnPoker()
    for cards in DEALS:
        for betting in ("", "pass", "bet", "pass bet", *SEQUENCES):
            state = deal(*cards)
            for move in betting.split():
                state.apply_action(state.string_to_action(move))
            assert game.state_from_text(str(state)) == state
            for player in (0, 1):
                assert game.state_from_text(str(state.view(player))) == state.view(player)
    assert str(deal(2, 0).child(0).view(1)) == "? J: pass; seen by player 1"
    waiting = deal(2, 0).view(0).child(1).child(1)
    assert game.state_from_text(str(waiting)) == waiting


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("K K: pass", "two different cards"),
        ("K ?: pass", "does not say whose view it is"),
        ("K J pass", "a position is drawn as"),
        ("? J: pass; seen by player 0", "one of J, Q and K, not '\\?'"),
        ("K J: pass; seen by player 0", "nothing was shown that is still to be told, but 'J' is told"),
        ("K ?: bet pass bet; seen by player 0", "'bet' is not possible here, .* possible are: none"),
        ("K K: bet bet; seen by player 0", "other than K"),
    ],
)
def test_a_drawing_that_cannot_be_is_refused(drawing, message):
    with pytest.raises(ValueError, match=message):
        KuhnPoker().state_from_text(drawing)


def test_knowledge_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="player must be from 0 to 1, not 2"):
        KuhnPoker().state_from_knowledge(2, "K")
    with pytest.raises(ValueError, match="one of J, Q and K, not 'A'"):
        KuhnPoker().state_from_knowledge(0, "A")
    with pytest.raises(ValueError, match="'raise' is not a legal move here"):
        KuhnPoker().state_from_knowledge(0, "K", "raise")


@pytest.mark.parametrize("seed", range(3))
def test_the_recommended_search_mostly_passes_with_the_queen_as_every_equilibrium_does(seed):
    result = search(KuhnPoker().state_from_knowledge(0, "Q"), simulations=4_000, seed=seed)
    assert result.policy[0] > 0.55
