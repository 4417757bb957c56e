"""Tic-tac-toe on a 3x3 board."""

from dataclasses import dataclass

import numpy as np

from fastmcts.bits import count_bits, lowest_bit, nth_bit
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.game import Game
from fastmcts.games._planes import fill_plane, mark_bits
from fastmcts.rng import below

#: Where the parts of a position stand: who is to move, who won, and a bit per cell for each player.
PLAYER, WINNER, STONES = 0, 1, 2

FULL = 0b111_111_111
LINES = (
    0b111,
    0b111_000,
    0b111_000_000,
    0b1_001_001,
    0b10_010_010,
    0b100_100_100,
    0b100_010_001,
    0b1_010_100,
)

#: For each set of cells, whether it holds three in a row.
WINS = np.array([any(cells & line == line for line in LINES) for cells in range(FULL + 1)])


@dataclass(frozen=True)
class TicTacToe(Game):
    """Three in a row wins. An action is row * 3 + column; its text is column and row, `a1` at the top left.

    Position: [player to move, winner, X's cells, O's cells], cells as bits.
    """

    num_players = 2
    num_actions = 9
    state_size = 4
    max_game_length = 9
    observation_shape = (3, 3, 3)

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board; X begins."""
        state[WINNER] = NONE

    def current_player(self, state: Position) -> int:
        """0 for X, 1 for O."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The empty cells."""
        empty = FULL & ~(state[STONES] | state[STONES + 1])
        count = 0
        while empty != 0:
            actions[count] = lowest_bit(empty)
            empty &= empty - 1
            count += 1
        return count

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw one of the empty cells."""
        empty = FULL & ~(state[STONES] | state[STONES + 1])
        return nth_bit(empty, below(rng, count_bits(empty)))

    def apply(self, state: Position, action: int) -> None:
        """Mark a cell."""
        player = state[PLAYER]
        state[STONES + player] |= 1 << action
        if WINS[state[STONES + player]]:
            state[WINNER] = player
            state[PLAYER] = TERMINAL
        elif state[STONES] | state[STONES + 1] == FULL:
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - player

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the winner, -1 for the loser, 0 each for a draw."""
        out[0] = 0.0
        out[1] = 0.0
        winner = state[WINNER]
        if winner != NONE:
            out[winner] = 1.0
            out[1 - winner] = -1.0

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: one's own cells, the other's, and 1 everywhere if one is to move."""
        mark_bits(out, 0, 9, state[STONES + player])
        mark_bits(out, 1, 9, state[STONES + 1 - player])
        fill_plane(out, 2, 9, 1.0 if state[PLAYER] == player else 0.0)

    def render(self, state: Position) -> str:
        """Three lines of `X`, `O` and dots, with coordinates."""
        cells = ["XO."[owner(state, cell)] for cell in range(9)]
        rows = [f"{row + 1} {' '.join(cells[3 * row : 3 * row + 3])}" for row in range(3)]
        return "\n".join([*rows, "  a b c"])

    def action_to_string(self, state: Position, action: int) -> str:
        """Column letter and row number: `a1` is the cell at the top left."""
        return f"{'abc'[action % 3]}{action // 3 + 1}"

    def check_state(self, state: Position) -> None:
        """Replay the stones: alternating, not overlapping, and no moves after a win."""
        player, winner, first, second = (int(entry) for entry in state)
        counts = first.bit_count(), second.bit_count()
        won = [0 <= cells <= FULL and bool(WINS[cells]) for cells in (first, second)]
        expected_winner = won.index(True) if any(won) else NONE
        over = any(won) or first | second == FULL
        expected_player = TERMINAL if over else counts[0] - counts[1]
        if not (0 <= first <= FULL and 0 <= second <= FULL) or first & second:
            raise ValueError(f"the cells {first} and {second} are not two disjoint sets of nine cells")
        if counts[0] - counts[1] not in (0, 1) or all(won) or (any(won) and won[(sum(counts) + 1) % 2] is False):
            raise ValueError(f"no game leads to {counts[0]} X and {counts[1]} O in these cells")
        if (player, winner) != (expected_player, expected_winner):
            raise ValueError(
                f"with these cells the player is {expected_player} and the winner {expected_winner},"
                f" not {player} and {winner}"
            )


def owner(state: Position, cell: int) -> int:
    """0 or 1 for the player who marked a cell, 2 for an empty one."""
    for player in range(2):
        if state[STONES + player] >> cell & 1:
            return player
    return 2
