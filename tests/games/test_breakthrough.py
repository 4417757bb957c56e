"""Breakthrough: perft, drawn positions, and a slow re-implementation of the rules."""

import random
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import TERMINAL
from fastmcts.games.breakthrough import PIECES, PLAYER, Breakthrough
from fastmcts.rng import make_rng
from fastmcts.testing import check_game, perft
from tests.helpers.solving import solve

GAME = Breakthrough()

PERFT_8 = [22, 484, 11132, 256036]
PERFT_6 = [16, 256, 4308, 71478]

SHAPES = [(8, 8), (6, 6), (2, 2), (3, 2), (5, 4), (4, 16), (16, 4), (7, 9), (32, 2)]


def position(game: Breakthrough, board: str, player: int) -> fastmcts.State:
    """A drawn board, checked."""
    cells = board.split()
    words = [sum(1 << cell for cell, piece in enumerate(cells) if piece == colour) for colour in "bw"]
    array = np.array([player, *np.array(words, np.uint64).view(np.int64)], np.int64)
    return game.state_from_array(array)


def naive_moves(rows: int, columns: int, board: dict[tuple[int, int], int], player: int) -> dict[int, tuple]:
    """Action -> (from, to), found piece by piece; `board` maps cells to players."""
    moves = {}
    for (row, column), owner in board.items():
        for sideways in (-1, 0, 1):
            target = row + (1 if player == 0 else -1), column + sideways
            free = target not in board
            captures = sideways != 0 and board.get(target) == 1 - player
            if owner == player and 0 <= target[0] < rows and 0 <= target[1] < columns and (free or captures):
                direction = 3 * player + sideways + 1
                action = ((row * columns + column) * 6 + direction) * 2 + captures
                moves[action] = (row, column), target
    return moves


@pytest.mark.parametrize("depth", [1, 2])
def test_perft_gives_the_known_counts(depth: int) -> None:
    assert perft(GAME.new_initial_state(), depth) == PERFT_8[depth - 1]
    assert perft(Breakthrough(6, 6).new_initial_state(), depth + 1) == PERFT_6[depth]


@pytest.mark.jit
def test_deep_perft_gives_the_known_counts() -> None:
    assert [perft(GAME.new_initial_state(), depth) for depth in (3, 4)] == PERFT_8[2:]
    assert perft(Breakthrough(6, 6).new_initial_state(), 4) == PERFT_6[3]


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_random_games_follow_rules_written_piece_by_piece(rows: int, columns: int) -> None:
    draw = random.Random(rows)
    game = Breakthrough(rows, columns)
    home = 2 if rows >= 6 else 1
    for _ in range(5):
        state = game.new_initial_state()
        board = {(row, column): 0 for row in range(home) for column in range(columns)}
        board |= {(row, column): 1 for row in range(rows - home, rows) for column in range(columns)}
        player = 0
        while True:
            moves = naive_moves(rows, columns, board, player)
            assert state.current_player() == player
            assert state.legal_actions() == sorted(moves)
            action = draw.choice(sorted(moves))
            state.apply_action(action)
            source, target = moves[action]
            del board[source]
            board[target] = player
            if target[0] == (rows - 1, 0)[player] or 1 - player not in board.values():
                break
            player = 1 - player
        assert state.is_terminal()
        assert state.returns() == ([1.0, -1.0] if player == 0 else [-1.0, 1.0])


def test_pieces_in_the_corners_neither_wrap_around_nor_leave_the_board() -> None:
    state = position(
        GAME,
        """
        . . . . . . . .
        b . . . . . . b
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        w . . . . . . w
        """,
        player=1,
    )
    assert GAME.legal_texts(state.array) == "a1a2, a1b2, h1g2, h1h2"
    state.apply_action(state.string_to_action("h1h2"))
    assert GAME.legal_texts(state.array) == "a7a6, a7b6, h7g6, h7h6"


def test_pieces_capture_diagonally_and_are_blocked_straight_ahead() -> None:
    game = Breakthrough(5, 3)
    board = """
        b . .
        . b .
        w w .
        . . .
        . . w
        """
    state = position(game, board, player=0)
    assert game.legal_texts(state.array) == "a5a4, b4a3*, b4c3"
    state.apply_action(state.string_to_action("b4a3*"))
    assert str(state) == " 5 b . .\n 4 . . .\n 3 b w .\n 2 . . .\n 1 . . w\n   a b c"


def test_the_far_row_wins() -> None:
    game = Breakthrough(4, 3)
    state = position(game, "b . . . . w . . . . . w", player=1)
    state.apply_action(state.string_to_action("c3b4"))
    assert state.is_terminal()
    assert state.returns() == [-1.0, 1.0]
    assert state.legal_actions() == []


def test_taking_the_last_piece_wins() -> None:
    game = Breakthrough(4, 3)
    state = position(game, "b . . . w . . . . . . .", player=0)
    state.apply_action(state.string_to_action("a4b3*"))
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]


@pytest.mark.jit
@pytest.mark.thorough
def test_the_search_finds_what_perfect_play_finds() -> None:
    state = Breakthrough(4, 3).new_initial_state()
    assert [solve(state.child(action)) for action in state.legal_actions()] == [1, 1, -1, -1, -1, 1, 1]
    for seed in range(3):
        result = fastmcts.search(state, simulations=100_000, seed=seed)
        assert result.action is not None
        assert solve(state.child(result.action)) == 1.0


@pytest.mark.parametrize("player", [0, 1])
def test_random_moves_are_uniform(player: int) -> None:
    game = Breakthrough(6, 6)
    state = game.new_initial_state()
    for _ in range(10 + player):
        state.apply_action(random.Random(1).choice(state.legal_actions()))
    legal = state.legal_actions()
    assert state.current_player() == player
    rng = make_rng(0)
    actions = np.zeros(game.num_actions, np.int64)
    counts = dict.fromkeys(legal, 0)
    with np.errstate(over="ignore"):
        for _ in range(200 * len(legal)):
            counts[int(game.random_action(state.array, actions, rng))] += 1
    chi_square = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert chi_square < len(legal) + 4 * (2 * len(legal)) ** 0.5


def test_the_board_is_drawn_with_coordinates() -> None:
    lines = str(GAME.new_initial_state()).splitlines()
    assert lines[0] == " 8 b b b b b b b b"
    assert lines[2] == " 6 . . . . . . . ."
    assert lines[7] == " 1 w w w w w w w w"
    assert lines[8] == "   a b c d e f g h"


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [(1, 8, "rows must be from 2"), (8, 1, "columns must be from 2"), (9, 8, "at most 64 cells, not 9 x 8 = 72")],
)
def test_impossible_boards_are_refused(rows: int, columns: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Breakthrough(rows, columns)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ((0, 0b11, 0b110), "overlap"),
        ((0, 1, 1 << 20), "leave the board"),
        ((0, 1, -1), "overlap or leave"),
        ((0, 0b11111, 1 << 18), "black has 5 pieces, but starts with 4"),
        ((0, 0, 0), "both players would have won"),
        ((2, 1, 1 << 18), "the player is 0 or 1, not 2"),
        ((TERMINAL, 1, 1 << 18), "the player is 0 or 1, not -4"),
        ((1, 1 << 17, 1 << 18), "the player is -4, not 1"),
        ((0, 1, 0), "the player is -4, not 0"),
    ],
)
def test_arrays_that_are_no_position_are_refused(entries: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Breakthrough(5, 4).state_from_array(np.array(entries, np.int64))


def test_the_start_is_full_rows_on_each_side() -> None:
    array = GAME.new_initial_state().array
    assert array[PLAYER] == 0
    assert array[PIECES : PIECES + 2].tolist() == [0xFFFF, -(1 << 48)]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_boards_of_every_shape_keep_the_contract(rows: int, columns: int) -> None:
    check_game(Breakthrough(rows, columns), positions=60)


@pytest.mark.thorough
def test_a_search_gives_the_same_tree_compiled_and_interpreted() -> None:
    options: dict[str, Any] = {"strategy": "plain", "selection": fastmcts.UCT(c=1.4)}
    result = fastmcts.search(GAME.new_initial_state(), simulations=200, seed=0, **options)
    assert result.visits[:11].tolist() == [11, 10, 5, 11, 7, 8, 10, 4, 11, 9, 11]
    assert result.visits[11:].tolist() == [11, 9, 10, 6, 11, 9, 8, 9, 10, 9, 11]


def choices(state: fastmcts.State) -> set[str]:
    """The texts of what the rollout policy plays, over many seeds."""
    buffer = np.zeros(GAME.num_actions, np.int64)
    with wrapping_integers():
        played = {int(state.game.rollout_action(state.array, buffer, make_rng(seed))) for seed in range(60)}
    return {state.action_to_string(action) for action in played}


def priors(state: fastmcts.State) -> dict[str, float]:
    """What each move's text is worth before it is searched."""
    actions = np.array(state.legal_actions(), np.int64)
    out = np.zeros(len(actions))
    state.game.prior(state.array, actions, len(actions), out)
    return {state.action_to_string(int(action)): float(prior) for action, prior in zip(actions, out, strict=True)}


RACE = """
    . . . . . . . .
    . . . . . w . .
    . . b . . . . .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    b . . . . . . .
    . . w . . . . .
    """


@pytest.mark.parametrize(("player", "wins"), [(0, {"a2a1", "a2b1"}), (1, {"f7e8", "f7f8", "f7g8"})])
def test_rollouts_and_priors_take_a_win_at_once(player: int, wins: set[str]) -> None:
    state = position(GAME, RACE, player)
    assert choices(state) == wins
    worth = priors(state)
    assert sum(worth[win] for win in wins) > 0.95


def test_rollouts_and_priors_take_the_piece_that_would_win_next() -> None:
    state = position(
        GAME,
        """
        . . . . . . b .
        b . . . . w . .
        . . . b . . . .
        . . w . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . w . . . . .
        """,
        player=0,
    )
    assert choices(state) == {"g8f7*"}
    worth = priors(state)
    assert max(worth, key=worth.__getitem__) == "g8f7*"
    assert worth["d6c5*"] > worth["d6d5"] > worth["a7a6"]


def test_a_step_that_loses_a_piece_has_a_small_prior() -> None:
    state = position(
        GAME,
        """
        . . . . . . . .
        . . . . . . . .
        b . . . . . b .
        . . . . . . . .
        . b . . . . . .
        . . . . . . . .
        . . w . . . . .
        . . . . . . . .
        """,
        player=0,
    )
    worth = priors(state)
    assert worth["b4b3"] < worth["a6a5"]  # it would be taken
    assert worth["b4a3"] > worth["a6a5"]  # it comes further, and nothing attacks it there
