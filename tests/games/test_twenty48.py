"""2048: how lines slide and merge, where tiles appear, and how games end."""

import itertools

import numpy as np
import pytest

from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.games import Twenty48
from fastmcts.games.twenty48 import CELL, DIRECTIONS, PLAYER, SCORE
from fastmcts.state import State
from fastmcts.testing import check_game


def board(drawing: str, score: int = 0, **options) -> State:
    """A position from four lines of tiles and dots, with the player to move."""
    game = Twenty48(**options)
    cells = [0 if tile == "." else int(tile).bit_length() - 1 for tile in drawing.split()]
    return game.new_state(np.array([0, score, *cells]))


def tiles(state: State) -> str:
    return " / ".join(" ".join(row.split()) for row in str(state).splitlines()[:4])


def slide_naively(line: list[int]) -> tuple[list[int], int]:
    """The textbook way: push together, merge pairs from the front, fill up with zeros."""
    packed = [tile for tile in line if tile]
    merged, score = [], 0
    while packed:
        tile = packed.pop(0)
        if packed and packed[0] == tile:
            packed.pop(0)
            tile += 1
            score += 2**tile
        merged.append(tile)
    return merged + [0] * (4 - len(merged)), score


@pytest.mark.parametrize("game", [Twenty48(), Twenty48(max_tile=16, max_score=50)], ids=str)
def test_the_game_keeps_the_contract(game):
    check_game(game, positions=400)


@pytest.mark.parametrize("direction", range(4))
def test_every_line_slides_as_in_a_naive_version(direction):
    game = Twenty48()
    for line in itertools.product(range(4), repeat=4):
        expected, score = slide_naively(list(line))
        grid = np.zeros((4, 4), np.int64)
        # The line as seen from the side to which it slides, on each row or column in turn.
        index = sum(line) % 4
        view = {0: grid[:, index], 1: grid[index, ::-1], 2: grid[::-1, index], 3: grid[index]}[direction]
        view[:] = line
        state = game.new_state(np.array([0, 0, *grid.ravel()]))
        if expected == list(line):
            assert direction not in state.legal_actions()
            continue
        assert direction in state.legal_actions()
        state.apply_action(direction)
        view[:] = expected
        assert state.array[CELL:].tolist() == grid.ravel().tolist()
        assert state.array[SCORE] == score


def test_a_board_slides_in_four_directions():
    drawing = """
        2 2 4 .
        . . . .
        2 . 2 2
        8 . . 4
    """
    after = {}
    for direction, name in enumerate(DIRECTIONS):
        state = board(drawing)
        state.apply_action(direction)
        after[name] = tiles(state), int(state.array[SCORE])
    assert after == {
        "up": ("4 2 4 2 / 8 . 2 4 / . . . . / . . . .", 4),
        "right": (". . 4 4 / . . . . / . . 2 4 / . . 8 4", 8),
        "down": (". . . . / . . . . / 4 . 4 2 / 8 2 2 4", 4),
        "left": ("4 4 . . / . . . . / 4 2 . . / 8 4 . .", 8),
    }


def test_two_tiles_are_added_at_the_start_and_one_after_each_move():
    state = Twenty48().new_initial_state()
    assert state.current_player() == CHANCE
    state.apply_action(state.string_to_action("4 at a1"))
    assert state.current_player() == CHANCE
    state.apply_action(state.string_to_action("2 at d1"))
    assert state.current_player() == 0
    assert tiles(state) == "4 . . 2 / . . . . / . . . . / . . . ."
    state.apply_action(state.string_to_action("down"))
    assert state.current_player() == CHANCE


def test_a_two_is_nine_times_as_likely_as_a_four_on_every_empty_cell():
    state = board("2 4 2 4  4 2 4 2  2 4 2 4  4 2 . .")
    state.array[PLAYER] = CHANCE
    outcomes = dict(state.chance_outcomes())
    assert outcomes == pytest.approx({28: 0.45, 29: 0.05, 30: 0.45, 31: 0.05})


def test_the_game_ends_when_nothing_moves():
    state = board("2 4 2 4  4 2 4 2  2 4 2 4  4 2 4 .", score=16)
    state.array[PLAYER] = CHANCE
    state.apply_action(state.string_to_action("2 at d4"))
    assert state.current_player() == TERMINAL
    assert state.returns() == [16.0]


def test_the_game_ends_with_the_largest_tile():
    state = board("8 8 . .  . . . .  . . . .  . . . .", score=32, max_tile=16)
    state.apply_action(3)
    assert state.is_terminal()
    assert state.returns() == [48.0]
    assert board("16 8 . .  . . . .  . . . .  . . . .").legal_actions()


def test_the_utility_is_the_score_up_to_the_declared_maximum():
    state = board("8 8 . .  . . . .  . . . .  . . . .", score=32, max_tile=16, max_score=40)
    state.apply_action(3)
    assert state.returns() == [40.0]
    assert state.game.max_utility == 40.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tile": 100}, "power of two, not 100"),
        ({"max_tile": 4}, "max_tile must be from 8"),
        ({"max_score": 0}, "max_score must be from 1 to"),
        ({"max_score": 2**70}, "max_score must be from 1 to 9,007,199,254,740,992, not"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Twenty48(**options)


@pytest.mark.parametrize(
    ("index", "entry", "message"),
    [
        (PLAYER, TERMINAL, "the player is one of"),
        (SCORE, 2, "multiple of 4"),
        (SCORE, 400, "multiple of 4"),
        (CELL, 12, "exponents from 0 to 11"),
        (CELL, 11, r"the player is one of \[-4\]"),
    ],
)
def test_an_array_that_is_no_position_is_refused(index, entry, message):
    array = board("2 2 4 .  . . . .  2 . 2 2  8 . . 4").array
    array[index] = entry
    with pytest.raises(ValueError, match=message):
        Twenty48().state_from_array(array)
