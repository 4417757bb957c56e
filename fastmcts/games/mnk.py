"""The m,n,k-games: k in a row on a board of m columns and n rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.arrays import Actions, Position, Rng, Utilities
from fastmcts.checks import whole_number
from fastmcts.constants import NONE, TERMINAL
from fastmcts.game import Game
from fastmcts.games._bit_set import count, fill, is_empty, members, nth, remove, words_for, write_all
from fastmcts.games._lines import has_line
from fastmcts.jit import compiled
from fastmcts.kernels.rng import below
from fastmcts.selection import PUCT

#: Where the parts of a position stand: who is to move, who won, the empty cells, then the stones.
PLAYER, WINNER, EMPTY = 0, 1, 2

BITS = 63  # of a bitboard, without the sign

#: From a cell to the next of a line, in rows and columns.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

#: Weights of cells as priors: what wins, what the other would win with, what makes k - 1 in a row for oneself or the
#: other, the same for k - 2, what is beside any stone, and what stands alone.
WINS, STOPS, MAKES_ONE_LESS, STOPS_ONE_LESS = 1000.0, 200.0, 20.0, 10.0
MAKES_TWO_LESS, STOPS_TWO_LESS, BESIDE, ALONE = 4.0, 3.0, 1.0, 0.1


@dataclass(frozen=True)
class MNK(Game):
    """Put a stone into any empty cell; k or more of one's own in a row win, and a full board is a draw.

    MNK(3, 3, 3) is tic-tac-toe, MNK(15, 15, 5) gomoku without restrictions. An action is
    row * m + column; its text is column and row, `a1` at the top left.

    Args:
        m: Columns of the board.
        n: Rows of the board.
        k: How many in a row win.

    Position: [player to move, winner, empty cells..., stones of x..., stones of o...]. The empty cells
    are a bit set. Stones are one bitboard a player where (m + 1) * n bits fit into an int64: a row takes
    m + 1 bits, the highest always empty. On larger boards each row is a word, with an empty row above
    and below the board, and column 0 at bit 1.
    """

    m: int = 3
    n: int = 3
    k: int = 3

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("m", self.m, low=1, high=26)
        whole_number("n", self.n, low=1, high=26)
        whole_number("k", self.k, low=1)
        if self.k > max(self.m, self.n):
            raise ValueError(f"k={self.k} in a row do not fit on m={self.m} columns x n={self.n} rows")

    @property
    def num_actions(self) -> int:
        """One action per cell."""
        return self.m * self.n

    @property
    def max_game_length(self) -> int:
        """As many moves as cells."""
        return self.m * self.n

    @property
    def has_bitboards(self) -> bool:
        """Whether all stones of a player fit into the positive half of an int64."""
        return (self.m + 1) * self.n <= 63

    @property
    def empty_words(self) -> int:
        """How many entries the empty cells take."""
        return words_for(self.num_actions)

    @property
    def stones(self) -> int:
        """Where the stones of x begin."""
        return EMPTY + self.empty_words

    @property
    def stone_words(self) -> int:
        """How many entries the stones of a player take."""
        return 1 if self.has_bitboards else self.n + 2

    @property
    def state_size(self) -> int:
        """Player, winner, empty cells, and the stones of both players."""
        return self.stones + 2 * self.stone_words

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board; x begins."""
        state[WINNER] = NONE
        fill(state, EMPTY, self.num_actions)

    def current_player(self, state: Position) -> int:
        """0 for x, 1 for o."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The empty cells."""
        return write_all(state, EMPTY, self.empty_words, actions)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw from the empty cells."""
        return nth(state, EMPTY, self.empty_words, below(rng, count(state, EMPTY, self.empty_words)))

    def apply(self, state: Position, action: int) -> None:
        """Put a stone."""
        player = int(state[PLAYER])
        row = action // self.m
        column = action % self.m
        remove(state, EMPTY, action)
        if self.has_bitboards:
            board = self.stones + player
            stones = state[board] | 1 << (row * (self.m + 1) + column)
            state[board] = stones
            won = has_line(stones, self.m + 1, self.k)
        else:
            first_row = self.stones + player * self.stone_words + 1
            state[first_row + row] |= 1 << (column + 1)
            won = self.is_in_line(state, first_row + row, column + 1)
        if won:
            state[WINNER] = player
            state[PLAYER] = TERMINAL
        elif is_empty(state, EMPTY, self.empty_words):
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - player

    def is_in_line(self, state: Position, word: int, bit: int) -> bool:
        """Whether a stone on a board of rows has k - 1 others beside it in some line."""
        for word_step, bit_step in DIRECTIONS:
            forward = count_along(state, word, bit, word_step, bit_step)
            backward = count_along(state, word, bit, -word_step, -bit_step)
            if forward + backward + 1 >= self.k:
                return True
        return False

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the winner, -1 for the loser, 0 each for a draw."""
        out[0] = 0.0
        out[1] = 0.0
        winner = state[WINNER]
        if winner != NONE:
            out[winner] = 1.0
            out[1 - winner] = -1.0

    # ---- Knowledge of the game

    @property
    def recommended(self) -> dict[str, Any]:
        """Its priors: most cells of a large board are far from every line."""
        return {"selection": PUCT(c=3.0)}

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """By the longest line that either player would have with a stone in the cell."""
        player = int(state[PLAYER])
        total = 0.0
        for index in range(count):
            own = self.longest_line(state, player, actions[index])
            other = self.longest_line(state, 1 - player, actions[index])
            if own >= self.k:
                weight = WINS
            elif other >= self.k:
                weight = STOPS
            elif own == self.k - 1:
                weight = MAKES_ONE_LESS
            elif other == self.k - 1:
                weight = STOPS_ONE_LESS
            elif own == self.k - 2:
                weight = MAKES_TWO_LESS
            elif other == self.k - 2:
                weight = STOPS_TWO_LESS
            else:
                weight = BESIDE if max(own, other) > 1 else ALONE
            out[index] = weight
            total += weight
        for index in range(count):
            out[index] /= total

    def longest_line(self, state: Position, player: int, action: int) -> int:
        """How many stones in a row a player would have with one in an empty cell, at most."""
        row = action // self.m
        column = action % self.m
        longest = 0
        for row_step, column_step in DIRECTIONS:
            if self.has_bitboards:
                stones, bit, step = state[self.stones + player], row * (self.m + 1) + column, row_step * (self.m + 1)
                others = count_bits_along(stones, bit, step + column_step)
                others += count_bits_along(stones, bit, -step - column_step)
            else:
                word = self.stones + player * self.stone_words + 1 + row
                others = count_along(state, word, column + 1, row_step, column_step)
                others += count_along(state, word, column + 1, -row_step, -column_step)
            longest = max(longest, 1 + others)
        return longest

    # ---- Text and checks

    def render(self, state: Position) -> str:
        """Lines of `x`, `o` and dots, with coordinates."""
        stones = [self.stones_of(state, player) for player in range(2)]
        width = len(str(self.n))
        lines = []
        for row in range(self.n):
            cells = range(row * self.m, (row + 1) * self.m)
            marks = ["x" if cell in stones[0] else "o" if cell in stones[1] else "." for cell in cells]
            lines.append(f"{row + 1:>{width}} {' '.join(marks)}")
        letters = " ".join(chr(ord("a") + column) for column in range(self.m))
        return "\n".join([*lines, f"{' ' * width} {letters}"])

    def stones_of(self, state: Position, player: int) -> set[int]:
        """The cells of a player's stones."""
        words = state[self.stones + player * self.stone_words :]
        places = [self.place(cell) for cell in range(self.num_actions)]
        return {cell for cell, (word, bit) in enumerate(places) if words[word] >> bit & 1}

    def place(self, cell: int) -> tuple[int, int]:
        """In which word of a player's stones a cell is, and at which bit."""
        row, column = divmod(cell, self.m)
        return (0, row * (self.m + 1) + column) if self.has_bitboards else (1 + row, 1 + column)

    def action_to_string(self, state: Position, action: int) -> str:
        """Column letter and row number: `a1` is the cell at the top left."""
        return f"{chr(ord('a') + action % self.m)}{action // self.m + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse stones outside the board or on each other, wrong counts, and moves after a win."""
        empty = members(state, EMPTY, self.num_actions)
        stones = [self.stones_of(state, player) for player in range(2)]
        words = [0] * (2 * self.stone_words)
        for player in range(2):
            for cell in stones[player]:
                word, bit = self.place(cell)
                words[player * self.stone_words + word] |= 1 << bit
        if state[self.stones :].tolist() != words:
            raise ValueError("stones stand outside the board")
        if sorted([*empty, *stones[0], *stones[1]]) != list(range(self.num_actions)):
            raise ValueError("every cell is empty, or holds an x, or holds an o, and only one of them")
        counts = len(stones[0]), len(stones[1])
        if counts[0] - counts[1] not in (0, 1):
            raise ValueError(f"x begins, so {counts[0]} x and {counts[1]} o cannot be")
        last_mover = (sum(counts) + 1) % 2
        winners = [player for player in range(2) if self.has_row(stones[player])]
        own = stones[last_mover]
        # A win must hang on a single stone, the last one; it may have completed several rows.
        if winners and (winners != [last_mover] or all(self.has_row(own - {cell}) for cell in own)):
            raise ValueError("the game would have ended before the last stone")
        winner = winners[0] if winners else NONE
        player = TERMINAL if winners or not empty else 1 - last_mover
        if (state[PLAYER], state[WINNER]) != (player, winner):
            raise ValueError(
                f"with these stones the player is {player} and the winner {winner},"
                f" not {state[PLAYER]} and {state[WINNER]}"
            )

    def has_row(self, cells: set[int]) -> bool:
        """Whether k of the cells stand in a row."""
        places = {divmod(cell, self.m) for cell in cells}
        return any(
            all((row + i * row_step, column + i * column_step) in places for i in range(self.k))
            for row, column in places
            for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1))
        )


@compiled
def count_along(state: Position, word: int, bit: int, word_step: int, bit_step: int) -> int:
    """How many stones follow the one at a bit in a direction; the margins of a board end every walk."""
    length = 0
    word += word_step
    bit += bit_step
    while state[word] >> bit & 1:
        length += 1
        word += word_step
        bit += bit_step
    return length


@compiled
def count_bits_along(stones: int, bit: int, step: int) -> int:
    """The same on a bitboard, where the highest bit of each row is always empty."""
    length = 0
    bit += step
    while 0 <= bit < BITS and stones >> bit & 1:
        length += 1
        bit += step
    return length
