import random
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import games
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.rng import make_rng
from fastmcts.testing import check_game, perft
from tests.helpers.solving import all_positions, solve

GAME = games.ConnectFour()

SHAPES = [(6, 7, 4), (4, 4, 4), (4, 5, 4), (8, 8, 4), (7, 9, 4), (3, 6, 3), (10, 10, 5), (1, 5, 3)]


def play(moves: str, game: fastmcts.Game = GAME) -> fastmcts.State:
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(state.string_to_action(move))
    return state


def test_perft_gives_the_published_counts() -> None:
    assert [perft(GAME.new_initial_state(), depth) for depth in range(1, 5)] == [7, 49, 343, 2401]


@pytest.mark.jit
def test_deep_perft_gives_the_published_counts() -> None:
    start = GAME.new_initial_state()
    assert [perft(start, depth) for depth in range(5, 9)] == [16807, 117649, 823536, 5673234]


@pytest.mark.jit
@pytest.mark.parametrize(
    ("rows", "columns", "counts"),
    [
        (4, 4, [4, 16, 64, 256, 1020, 4020, 15540, 57504, 206904]),
        (4, 5, [5, 25, 125, 625, 3120, 15500, 76300, 363308]),
    ],
)
def test_perft_on_small_boards(rows: int, columns: int, counts: list[int]) -> None:
    start = games.ConnectFour(rows=rows, columns=columns).new_initial_state()
    assert [perft(start, depth + 1) for depth in range(len(counts))] == counts


@pytest.mark.jit
@pytest.mark.thorough
def test_the_4x4_board_has_161029_positions() -> None:
    game = games.ConnectFour(rows=4, columns=4)
    assert sum(1 for _ in all_positions(game)) == 161029


def test_the_numbers_of_distinct_positions_are_the_known_ones() -> None:
    level = {GAME.new_initial_state().array.tobytes()}
    counts = []
    for _ in range(5):
        counts.append(len(level))
        states = [GAME.new_state(np.frombuffer(data, np.int64)) for data in level]
        level = {s.child(a).array.tobytes() for s in states for a in s.legal_actions()}
    assert counts == [1, 7, 49, 238, 1120]


def test_perfect_play_on_small_boards_has_the_known_values() -> None:
    assert solve(games.ConnectFour(rows=4, columns=4, connect=3).new_initial_state()) == 1.0
    assert solve(games.ConnectFour(rows=3, columns=4, connect=4).new_initial_state()) == 0.0


@pytest.mark.parametrize(
    ("rows", "columns", "connect"),
    [
        (10, 10, 5),  # without sets of bits
        *(pytest.param(*shape, marks=pytest.mark.slow_to_compile) for shape in SHAPES if shape != (10, 10, 5)),
    ],
)
def test_boards_of_every_shape_keep_the_contract(rows: int, columns: int, connect: int) -> None:
    check_game(games.ConnectFour(rows=rows, columns=columns, connect=connect), positions=150)


@pytest.mark.parametrize(("rows", "columns", "connect"), SHAPES)
def test_lines_are_found_as_a_plain_scan_of_the_board_finds_them(rows: int, columns: int, connect: int) -> None:
    game = games.ConnectFour(rows=rows, columns=columns, connect=connect)
    rng = np.random.default_rng(0)
    for _ in range(30):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
            board = [[game.cell(state.array, c, r) for r in range(rows)] for c in range(columns)]
            winners = [player for player in (0, 1) if game.has_line_of(board, 1 + player)]
            assert state.returns() == [(1.0 if p == winners[0] else -1.0) if winners else 0.0 for p in (0, 1)]
            assert state.is_terminal() == bool(winners or all(all(column) for column in board))


def test_the_board_is_drawn() -> None:
    assert str(play("ddc")).splitlines()[-3:] == [
        ". . . o . . .",
        ". . x x . . .",
        "a b c d e f g",
    ]


@pytest.mark.parametrize(("rows", "columns"), [(6, 7), (8, 8)])
def test_four_in_every_direction_win(rows: int, columns: int) -> None:
    game = games.ConnectFour(rows=rows, columns=columns)
    for moves in ("abababa", "aabbccd", "abbcdccdgdd", "gffedeedadd"):
        state = play(moves, game)
        assert state.returns() == [1.0, -1.0], f"{moves}\n{state}"


@pytest.mark.jit
def test_the_search_opens_in_the_centre() -> None:
    for seed in range(5):
        result = fastmcts.search(GAME.new_initial_state(), simulations=50_000, seed=seed, strategy="plain")
        assert result.action == 3


@pytest.mark.parametrize(("moves", "best"), [("dedede", "d"), ("aabbcc", "d"), ("cdcdc", "c"), ("cada", "e")])
def test_immediate_wins_are_taken_and_threats_parried(moves: str, best: str) -> None:
    state = play(moves)
    for seed in range(3):
        result = fastmcts.search(state, simulations=1_000, seed=seed)
        assert result.action is not None
        assert state.action_to_string(result.action) in best


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 0}, "rows must be from 1"),
        ({"columns": 27}, "columns must be from 1 to 26, not 27"),
        ({"connect": 9}, "connect=9 does not fit"),
        ({"connect": 1}, "connect must be at least 2"),
    ],
)
def test_impossible_boards_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        games.ConnectFour(**options)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ((0, -1, 1, 1), "overlap"),
        ((0, -1, 1 << 6, 0), "leave the board"),
        ((0, -1, -1, 0), "overlap or leave the board"),
        ((0, -1, 0b10, 0b1 << 7), "floats"),
        ((0, -1, 0b11, 0), "x begins"),
        ((0, -1, 0, 1), "the player is 1"),
    ],
)
def test_an_array_that_is_no_position_is_refused(entries: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.state_from_array(np.array(entries, np.int64))


@pytest.mark.parametrize("game", [GAME, games.ConnectFour(rows=8, columns=8)], ids=str)
@pytest.mark.parametrize(
    ("moves", "choices"),
    [("aabbc", {"d"}), ("aabbcc", {"d"}), ("agaga", {"a"}), ("agagag", {"a"})],
)
def test_rollouts_complete_a_line_or_else_stop_one(game: fastmcts.Game, moves: str, choices: set[str]) -> None:
    state = play(moves, game)
    before = state.array.copy()
    buffer = np.zeros(game.num_actions, np.int64)
    with wrapping_integers():
        played = {int(game.rollout_action(state.array, buffer, make_rng(seed))) for seed in range(20)}
    assert {game.action_to_string(state.array, action) for action in played} == choices
    assert (state.array == before).all()


def winning_columns(state: fastmcts.State, player: int) -> set[int]:
    """The columns in which a stone of a player, to move or not, would complete a line."""
    game: Any = state.game
    found = set()
    for column in state.legal_actions():
        board = [[game.cell(state.array, c, r) for r in range(game.rows)] for c in range(game.columns)]
        board[column][board[column].index(0)] = 1 + player
        if game.has_line_of(board, 1 + player):
            found.add(column)
    return found


@pytest.mark.parametrize(("rows", "columns", "connect"), [(6, 7, 4), (5, 5, 3), (7, 4, 4), (2, 9, 5), (8, 8, 4)])
def test_rollouts_choose_as_trying_every_column_would(rows: int, columns: int, connect: int) -> None:
    game = games.ConnectFour(rows=rows, columns=columns, connect=connect)
    draw, buffer, rng = random.Random(0), np.zeros(game.num_actions, np.int64), make_rng(0)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            wins, stops = winning_columns(state, player), winning_columns(state, 1 - player)
            with wrapping_integers():
                assert int(game.rollout_action(state.array, buffer, rng)) in (wins or stops or state.legal_actions())
            state.apply_action(draw.choice(state.legal_actions()))
