import functools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from fastmcts import TERMINAL, games, load_game
from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.types import Position
from fastmcts.games._bit_set import WORD
from fastmcts.games.sos import EMPTY, PLAYER, QUIET, SCORES, SCORING, SOS
from fastmcts.rng import make_rng
from fastmcts.state import State
from fastmcts.testing import check_game, perft


def draw(board: str) -> State:
    """A board drawn as text, with player 0 to move and all SOS of the board on the account of player 1."""
    rows = [line.split() for line in board.strip().splitlines()]
    game = games.SOS(len(rows), len(rows[0]))
    state = game.new_initial_state()
    for cell, letter in enumerate(letter for row in rows for letter in row):
        if letter != ".":
            state.array[PLAYER] = 1
            game.apply(state.array, 2 * cell + "SO".index(letter))
    state.array[PLAYER] = 0
    return state


def letters_of(state: State) -> list[str]:
    """The rows of the board, read from its drawing."""
    return ["".join(line.split()[1:]) for line in str(state).splitlines()[:-2]]


def count_lines(rows: list[str]) -> int:
    """How many SOS a board has: every cell, every direction, the slow way."""
    found = 0
    for row in range(len(rows)):
        for column in range(len(rows[0])):
            for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * row_step, column + i * column_step) for i in range(3)]
                if all(0 <= r < len(rows) and 0 <= c < len(rows[0]) for r, c in cells):
                    found += "".join(rows[r][c] for r, c in cells) == "SOS"
    return found


def solve(game: games.SOS) -> tuple[int, dict[str, int]]:
    """The exact final lead of the first player with best play, and after each of its first moves."""

    def lead_after(position: Position, action: int) -> int:
        child = position.copy()
        game.apply(child, action)
        passed = child[PLAYER] == 1
        gained = int(child[SCORES])
        return gained + (-1 if passed else 1) * lead(child[EMPTY:].tobytes())

    @functools.cache
    def lead(board: bytes) -> int:
        # Scores so far do not matter for the lead from here on: always player 0 to move at 0:0.
        position = np.concatenate([np.zeros(EMPTY, np.int64), np.frombuffer(board, np.int64)])
        actions = np.zeros(game.num_actions, np.int64)
        count = game.legal_actions(position, actions)
        return max((lead_after(position, action) for action in actions[:count].tolist()), default=0)

    start = game.new_initial_state()
    openings = {start.action_to_string(action): lead_after(start.array, action) for action in start.legal_actions()}
    return lead(start.array[EMPTY:].tobytes()), openings


@compiled
def copy(source, target):
    for index in range(source.size):
        target[index] = source[index]


@entry
def solve_by_table(game, leads, positions, digits):
    """Fill `leads` with the lead that the player to move can still gain, for every board.

    A board is a number of base 3, the digit of cell 0 first: 0 empty, 1 for S, 2 for O. A move makes it
    larger, so descending order knows all answers. `positions[cell]` holds the letters of the cells before.
    """
    cells = digits.size
    for cell in range(cells):
        digits[cell] = 2
        copy(positions[cell], positions[cell + 1])
        game.apply(positions[cell + 1], 2 * cell + 1)
    for board in range(leads.size - 1, -1, -1):
        best = -127
        weight = leads.size
        is_full = True
        for cell in range(cells):
            weight //= 3
            if digits[cell] == 0:
                is_full = False
                for letter in range(2):
                    gained = game.completed(positions[cells], 2 * cell + letter)
                    future = leads[board + weight * (letter + 1)]
                    best = max(best, gained + future if gained else -future)
        leads[board] = 0 if is_full else best
        cell = cells - 1
        while cell >= 0 and digits[cell] == 0:
            digits[cell] = 2
            cell -= 1
        if cell >= 0:
            digits[cell] -= 1
            while cell < cells:
                copy(positions[cell], positions[cell + 1])
                if digits[cell]:
                    game.apply(positions[cell + 1], 2 * cell + digits[cell] - 1)
                cell += 1


@entry
def play_random_games(game, start, state, actions, rng, totals):
    """Fill `totals` with how many SOS random games complete."""
    for index in range(totals.size):
        copy(start, state)
        while game.current_player(state) != TERMINAL:
            game.apply(state, game.random_action(state, actions, rng))
        totals[index] = state[SCORES] + state[SCORES + 1]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (4, 5)])
def test_it_keeps_the_contract(size):
    check_game(games.SOS(*size), positions=500)


def test_the_full_size_keeps_the_contract():
    check_game(games.SOS(), positions=60)


def test_the_default_is_eight_by_eight_and_the_id_loads_it():
    assert load_game("sos") == games.SOS(rows=8, columns=8)
    assert games.SOS().num_actions == 128
    assert games.SOS().name == "sos"


def test_actions_are_cell_times_two_plus_letter_and_texts_say_column_row_letter():
    state = games.SOS(rows=2, columns=3).new_initial_state()
    texts = ["a1S", "a1O", "b1S", "b1O", "c1S", "c1O", "a2S", "a2O", "b2S", "b2O", "c2S", "c2O"]
    assert [state.action_to_string(action) for action in range(12)] == texts
    assert [state.string_to_action(text) for text in texts] == list(range(12))
    state.apply_action(state.string_to_action("c2O"))
    assert state.legal_actions() == list(range(10))
    with pytest.raises(ValueError, match="'c2S' is not a legal move here; legal are: a1S, a1O"):
        state.string_to_action("c2S")


def test_a_position_is_drawn_with_coordinates_and_score():
    state = draw("S O . .\n. . . S")
    state.apply_action(state.string_to_action("c1S"))
    assert str(state) == "1 S O S .\n2 . . . S\n  a b c d\nscore 1:0, player 0 to move"


EIGHT_ENDS = """
    S . S . S
    . O O O .
    S O . O S
    . O O O .
    S . S . S
"""

RING = """
    S S S
    S . S
    S S S
"""


@pytest.mark.parametrize(
    ("board", "move", "score"),
    [
        (EIGHT_ENDS, "c3S", 8),
        (EIGHT_ENDS, "c3O", 0),
        (RING, "b2O", 4),
        (RING, "b2S", 0),
        ("S S S\nS . S\nS S .", "b2O", 3),
        ("S S .\nS . .\n. . .", "b2O", 0),
        (". O S . . O S", "a1S", 1),
        ("S O . O S", "c1S", 2),
        ("S O .\nS O .\nO O S", "c1S", 1),
        ("S O S\n. . .\n. . .", "b2O", 0),
        # A line does not go on at the other edge, one row further.
        (". . S O\nS . . .", "a1S", 0),
        ("S O .\n. . .\nS . .", "a2O", 1),
        ("O S .\n. . S\n. . .", "a2S", 0),
        (". . O\nS . .\nS . .", "b1S", 0),
    ],
)
def test_a_move_scores_every_sos_it_completes(board, move, score):
    state = draw(board)
    action = state.string_to_action(move)
    before = state.array[SCORES]
    assert state.game.is_promising(state.array, action) == (score > 0)
    state.apply_action(action)
    assert state.array[SCORES] - before == score


@pytest.mark.parametrize("direction", range(8))
@pytest.mark.parametrize("size", [5, 8])
def test_each_direction_scores_from_its_end(direction, size):
    row_step, column_step = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)][direction]
    for row in range(size):
        for column in range(size):
            inside = 0 <= row + 2 * row_step < size and 0 <= column + 2 * column_step < size
            if inside:
                state = games.SOS(size, size).new_initial_state()
                middle = (row + row_step) * size + column + column_step
                end = (row + 2 * row_step) * size + column + 2 * column_step
                for action in (2 * middle + 1, 2 * end):
                    state.apply_action(action)
                state.apply_action(2 * (row * size + column))
                assert state.array[SCORES : SCORES + 2].tolist() == [1, 0]


@pytest.mark.parametrize("size", [(1, 7), (7, 1), (3, 3), (4, 5), (8, 8), (2, 26), (26, 3), (9, 14)])
def test_scores_and_turns_follow_a_slow_count_in_random_games(size):
    choice = random.Random(0)
    for _ in range(3):
        state = games.SOS(*size).new_initial_state()
        scores, player, lines = [0, 0], 0, 0
        while not state.is_terminal():
            assert state.current_player() == player
            action = choice.choice(state.legal_actions())
            promising = state.game.is_promising(state.array, action)
            state.apply_action(action)
            gained = count_lines(letters_of(state)) - lines
            lines += gained
            scores[player] += gained
            assert promising == (gained > 0)
            assert state.array[SCORES : SCORES + 2].tolist() == scores
            # Only a score keeps the turn.
            player = player if gained else 1 - player
        lead = scores[0] - scores[1]
        assert state.returns() == [np.sign(lead), -np.sign(lead)]


@pytest.mark.parametrize(("columns", "value"), [(3, 0), (4, 0), (5, 0), (6, 0), (7, 1), (8, 0), (9, 1)])
def test_solved_values_of_strips(columns, value):
    assert np.sign(solve(games.SOS(1, columns))[0]) == value


def test_the_same_strip_upright_has_the_same_value():
    assert np.sign(solve(games.SOS(7, 1))[0]) == 1


@pytest.mark.parametrize("size", [(2, 3), (2, 4), (3, 3)])
def test_small_boards_are_draws(size):
    assert solve(games.SOS(*size))[0] == 0


def test_on_2x4_an_opening_s_in_a_corner_loses_and_all_else_draws():
    _, openings = solve(games.SOS(2, 4))
    assert {text for text, lead in openings.items() if lead < 0} == {"a1S", "d1S", "a2S", "d2S"}
    assert max(openings.values()) == 0


def solve_openings(rows: int, columns: int) -> np.ndarray:
    """[cell, letter]: the first player's final lead after each opening."""
    game = games.SOS(rows, columns)
    cells = rows * columns
    leads = np.zeros(3**cells, np.int8)
    positions = np.tile(game.new_initial_state().array, (cells + 1, 1))
    solve_by_table(game, leads, positions, np.zeros(cells, np.int64))
    return np.array([[-leads[letter * 3 ** (cells - 1 - cell)] for letter in (1, 2)] for cell in range(cells)])


def test_the_table_and_the_recursive_solver_agree_on_2x3():
    _, openings = solve(games.SOS(2, 3))
    assert solve_openings(2, 3).ravel().tolist() == list(openings.values())


@pytest.mark.jit
@pytest.mark.thorough
def test_on_4x4_an_opening_s_on_the_border_loses_and_all_else_draws():
    leads = solve_openings(4, 4)
    border = [-1, -1, -1, -1] + [-1, 0, 0, -1] * 2 + [-1, -1, -1, -1]
    assert np.sign(leads[:, 0]).tolist() == border
    assert leads[:, 1].tolist() == [0] * 16


def test_random_games_complete_an_eighth_of_all_lines():
    game = games.SOS()
    start = game.new_initial_state().array
    totals = np.zeros(1000, np.int64)
    buffer = np.zeros(game.num_actions, np.int64)
    play_random_games(game, start, start.copy(), buffer, make_rng(1), totals)
    standard_error = totals.std() / np.sqrt(totals.size)
    assert abs(totals.mean() - 168 / 8) < 4 * standard_error
    assert standard_error < 0.2


def test_random_actions_are_uniform():
    state = games.SOS(8, 8).new_initial_state()
    choice = random.Random(1)
    while len(state.legal_actions()) > 20:
        state.apply_action(choice.choice([action for action in state.legal_actions() if action < 126]))
    legal = state.legal_actions()
    assert legal[-1] == 127
    rng = make_rng(2)
    buffer = np.zeros(state.game.num_actions, np.int64)
    with np.errstate(over="ignore"):
        drawn = [int(state.game.random_action(state.array, buffer, rng)) for _ in range(4000)]
    counts = np.array([drawn.count(action) for action in legal])
    assert counts.sum() == 4000
    expected = 4000 / len(legal)
    # 19 degrees of freedom: 43.8 is exceeded once in a thousand seeds.
    assert ((counts - expected) ** 2 / expected).sum() < 43.8


def test_every_sequence_of_letters_is_legal():
    # 18 * 16 * 14 * 12: each move takes a cell with both its letters away.
    assert perft(games.SOS(3, 3).new_initial_state(), 4) == 18 * 16 * 14 * 12


@pytest.mark.parametrize("size", [(0, 3), (3, 27)])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(ValueError, match="must be from 1 to 26"):
        games.SOS(*size)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda game, array: array.__setitem__(PLAYER, 1), "the player is 0, not 1"),
        (lambda game, array: array.__setitem__(SCORES, 1), "has 0 SOS, so the scores cannot be 1 and 0"),
        (lambda game, array: array.__setitem__(EMPTY, -1), "not a set of numbers from 0 to 8"),
        (lambda game, array: array.__setitem__(EMPTY, 2**9), "not a set of numbers from 0 to 8"),
        (lambda game, array: array.__setitem__(EMPTY, 0), "b1 is either empty or holds a letter, not both"),
        (lambda game, array: array.__setitem__(game.s_cells, 1 | 2**9), "outside the board"),
        (lambda game, array: array.__setitem__(game.o_cells, 1 | 2**8), "letters stand on each other"),
        (lambda game, array: array.__setitem__(game.s_by_parity, 2), "in another way in one of their orders"),
        (lambda game, array: array.__setitem__(game.s_backwards, 1), "in another way in one of their orders"),
        (lambda game, array: array.__setitem__(game.left, 6), "the number of empty cells is not 7"),
    ],
)
def test_arrays_that_are_no_position_are_refused(change, message):
    state = draw("S . .\n. . .\n. . O")
    assert state.game.state_from_array(state.array) == state
    change(state.game, state.array)
    with pytest.raises(ValueError, match=message):
        state.game.state_from_array(state.array)


def test_an_unfinished_player_on_a_full_board_is_refused():
    state = draw("S S\nS .").child(6)
    assert state.current_player() == TERMINAL
    state.array[PLAYER] = 0
    with pytest.raises(ValueError, match="the player is -4, not 0"):
        state.game.state_from_array(state.array)


SIZES = [(1, 7), (7, 1), (4, 5), (2, 26), (8, 8), (9, 8), (5, 26)]
POSITIONS = 10  # of one game


def random_positions(rows: int, columns: int) -> Iterator[State]:
    """Positions of a random game, in which points are mostly taken."""
    chooser = random.Random(f"{rows}x{columns}")
    state = games.SOS(rows, columns).new_initial_state()
    every = 1 + rows * columns // POSITIONS
    while not state.is_terminal():
        if len(state.legal_actions()) // 2 % every == 0:
            yield state
        points = [action for action in state.legal_actions() if state.game.is_promising(state.array, action)]
        state.apply_action(chooser.choice(points or state.legal_actions()))


def sos(state: State) -> SOS:
    """The game of a position, for type checkers."""
    assert isinstance(state.game, SOS)
    return state.game


def moves_of(state: State, kind: int) -> set[int]:
    """The moves that score or are quiet, as the rules write them: a set of cells for each word and letter."""
    game = sos(state)
    sets = np.zeros(game.num_actions, np.int64)
    found_any = game.write_moves(state.array, kind, sets)
    found = {
        2 * (WORD * word + cell) + letter
        for word in range(game.words)
        for letter in (0, 1)
        for cell in range(WORD)
        if int(sets[2 * word + letter]) >> cell & 1
    }
    assert found_any == (len(found) > 0)
    return found


def points_after(state: State, action: int) -> int:
    """How many points a move leaves for the other side, found by trying every reply."""
    game, after = sos(state), state.array.copy()
    game.apply(after, action)
    return sum(int(game.completed(after, reply)) for reply in state.legal_actions() if reply // 2 != action // 2)


@pytest.mark.parametrize("size", SIZES)
def test_scoring_and_quiet_cells_are_those_that_trying_every_move_finds(size: tuple[int, int]) -> None:
    without_scoring = 0
    for state in random_positions(*size):
        game = sos(state)
        scoring = {action for action in state.legal_actions() if game.completed(state.array, action)}
        assert moves_of(state, SCORING) == scoring
        if not scoring:
            without_scoring += 1
            quiet = {action for action in state.legal_actions() if not points_after(state, action)}
            assert moves_of(state, QUIET) == quiet
    assert without_scoring > 0


@pytest.mark.parametrize("size", SIZES)
def test_priors_prefer_points_then_quiet_moves_then_those_that_open_something(size: tuple[int, int]) -> None:
    for state in random_positions(*size):
        game = sos(state)
        actions = np.array(state.legal_actions())
        weights = np.zeros(len(actions))
        game.prior(state.array, actions, len(actions), weights)
        assert weights.sum() == pytest.approx(1.0)
        points = np.array([game.completed(state.array, action) for action in actions])
        quiet = np.isin(actions, list(moves_of(state, QUIET))) & (points == 0)
        opening = ~quiet & (points == 0)
        ranks = [weights[points == 2], weights[points == 1], weights[quiet], weights[opening]]
        ranks = [rank for rank in ranks if len(rank)]
        assert all(len(np.unique(rank)) == 1 for rank in ranks)
        assert [rank[0] for rank in ranks] == sorted((rank[0] for rank in ranks), reverse=True)


@pytest.mark.parametrize("size", SIZES)
def test_the_rollout_policy_takes_points_else_opens_nothing_else_plays_any_move(size: tuple[int, int]) -> None:
    rng = make_rng(1)
    played = set()
    for state in random_positions(*size):
        game = sos(state)
        legal = set(state.legal_actions())
        scoring = moves_of(state, SCORING)
        quiet = moves_of(state, QUIET)
        buffer = np.zeros(game.num_actions, np.int64)
        with np.errstate(over="ignore"):
            action = int(game.rollout_action(state.array, buffer, rng))
        assert action in (scoring or quiet or legal)
        played.add("point" if scoring else "quiet" if quiet else "any")
    assert {"point", "quiet"} <= played


def test_the_rollout_policy_draws_each_quiet_move_alike() -> None:
    state = draw("S . . .\n. . . .")
    quiet = moves_of(state, QUIET)
    rng, buffer = make_rng(0), np.zeros(state.game.num_actions, np.int64)
    with np.errstate(over="ignore"):
        drawn = [int(state.game.rollout_action(state.array, buffer, rng)) for _ in range(200 * len(quiet))]
    counts = np.array([drawn.count(action) for action in sorted(quiet)])
    assert counts.sum() == len(drawn)
    assert abs(counts - 200).max() < 75  # more than five deviations


def test_the_estimate_of_an_unfinished_game_is_the_score_so_far() -> None:
    state = games.SOS(3, 3).new_initial_state()
    utilities = np.zeros(2)
    estimates = []
    for lead in (-9, -4, -1, 0, 1, 4, 9):
        state.array[SCORES : SCORES + 2] = (max(lead, 0), max(-lead, 0))
        state.game.evaluate(state.array, utilities)
        assert utilities[0] == -utilities[1]
        estimates.append(utilities[0])
    assert estimates == sorted(estimates)
    assert (estimates[1], estimates[3], estimates[5]) == (-0.5, 0.0, 0.5)
    assert max(estimates) < 1.0


@pytest.mark.parametrize("text", ["c1O", "C1o", " c1o ", "(0, 2, O)", "0,2,o", "(0, 2, 'O')", "0 2 O", (0, 2, "O")])
def test_a_move_is_read_in_any_case_and_as_row_column_and_letter(text: Any) -> None:
    state = games.SOS().new_initial_state()
    assert state.string_to_action(text) == state.string_to_action("c1O") == 2 * 2 + 1


@pytest.mark.parametrize("text", ["", "c1", "c9O", "(0, 8, O)", "(8, 0, S)", "(0, 2, X)", "0 2"])
def test_a_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a legal move here"):
        games.SOS().new_initial_state().string_to_action(text)
