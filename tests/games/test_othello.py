"""Othello: perft, passes, and a slow re-implementation of the rules."""

import random
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Position
from fastmcts.games.othello import DISCS, PASS, PLACES, PLAYER, Othello, beside_corners, places
from fastmcts.rng import make_rng
from fastmcts.testing import check_game, perft

GAME = Othello()
START = GAME.new_initial_state().array

PERFT = [4, 12, 56, 244, 1396, 8200, 55092, 390216]
DISTINCT_POSITIONS = [1, 4, 12, 54, 236, 1288, 7092]

# White cannot move, but black can: white must pass.
PASS_BOARD = """
x x x x x o o o
x x x x x x o o
x x o o x o x o
x o o o x x x o
x o o o o o o o
x x o o o o . .
x o o . o o . .
o o . . o o . .
"""


def position(board: str, player: int) -> Position:
    """The array of a drawn board."""
    cells = board.split()
    words = [sum(1 << cell for cell in range(64) if cells[cell] == colour) for colour in "xo"]
    discs = np.array(words, np.uint64).view(np.int64)
    legal = places(discs[player], discs[1 - player])
    return np.array([player, *discs, legal], np.int64)


def turned_over(board: dict[int, int], player: int, cell: int) -> list[int]:
    """The discs that a move turns, found cell by cell; `board` maps cells to players."""
    turned = []
    for row_step in (-1, 0, 1):
        for column_step in (-1, 0, 1):
            line = []
            row, column = divmod(cell, 8)
            while (row_step, column_step) != (0, 0):
                row, column = row + row_step, column + column_step
                owner = board.get(row * 8 + column) if 0 <= row < 8 and 0 <= column < 8 else None
                if owner != 1 - player:
                    turned += line if owner == player else []
                    break
                line.append(row * 8 + column)
    return turned


def placements(board: dict[int, int], player: int) -> list[int]:
    return [cell for cell in range(64) if cell not in board and turned_over(board, player, cell)]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_perft(depth: int) -> None:
    assert perft(GAME.new_initial_state(), depth) == PERFT[depth - 1]


@pytest.mark.jit
@pytest.mark.parametrize("depth", [6, 7, 8])
def test_deep_perft(depth: int) -> None:
    assert perft(GAME.new_initial_state(), depth) == PERFT[depth - 1]


def test_equal_positions_are_equal_arrays() -> None:
    level = {GAME.new_initial_state().array.tobytes()}
    for count in DISTINCT_POSITIONS:
        assert len(level) == count
        states = [GAME.new_state(np.frombuffer(key, np.int64)) for key in level]
        level = {state.child(action).array.tobytes() for state in states for action in state.legal_actions()}


def test_random_games_follow_rules_written_cell_by_cell() -> None:
    draw = random.Random(1)
    passes = 0
    for _ in range(20):
        state = GAME.new_initial_state()
        board, player = {27: 1, 28: 0, 35: 0, 36: 1}, 0
        while placements(board, 0) or placements(board, 1):
            legal = placements(board, player) or [PASS]
            assert state.legal_actions() == legal
            assert state.current_player() == player
            action = draw.choice(legal)
            state.apply_action(action)
            if action == PASS:
                passes += 1
            else:
                turned = turned_over(board, player, action)
                board.update(dict.fromkeys([action, *turned], player))
            player = 1 - player
        assert state.is_terminal()
        lead = sum(1 if owner == 0 else -1 for owner in board.values())
        assert state.returns() == [np.sign(lead), -np.sign(lead)]
    assert passes > 0


def test_a_player_without_a_place_must_pass() -> None:
    state = GAME.state_from_array(position(PASS_BOARD, player=1))
    assert state.legal_actions() == [PASS]
    assert GAME.action_to_string(state.array, PASS) == "pass"
    after = state.child(state.string_to_action("pass"))
    assert after.current_player() == 0
    assert after.array[DISCS : DISCS + 2].tolist() == state.array[DISCS : DISCS + 2].tolist()
    assert PASS not in after.legal_actions()


def test_the_shortest_game_wipes_white_out_in_nine_moves() -> None:
    state = GAME.new_initial_state()
    for move in ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"):
        assert not state.is_terminal()
        state.apply_action(state.string_to_action(move))
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.returns() == [1.0, -1.0]
    assert str(state).endswith("x 13, o 0, over")


def test_a_full_board_with_equal_numbers_is_a_draw() -> None:
    array = np.array([TERMINAL, 2**32 - 1, -(2**32), 0], np.int64)
    assert GAME.state_from_array(array).returns() == [0.0, 0.0]


def test_the_board_is_drawn_with_coordinates() -> None:
    assert str(GAME.new_initial_state()) == (
        "  a b c d e f g h\n"
        "1 . . . . . . . .\n"
        "2 . . . . . . . .\n"
        "3 . . . . . . . .\n"
        "4 . . . o x . . .\n"
        "5 . . . x o . . .\n"
        "6 . . . . . . . .\n"
        "7 . . . . . . . .\n"
        "8 . . . . . . . .\n"
        "x 2, o 2, x to move"
    )


def test_actions_are_written_as_column_and_row() -> None:
    state = GAME.new_initial_state()
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["d3", "c4", "f5", "e6"]
    assert state.string_to_action("c4") == 26


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        (DISCS, 1 << 27, "overlap"),
        (DISCS, 1 << 28, "never empty"),
        (PLAYER, 2, "the player is 0 or 1, not 2"),
        (PLAYER, TERMINAL, "the player is 0 or 1, not -4"),
        (PLAYER, 1, "may be placed"),
        (PLACES, 1, "may be placed"),
    ],
)
def test_arrays_that_are_no_position_are_refused(entry: int, value: int, message: str) -> None:
    array = GAME.new_initial_state().array
    array[entry] = value
    with pytest.raises(ValueError, match=message):
        GAME.state_from_array(array)


def test_a_finished_position_has_no_player() -> None:
    array = np.array([0, 2**32 - 1, -(2**32), 0], np.int64)
    with pytest.raises(ValueError, match="the player is -4, not 0"):
        GAME.state_from_array(array)


def test_the_contract_holds() -> None:
    check_game(GAME, positions=600)


@pytest.mark.thorough
def test_a_search_gives_the_same_tree_compiled_and_interpreted() -> None:
    options: dict[str, Any] = {"strategy": "plain", "selection": fastmcts.UCT(c=1.4)}
    result = fastmcts.search(GAME.new_initial_state(), simulations=300, seed=0, **options)
    assert result.visits.tolist() == [63, 98, 82, 57]


# Black may place a disc in two corners.
CORNERS_BOARD = """
. o x . . . . .
. . . . . . o .
. . . . . x . .
. . . o x . . .
. . . x o . . .
. . . . . o . .
. . . . . . . .
. . . . . . . .
"""

# Black may place a disc beside the empty corner h1, at g2, and elsewhere.
BESIDE_BOARD = """
. . . . . . . .
. . . . . . . .
. . o . . o . .
. . . o x . . .
. . . x o . . .
. . x . . o . .
. . . . . . . .
. . . . . . . .
"""


def rollout_choices(state: Position) -> set[str]:
    buffer = np.zeros(GAME.num_actions, np.int64)
    with wrapping_integers():
        played = {int(GAME.rollout_action(state, buffer, make_rng(seed))) for seed in range(60)}
    return {GAME.action_to_string(state, action) for action in played}


def priors(state: Position) -> dict[str, float]:
    actions = np.array(GAME.new_state(state).legal_actions(), np.int64)
    out = np.zeros(len(actions))
    GAME.prior(state, actions, len(actions), out)
    return {GAME.action_to_string(state, int(action)): float(p) for action, p in zip(actions, out, strict=True)}


@pytest.mark.parametrize(
    ("corner", "beside"),
    [(0, "b1 a2 b2"), (7, "g1 g2 h2"), (56, "a7 b7 b8"), (63, "g7 h7 g8")],
)
def test_each_corner_has_three_cells_beside_it(corner: int, beside: str) -> None:
    cells = beside_corners(np.array([1 << corner], np.uint64).view(np.int64)[0])
    assert [GAME.action_to_string(START, cell) for cell in range(64) if int(cells) >> cell & 1] == sorted(
        beside.split(), key=lambda name: (name[1], name[0])
    )


def test_a_corner_is_taken_where_one_can_be() -> None:
    state = position(CORNERS_BOARD, player=0)
    assert rollout_choices(state) == {"a1", "h1"}
    worth = priors(state)
    assert sorted(worth, key=worth.__getitem__)[-2:] in (["a1", "h1"], ["h1", "a1"])


def test_places_beside_an_empty_corner_are_left_alone() -> None:
    state = position(BESIDE_BOARD, player=0)
    assert rollout_choices(state) == {"d3", "c4", "f5", "e6"}
    worth = priors(state)
    assert min(worth, key=worth.__getitem__) == "g2"


def test_a_pass_is_the_only_choice_where_nothing_else_is_legal() -> None:
    state = position(PASS_BOARD, player=1)
    assert rollout_choices(state) == {"pass"}
    assert priors(state) == {"pass": 1.0}
