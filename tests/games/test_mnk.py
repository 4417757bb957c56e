import functools
import random

import numpy as np
import pytest

from fastmcts import TERMINAL, games, load_game, search
from fastmcts.games.mnk import PLAYER, WINNER
from fastmcts.rng import make_rng
from fastmcts.state import State
from fastmcts.testing import check_game, perft


def play(game: games.MNK, *texts: str) -> State:
    """The position after some moves."""
    state = game.new_initial_state()
    for text in texts:
        state.apply_action(state.string_to_action(text))
    return state


def solve_openings(game: games.MNK) -> list[int]:
    """The first player's result with best play after each of its first moves."""

    @functools.cache
    def value(position: bytes) -> int:
        """For the player to move; at the end, for the one who would be."""
        state = game.new_state(np.frombuffer(position, np.int64))
        if state.is_terminal():
            return -1 if state.array[WINNER] >= 0 else 0
        best = -1
        for action in state.legal_actions():
            child = state.array.copy()
            game.apply(child, action)
            best = max(best, -value(child.tobytes()))
            if best == 1:
                break
        return best

    start = game.new_initial_state()
    return [-value(start.child(action).array.tobytes()) for action in start.legal_actions()]


@pytest.mark.parametrize(
    "size",
    [
        (9, 8, 4),  # more cells than bits in a word
        *(
            pytest.param(size, marks=pytest.mark.slow_to_compile)
            for size in [(3, 3, 3), (4, 3, 3), (1, 5, 2), (2, 2, 1)]
        ),
    ],
)
def test_it_keeps_the_contract(size):
    check_game(games.MNK(*size), positions=100)


def test_the_default_is_tic_tac_toe_and_the_id_loads_it():
    assert load_game("mnk") == games.MNK(m=3, n=3, k=3)
    assert games.MNK().name == "mnk"


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (games.MNK(3, 3, 3), [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
        (games.MNK(4, 4, 3), [16, 240, 3360, 43680, 524160, 5518656]),
        (games.MNK(m=4, n=3, k=3), [12, 132, 1320, 11880, 95040, 622944, 3499200]),
    ],
)
@pytest.mark.parametrize("deep", [False, pytest.param(True, marks=pytest.mark.jit)])
def test_perft(game, counts, deep):
    for depth, count in enumerate(counts, start=1):
        if deep == (count > 20_000):
            assert perft(game.new_initial_state(), depth) == count


def test_tic_tac_toe_is_a_draw_from_every_opening():
    assert solve_openings(games.MNK(3, 3, 3)) == [0] * 9


@pytest.mark.jit
def test_on_4x3_all_openings_win_but_two():
    assert solve_openings(games.MNK(m=4, n=3, k=3)) == [1, 1, 1, 1, -1, 1, 1, -1, 1, 1, 1, 1]


def test_m_counts_columns_and_n_rows():
    state = play(games.MNK(m=4, n=3, k=3), "a1", "d1", "b2", "d3")
    assert str(state) == "1 x . . o\n2 . x . .\n3 . . . o\n  a b c d"
    assert state.legal_actions() == [1, 2, 4, 6, 7, 8, 9, 10]
    assert [state.action_to_string(action) for action in (1, 4, 10)] == ["b1", "a2", "c3"]


@pytest.mark.parametrize("size", [(3, 3, 3), (5, 4, 4), (7, 6, 3), (15, 15, 5), (26, 3, 3), (2, 26, 4)])
def test_every_line_of_k_wins_and_no_shorter_one(size):
    game = games.MNK(*size)
    m, n, k = size
    lines = 0
    for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(n):
            for column in range(m):
                cells = [(row + i * row_step, column + i * column_step) for i in range(k)]
                if all(0 <= r < n and 0 <= c < m for r, c in cells):
                    actions = [r * m + c for r, c in cells]
                    # The last stone may stand anywhere in the line.
                    actions.append(actions.pop((row + column) % k))
                    position = game.new_initial_state().array
                    for action in actions:
                        assert position[PLAYER] == 0
                        game.apply(position, action)
                        position[PLAYER] = min(position[PLAYER], 0)
                    assert (position[PLAYER], position[WINNER]) == (TERMINAL, 0)
                    lines += 1
    across, down = max(0, m - k + 1), max(0, n - k + 1)
    assert lines == across * n + down * m + 2 * across * down


@pytest.mark.parametrize("size", [(4, 4, 3), (7, 7, 3), (9, 9, 4), (26, 2, 3)])
def test_a_line_does_not_go_on_at_the_other_edge(size):
    game = games.MNK(*size)
    choice = random.Random(0)
    for _ in range(20):
        state = game.new_initial_state()
        stones = [set(), set()]
        while not state.is_terminal():
            player = state.current_player()
            action = choice.choice(state.legal_actions())
            stones[player].add(action)
            state.apply_action(action)
            assert (state.array[WINNER] == player) == game.has_row(stones[player])


def test_more_than_k_in_a_row_win_too():
    state = play(games.MNK(15, 15, 5), *["a1", "a9", "b1", "b9", "c1", "c9", "e1", "e9", "f1", "f9", "d1"])
    assert state.returns() == [1.0, -1.0]


def test_the_second_player_can_win_and_a_full_board_is_a_draw():
    assert play(games.MNK(), *["a1", "a2", "b1", "b2", "a3", "c2"]).returns() == [-1.0, 1.0]
    drawn = play(games.MNK(), *["a1", "b1", "c1", "b2", "a2", "a3", "b3", "c2", "c3"])
    assert str(drawn) == "1 x o x\n2 x o o\n3 o x x\n  a b c"
    assert drawn.is_terminal()
    assert drawn.returns() == [0.0, 0.0]


@pytest.mark.jit
def test_a_search_on_a_gomoku_board_finds_the_fifth_stone():
    state = play(games.MNK(15, 15, 5), *["h8", "a1", "i8", "a3", "j8", "a5", "k8", "a7"])
    result = search(state, simulations=20_000, seed=0)
    assert result.action in (state.string_to_action("g8"), state.string_to_action("l8"))


def test_random_actions_are_uniform():
    game = games.MNK(15, 15, 15)
    state = game.new_initial_state()
    choice = random.Random(1)
    while len(state.legal_actions()) > 8:
        state.apply_action(choice.choice(state.legal_actions()))
    rng = make_rng(2)
    buffer = np.zeros(game.num_actions, np.int64)
    with np.errstate(over="ignore"):
        drawn = [int(game.random_action(state.array, buffer, rng)) for _ in range(2000)]
    counts = np.array([drawn.count(action) for action in state.legal_actions()])
    assert counts.sum() == 2000
    # 7 degrees of freedom: 24.3 is exceeded once in a thousand seeds.
    assert ((counts - 250) ** 2 / 250).sum() < 24.3


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match="k=5 in a row do not fit on m=4 columns x n=3 rows"):
        games.MNK(4, 3, 5)
    with pytest.raises(ValueError, match="m must be from 1 to 26, not 27"):
        games.MNK(27, 3, 3)


@pytest.mark.parametrize("size", [(3, 3, 3), (9, 9, 3)])
@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("player", 1, "the player is 0 and the winner -1, not 1 and -1"),
        ("winner", 0, "the player is 0 and the winner -1, not 0 and 0"),
        ("empty", -1, "are not a set of numbers"),
        ("empty", 0, "every cell is empty, or holds an x, or holds an o"),
        ("stones", -1, "stones stand outside the board"),
        ("stones", 1 << 61, "stones stand outside the board"),
    ],
)
def test_arrays_that_are_no_position_are_refused(size, entry, value, message):
    game = games.MNK(*size)
    state = play(game, "a1", "b2")
    assert game.state_from_array(state.array) == state
    index = {"player": PLAYER, "winner": WINNER, "empty": game.lines - 1, "stones": game.lines}[entry]
    state.array[index] = value
    with pytest.raises(ValueError, match=message):
        game.state_from_array(state.array)


def test_stones_that_no_game_leads_to_are_refused():
    game = games.MNK(3, 3, 3)
    state = game.new_initial_state()
    game.apply(state.array, 0)
    state.array[PLAYER] = 0
    game.apply(state.array, 1)
    with pytest.raises(ValueError, match="x begins, so 2 x and 0 o cannot be"):
        game.state_from_array(state.array)
    both_won = game.new_initial_state().array
    for action in range(6):
        both_won[PLAYER] = action // 3
        game.apply(both_won, action)
    both_won[WINNER] = 0
    with pytest.raises(ValueError, match="ended before the last stone"):
        game.state_from_array(both_won)


@pytest.mark.parametrize("game", [games.MNK(7, 7, 4), games.MNK(15, 15, 4)], ids=str)
def test_priors_know_what_wins_what_stops_a_win_and_what_is_far_from_everything(game: games.MNK) -> None:
    def order(state: State) -> dict[str, float]:
        actions = np.array(state.legal_actions(), np.int64)
        out = np.zeros(len(actions))
        game.prior(state.array, actions, len(actions), out)
        return {state.action_to_string(int(action)): float(prior) for action, prior in zip(actions, out, strict=True)}

    threes = play(game, "b2", "b4", "c2", "c4", "d2", "d4")
    priors = order(threes)
    assert sorted(priors, key=priors.__getitem__, reverse=True)[:4] in (
        [*wins, *stops] for wins in (["a2", "e2"], ["e2", "a2"]) for stops in (["a4", "e4"], ["e4", "a4"])
    )
    twos = order(play(game, "b2", "b4", "c2", "f6"))
    assert twos["a2"] > twos["c3"] > twos["g1"]
    edges = order(play(game, "g1", "a1", "g2", "a2"))  # the ends of rows do not hang together
    assert edges["g3"] > edges["a3"] > edges["f7"]


@pytest.mark.parametrize("size", [(7, 6, 7), (4, 9, 3), (15, 15, 5)])
def test_priors_look_at_the_longest_line_through_a_cell(size: tuple[int, int, int]) -> None:
    game, draw = games.MNK(*size), random.Random(0)
    state = game.new_initial_state()
    stones: list[set[tuple[int, int]]] = [set(), set()]

    def longest_line(player: int, row: int, column: int) -> int:
        lengths = []
        for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                distance = sign
                while (row + distance * row_step, column + distance * column_step) in stones[player]:
                    length += 1
                    distance += sign
            lengths.append(length)
        return max(lengths)

    while not state.is_terminal():
        actions = np.array(state.legal_actions(), np.int64)
        player, out = state.current_player(), np.zeros(len(actions))
        game.prior(state.array, actions, len(actions), out)
        weights = []
        for action in actions.tolist():
            cell = divmod(action, game.m)
            weights.append(game.weight(longest_line(player, *cell), longest_line(1 - player, *cell)))
        assert out == pytest.approx(np.array(weights) / sum(weights))
        action = draw.choice(state.legal_actions())
        stones[player].add(divmod(action, game.m))
        state.apply_action(action)
