"""Hex: perft, solved boards, and connections found by a slow flood fill."""

import random

import numpy as np
import pytest
from numba import njit

import fastmcts
from fastmcts.compiler.jit import OPTIONS
from fastmcts.core.constants import TERMINAL
from fastmcts.games.hex import EMPTY, PLAYER, WINNER, Hex
from fastmcts.rng import make_rng
from fastmcts.testing import check_game, perft

PERFT_3 = [9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960]
PERFT_5 = [25, 600, 13800, 303600]
DISTINCT_POSITIONS_3 = [1, 9, 72, 252, 756, 1260, 1520, 1140, 420, 84]

#: Where the first player wins by opening there, row by row.
WINNING_OPENINGS = {1: ["1"], 2: ["01", "10"], 3: ["001", "111", "100"], 4: ["0001", "0010", "0100", "1000"]}

UNKNOWN, LOSS, WIN = 0, 1, 2


def connects(size: int, cells: set[int], player: int) -> bool:
    """Whether cells hang together from a player's first side to its second, by flood fill."""
    sides = [cell // size if player == 0 else cell % size for cell in range(size * size)]
    reached = {cell for cell in cells if sides[cell] == 0}
    frontier = list(reached)
    while frontier:
        row, column = divmod(frontier.pop(), size)
        for row_step, column_step in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            near_row, near_column = row + row_step, column + column_step
            near = near_row * size + near_column
            if 0 <= near_row < size and 0 <= near_column < size and near in cells and near not in reached:
                reached.add(near)
                frontier.append(near)
    return any(sides[cell] == size - 1 for cell in reached)


@njit(**OPTIONS)
def wins(game, positions, actions, powers, table, depth, key):
    """Whether the player to move at `positions[depth]` wins; `table` remembers by a ternary key."""
    if table[key] != UNKNOWN:
        return table[key] == WIN
    player = game.current_player(positions[depth])
    for index in range(game.legal_actions(positions[depth], actions[depth])):
        action = actions[depth, index]
        for entry in range(game.state_size):
            positions[depth + 1, entry] = positions[depth, entry]
        game.apply(positions[depth + 1], action)
        after = key + (1 + player) * powers[action]
        if game.current_player(positions[depth + 1]) == TERMINAL or not wins(
            game, positions, actions, powers, table, depth + 1, after
        ):
            table[key] = WIN
            return True
    table[key] = LOSS
    return False


def solved_openings(size: int) -> list[str]:
    """Row by row, 1 where an opening wins."""
    game = Hex(size)
    cells = size * size
    positions = np.zeros((cells + 1, game.state_size), np.int64)
    actions = np.zeros((cells, cells), np.int64)
    powers = 3 ** np.arange(cells)
    table = np.zeros(3**cells, np.int8)
    openings = []
    for action in range(cells):
        child = game.new_initial_state().child(action)
        positions[0] = child.array
        lost = child.is_terminal() or not wins(game, positions, actions, powers, table, 0, powers[action])
        openings.append("01"[bool(lost)])
    return ["".join(openings[row * size : (row + 1) * size]) for row in range(size)]


def play(game: Hex, text: str) -> fastmcts.State:
    state = game.new_initial_state()
    for move in text.split():
        state.apply_action(state.string_to_action(move))
    return state


@pytest.mark.parametrize(("size", "depth"), [(3, 1), (3, 2), (3, 3), (3, 4), (5, 1), (5, 2)])
def test_perft(size: int, depth: int) -> None:
    known = {3: PERFT_3, 5: PERFT_5}[size]
    assert perft(Hex(size).new_initial_state(), depth) == known[depth - 1]


@pytest.mark.jit
@pytest.mark.parametrize(("size", "depth"), [(3, 5), (3, 6), (3, 7), (3, 8), (3, 9), (5, 3), (5, 4)])
def test_deep_perft(size: int, depth: int) -> None:
    known = {3: PERFT_3, 5: PERFT_5}[size]
    assert perft(Hex(size).new_initial_state(), depth) == known[depth - 1]


def test_equal_positions_are_equal_arrays() -> None:
    game = Hex(3)
    level = {game.new_initial_state().array.tobytes()}
    for count in DISTINCT_POSITIONS_3:
        assert len(level) == count
        states = [game.new_state(np.frombuffer(key, np.int64)) for key in level]
        level = {state.child(action).array.tobytes() for state in states for action in state.legal_actions()}
    assert not level


@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_boards_are_won_by_the_known_openings(size: int) -> None:
    assert solved_openings(size) == WINNING_OPENINGS[size]


@pytest.mark.jit
def test_four_rows_are_won_by_the_known_openings() -> None:
    assert solved_openings(4) == WINNING_OPENINGS[4]


@pytest.mark.parametrize(("size", "games"), [(1, 1), (2, 10), (3, 30), (5, 20), (8, 5), (11, 3), (13, 2)])
def test_random_games_end_when_a_flood_fill_finds_a_connection(size: int, games: int) -> None:
    draw = random.Random(size)
    for _ in range(games):
        state = Hex(size).new_initial_state()
        cells: list[set[int]] = [set(), set()]
        empty = list(range(size * size))
        player = 0
        while not any(connects(size, cells[side], side) for side in range(2)):
            assert state.current_player() == player
            assert state.legal_actions() == sorted(empty)
            action = draw.choice(empty)
            empty.remove(action)
            cells[player].add(action)
            state.apply_action(action)
            player = 1 - player
        assert state.is_terminal()
        assert state.returns() == ([1.0, -1.0] if player == 1 else [-1.0, 1.0])


def test_the_order_of_moves_leaves_no_trace() -> None:
    draw = random.Random(3)
    game = Hex(6)
    for _ in range(20):
        cells = draw.sample(range(36), 12)
        first, second = cells[:6], cells[6:]
        arrays = []
        for _ in range(2):
            draw.shuffle(first)
            draw.shuffle(second)
            state = game.new_initial_state()
            for action in (move for pair in zip(first, second, strict=True) for move in pair):
                state.apply_action(action)
            arrays.append(state.array.tolist())
        assert arrays[0] == arrays[1]


def test_the_first_player_connects_top_and_bottom() -> None:
    state = play(Hex(3), "b1 a1 b2 c1 b3")
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]


def test_the_second_player_connects_left_and_right() -> None:
    state = play(Hex(3), "b1 a2 c1 b2 a3 c2")
    assert state.is_terminal()
    assert state.returns() == [-1.0, 1.0]


def test_a_bridge_of_touching_corners_does_not_connect() -> None:
    state = play(Hex(3), "a1 a2 b2 a3 c3")  # a1 and b2 do not touch, nor do b2 and c3
    assert not state.is_terminal()


@pytest.mark.parametrize("size", [5, 11])
def test_random_moves_are_uniform(size: int) -> None:
    game = Hex(size)
    state = game.new_initial_state()
    for action in random.Random(0).sample(range(size * size), size * 2):
        state.apply_action(action)
    legal = state.legal_actions()
    rng = make_rng(0)
    actions = np.zeros(game.num_actions, np.int64)
    counts = dict.fromkeys(legal, 0)
    draws = 60 * len(legal)
    with np.errstate(over="ignore"):
        for _ in range(draws):
            counts[int(game.random_action(state.array, actions, rng))] += 1
    chi_square = sum((count - 60) ** 2 / 60 for count in counts.values())
    assert chi_square < len(legal) + 4 * (2 * len(legal)) ** 0.5


def test_the_board_is_drawn_aslant_with_coordinates() -> None:
    assert str(play(Hex(3), "b1 a2 c3")) == "   a b c\n 1 . x .\n  2 o . .\n   3 . . x"


def test_actions_are_written_as_column_and_row() -> None:
    state = Hex(11).new_initial_state()
    assert state.action_to_string(11 * 10 + 3) == "d11"
    assert state.string_to_action("d11") == 113
    with pytest.raises(ValueError, match="not a legal move"):
        state.string_to_action("l1")


@pytest.mark.parametrize("size", [0, 27])
def test_impossible_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="size must be from 1 to 26"):
        Hex(size)


def test_positions_of_random_games_are_accepted() -> None:
    game = Hex(5)
    draw = random.Random(7)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
            assert game.state_from_array(state.array) == state


@pytest.mark.parametrize(
    ("entry", "value"), [(PLAYER, 1), (PLAYER, TERMINAL), (WINNER, 0), (EMPTY, 0), (-1, 7), (EMPTY + 1, 1)]
)
def test_arrays_that_are_no_position_are_refused(entry: int, value: int) -> None:
    game = Hex(3)
    array = game.new_initial_state().array
    array[entry] = value
    with pytest.raises(ValueError, match="no game leads here"):
        game.state_from_array(array)


def test_stones_must_alternate() -> None:
    game = Hex(3)
    array = game.new_initial_state().array
    array[game.cell(4)] = 8
    with pytest.raises(ValueError, match="x begins, so 0 x and 1 o cannot be"):
        game.state_from_array(array)


def test_stones_after_a_win_are_refused() -> None:
    game = Hex(2)
    state = play(game, "a1 b1 a2")  # x has won
    state.array[PLAYER] = 1
    game.apply(state.array, 3)
    with pytest.raises(ValueError, match="no game leads here"):
        game.state_from_array(state.array)


def test_the_contract_holds() -> None:
    check_game(Hex(4), positions=500)
    check_game(Hex(), positions=100)


@pytest.mark.thorough
def test_a_search_gives_the_same_tree_compiled_and_interpreted() -> None:
    result = fastmcts.search(Hex(3).new_initial_state(), simulations=500, seed=0, selection=fastmcts.UCT(c=1.4))
    assert result.visits.tolist() == [31, 31, 75, 86, 79, 60, 78, 30, 30]
