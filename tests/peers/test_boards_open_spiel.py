"""The rules of the board games against OpenSpiel's: random games, move by move, with the same actions."""

import random

import pytest

from fastmcts import Game, games

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer

#: Our game, OpenSpiel's name for it, how many games to play.
BOARDS: list[tuple[Game, str, int]] = [
    (games.TicTacToe(), "tic_tac_toe", 100),
    (games.ConnectFour(), "connect_four", 100),
    (games.Othello(), "othello", 200),
    *(
        (games.Breakthrough(rows, columns), f"breakthrough(rows={rows},columns={columns})", count)
        for rows, columns, count in [(8, 8, 80), (6, 6, 100), (5, 4, 100), (3, 2, 30), (2, 2, 10), (7, 9, 20)]
    ),
    *(
        (games.Hex(size), f"hex(board_size={size})", count)
        for size, count in [(2, 30), (3, 100), (5, 100), (8, 30), (11, 30), (14, 5)]
    ),
    *(
        (games.DotsAndBoxes(rows, columns), f"dots_and_boxes(num_rows={rows},num_cols={columns})", count)
        for rows, columns, count in [(1, 1, 20), (2, 2, 200), (1, 4, 100), (3, 2, 100), (6, 7, 5)]
    ),
    *(
        (games.MNK(m, n, k), f"mnk(m={m},n={n},k={k})", count)
        for m, n, k, count in [
            (3, 3, 3, 100),
            (4, 3, 3, 100),
            (3, 5, 3, 100),
            (7, 7, 4, 50),
            (9, 8, 4, 30),
            (15, 15, 5, 3),
        ]
    ),
]

#: The games whose moves are written alike.
SAME_NOTATION = (games.Breakthrough, games.Hex, games.Othello)


@pytest.mark.parametrize(("game", "name", "count"), BOARDS, ids=lambda value: str(value))
def test_random_games_are_the_same(game: Game, name: str, count: int) -> None:
    peer = open_spiel.load_game(name)
    assert game.num_actions == peer.num_distinct_actions()
    draw = random.Random(0)
    for _ in range(count):
        ours, theirs = game.new_initial_state(), peer.new_initial_state()
        while not theirs.is_terminal():
            legal = ours.legal_actions()
            assert legal == theirs.legal_actions()
            assert ours.current_player() == theirs.current_player()
            action = draw.choice(legal)
            if isinstance(game, SAME_NOTATION):
                assert ours.action_to_string(action) == theirs.action_to_string(action)
            ours.apply_action(action)
            theirs.apply_action(action)
        assert ours.is_terminal()
        assert ours.returns() == theirs.returns()
