"""Klondike against a deck on a table: what lies face down is unknown until somebody tells it."""

import random
import textwrap

import pytest

from fastmcts import MCTS, UCT, GameRollout
from fastmcts.core.constants import TERMINAL
from fastmcts.games import Klondike
from fastmcts.games import _klondike_layout as layout
from tests.helpers.klondike import FORMS, MIDDLE, play, texts

TABLE = """
    stock (next first): 2C 3C 4C ## ## ## ## ## ## ## ##
    waste  (top last):  9D 4S 8H
    foundations:        F1 AC  F2 2D  F3 3H  F4 --

    T1  T2  T3  T4  T5  T6  T7
    KC  ##  ##  ##  ##  ##  ##
    QH  9S  ##  ##  ##  ##  ##
            TD  ##  ##  ##  ##
                JS  ##  ##  ##
                    5S  ##  ##
                    4H  JH  ##
                        TS  QS
                        9H
"""


def told(view, real):
    """Tell a view what the real table shows, as words."""
    if view.is_waiting():
        view.reveal(" ".join(view.game.fact_to_string(fact) for fact in view.shown_by(real)))


# ---- Drawn tables


def test_a_drawn_table_is_what_the_player_of_that_position_knows():
    view = Klondike().state_from_text(TABLE)
    assert view.viewer == 0
    assert view == Klondike().state_from_text(MIDDLE).view(0)
    assert str(view) == textwrap.dedent(TABLE).strip()


@pytest.mark.parametrize("game", FORMS, ids=str)
def test_every_table_of_a_game_reads_back(game):
    for seed in range(2):
        state, chooser = game.new_initial_state(seed), random.Random(seed)
        for _ in range(80):
            assert game.state_from_text(str(state)) == state.view(0)
            if state.is_terminal():
                break
            state.apply_action(chooser.choice(state.legal_actions()))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("9D 4S 8H", "9D 4S ##", "the waste is face up: name its cards in place of ##"),
        ("2C 3C 4C ##", "2C ## 4C 3C", "the cards ## of the stock come last"),
        ("2C 3C 4C ##", "2C 3C 4C", "29 cards are seen nowhere, but 28 lie face down"),
        ("2C 3C", "2C KC", "KC is there twice"),
        ("KC  ##", "KC  AC", "AC is there twice"),
        ("    9H", "    ##", "the cards ## of T6 lie below those that are face up"),
        ("QH  9S", "QH  ##", "the last card of T2 lies face up: name it in place of ##"),
        ("QH  9S", "QH  ??", r"\?\? is a card that is turned up and not told: write which one it is"),
        ("    4H", "  4H  ", "'4H' in .* does not stand below the name of a column"),
        ("TS  QS", "    QS", "'9H' in .* hangs in the air: above it, T6 has no card"),
        ("F1 AC", "F1 AD", "AD does not belong on F1"),
        ("F1 AC", "F5 AC", "'F5' is no foundation; there are F1, F2, F3, F4"),
        ("F4 --", "F4", "foundations are written 'F1 AC  F2 --', a place and a card each"),
        ("waste  (top last)", "trash", "'.*trash.*' cannot be read: above the columns stand stock, waste and found"),
        ("waste  (top last)", "stock", "is a second line for the stock"),
        ("KC  ##", "1C  ##", "'1C' is no card"),
        ("QH  9S", "QC  9S", "QC cannot lie face up on KC in T1"),
    ],
)
def test_a_table_that_cannot_be_is_refused(old, new, message):
    assert old in TABLE
    with pytest.raises(ValueError, match=message):
        Klondike().state_from_text(TABLE.replace(old, new, 1))


def test_a_card_may_stand_a_letter_beside_its_column_and_an_empty_place_be_left_out():
    game = Klondike()
    assert game.state_from_text(TABLE.replace("QH  9S", "QH 9s ")) == game.state_from_text(TABLE)
    done = "foundations: F1 KC F2 KD F3 KH F4 QS\nT1 T2 T3 T4 T5 T6 T7\nKS"
    assert texts(game.state_from_text(done)) >= {"move T1 F4"}


def test_counters_are_drawn_where_they_do_not_follow_from_the_cards():
    game = Klondike()
    drawing = "foundations: F1 KC F2 KD F3 KH F4 TS\nwaste: JS\n\nT1  T2  T3  T4  T5  T6  T7\nKS  QS"
    state = play(game.state_from_text(drawing), "move F1 T3", "move F2 T4")
    assert str(state).splitlines()[3:5] == ["moves without progress: 2", "most ever on the foundations: 49"]
    again = game.state_from_text(str(state))
    assert again == state
    assert again.array[layout.IDLE] == 2


def test_an_array_that_nobody_can_know_is_refused():
    game = Klondike()
    view = game.state_from_text(TABLE)
    for index, value, message in (
        (layout.COLUMN + layout.MAX_HEIGHT, 60, "a card that was never face up is -1, unknown"),
        (layout.TALON, 99, "cards are numbers from 4 to 55"),
        (layout.TALON, layout.UNKNOWN, "tell first which card was dealt from the stock"),
        (layout.TALON_SIZE, 25, "the size of the talon must be"),
        (layout.TALON, layout.SUITS * layout.KING, "KC is there twice"),
        (layout.PLAYER, TERMINAL, "the player is 0 here"),
        (layout.LANDING, 0, "the derived slots do not fit"),
    ):
        array = view.array.copy()
        array[index] = value
        with pytest.raises(ValueError, match=message):
            game.state_from_array(array, viewer=0)


# ---- Cards that are told


def test_a_card_that_is_turned_up_is_told_before_the_game_goes_on():
    view = Klondike().state_from_text(TABLE)
    view.apply_action(view.string_to_action("move T6 JH T7"))
    assert "??" in str(view).split()
    with pytest.raises(ValueError, match=r"tell first what was turned up in T6: state.reveal\('QC'\)"):
        view.legal_actions()
    for wrong, message in (
        ("KC", "KC cannot be turned up: it is in column T1"),
        ("2D", "2D cannot be turned up: it is on foundation F2"),
        ("AD", "AD cannot be turned up: it is on foundation F2"),
        ("8H", "8H cannot be turned up: it is in the stock or the waste"),
        ("3C", "3C cannot be turned up: it is in the stock or the waste"),
        ("QC 5C", "shown 1, told 2: tell first what was turned up in T6"),
        ("hello", "'hello' is no card"),
        (3, "a card is a number from 4 to 55, not 3"),
    ):
        with pytest.raises(ValueError, match=message):
            view.reveal(wrong)
    view.reveal("th")
    expected = play(Klondike().state_from_text(MIDDLE), "move T6 JH T7")
    assert view == expected.view(0)
    assert view.legal_actions() == expected.legal_actions()


def test_cards_that_are_dealt_are_told_in_the_order_of_dealing():
    view = play(Klondike().state_from_text(TABLE), "turn", "turn")
    with pytest.raises(ValueError, match="tell first which 3 cards were dealt from the stock, the first one first"):
        view.apply_action(0)
    with pytest.raises(ValueError, match="5C cannot be turned up: it is in the stock or the waste"):
        view.reveal("5C 6C 5C")
    view.reveal("5C", "6C", "7C")
    assert view == play(Klondike().state_from_text(MIDDLE), "turn", "turn").view(0)


def test_whether_the_game_is_over_is_seen_when_the_card_is_told():
    game = Klondike(worry_back=False)
    state = game.state_from_text("F: TC KD KH QS\nwaste: KC QC\nT2: (JC) KS")
    view = play(state.view(0), "move T2 F4")
    assert view.array[layout.PLAYER] == TERMINAL, "without the card there is no move"
    view.reveal("JC")
    assert texts(view) == {"move T2 F1"}
    assert view == play(state, "move T2 F4").view(0)


def test_the_last_deal_of_a_game_is_told_too():
    game = Klondike(idle_limit=1)
    state = game.new_initial_state(0)
    view = play(state.view(0), "turn")
    assert view.is_waiting()
    told(view, play(state, "turn"))
    assert view.is_terminal()
    assert view == state.view(0)


# ---- Whole games


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    "game",
    [
        Klondike(idle_limit=12),
        *(
            pytest.param(game, marks=pytest.mark.thorough)
            for game in (Klondike(draw=1, idle_limit=30), Klondike(macro=True, idle_limit=8))
        ),
    ],
    ids=str,
)
def test_a_whole_game_is_played_on_the_table_with_the_moves_of_one_who_could_look(game):
    for seed in range(2):
        real = game.new_initial_state(seed)
        view = real.view(0)
        options = {"simulations": 4, "seed": seed, "selection": UCT(c=0.7), "rollout": GameRollout(max_length=3)}
        knowing, seeing = MCTS(game, **options), MCTS(game, **options)
        moves = reused = 0
        while not real.is_terminal():
            full, seen = knowing.search(real), seeing.search(view)
            assert seen.visits.tolist() == full.visits.tolist()
            assert seen.action == full.action
            reused += seen.reused > 0
            text = view.action_to_string(seen.action)
            view.apply_action(view.string_to_action(text))
            real.apply_action(real.string_to_action(text))
            told(view, real)
            assert view == real.view(0)
            moves += 1
        assert view.is_terminal()
        assert view.returns() == real.returns()
        assert seeing.search(view).action is None
        assert moves > 8
        assert reused > 0
