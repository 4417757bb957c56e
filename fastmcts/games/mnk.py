"""The m,n,k-games: k in a row on a board of m columns and n rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.bits import NATURAL
from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._bit_set import count, fill, is_empty, members, nth, toggle, words_for, write_all
from fastmcts.games._lines import has_run
from fastmcts.games._planes import fill_plane
from fastmcts.rng import below
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, who won, the empty cells, then the lines of both players.
PLAYER, WINNER, EMPTY = 0, 1, 2

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

    Position: [player to move, winner, empty cells..., lines of x..., lines of o...]. The empty cells are a
    bit set. The lines of a player are its n rows, m columns, m + n - 1 falling and as many rising diagonals,
    a word each with a bit for each of its stones: so k in a row are k bits in a row, in one of four words.
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

    @cached_property
    def num_actions(self) -> int:
        """One action per cell."""
        return self.m * self.n

    @cached_property
    def max_game_length(self) -> int:
        """As many moves as cells."""
        return self.m * self.n

    @cached_property
    def empty_words(self) -> int:
        """How many entries the empty cells take."""
        return words_for(self.num_actions)

    @cached_property
    def lines(self) -> int:
        """Where the lines of x begin, with its rows."""
        return EMPTY + self.empty_words

    @cached_property
    def columns(self) -> int:
        """Where the columns of a player stand among its lines."""
        return self.n

    @cached_property
    def falling(self) -> int:
        """Where the diagonal from the upper left to the lower right stands, in the middle of those beside it."""
        return self.columns + self.m + self.m - 1

    @cached_property
    def rising(self) -> int:
        """Where the diagonals to the upper right stand, of which the first is the cell at the upper left."""
        return self.falling + self.n

    @cached_property
    def num_lines(self) -> int:
        """How many lines a player has."""
        return self.rising + self.m + self.n - 1

    @cached_property
    def state_size(self) -> int:
        """Player, winner, empty cells, and the lines of both players."""
        return self.lines + 2 * self.num_lines

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
        player = state[PLAYER] & NATURAL
        row = (action & NATURAL) // self.m
        column = (action & NATURAL) % self.m
        toggle(state, EMPTY, self.empty_words, action & NATURAL)
        lines = self.lines + player * self.num_lines
        won = put(state, lines + row, column, self.k)
        won |= put(state, lines + self.columns + column, row, self.k)
        won |= put(state, lines + self.falling + row - column, column, self.k)
        won |= put(state, lines + self.rising + row + column, column, self.k)
        if won:
            state[WINNER] = player
            state[PLAYER] = TERMINAL
        elif is_empty(state, EMPTY, self.empty_words):
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

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Three planes."""
        return 3, self.n, self.m

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: one's own stones, the other's, and 1 everywhere if one is to move."""
        for plane in range(2):
            rows = self.lines + self.num_lines * (player if plane == 0 else 1 - player)
            for cell in range(self.num_actions):
                out[plane * self.num_actions + cell] = state[rows + cell // self.m] >> cell % self.m & 1
        fill_plane(out, 2, self.num_actions, 1.0 if state[PLAYER] == player else 0.0)

    # ---- Knowledge of the game

    @property
    def recommended(self) -> dict[str, Any]:
        """Its priors: most cells of a large board are far from every line."""
        return {"selection": PUCT(c=3.0)}

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """By the longest line that either player would have with a stone in the cell."""
        player = state[PLAYER] & NATURAL
        total = 0.0
        for index in range(count):
            row = (actions[index] & NATURAL) // self.m
            column = (actions[index] & NATURAL) % self.m
            own, other = 1, 1
            if self.is_beside(state, row, column):
                own = self.longest_line(state, player, row, column)
                other = self.longest_line(state, 1 - player, row, column)
            out[index] = self.weight(own, other)
            total += out[index]
        for index in range(count):
            out[index] /= total

    def weight(self, own: int, other: int) -> float:
        """How good a cell is that would be part of so many stones in a row."""
        if own >= self.k:
            return WINS
        if other >= self.k:
            return STOPS
        if own == self.k - 1:
            return MAKES_ONE_LESS
        if other == self.k - 1:
            return STOPS_ONE_LESS
        if own == self.k - 2:
            return MAKES_TWO_LESS
        if other == self.k - 2:
            return STOPS_TWO_LESS
        return BESIDE if own > 1 or other > 1 else ALONE

    def is_beside(self, state: Position, row: int, column: int) -> bool:
        """Whether there is a stone in one of the eight cells around an empty one: most cells have none."""
        stones = 0
        for near in range(row - 1, row + 2):
            if 0 <= near < self.n:
                stones |= state[self.lines + near] | state[self.lines + self.num_lines + near]
        return stones << 1 >> column & 0b111 != 0

    def longest_line(self, state: Position, player: int, row: int, column: int) -> int:
        """How many stones in a row a player would have with one in an empty cell, at most."""
        lines = self.lines + player * self.num_lines
        longest = run_with(state[lines + row], column, 1)
        longest = run_with(state[lines + self.columns + column], row, longest)
        longest = run_with(state[lines + self.falling + row - column], column, longest)
        return run_with(state[lines + self.rising + row + column], column, longest)

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
        """The cells of a player's stones, by its rows."""
        rows = self.lines + player * self.num_lines
        return {cell for cell in range(self.num_actions) if state[rows + cell // self.m] >> cell % self.m & 1}

    def action_to_string(self, state: Position, action: int) -> str:
        """Column letter and row number: `a1` is the cell at the top left."""
        return f"{chr(ord('a') + action % self.m)}{action // self.m + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse stones outside the board or on each other, wrong counts, and moves after a win."""
        empty = members(state, EMPTY, self.num_actions)
        stones = [self.stones_of(state, player) for player in range(2)]
        lines = np.zeros(self.state_size, np.int64)
        for player in range(2):
            for cell in stones[player]:
                lines[PLAYER] = player
                self.apply(lines, cell)
        if not np.array_equal(state[self.lines :], lines[self.lines :]):
            raise ValueError("stones stand outside the board, or lines disagree about them")
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
def put(state: Position, line: int, place: int, k: int) -> bool:
    """Put a stone on a place of a line; whether there are k in a row now."""
    stones = state[line] | 1 << place
    state[line] = stones
    return has_run(stones, 1, k)


@compiled
def run_with(stones: int, place: int, least: int) -> int:
    """How many stones of a line would be in a row with one more on an empty place; at least `least`."""
    length = 1
    after = stones >> (place + 1)
    while after & 1:
        length += 1
        after >>= 1
    while place > 0 and stones >> (place - 1) & 1:
        length += 1
        place -= 1
    return length if length > least else least
