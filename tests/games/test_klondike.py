"""Klondike: the rules one by one on positions drawn as text, and what the player knows."""

import math
from collections import Counter

import numpy as np
import pytest

from fastmcts.core.constants import TERMINAL
from fastmcts.games import Klondike
from fastmcts.games import _klondike_layout as layout
from fastmcts.games._klondike_text import card_from_name, card_name, cards_outside_talon
from fastmcts.rng import make_rng
from fastmcts.state import State
from fastmcts.testing import check_game
from tests.helpers.klondike import FORMS, MIDDLE, play, texts

NEARLY_DONE = """
    F: TC TD TH TS
    T1: KC QD JC
    T2: KD QC JD
    T3: KH QS JH
    T4: KS QH JS
"""


def column(state: State, number: int) -> str:
    """The face-up cards of a column, from the bottom up."""
    first = layout.COLUMN + (number - 1) * layout.MAX_HEIGHT
    cards = state.array[first : first + state.array[layout.HEIGHT + number - 1]]
    return " ".join(card_name(card) for card in cards[state.array[layout.FACE_DOWN + number - 1] :])


def waste(state: State) -> str:
    cards = state.array[layout.TALON : layout.TALON + state.array[layout.WASTE_SIZE]]
    return " ".join(card_name(card) for card in cards)


def random_games(game: Klondike, seeds: range, choose="random_action"):
    """Yield every decision of some games, then each end."""
    actions = np.zeros(game.num_actions, np.int64)
    for seed in seeds:
        state, rng = game.new_initial_state(seed), make_rng(seed)
        while not state.is_terminal():
            yield state
            with np.errstate(over="ignore"):
                action = int(getattr(game, choose)(state.array, actions, rng))
            state.apply_action(action)
        yield state


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("positions", [50, pytest.param(500, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "game", [*FORMS[3:], *(pytest.param(game, marks=pytest.mark.thorough) for game in FORMS[:3])], ids=str
)
def test_every_form_keeps_the_contract_of_a_game(game, positions):
    check_game(game, positions)


def test_the_deal_gives_one_to_seven_cards_to_the_columns_and_the_rest_to_the_stock():
    state = Klondike().new_initial_state(seed=5)
    assert state.array[layout.HEIGHT :][:7].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert state.array[layout.FACE_DOWN :][:7].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert state.array[layout.TALON_SIZE] == 24
    assert state.array[layout.WASTE_SIZE] == 0


def test_the_deal_depends_on_the_seed_and_every_card_comes_everywhere():
    tops = Counter(card_name(Klondike().new_initial_state(seed).array[layout.COLUMN]) for seed in range(800))
    assert len(tops) == 52
    expected = 800 / 52
    assert sum((count - expected) ** 2 / expected for count in tops.values()) < 93.2  # 99.97 % of 51 degrees


def test_the_legal_moves_of_a_drawn_position_are_exactly_these():
    assert texts(Klondike().state_from_text(MIDDLE)) == {
        "turn",
        "move W T2",
        "move T5 F3",
        "move T2 T3",
        "move T3 T4",
        "move T4 T1",
        "move T6 JH T7",
    }


def test_part_of_a_run_moves_and_cards_come_back_from_foundations():
    drawing = """
        F: 9C TD KH JS
        T1: KD QS JD TC
        T2: QC
        T3: KC QD JC
        T4: KS
    """
    inner = {"move T1 JD T2", "move T1 F1", "move T3 QD T4"}
    to_empty = {f"move {source} T{target}" for source in ("T1 KD", "T3 KC", "T4") for target in (5, 6, 7)}
    back = {"move F2 T3", "move F3 T5", "move F3 T6", "move F3 T7"}
    assert texts(Klondike().state_from_text(drawing)) == inner | to_empty | back
    assert texts(Klondike(worry_back=False).state_from_text(drawing)) == inner | to_empty
    state = play(Klondike().state_from_text(drawing), "move T1 JD T2", "move F2 T3")
    assert [column(state, number) for number in (1, 2, 3)] == ["KD QS", "QC JD TC", "KC QD JC TD"]


def test_only_kings_move_to_an_empty_column():
    state = Klondike().state_from_text("F: QC JD KH KS\nT2: QD\nT3: KC\nT4: KD")
    moves = texts(state)
    assert "move T2 T1" not in moves
    assert {"move T3 T1", "move T4 T1", "move F3 T1", "move F4 T1"} <= moves
    assert "move F1 T1" not in moves


def test_a_face_down_card_turns_up_by_itself():
    state = play(Klondike().state_from_text(MIDDLE), "move T6 JH T7")
    assert column(state, 6) == "TH"
    assert column(state, 7) == "QS JH TS 9H"
    play(state, "move T2 T3")
    assert column(state, 2) == "AS"
    assert "move T2 F4" in texts(state)


def test_turn_deals_and_turns_the_waste_over_in_one_action():
    state = Klondike(draw=3).state_from_text(MIDDLE)
    seen = []
    for _ in range(5):
        play(state, "turn")
        seen.append(waste(state))
    start = "9D 4S 8H"
    assert seen == [
        f"{start} 2C 3C 4C",
        f"{start} 2C 3C 4C 5C 6C 7C",
        f"{start} 2C 3C 4C 5C 6C 7C 8C 9C TC",
        f"{start} 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC",
        start,
    ]
    assert waste(play(Klondike(draw=1).state_from_text(MIDDLE), "turn")) == f"{start} 2C"


def test_a_card_played_from_the_waste_uncovers_the_one_below_it():
    state = play(Klondike().state_from_text(MIDDLE), "move W T2")
    assert column(state, 2) == "9S 8H"
    assert waste(state) == "9D 4S"
    assert waste(play(state, "turn")) == "9D 4S 2C 3C 4C"


def test_turn_is_legal_only_where_it_changes_something():
    three = "F: KC KD KH TS\nwaste: JS KS QS"
    assert "turn" not in texts(Klondike(draw=3).state_from_text(three))
    assert "turn" in texts(Klondike(draw=2).state_from_text(three))
    assert "turn" in texts(Klondike(draw=3).state_from_text("F: KC KD KH 9S\nwaste: JS KS TS QS"))


def test_the_game_is_lost_when_no_move_is_left():
    stuck = "F: KC KD KH TS\nwaste: JS KS QS"
    for macro in (False, True):
        state = Klondike(worry_back=False, macro=macro).state_from_text(stuck)
        assert state.is_terminal()
        assert state.returns() == [0.0]
    assert Klondike(worry_back=False, score="cards").state_from_text(stuck).returns() == [49 / 52]


@pytest.mark.parametrize("macro", [False, True])
def test_the_game_is_won_when_all_cards_lie_on_the_foundations(macro):
    state = Klondike(macro=macro).state_from_text(NEARLY_DONE)
    for _ in range(3):
        for source, target in ((1, 1), (2, 2), (3, 3), (4, 4)):
            if f"move T{source} F{target}" not in texts(state):
                target = {1: 2, 2: 1, 3: 4, 4: 3}[target]
            play(state, f"move T{source} F{target}")
    assert state.is_terminal()
    assert state.returns() == [1.0]
    estimate = np.zeros(1)
    state.game.evaluate(state.array, estimate)
    assert estimate[0] == 1.0


def test_the_game_is_lost_after_too_many_moves_without_progress():
    state = Klondike(idle_limit=4).state_from_text(MIDDLE)
    play(state, "turn", "turn", "turn")
    assert not state.is_terminal()
    play(state, "turn")
    assert state.is_terminal()
    assert state.returns() == [0.0]


def test_only_new_cards_on_the_foundations_are_progress():
    state = play(Klondike().state_from_text(MIDDLE), "turn", "move T5 F3")
    assert state.array[layout.IDLE] == 0
    play(state, "move F3 T5", "move T5 F3", "move F3 T5", "move T5 F3")
    assert state.array[layout.IDLE] == 4
    assert play(state, "move T2 T3").array[layout.IDLE] == 0


def test_texts_are_read_with_any_case_and_an_unneeded_card():
    state = Klondike().state_from_text(MIDDLE)
    assert state.string_to_action(" MOVE t4 js t1 ") == state.string_to_action("move T4 T1")
    assert state.string_to_action("move W 8H T2") == state.string_to_action("move w t2")
    ten = Klondike().state_from_text("F: 9C KD KH KS\nT1: KC\nT2: QC\nT3: JC\nT4: TC")
    assert ten.string_to_action("move T4 10C F1") == ten.string_to_action("move T4 F1")


@pytest.mark.parametrize(
    "move", ["quit", "", "move T6 T7", "move T6 TS T7", "move T5 F1", "move T9 T1", "move W 9D T2", "turn 3"]
)
def test_a_move_that_is_not_legal_is_refused_with_the_legal_ones(move):
    with pytest.raises(ValueError, match="legal are: turn, move W T2"):
        Klondike().state_from_text(MIDDLE).string_to_action(move)


def test_cards_are_named_by_rank_and_suit():
    assert [card_name(card_from_name(name)) for name in ("AC", "10d", "th", "KS")] == ["AC", "TD", "TH", "KS"]
    with pytest.raises(ValueError, match="'1C' is no card"):
        card_from_name("1C")


def test_a_position_is_drawn_as_the_player_knows_it():
    drawing = [line.rstrip() for line in str(Klondike().state_from_text(MIDDLE)).splitlines()]
    assert drawing == [
        "stock (next first): 2C 3C 4C ## ## ## ## ## ## ## ##",
        "waste  (top last):  9D 4S 8H",
        "foundations:        F1 AC  F2 2D  F3 3H  F4 --",
        "",
        "T1  T2  T3  T4  T5  T6  T7",
        "KC  ##  ##  ##  ##  ##  ##",
        "QH  9S  ##  ##  ##  ##  ##",
        "        TD  ##  ##  ##  ##",
        "            JS  ##  ##  ##",
        "                5S  ##  ##",
        "                4H  JH  ##",
        "                    TS  QS",
        "                    9H",
    ]


@pytest.mark.parametrize("draw", [1, 2, 3, 5])
def test_macro_moves_are_what_turns_and_a_plain_move_would_do(draw):
    plain, macro = Klondike(draw=draw, idle_limit=25), Klondike(draw=draw, macro=True, idle_limit=25)
    checked = 0
    for state in random_games(macro, range(4)):
        if state.is_terminal():
            continue
        dealt = plain.new_state(state.array.copy())
        reached = {}
        for _ in range(60 // draw):
            for action in dealt.legal_actions():
                if layout.FROM_WASTE <= action < layout.COLUMN_TO_FOUNDATION:
                    target = action - layout.FROM_WASTE
                    place = int(dealt.array[layout.WASTE_SIZE]) - 1
                    number = layout.FROM_TALON + layout.TARGETS * place + target
                    reached[number] = dealt.child(action).array
            if layout.TURN not in dealt.legal_actions():
                break
            dealt.array[layout.IDLE] = 0
            dealt.apply_action(layout.TURN)
        legal = state.legal_actions()
        assert sorted(reached) == [action for action in legal if action >= layout.FROM_TALON]
        for action, after in reached.items():
            mine = state.child(action).array
            after[layout.PLAYER] = mine[layout.PLAYER]  # the macro form may have no move left
            assert mine.tolist() == after.tolist()
            checked += 1
        assert not {layout.TURN, *range(layout.FROM_WASTE, layout.COLUMN_TO_FOUNDATION)} & set(legal)
    assert checked > 20


@pytest.mark.parametrize("game", FORMS, ids=str)
def test_all_cards_are_there_once_after_every_move(game):
    for state in random_games(game, range(4)):
        array = state.array
        talon = array[layout.TALON : layout.TALON + array[layout.TALON_SIZE]].tolist()
        assert sorted(talon + cards_outside_talon(array)) == list(range(4, 56))
        game.check_state(array)


@pytest.mark.parametrize("game", FORMS, ids=str)
@pytest.mark.parametrize("policy", ["random_action", "rollout_action"])
def test_a_move_reveals_exactly_when_fewer_cards_are_unknown_after_it(game, policy):
    def unknown(state: State) -> int:
        return state.information_state_string(0).split().count(str(layout.UNKNOWN))

    seen = Counter()
    for state in random_games(game, range(1), policy):
        for action in state.legal_actions():
            fewer = unknown(state.child(action)) < unknown(state)
            assert bool(game.reveals(state.array, action)) == fewer
            seen[fewer] += 1
    assert min(seen[True], seen[False]) > 5, "moves of both kinds"


@pytest.mark.parametrize("macro", [False, True])
def test_determinize_draws_every_arrangement_of_the_unseen_cards_equally_often(macro):
    drawing = "F: TC TD KH KS\nstock: (QC)\nT2: (JC) KD\nT3: (QD JD) KC"
    state = Klondike(macro=macro).state_from_text(drawing)
    worlds = Counter()
    for seed in range(2400):
        world = state.determinize(0, seed)
        world.game.check_state(world.array)
        assert world.information_state_string(0) == state.information_state_string(0)
        worlds[tuple(world.array.tolist())] += 1
    arrangements = math.factorial(3 if macro else 4)
    assert len(worlds) == arrangements
    expected = 2400 / arrangements
    # Far in the tail of both distributions, with 5 and 23 degrees of freedom.
    assert sum((count - expected) ** 2 / expected for count in worlds.values()) < 49.7


def test_cards_seen_in_an_earlier_pass_stay_known():
    state = play(Klondike().state_from_text(MIDDLE), *["turn"] * 5)
    for seed in range(20):
        world = state.determinize(0, seed)
        assert world.array[layout.TALON :][:14].tolist() == state.array[layout.TALON :][:14].tolist()
    assert layout.UNKNOWN not in [int(card) for card in state.information_state_string(0).split()[24:38]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"draw": 0}, ValueError, "draw must be from 1 to 24, not 0"),
        ({"idle_limit": 0}, ValueError, "idle_limit must be from 1"),
        ({"macro": 1}, TypeError, "macro must be True or False, not 1"),
        ({"score": "points"}, ValueError, "score must be 'win' or 'cards', not 'points'"),
    ],
)
def test_impossible_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        Klondike(**options)


@pytest.mark.parametrize(
    ("index", "entry_value", "message"),
    [
        (layout.PLAYER, TERMINAL, "the player is 0 here"),
        (layout.TALON_SIZE, 25, "the size of the talon"),
        (layout.WASTE_SIZE, -1, "the size of the waste"),
        (layout.SEEN, 1, "talon cards seen"),
        (layout.IDLE, 101, "idle moves"),
        (layout.RECORD, 0, "the record"),
        (layout.RECORD, 52, "the record of the foundations must be from 6 to 51, not 52"),
        (layout.FOUNDATION, 14, "foundation F1"),
        (layout.FOUNDATION, 0, "52 cards"),
        (layout.HEIGHT, 20, "the height of column T1"),
        (layout.FACE_DOWN, 1, "face-down cards of T1"),
        (layout.TALON, 60, "52 cards"),
        (layout.TALON + 20, 4, "is not 0"),
        (layout.COLUMN + 18, 4, "is not 0"),
        (layout.RUN, 0, "derived"),
    ],
)
def test_an_array_that_is_no_position_is_refused(index, entry_value, message):
    array = Klondike().state_from_text(MIDDLE).array
    array[index] = entry_value
    with pytest.raises(ValueError, match=message):
        Klondike().state_from_array(array)


def test_a_record_above_the_foundations_takes_worrying_back():
    array = Klondike().state_from_text(MIDDLE).array
    array[layout.RECORD] = 51
    Klondike().state_from_array(array)
    with pytest.raises(ValueError, match="the record of the foundations must be from 6 to 6, not 51"):
        Klondike(worry_back=False).state_from_array(array)


def test_a_run_that_does_not_alternate_is_refused():
    with pytest.raises(ValueError, match="QC cannot lie face up on KS in T1"):
        Klondike().state_from_text("F: JC KD KH QS\nT1: KS QC\nT2: KC")


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("T8: KC", "'T8' is no place"),
        ("T1: KC", "at most 24 cards, but 51"),
        ("F: KC KD KH\nT1: " + "AS " * 20, "at most 19"),
        ("T2: KC (QC)", "'T2: KC \\(QC\\)' cannot be: cards in parentheses.* come first in a column"),
        ("T2: (KC", "'T2: \\(KC' cannot be"),
        ("T3: (KC) (QC) 2H", "'T3: .*' cannot be"),
        ("stock: (5D) 4C", "'stock: .*' cannot be: .* last in the stock"),
        ("waste: (2S) 9H", "'waste: .*' cannot be: .* nowhere else"),
        ("F: (2S)", "'F: .*' cannot be"),
        ("T1: KC\nT1: QC", "'T1: QC' is a second line for T1; write all its cards in one"),
        ("t1: KC\n T1 : QC", "second line for T1"),
        ("F: 9C 2C", "'F: 9C 2C' has two cards of one suit; write only the highest of each"),
    ],
)
def test_a_drawing_that_is_no_position_is_refused(drawing, message):
    with pytest.raises(ValueError, match=message):
        Klondike().state_from_text(drawing)
