"""SOS on boards of any size."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.bits import NATURAL, count_bits, lowest_bit
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game, move_text
from fastmcts.games._bit_set import (
    WORD,
    ahead,
    behind,
    count,
    fill,
    members,
    nth,
    toggle,
    window,
    words_for,
)
from fastmcts.games._planes import fill_plane, mark_set
from fastmcts.rng import below, make_rng
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, both scores, the empty cells, then the letters.
PLAYER, SCORES, EMPTY = 0, 1, 3

S, O = 0, 1  # noqa: E741  (the letters of the game)

#: How much likelier than a quiet move a point is to be good, and a move that lets the other side score.
POINT_WEIGHT, OPENING_WEIGHT = 200.0, 0.02

#: The lead that is halfway between even and won in the estimate of an unfinished game.
HALF_WON = 4

#: The four directions of a line, in rows and columns, and what is looked at from a cell along each.
AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
AHEAD, BEHIND, FAR_AHEAD, FAR_BEHIND = range(4)

#: What `SOS.around` tells of an action.
PLACE, LINES = range(2)

#: From a cell to its eight neighbours, in rows and columns.
STEPS = tuple((side * row_step, side * column_step) for row_step, column_step in AXES for side in (1, -1))

#: What a rollout looks for in turn.
SCORING, QUIET = range(2)

#: The form (row, column, letter), counted from 0, in any brackets and quotes.
CELL_AND_LETTER = re.compile(r"[(\[]?\s*(\d+)\s*[,\s]\s*(\d+)\s*[,\s]\s*['\"]?([SO])['\"]?\s*[)\]]?", re.IGNORECASE)


@dataclass(frozen=True)
class SOS(Game):
    """Write S or O into an empty cell; each SOS in a line scores a point and the right to move again.

    All lines count, along rows, columns and diagonals, several at once as well. When the board is full
    the higher score wins. An action is cell * 2 + letter, with cell = row * columns + column and letter
    0 for S, 1 for O. Its text is column, row from the top, letter: `a1S` is an S at the top left. Small and capital
    letters are the same, and `(0, 2, S)`, row and column counted from 0, is read as well.

    Args:
        rows: Height of the board.
        columns: Width of the board.

    Position: [player to move, score of 0, score of 1, empty cells, cells with an O, cells with an S, the S by parity,
    the S backwards, number of empty cells]. The cells are sets of bits, in one or more entries each.

    The S stand in three orders, so that what a move completes is found by one `and` of two sets. By parity, even rows
    and columns come before odd ones: two steps on the board are one step there. So, seen from a cell, an O beside it
    and the S behind that O stand at the same bit of both sets. Backwards, two S on both sides of a cell do.
    """

    rows: int = 8
    columns: int = 8

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("rows", self.rows, low=1, high=26)
        whole_number("columns", self.columns, low=1, high=26)

    @cached_property
    def num_cells(self) -> int:
        """The size of the board."""
        return self.rows * self.columns

    @cached_property
    def num_actions(self) -> int:
        """Two letters for each cell."""
        return 2 * self.num_cells

    @cached_property
    def max_game_length(self) -> int:
        """As many moves as cells."""
        return self.num_cells

    @cached_property
    def words(self) -> int:
        """How many entries a set of cells takes."""
        return words_for(self.num_cells)

    @cached_property
    def o_cells(self) -> int:
        """Where the set of cells with an O stands; that of an S, at which an O looks instead, comes next."""
        return EMPTY + self.words

    @cached_property
    def s_cells(self) -> int:
        """Where the set of cells with an S stands."""
        return self.o_cells + self.words

    @cached_property
    def s_by_parity(self) -> int:
        """Where the S by parity stand; those backwards, at which an O looks instead, come next."""
        return self.s_cells + self.words

    @cached_property
    def s_backwards(self) -> int:
        """Where the S backwards stand."""
        return self.s_by_parity + self.words

    @cached_property
    def left(self) -> int:
        """Where the number of empty cells stands. To count them would take time that all else waits for."""
        return self.s_backwards + self.words

    @cached_property
    def state_size(self) -> int:
        """Player, scores, five sets of cells, and how many are empty."""
        return self.left + 1

    @cached_property
    def reach(self) -> int:
        """From a cell back to the first of its neighbours, up and to the left."""
        return self.columns + 1

    @cached_property
    def around(self) -> NDArray[np.int64]:
        """What is looked at around the cell of an action: int64 [actions, 2].

        PLACE: Where the cell stands among the S by parity, for an S, or among those backwards, for an O.
        LINES: A bit for each neighbour that an SOS may go through. For an S, these are the neighbours with another cell
        behind them; for an O, one of the two on each line. The bit of the cell itself would be `reach`.
        """
        found = np.zeros((self.num_cells, 2, 2), np.int64)
        for cell in range(self.num_cells):
            row, column = divmod(cell, self.columns)
            found[cell, S, PLACE] = by_parity(row, self.rows) * self.columns + by_parity(column, self.columns)
            found[cell, O, PLACE] = self.num_cells - 1 - cell
            for row_step, column_step in STEPS:
                step = row_step * self.columns + column_step
                if self.has_cell(row + 2 * row_step, column + 2 * column_step):
                    found[cell, S, LINES] |= 1 << self.reach + step
                before, after = (self.has_cell(row + side * row_step, column + side * column_step) for side in (1, -1))
                if step < 0 and before and after:
                    found[cell, O, LINES] |= 1 << self.reach + step
        return found.reshape(self.num_actions, 2)

    @cached_property
    def other_orders(self) -> NDArray[np.int64]:
        """What an action adds to the S by parity, and to those backwards: int64 [actions, 2 * words], 0 for an O."""
        found = np.zeros((self.num_actions, 2 * self.words), np.int64)
        for cell in range(self.num_cells):
            for order in (S, O):
                place = int(self.around[2 * cell + order, PLACE])
                toggle(found[2 * cell + S], order * self.words, self.words, place)
        return found

    def has_cell(self, row: int, column: int) -> bool:
        """Whether a row and a column are on the board."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """From a cell to the next along each axis."""
        return tuple(row_step * self.columns + column_step for row_step, column_step in AXES)

    @cached_property
    def sight(self) -> NDArray[np.int64]:
        """Cells that have a cell AHEAD, BEHIND, FAR_AHEAD or FAR_BEHIND: int64 [words, axes, 4], a bit per cell."""
        boards = np.zeros((self.words * WORD, len(AXES), 4), np.uint64)
        for cell in range(self.num_cells):
            row, column = divmod(cell, self.columns)
            for axis, (row_step, column_step) in enumerate(AXES):
                for index, distance in ((AHEAD, 1), (BEHIND, -1), (FAR_AHEAD, 2), (FAR_BEHIND, -2)):
                    inside = self.has_cell(row + distance * row_step, column + distance * column_step)
                    boards[cell, axis, index] = np.uint64(inside) << np.uint64(cell % WORD)
        return boards.reshape(self.words, WORD, len(AXES), 4).sum(axis=1, dtype=np.uint64).view(np.int64)

    @property
    def recommended(self) -> dict[str, Any]:
        """Points first, and no points for the other side, in the tree and in rollouts (docs/sources/sos.md)."""
        return {"selection": PUCT(c=3.0), "rollout": GameRollout()}

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board."""
        fill(state, EMPTY, self.num_cells)
        state[self.left] = self.num_cells

    def current_player(self, state: Position) -> int:
        """0 for the player who began, 1 for the other."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Both letters in every empty cell."""
        found = 0
        for word in range(self.words):
            left = state[EMPTY + word]
            while left != 0:
                bit = lowest_bit(left)
                cell = WORD * word + bit
                actions[found] = 2 * cell + S
                actions[found + 1] = 2 * cell + O
                found += 2
                left ^= np.int64(1) << bit
        return found

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw an empty cell and a letter."""
        index = below(rng, 2 * state[self.left])
        return 2 * nth(state, EMPTY, self.words, index >> 1) + (index & 1)

    def apply(self, state: Position, action: int) -> None:
        """Write a letter; the turn passes unless it scores."""
        score = self.completed(state, action)
        self.write(state, action & NATURAL)
        left = state[self.left] - 1
        state[self.left] = left
        player = state[PLAYER] & NATURAL
        state[SCORES + player] += score
        state[PLAYER] = TERMINAL if left == 0 else player ^ (score == 0)

    def write(self, state: Position, action: int) -> None:
        """Put a letter into all sets that it belongs to."""
        # Without a branch on the letter, which no processor could predict in a rollout.
        cell, is_s = action >> 1, action & 1 ^ 1
        toggle(state, EMPTY, self.words, cell)
        toggle(state, self.o_cells + is_s * self.words, self.words, cell)
        for word in range(2 * self.words):
            state[self.s_by_parity + word] ^= self.other_orders[action, word]

    def completed(self, state: Position, action: int) -> int:
        """How many SOS a legal move completes."""
        action = action & NATURAL
        letter = action & 1
        place, lines = self.around[action, PLACE], self.around[action, LINES]
        near = window(state, self.o_cells + letter * self.words, self.words, (action >> 1) - self.reach)
        far = window(state, self.s_by_parity + letter * self.words, self.words, place - self.reach)
        return count_bits(near & far & lines)

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Five planes."""
        return 5, self.rows, self.columns

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: S, O; one's own points and the other's, as shares of the number of cells; 1 if one is to move."""
        cells = self.num_cells
        mark_set(out, 0, cells, state, self.s_cells)
        mark_set(out, 1, cells, state, self.o_cells)
        fill_plane(out, 2, cells, state[SCORES + player] / cells)
        fill_plane(out, 3, cells, state[SCORES + 1 - player] / cells)
        fill_plane(out, 4, cells, 1.0 if state[PLAYER] == player else 0.0)

    def is_promising(self, state: Position, action: int) -> bool:
        """A move that scores."""
        return self.completed(state, action) > 0

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the higher score, -1 for the lower, 0 each for a draw."""
        lead = state[SCORES] - state[SCORES + 1]
        out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
        out[1] = 0.0 - out[0]

    # ---- Knowledge of the game

    def survey(self, state: Position, word: int) -> tuple[int, int, int, int]:
        """For 64 cells at a time: where an S and an O complete an SOS, and where they make a new place for that.

        An S makes a new place between itself and another S, and behind an O beside it; an O makes one where it stands
        between an S and an empty cell. Bits of cells that are not empty mean nothing.
        """
        s_scores, o_scores, s_opens, o_opens = 0, 0, 0, 0
        for axis in range(len(AXES)):
            step = self.steps[axis]
            sight = self.sight[word, axis]
            s_ahead = sight[AHEAD] & ahead(state, self.s_cells, self.words, word, step)
            s_behind = sight[BEHIND] & behind(state, self.s_cells, self.words, word, step)
            empty_ahead = sight[AHEAD] & ahead(state, EMPTY, self.words, word, step)
            empty_behind = sight[BEHIND] & behind(state, EMPTY, self.words, word, step)
            o_ahead = sight[AHEAD] & ahead(state, self.o_cells, self.words, word, step)
            o_behind = sight[BEHIND] & behind(state, self.o_cells, self.words, word, step)
            s_far_ahead = sight[FAR_AHEAD] & ahead(state, self.s_cells, self.words, word, 2 * step)
            s_far_behind = sight[FAR_BEHIND] & behind(state, self.s_cells, self.words, word, 2 * step)
            empty_far_ahead = sight[FAR_AHEAD] & ahead(state, EMPTY, self.words, word, 2 * step)
            empty_far_behind = sight[FAR_BEHIND] & behind(state, EMPTY, self.words, word, 2 * step)
            s_scores |= o_ahead & s_far_ahead | o_behind & s_far_behind
            o_scores |= s_ahead & s_behind
            s_opens |= empty_ahead & s_far_ahead | empty_behind & s_far_behind
            s_opens |= o_ahead & empty_far_ahead | o_behind & empty_far_behind
            o_opens |= s_ahead & empty_behind | empty_ahead & s_behind
        return s_scores, o_scores, s_opens, o_opens

    def write_moves(self, state: Position, kind: int, sets: Actions) -> bool:
        """Write the cells for moves that score, or that are quiet: make no new place; whether there are any.

        For each word of cells come those for an S, then those for an O.
        """
        union = 0
        for word in range(self.words):
            empty = state[EMPTY + word]
            s_scores, o_scores, s_opens, o_opens = self.survey(state, word)
            sets[2 * word] = empty & (s_scores if kind == SCORING else ~s_opens)
            sets[2 * word + 1] = empty & (o_scores if kind == SCORING else ~o_opens)
            union |= sets[2 * word] | sets[2 * word + 1]
        return union != 0

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """A move that scores if there is one, else one that opens nothing, else any."""
        for kind in (SCORING, QUIET):
            if self.write_moves(state, kind, actions):
                number = nth(actions, 0, 2 * self.words, below(rng, count(actions, 0, 2 * self.words)))
                letter = number // WORD % 2
                return 2 * (number // (2 * WORD) * WORD + number % WORD) + letter
        return self.random_action(state, actions, rng)

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Moves that score, by their points, before quiet ones, and these before those that open something."""
        total = 0.0
        for word in range(self.words):
            s_scores, o_scores, s_opens, o_opens = self.survey(state, word)
            for index in range(count):
                cell = (actions[index] & NATURAL) >> 1
                if cell // WORD == word:
                    is_s = actions[index] & 1 == S
                    weight = 1.0
                    if (s_scores if is_s else o_scores) >> cell % WORD & 1:
                        weight = POINT_WEIGHT * self.completed(state, actions[index])
                    elif (s_opens if is_s else o_opens) >> cell % WORD & 1:
                        weight = OPENING_WEIGHT
                    out[index] = weight
                    total += weight
        for index in range(count):
            out[index] /= total

    def evaluate(self, state: Position, out: Utilities) -> None:
        """The score so far: a lead counts the less the larger it is."""
        lead = state[SCORES] - state[SCORES + 1]
        out[0] = lead / (abs(lead) + HALF_WON)
        out[1] = 0.0 - out[0]

    # ---- Text and checks; plain Python

    def render(self, state: Position) -> str:
        """Lines of `S`, `O` and dots with coordinates, and the score below."""
        width = len(str(self.rows))
        lines = []
        for row in range(self.rows):
            cells = [self.letter(state, row, column) for column in range(self.columns)]
            lines.append(f"{row + 1:>{width}} {' '.join(cells)}")
        letters = " ".join(column_letter(column) for column in range(self.columns))
        score = f"score {state[SCORES]}:{state[SCORES + 1]}"
        turn = "" if state[PLAYER] == TERMINAL else f", player {state[PLAYER]} to move"
        return "\n".join([*lines, f"{' ' * width} {letters}", score + turn])

    def letter(self, state: Position, row: int, column: int) -> str:
        """What stands in a cell: `S`, `O` or a dot."""
        word, bit = divmod(row * self.columns + column, WORD)
        if state[self.s_cells + word] >> bit & 1:
            return "S"
        return "O" if state[self.o_cells + word] >> bit & 1 else "."

    def action_to_string(self, state: Position, action: int) -> str:
        """Column letter, row number from the top, letter: `a1S` is an S at the top left."""
        row, column = divmod(action // 2, self.columns)
        return f"{column_letter(column)}{row + 1}{'SO'[action % 2]}"

    def string_to_action(self, state: Position, text: str) -> int:
        """Read a legal action: `a1S`, or row, column and letter as in `(0, 2, S)`."""
        if isinstance(text, tuple):
            text = str(text)
        move = move_text(text).lower()
        if cell := CELL_AND_LETTER.fullmatch(move):
            row, column = int(cell[1]), int(cell[2])
            inside = row < self.rows and column < self.columns
            move = f"{column_letter(column)}{row + 1}{cell[3]}" if inside else move
        return super().string_to_action(state, move[:-1] + move[-1:].upper())

    def check_state(self, state: Position) -> None:
        """Refuse letters outside the board or on each other, and scores or a player that do not fit."""
        empty = members(state, EMPTY, self.num_cells)
        board = {
            (row, column): self.letter(state, row, column) for row in range(self.rows) for column in range(self.columns)
        }
        expected = np.zeros(self.state_size, np.int64)
        self.initial(expected, make_rng(0))
        for (row, column), letter in board.items():
            cell = row * self.columns + column
            if (letter == ".") != (cell in empty):
                raise ValueError(f"{column_letter(column)}{row + 1} is either empty or holds a letter, not both")
            if letter != ".":
                self.write(expected, 2 * cell + "SO".index(letter))
                expected[self.left] -= 1
        if not np.array_equal(state[self.o_cells :], expected[self.o_cells :]):
            raise ValueError(
                "letters stand on each other or outside the board, or in another way in one of their orders, or the"
                f" number of empty cells is not {len(empty)}"
            )
        scores = [int(score) for score in state[SCORES : SCORES + 2]]
        total = sum(
            [board.get((r + i * dr, c + i * dc)) for i in range(3)] == ["S", "O", "S"]
            for r, c in board
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))
        )
        if min(scores) < 0 or sum(scores) != total:
            raise ValueError(f"the board has {total} SOS, so the scores cannot be {scores[0]} and {scores[1]}")
        filled = self.num_cells - len(empty)
        players = [TERMINAL] if not empty else [0, 1] if total else [filled % 2]
        if state[PLAYER] not in players:
            raise ValueError(f"with these letters the player is {' or '.join(map(str, players))}, not {state[PLAYER]}")


def by_parity(number: int, size: int) -> int:
    """Where a number below `size` stands if the even ones come first, then the odd ones."""
    return number // 2 + number % 2 * ((size + 1) // 2)


def column_letter(column: int) -> str:
    """The name of a column: `a`, `b`..."""
    return chr(ord("a") + column)
