"""Liar's dice: bids, wild dice, and who wins."""

from collections import Counter

import pytest

from fastmcts.games import LiarsDice
from fastmcts.games.liars_dice import BIDS, LAST, PLAYER, TURN
from fastmcts.state import State
from fastmcts.testing import check_game

SMALL = LiarsDice(dice=2, sides=4)
THREE = LiarsDice(players=3, dice=2, sides=4)


@pytest.mark.parametrize(
    "game",
    [
        LiarsDice(),
        pytest.param(THREE, marks=pytest.mark.slow_to_compile),
        pytest.param(LiarsDice(players=4, dice=5), marks=pytest.mark.thorough, id="several words of bids"),
    ],
)
def test_the_game_keeps_the_contract(game):
    check_game(game, positions=200)


@pytest.mark.parametrize(
    ("drawing", "winner"),
    [
        ("1,3 2,3: 1x3 liar", 0),
        ("1,3 2,3: 2x3 liar", 0),
        ("1,3 2,3: 3x3 liar", 1),
        ("1,4 4,4: 4x1 liar", 0),
        ("1,4 4,4: 4x2 liar", 1),
        ("1,4 4,4: 3x4 liar", 0),
        ("1,4 4,4: 3x4 4x1 liar", 1),
        ("1,4 4,4: 3x4 4x3 liar", 0),
    ],
)
def test_the_highest_face_counts_as_any(drawing, winner):
    state = SMALL.state_from_text(drawing)
    assert state.is_terminal()
    assert state.returns() == ([1.0, -1.0] if winner == 0 else [-1.0, 1.0])


def test_of_three_players_the_caller_and_the_bidder_are_concerned():
    assert THREE.state_from_text("1,1 2,2 3,3: 2x1 liar").returns() == [1.0, -1.0, 0.0]
    assert THREE.state_from_text("1,1 2,2 3,3: 1x1 2x2 3x3 liar").returns() == [1.0, 0.0, -1.0]
    assert THREE.state_from_text("1,1 2,2 3,3: 1x1 2x2 liar").returns() == [0.0, 1.0, -1.0]


def test_bids_rise_and_the_last_leaves_nothing_but_a_call():
    def texts(state: State) -> str:
        return " ".join(map(state.action_to_string, state.legal_actions()))

    assert texts(SMALL.state_from_text("1,1 1,1:")) == " ".join(
        f"{n}x{face}" for n in range(1, 5) for face in range(1, 5)
    )
    assert texts(SMALL.state_from_text("1,1 1,1: 3x4")) == "4x1 4x2 4x3 4x4 liar"
    assert texts(SMALL.state_from_text("1,1 1,1: 1x1 4x4")) == "liar"


def test_dice_are_fair_and_in_order():
    rolls = Counter(tuple(SMALL.new_initial_state(seed).array[SMALL.dice_of(1)].tolist()) for seed in range(1600))
    chances = {(one, two): (1 if one == two else 2) / 16 for one in range(1, 5) for two in range(one, 5)}
    assert sorted(rolls) == sorted(chances)
    chi_square = sum((rolls[pair] - 1600 * chance) ** 2 / (1600 * chance) for pair, chance in chances.items())
    assert chi_square < 27.9  # 99.9 % of 9 degrees


@pytest.mark.parametrize("player", [0, 1, 2])
def test_determinize_rolls_the_other_dice(player):
    state = THREE.state_from_text("1,4 2,3 3,3: 1x1 2x2")
    worlds = [state.determinize(player, seed).array for seed in range(600)]
    for other in range(3):
        hands = Counter(tuple(world[THREE.dice_of(other)].tolist()) for world in worlds)
        if other == player:
            assert list(hands) == [tuple(state.array[THREE.dice_of(player)].tolist())]
        else:
            assert len(hands) == 10
            assert abs(hands[1, 2] - 75) < 4 * 8.1
            assert abs(hands[4, 4] - 37.5) < 4 * 5.9


def test_the_bids_are_remembered():
    known = {SMALL.state_from_text(f"1,1 2,2: {bids}").information_state_string(0) for bids in ("1x2 2x2", "1x1 2x2")}
    assert len(known) == 2


def test_all_dice_are_shown_at_the_end():
    view = THREE.state_from_knowledge(1, "4 1", "1x1 3x3 liar")
    assert str(view) == "?,? 1,4 ?,?: 1x1 3x3 liar; seen by player 1"
    with pytest.raises(ValueError, match="tell first what the others have rolled"):
        view.returns()
    with pytest.raises(ValueError, match="a die shows 1 to 4, not 5"):
        view.reveal("3 2 1 5")
    view.reveal("3,2", "1,1")
    assert view == THREE.state_from_text("2,3 1,4 1,1: 1x1 3x3 liar").view(1)
    assert view.returns() == [0.0, -1.0, 1.0]


def test_what_is_drawn_reads_back_for_all_and_for_one():
    for bids in ("", "1x1", "1x3 2x2", "1x1 6x4", "2x2 2x3 liar"):
        state = THREE.state_from_text(f"1,2 3,3 2,4: {bids}")
        assert THREE.state_from_text(str(state)) == state
        for player in range(3):
            assert THREE.state_from_text(str(state.view(player))) == state.view(player)


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("1,2 ?,?: 1x1", "does not say whose view it is"),
        ("1,2: 1x1", "a position of 2 players is drawn as"),
        ("1,2 3,5:", "a player has 2 dice from 1 to 4, not '3,5'"),
        ("1,2 3:", "a player has 2 dice from 1 to 4, not '3'"),
        ("1,2 3,3: liar", "'liar' is not a legal move here"),
        ("1,2 3,3: 2x2 2x1", "'2x1' is not a legal move here"),
        ("1,2 3,3: 2x2; seen by player 0", "nothing was shown"),
        ("1,2 ?,?: 2x2; seen by player 2", "the viewer must be from 0 to 1, not 2"),
    ],
)
def test_a_drawing_that_cannot_be_is_refused(drawing, message):
    with pytest.raises(ValueError, match=message):
        SMALL.state_from_text(drawing)


@pytest.mark.parametrize(
    ("index", "entry", "message"),
    [
        (PLAYER, 0, "the player to move is not 0"),
        (PLAYER, -4, "the number of actions is not 1"),
        (TURN, 2, "the number of actions is not 2"),
        (LAST, 4, "the last one is not 4"),
        (BIDS, 1 << 16, "not a set of numbers from 0 to 15"),
        (BIDS + 1, 0, "dice show 1 to 4, not \\[0, 2, 3, 3\\]"),
        (BIDS + 1, 3, "the dice of player 0 are to be in ascending order, not \\[3, 2\\]"),
    ],
)
def test_an_array_that_is_no_position_is_refused(index, entry, message):
    array = SMALL.state_from_text("1,2 3,3: 2x2").array
    array[index] = entry
    with pytest.raises(ValueError, match=message):
        SMALL.state_from_array(array)


def test_nobody_is_called_a_liar_before_the_first_bid():
    array = SMALL.state_from_text("1,2 3,3:").array
    array[PLAYER], array[TURN] = -4, 1
    with pytest.raises(ValueError, match="before the first bid"):
        SMALL.state_from_array(array)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "players must be from 2 to 20, not 1"),
        ({"dice": 0}, "dice must be from 1 to 20, not 0"),
        ({"sides": 1}, "sides must be from 2 to 100, not 1"),
        ({"players": 20, "dice": 20, "sides": 6}, "players \\* dice \\* sides must be below 1,000, not 2,400"),
    ],
)
def test_sizes_that_make_no_game_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LiarsDice(**options)
