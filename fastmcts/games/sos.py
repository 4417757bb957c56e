"""SOS on boards of any size."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.bits import NATURAL, count_bits
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game, move_text
from fastmcts.games._bit_set import (
    WORD,
    ahead,
    behind,
    count,
    fill,
    is_empty,
    members,
    nth,
    toggle,
    words_for,
    write_all,
)
from fastmcts.rng import below
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, both scores, the empty cells, then the letters.
PLAYER, SCORES, EMPTY = 0, 1, 3

S, O = 0, 1  # noqa: E741  (the letters of the game)

#: Rows without letters above and below the board, so that no neighbour needs a check for the edge.
S_MARGIN, O_MARGIN = 2, 1

#: Bits beside the board, for the same reason.
MARGIN = 2

#: [three S above an O * 8 + three S below it]: how many of the three lines between them are complete.
LINES_ACROSS = np.array(
    [
        sum(above >> column & below >> (2 - column) & 1 for column in range(3))
        for above in range(8)
        for below in range(8)
    ]
)

#: How much likelier than a quiet move a point is to be good, and a move that lets the other side score.
POINT_WEIGHT, OPENING_WEIGHT = 200.0, 0.02

#: The lead that is halfway between even and won in the estimate of an unfinished game.
HALF_WON = 4

#: The four directions of a line, in rows and columns, and what is looked at from a cell along each.
AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
AHEAD, BEHIND, FAR_AHEAD, FAR_BEHIND = range(4)

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

    Position: [player to move, score of 0, score of 1, empty cells..., cells with an S..., rows of S..., rows of
    O...]. The cells are bit sets. A row is a word: bit column + 2 for an S, bit 2 * column + 2 for an O.
    With that spacing the three O around a column and the three S two steps out stand at the same
    bits, 0, 2 and 4, when a row of S is shifted by `column` and a row of O by 2 * column.
    """

    rows: int = 8
    columns: int = 8

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("rows", self.rows, low=1, high=26)
        whole_number("columns", self.columns, low=1, high=26)

    @property
    def num_cells(self) -> int:
        """The size of the board."""
        return self.rows * self.columns

    @property
    def num_actions(self) -> int:
        """Two letters for each cell."""
        return 2 * self.num_cells

    @property
    def max_game_length(self) -> int:
        """As many moves as cells."""
        return self.num_cells

    @property
    def words(self) -> int:
        """How many entries a set of cells takes."""
        return words_for(self.num_cells)

    @property
    def s_cells(self) -> int:
        """Where the set of cells with an S stands."""
        return EMPTY + self.words

    @property
    def s_rows(self) -> int:
        """Where the board's first row of S stands."""
        return self.s_cells + self.words + S_MARGIN

    @property
    def o_rows(self) -> int:
        """Where the board's first row of O stands."""
        return self.s_rows + self.rows + S_MARGIN + O_MARGIN

    @property
    def state_size(self) -> int:
        """Player, scores, empty cells, and both letters' rows with their margins."""
        return self.o_rows + self.rows + O_MARGIN

    @property
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
                    inside = 0 <= row + distance * row_step < self.rows
                    inside &= 0 <= column + distance * column_step < self.columns
                    boards[cell, axis, index] = np.uint64(inside) << np.uint64(cell % WORD)
        return boards.reshape(self.words, WORD, len(AXES), 4).sum(axis=1, dtype=np.uint64).view(np.int64)

    @property
    def recommended(self) -> dict[str, Any]:
        """Points first, and no points for the other side, in the tree and in rollouts (docs/sources/sos.md)."""
        return {"selection": PUCT(c=3.0), "rollout": GameRollout()}

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board."""
        fill(state, EMPTY, self.num_cells)

    def current_player(self, state: Position) -> int:
        """0 for the player who began, 1 for the other."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Both letters in every empty cell."""
        cells = write_all(state, EMPTY, self.words, actions)
        # From the back, so that no cell is overwritten before it is read.
        for index in range(cells - 1, -1, -1):
            cell = actions[index]
            actions[2 * index] = 2 * cell + S
            actions[2 * index + 1] = 2 * cell + O
        return 2 * cells

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw an empty cell and a letter."""
        index = below(rng, 2 * count(state, EMPTY, self.words))
        return 2 * nth(state, EMPTY, self.words, index >> 1) + (index & 1)

    def apply(self, state: Position, action: int) -> None:
        """Write a letter; the turn passes unless it scores."""
        cell = (action & NATURAL) >> 1
        row = cell // self.columns
        column = cell % self.columns
        score = self.completed(state, action)
        if action & 1 == S:
            toggle(state, self.s_cells, self.words, cell)
            state[self.s_rows + row] |= 1 << (column + MARGIN)
        else:
            state[self.o_rows + row] |= 1 << (2 * column + MARGIN)
        toggle(state, EMPTY, self.words, cell)
        player = state[PLAYER] & NATURAL
        state[SCORES + player] += score
        if is_empty(state, EMPTY, self.words):
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - player if score == 0 else player

    def completed(self, state: Position, action: int) -> int:
        """How many SOS a legal move completes."""
        cell = (action & NATURAL) >> 1
        column = cell % self.columns
        s_row = self.s_rows + cell // self.columns
        o_row = self.o_rows + cell // self.columns
        if action & 1 == S:
            upward = state[s_row - 2] >> column & state[o_row - 1] >> 2 * column & 0b10101
            downward = state[s_row + 2] >> column & state[o_row + 1] >> 2 * column & 0b10101
            sideways = state[s_row] >> column & state[o_row] >> 2 * column & 0b10001
            return count_bits(upward | downward << 1 | sideways << 6)
        above = state[s_row - 1] >> (column + 1) & 0b111
        beneath = state[s_row + 1] >> (column + 1) & 0b111
        beside = state[s_row] >> (column + 1) & 0b101
        return int(LINES_ACROSS[above << 3 | beneath]) + int(beside == 0b101)

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
            o_ahead = sight[AHEAD] & ~(s_ahead | empty_ahead)
            o_behind = sight[BEHIND] & ~(s_behind | empty_behind)
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
        if state[self.s_rows + row] >> (column + MARGIN) & 1:
            return "S"
        return "O" if state[self.o_rows + row] >> (2 * column + MARGIN) & 1 else "."

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
        rows_of_letters = np.zeros(self.state_size, np.int64)
        for (row, column), letter in board.items():
            if (letter == ".") != (row * self.columns + column in empty):
                raise ValueError(f"{column_letter(column)}{row + 1} is either empty or holds a letter, not both")
            if letter == "S":
                toggle(rows_of_letters, self.s_cells, self.words, row * self.columns + column)
                rows_of_letters[self.s_rows + row] |= 1 << (column + MARGIN)
            if letter == "O":
                rows_of_letters[self.o_rows + row] |= 1 << (2 * column + MARGIN)
        if not np.array_equal(state[self.s_cells :], rows_of_letters[self.s_cells :]):
            raise ValueError("letters stand on each other or outside the board")
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


def column_letter(column: int) -> str:
    """The name of a column: `a`, `b`..."""
    return chr(ord("a") + column)
