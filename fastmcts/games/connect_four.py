"""Connect Four on boards of any size."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastmcts.bits import count_bits, nth_bit
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._lines import completing, has_line
from fastmcts.games._planes import fill_plane
from fastmcts.rng import below
from fastmcts.strategies.rollout import GameRollout

#: Where the parts of a position stand. Stones are two bitboards, or one entry per cell on large boards.
PLAYER, WINNER, STONES = 0, 1, 2
OWN, OTHER = STONES, STONES + 1

EMPTY = 0  # in a cell of a large board; otherwise 1 + the player whose stone it is


@dataclass(frozen=True)
class ConnectFour(Game):
    """Stones fall to the lowest free cell of a column; four in a row wins. An action is a column: `a`, `b`...

    Args:
        rows: Height of the board.
        columns: Width of the board.
        connect: How many in a row win.

    Position: [player to move, winner, stones...]. Where (rows + 1) * columns bits fit into an int64, the
    stones are two bitboards, of the player to move and of the other: a column takes rows + 1 bits from
    the bottom up, the highest always empty. On larger boards they are one entry per cell, column by
    column from the bottom up.
    """

    rows: int = 6
    columns: int = 7
    connect: int = 4

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("rows", self.rows, low=1, high=64)
        whole_number("columns", self.columns, low=1, high=26)
        whole_number("connect", self.connect, low=2)
        if self.connect > max(self.rows, self.columns):
            raise ValueError(f"connect={self.connect} does not fit on {self.rows} rows x {self.columns} columns")

    @cached_property
    def num_actions(self) -> int:
        """One action per column."""
        return self.columns

    @cached_property
    def max_game_length(self) -> int:
        """As many moves as cells."""
        return self.rows * self.columns

    @cached_property
    def has_bitboards(self) -> bool:
        """Whether a player's stones fit into the positive half of an int64."""
        return (self.rows + 1) * self.columns <= 63

    @cached_property
    def state_size(self) -> int:
        """Two bitboards, or a cell each, behind player and winner."""
        return STONES + (2 if self.has_bitboards else self.rows * self.columns)

    @cached_property
    def full_column(self) -> int:
        """The bits of column a."""
        return (1 << self.rows) - 1

    @cached_property
    def full_board(self) -> int:
        """The bits of all cells."""
        if not self.has_bitboards:
            return 0
        return sum(self.full_column << column * (self.rows + 1) for column in range(self.columns))

    @cached_property
    def bottom(self) -> int:
        """The bits of the lowest row."""
        return self.full_board // self.full_column

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board."""
        state[WINNER] = NONE

    def current_player(self, state: Position) -> int:
        """0 for x, 1 for o."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The columns whose top cell is empty."""
        count = 0
        occupied = state[OWN] | state[OTHER] if self.has_bitboards else 0
        for column in range(self.columns):
            if self.has_bitboards:
                top = column * (self.rows + 1) + self.rows - 1
                free = occupied >> top & 1 == 0
            else:
                free = state[STONES + column * self.rows + self.rows - 1] == EMPTY
            if free:
                actions[count] = column
                count += 1
        return count

    def landing(self, state: Position) -> int:
        """The lowest free cell of each column, on bitboards: there a stone on the bottom would be carried to."""
        return ((state[OWN] | state[OTHER]) + self.bottom) & self.full_board

    def draw_column(self, cells: int, rng: Rng) -> int:
        """Draw a column from a set of cells with at most one in each."""
        return nth_bit(cells, below(rng, count_bits(cells))) // (self.rows + 1)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw a column that has room."""
        if self.has_bitboards:
            return self.draw_column(self.landing(state), rng)
        return actions[below(rng, self.legal_actions(state, actions))]

    def apply(self, state: Position, action: int) -> None:
        """Drop a stone."""
        if self.has_bitboards:
            occupied = state[OWN] | state[OTHER]
            bottom = action * (self.rows + 1)
            stones = state[OWN] | (occupied + (1 << bottom)) & self.full_column << bottom
            won = has_line(stones, self.rows + 1, self.connect)
            full = occupied | stones == self.full_board
            state[OWN] = state[OTHER]
            state[OTHER] = stones
        else:
            won = self.drop(state, action)
            full = self.is_full(state)
        if won:
            state[WINNER] = state[PLAYER]
            state[PLAYER] = TERMINAL
        elif full:
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - state[PLAYER]

    def drop(self, state: Position, column: int) -> bool:
        """Put a stone on a board of cells; whether it completes a line."""
        row = self.free_row(state, column)
        state[STONES + column * self.rows + row] = 1 + state[PLAYER]
        return self.is_in_line(state, column, row)

    def free_row(self, state: Position, column: int) -> int:
        """The lowest free row in a column of a board of cells; the column must have one."""
        row = 0
        while state[STONES + column * self.rows + row] != EMPTY:
            row += 1
        return row

    def is_in_line(self, state: Position, column: int, row: int) -> bool:
        """Whether the stone in a cell of a board of cells is part of a line that wins."""
        for column_step, row_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            forward = self.count_along(state, column, row, column_step, row_step)
            backward = self.count_along(state, column, row, -column_step, -row_step)
            if forward + backward + 1 >= self.connect:
                return True
        return False

    def count_along(self, state: Position, column: int, row: int, column_step: int, row_step: int) -> int:
        """How many stones like the one in a cell follow it in a direction."""
        stone = state[STONES + column * self.rows + row]
        count = 0
        column += column_step
        row += row_step
        while 0 <= column < self.columns and 0 <= row < self.rows and state[STONES + column * self.rows + row] == stone:
            count += 1
            column += column_step
            row += row_step
        return count

    def is_full(self, state: Position) -> bool:
        """Whether no column of a board of cells has room."""
        for column in range(self.columns):
            if state[STONES + column * self.rows + self.rows - 1] == EMPTY:
                return False
        return True

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the winner, -1 for the loser, 0 each for a draw."""
        out[0] = 0.0
        out[1] = 0.0
        winner = state[WINNER]
        if winner != NONE:
            out[winner] = 1.0
            out[1 - winner] = -1.0

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Three planes, in which the lowest row of the board is the first."""
        return 3, self.rows, self.columns

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: one's own stones, the other's, and 1 everywhere if one is to move."""
        cells = self.rows * self.columns
        for row in range(self.rows):
            for column in range(self.columns):
                stone = self.cell(state, column, row)
                if stone != EMPTY:
                    plane = 0 if stone == 1 + player else 1
                    out[plane * cells + row * self.columns + column] = 1.0
        fill_plane(out, 2, cells, 1.0 if state[PLAYER] == player else 0.0)

    @property
    def recommended(self) -> dict[str, Any]:
        """Rollouts that complete lines and stop them."""
        return {"rollout": GameRollout()}

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Complete a line, else stop one that the other would complete, else any column."""
        if self.has_bitboards:
            cells = self.landing(state)
            wins = cells & completing(state[OWN], self.rows + 1, self.connect)
            stops = cells & completing(state[OTHER], self.rows + 1, self.connect)
            return self.draw_column(wins if wins != 0 else stops if stops != 0 else cells, rng)
        count = self.legal_actions(state, actions)
        stop = NONE
        for index in range(count):
            if self.would_win(state, actions[index], state[PLAYER]):
                return actions[index]
            if self.would_win(state, actions[index], 1 - state[PLAYER]):
                stop = actions[index]
        return stop if stop != NONE else actions[below(rng, count)]

    def would_win(self, state: Position, column: int, player: int) -> bool:
        """Whether a stone of a player in a column of a board of cells, which has room, would complete a line."""
        row = self.free_row(state, column)
        state[STONES + column * self.rows + row] = 1 + player
        won = self.is_in_line(state, column, row)
        state[STONES + column * self.rows + row] = EMPTY
        return won

    def render(self, state: Position) -> str:
        """Lines of `x`, `o` and dots, with the columns' letters below."""
        lines = [
            " ".join(".xo"[self.cell(state, column, row)] for column in range(self.columns))
            for row in reversed(range(self.rows))
        ]
        letters = [self.action_to_string(state, column) for column in range(self.columns)]
        return "\n".join([*lines, " ".join(letters)])

    def action_to_string(self, state: Position, action: int) -> str:
        """The column's letter."""
        return chr(ord("a") + action)

    def cell(self, state: Position, column: int, row: int) -> int:
        """EMPTY, or 1 + the player whose stone is in a cell."""
        if not self.has_bitboards:
            return state[STONES + column * self.rows + row]
        bit = column * (self.rows + 1) + row
        if state[OWN] >> bit & 1:
            return 1 + self.side_to_move(state)
        return 2 - self.side_to_move(state) if state[OTHER] >> bit & 1 else EMPTY

    def side_to_move(self, state: Position) -> int:
        """Whose turn it is, or would be if the game were not over."""
        return count_bits(state[OWN] | state[OTHER]) % 2

    def check_state(self, state: Position) -> None:
        """Refuse floating stones, wrong counts, and a player or winner that does not fit the stones."""
        if self.has_bitboards:
            own, other = int(state[OWN]), int(state[OTHER])
            if own & other or (own | other) & ~self.full_board:
                raise ValueError(f"the bitboards {own} and {other} overlap or leave the board")
        board = [[self.cell(state, column, row) for row in range(self.rows)] for column in range(self.columns)]
        stones = [stone for column in board for stone in column]
        if not set(stones) <= {0, 1, 2}:
            raise ValueError(f"a cell holds 0, 1 or 2, not {sorted(set(stones) - {0, 1, 2})[0]}")
        for letter, column in zip("abcdefghijklmnopqrstuvwxyz", board, strict=False):
            if EMPTY in column and any(column[column.index(EMPTY) :]):
                raise ValueError(f"a stone of column {letter} floats above an empty cell")
        if stones.count(1) - stones.count(2) not in (0, 1):
            raise ValueError(f"x begins, so {stones.count(1)} x and {stones.count(2)} o cannot be")
        winners = [player for player in range(2) if self.has_line_of(board, 1 + player)]
        last_mover = (stones.count(1) + stones.count(2) + 1) % 2
        if winners not in ([], [last_mover]):
            raise ValueError("the game would have ended before the last stone")
        winner = winners[0] if winners else NONE
        player = TERMINAL if winners or EMPTY not in stones else 1 - last_mover
        if (state[PLAYER], state[WINNER]) != (player, winner):
            raise ValueError(
                f"with these stones the player is {player} and the winner {winner},"
                f" not {state[PLAYER]} and {state[WINNER]}"
            )

    def has_line_of(self, board: list[list[int]], stone: int) -> bool:
        """Whether `connect` of a stone stand in a row somewhere on a board of columns."""
        cells = {(c, r) for c in range(self.columns) for r in range(self.rows) if board[c][r] == stone}
        return any(
            all((c + i * dc, r + i * dr) in cells for i in range(self.connect))
            for c, r in cells
            for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1))
        )
