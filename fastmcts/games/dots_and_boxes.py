"""Dots and boxes on boards of any size."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.bits import NATURAL, count_bits
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._bit_set import (
    WORD,
    ahead,
    count,
    fill,
    is_empty,
    members,
    nth,
    toggle,
    words_for,
    write_all,
)
from fastmcts.games._planes import fill_plane
from fastmcts.rng import below
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, both scores, the open lines.
PLAYER, SCORES, OPEN = 0, 1, 3

#: Weights of lines as priors; that of any other is 1.
COMPLETING_WEIGHT, GIVING_WEIGHT = 10.0, 0.2

#: How many sides of a box are open to a line that completes it, and to one that lets the other complete it.
COMPLETING, GIVING = 1, 2


@dataclass(frozen=True)
class DotsAndBoxes(Game):
    """Draw a line between two dots; the fourth side of a box scores it and gives the right to move again.

    A line can complete two boxes at once. When all lines are drawn, more boxes win. Actions are numbered
    as in OpenSpiel: first the horizontal lines row by row, `columns` in each of rows + 1 rows, then the
    vertical ones, columns + 1 in each of `rows` rows. The text of a line is `h` or `v` and the box whose
    upper or left side it is, column and row from the top: `ha1` and `va1` meet at the top left.

    Args:
        rows: Height of the board in boxes.
        columns: Width of the board in boxes.

    Position: [player to move, boxes of 0, boxes of 1, open lines by their actions..., open horizontal lines...,
    open vertical lines...]. These are bit sets. In the latter two a box at row and column has the number
    row * (columns + 1) + column, and so have its upper and its left side: the lower side is columns + 1 further, and
    the right side 1 further, for all boxes at once. Who owns a box does not matter, only how many.
    """

    rows: int = 2
    columns: int = 2

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("rows", self.rows, low=1, high=25)
        whole_number("columns", self.columns, low=1, high=25)

    @cached_property
    def num_horizontal(self) -> int:
        """How many lines are horizontal; their actions come first."""
        return (self.rows + 1) * self.columns

    @cached_property
    def num_boxes(self) -> int:
        """The size of the board."""
        return self.rows * self.columns

    @cached_property
    def num_actions(self) -> int:
        """One action per line."""
        return self.num_horizontal + self.rows * (self.columns + 1)

    @cached_property
    def max_game_length(self) -> int:
        """As many moves as lines."""
        return self.num_actions

    @cached_property
    def open_words(self) -> int:
        """How many entries the open lines take by their actions."""
        return words_for(self.num_actions)

    @cached_property
    def stride(self) -> int:
        """From the number of a box to that of the one below it."""
        return self.columns + 1

    @cached_property
    def words(self) -> int:
        """How many entries a set of boxes takes, and of lines of one kind."""
        return words_for((self.rows + 1) * self.stride)

    @cached_property
    def horizontal(self) -> int:
        """Where the open horizontal lines stand."""
        return OPEN + self.open_words

    @cached_property
    def vertical(self) -> int:
        """Where the open vertical lines stand."""
        return self.horizontal + self.words

    @cached_property
    def state_size(self) -> int:
        """Player, scores, and open lines twice."""
        return self.vertical + self.words

    @cached_property
    def boxes(self) -> NDArray[np.int64]:
        """The set of all boxes: int64 [words]."""
        boxes = np.zeros(self.words, np.int64)
        for box in range(self.num_boxes):
            toggle(boxes, 0, self.words, box // self.columns * self.stride + box % self.columns)
        return boxes

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """The number of each action's line, counted on from the horizontal to the vertical ones: int64 [num_actions].

        A table, since no processor could guess the kind of a random line.
        """
        horizontal = [line + line // self.columns for line in range(self.num_horizontal)]
        vertical = [WORD * self.words + line for line in range(self.num_actions - self.num_horizontal)]
        return np.array([*horizontal, *vertical])

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """The action that draws each line: int64 [2 * words * WORD]; NONE where there is no line."""
        actions = np.full(2 * self.words * WORD, NONE)
        actions[self.lines] = range(self.num_actions)
        return actions

    def initial(self, state: Position, rng: Rng) -> None:
        """Only dots."""
        fill(state, OPEN, self.num_actions)
        for action in range(self.num_actions):
            toggle(state, self.horizontal, 2 * self.words, self.lines[action])

    def current_player(self, state: Position) -> int:
        """0 for the player who began, 1 for the other."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The open lines."""
        return write_all(state, OPEN, self.open_words, actions)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw from the open lines."""
        return nth(state, OPEN, self.open_words, below(rng, count(state, OPEN, self.open_words)))

    def apply(self, state: Position, action: int) -> None:
        """Draw a line; the turn passes unless it completes a box."""
        player = state[PLAYER] & NATURAL
        toggle(state, OPEN, self.open_words, action & NATURAL)
        toggle(state, self.horizontal, 2 * self.words, self.lines[action & NATURAL])
        completed = self.complete_boxes(state) - state[SCORES] - state[SCORES + 1]
        state[SCORES] += completed * (1 - player)
        state[SCORES + 1] += completed * player
        if is_empty(state, OPEN, self.open_words):
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - player if completed == 0 else player

    def complete_boxes(self, state: Position) -> int:
        """How many boxes have no open side."""
        total = 0
        for word in range(self.words):
            total += count_bits(self.boxes_with(state, word, 0))
        return total

    def boxes_with(self, state: Position, word: int, open_sides: int) -> int:
        """A word of the boxes that have so many open sides: 0, 1 or 2."""
        upper = state[self.horizontal + word]
        lower = ahead(state, self.horizontal, self.words, word, self.stride)
        left = state[self.vertical + word]
        right = ahead(state, self.vertical, self.words, word, 1)
        if open_sides == 0:
            boxes = ~(upper | lower | left | right)
        elif open_sides == 1:
            boxes = (upper ^ lower) & ~(left | right) | (left ^ right) & ~(upper | lower)
        else:
            boxes = (upper ^ lower) & (left ^ right)
            boxes |= upper & lower & ~(left | right) | left & right & ~(upper | lower)
        return boxes & self.boxes[word]

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Six planes with a cell for each dot, at the upper left of its box."""
        return 6, self.rows + 1, self.columns + 1

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: horizontal lines from a dot, vertical ones, complete boxes; both shares of the boxes; to move."""
        cells = (self.rows + 1) * self.stride
        for row in range(self.rows + 1):
            for column in range(self.columns + 1):
                cell = row * self.stride + column
                word, bit = cell // WORD, cell % WORD
                is_box = row < self.rows and column < self.columns
                if column < self.columns:
                    out[cell] = 1 - (state[self.horizontal + word] >> bit & 1)
                if row < self.rows:
                    out[cells + cell] = 1 - (state[self.vertical + word] >> bit & 1)
                if is_box:
                    out[2 * cells + cell] = self.boxes_with(state, word, 0) >> bit & 1
        fill_plane(out, 3, cells, state[SCORES + player] / self.num_boxes)
        fill_plane(out, 4, cells, state[SCORES + 1 - player] / self.num_boxes)
        fill_plane(out, 5, cells, 1.0 if state[PLAYER] == player else 0.0)

    # ---- Knowledge of the game

    @property
    def recommended(self) -> dict[str, Any]:
        """Its priors, and rollouts that take boxes and give none away."""
        return {"selection": PUCT(c=1.0), "rollout": GameRollout()}

    def lines_beside(self, state: Position, word: int, open_sides: int) -> tuple[int, int]:
        """A word of the horizontal and one of the vertical lines that are sides of boxes with so many open ones."""
        boxes = self.boxes_with(state, word, open_sides)
        horizontal = boxes | boxes << self.stride
        vertical = boxes | boxes << 1
        if self.words > 1 and word > 0:
            boxes = self.boxes_with(state, word - 1, open_sides)
            horizontal |= boxes >> (WORD - self.stride) & ((1 << self.stride) - 1)
            vertical |= boxes >> (WORD - 1) & 1
        return horizontal, vertical

    def is_promising(self, state: Position, action: int) -> bool:
        """A line that completes a box."""
        line = self.lines[action & NATURAL]
        horizontal, vertical = self.lines_beside(state, line // WORD % self.words, COMPLETING)
        return (horizontal if line < WORD * self.words else vertical) >> line % WORD & 1 == 1

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Complete a box, else give none away, else any line."""
        for kind in (COMPLETING, GIVING):
            for word in range(self.words):
                horizontal, vertical = self.lines_beside(state, word, kind)
                if kind == GIVING:
                    horizontal, vertical = ~horizontal, ~vertical
                actions[word] = state[self.horizontal + word] & horizontal
                actions[self.words + word] = state[self.vertical + word] & vertical
            total = count(actions, 0, 2 * self.words)
            if total > 0:
                return self.actions[nth(actions, 0, 2 * self.words, below(rng, total))]
        return self.random_action(state, actions, rng)

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Most for lines that complete a box, least for those that give one away."""
        total = 0.0
        for word in range(self.words):
            completing_horizontal, completing_vertical = self.lines_beside(state, word, COMPLETING)
            giving_horizontal, giving_vertical = self.lines_beside(state, word, GIVING)
            for index in range(count):
                line = self.lines[actions[index] & NATURAL]
                if line // WORD % self.words == word:
                    is_vertical = line >= WORD * self.words
                    weight = 1.0
                    if (completing_vertical if is_vertical else completing_horizontal) >> line % WORD & 1:
                        weight = COMPLETING_WEIGHT
                    elif (giving_vertical if is_vertical else giving_horizontal) >> line % WORD & 1:
                        weight = GIVING_WEIGHT
                    out[index] = weight
                    total += weight
        for index in range(count):
            out[index] /= total

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for more boxes, -1 for fewer, 0 each for a draw."""
        lead = state[SCORES] - state[SCORES + 1]
        out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
        out[1] = 0.0 - out[0]

    # ---- Text and checks

    def render(self, state: Position) -> str:
        """Dots and lines, `#` in complete boxes, and the score below."""
        undrawn = members(state, OPEN, self.num_actions)
        lines = []
        for row in range(self.rows + 1):
            horizontal = range(row * self.columns, (row + 1) * self.columns)
            lines.append("+" + "".join("   +" if line in undrawn else "---+" for line in horizontal))
            if row < self.rows:
                first = self.num_horizontal + row * (self.columns + 1)
                bars = [" " if first + column in undrawn else "|" for column in range(self.columns + 1)]
                boxes = range(row * self.columns, (row + 1) * self.columns)
                fillings = ["   " if undrawn & self.lines_around(box) else " # " for box in boxes]
                lines.append("".join(bar + text for bar, text in zip(bars, [*fillings, ""], strict=True)))
        turn = "" if state[PLAYER] == TERMINAL else f", player {state[PLAYER]} to move"
        return "\n".join([*lines, f"boxes {state[SCORES]}:{state[SCORES + 1]}{turn}"])

    def lines_around(self, box: int) -> set[int]:
        """The actions that draw the sides of a box, counted row by row."""
        left = self.num_horizontal + box // self.columns * (self.columns + 1) + box % self.columns
        return {box, box + self.columns, left, left + 1}

    def action_to_string(self, state: Position, action: int) -> str:
        """`h` or `v`, then the box whose upper or left side it is: `ha1` is the line at the top left."""
        kind = "h" if action < self.num_horizontal else "v"
        if kind == "h":
            row, column = divmod(action, self.columns)
        else:
            row, column = divmod(action - self.num_horizontal, self.columns + 1)
        return f"{kind}{chr(ord('a') + column)}{row + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse lines outside the board, and scores or a player that do not fit the drawn lines."""
        undrawn = members(state, OPEN, self.num_actions)
        lines = np.zeros(2 * self.words, np.int64)
        for action in undrawn:
            toggle(lines, 0, 2 * self.words, self.lines[action])
        if not np.array_equal(state[self.horizontal :], lines):
            raise ValueError("the open lines are not the same by their actions and by their boxes")
        scores = [int(score) for score in state[SCORES : SCORES + 2]]
        complete = sum(undrawn.isdisjoint(self.lines_around(box)) for box in range(self.num_boxes))
        if min(scores) < 0 or sum(scores) != complete:
            raise ValueError(f"{complete} boxes are complete, so the scores cannot be {scores[0]} and {scores[1]}")
        drawn = self.num_actions - len(undrawn)
        players = [TERMINAL] if not undrawn else [0, 1] if complete else [drawn % 2]
        if state[PLAYER] not in players:
            raise ValueError(f"with these lines the player is {' or '.join(map(str, players))}, not {state[PLAYER]}")
