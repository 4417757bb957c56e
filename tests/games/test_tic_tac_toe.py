from functools import cache

import numpy as np
import pytest

import fastmcts
from fastmcts import games
from fastmcts.testing import perft
from tests.helpers.solving import all_positions, keeps_value, solve, some_moves_lose_value

GAME = games.TicTacToe()


def play(text: str) -> fastmcts.State:
    state = GAME.new_initial_state()
    for move in text.split():
        state.apply_action(state.string_to_action(move))
    return state


@cache
def unfinished() -> list[fastmcts.State]:
    return [state for state in all_positions(GAME) if not state.is_terminal()]


@cache
def perft_counts() -> list[int]:
    return [perft(GAME.new_initial_state(), depth) for depth in range(10)]


def test_perft_gives_the_published_counts() -> None:
    assert perft_counts() == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_there_are_255168_finished_games() -> None:
    counts = [*perft_counts(), 0]
    # A sequence of n moves that is not a finished game goes on in 9 - n ways.
    finished = [counts[n] - counts[n + 1] // max(1, 9 - n) for n in range(10)]
    assert finished == [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]
    assert sum(finished) == 255168


def test_the_numbers_of_distinct_positions_are_the_known_ones() -> None:
    counts = np.zeros(10, int)
    for state in all_positions(GAME):
        counts[str(state).count("X") + str(state).count("O")] += 1
    assert counts.tolist() == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert len(unfinished()) == 4520


def test_perfect_play_is_a_draw() -> None:
    assert solve(GAME.new_initial_state()) == 0.0


def test_the_board_is_drawn() -> None:
    assert str(play("b2 a1 c3")) == "1 O . .\n2 . X .\n3 . . X\n  a b c"


def test_a_row_a_column_and_a_diagonal_win() -> None:
    for text in ("a1 a2 b1 b2 c1", "b1 a1 b2 a2 b3", "a1 a2 b2 a3 c3", "c1 a1 b2 a2 a3"):
        assert play(text).returns() == [1.0, -1.0]


@pytest.mark.jit
def test_at_2000_simulations_99_percent_of_all_moves_keep_the_value() -> None:
    kept = [keeps_value(state, simulations=2_000) for state in unfinished()]
    assert len(kept) == 4520
    assert np.mean(kept) >= 0.99


@pytest.mark.thorough
@pytest.mark.jit
def test_at_50000_simulations_every_move_keeps_the_value() -> None:
    hard = [state for state in unfinished() if some_moves_lose_value(state)]
    assert 2000 < len(hard) < 4520
    wrong = [str(state) for state in hard if not keeps_value(state, simulations=50_000)]
    assert not wrong


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ((0, -1, 1, 1), "disjoint"),
        ((0, -1, 512, 0), "disjoint"),
        ((0, -1, 0b11, 0), "no game leads"),
        ((1, -1, 0, 0), "the player is 0"),
        ((0, -1, 0b111, 0b11000), "the player is -4"),
        ((1, -1, 0b111, 0b111000), "no game leads"),
        ((-4, 0, 0b110_000_011, 0b000_111_000), "no game leads"),
    ],
)
def test_an_array_that_is_no_position_is_refused(entries: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.state_from_array(np.array(entries, np.int64))
