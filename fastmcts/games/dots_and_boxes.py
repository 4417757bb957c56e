"""Dots and boxes on boards of any size."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._bit_set import count, fill, is_empty, members, nth, remove, words_for, write_all
from fastmcts.rng import below
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, both scores, the open lines, then the boxes.
PLAYER, SCORES, OPEN = 0, 1, 3

#: Weights of lines as priors; that of any other is 1.
COMPLETING, GIVING = 10.0, 0.2


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

    Position: [player to move, boxes of 0, boxes of 1, open lines..., drawn sides of each box..., 0]. The
    open lines are a bit set. Who owns a box does not matter, only how many.
    """

    rows: int = 2
    columns: int = 2

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("rows", self.rows, low=1, high=25)
        whole_number("columns", self.columns, low=1, high=25)

    @property
    def num_horizontal(self) -> int:
        """How many lines are horizontal; their actions come first."""
        return (self.rows + 1) * self.columns

    @property
    def num_boxes(self) -> int:
        """The size of the board."""
        return self.rows * self.columns

    @property
    def num_actions(self) -> int:
        """One action per line."""
        return self.num_horizontal + self.rows * (self.columns + 1)

    @property
    def max_game_length(self) -> int:
        """As many moves as lines."""
        return self.num_actions

    @property
    def open_words(self) -> int:
        """How many entries the open lines take."""
        return words_for(self.num_actions)

    @property
    def sides(self) -> int:
        """Where the drawn sides of the boxes are counted."""
        return OPEN + self.open_words

    @property
    def state_size(self) -> int:
        """Player, scores, open lines, and the sides of all boxes and of none."""
        return self.sides + self.num_boxes + 1

    @cached_property
    def boxes_beside(self) -> NDArray[np.int64]:
        """int64 [num_actions, 2]: the boxes above and below, or left and right of a line.

        Outside the board this is box `num_boxes`, of which `apply` counts no sides.
        """
        beside = np.full((self.num_actions, 2), self.num_boxes, np.int64)
        for box in range(self.num_boxes):
            top, bottom, left, right = self.lines_around(box)
            beside[top, 1] = beside[bottom, 0] = beside[left, 1] = beside[right, 0] = box
        return beside

    def lines_around(self, box: int) -> tuple[int, int, int, int]:
        """The actions that draw the upper, lower, left and right side of a box."""
        left = self.num_horizontal + box // self.columns * (self.columns + 1) + box % self.columns
        return box, box + self.columns, left, left + 1

    def initial(self, state: Position, rng: Rng) -> None:
        """Only dots."""
        fill(state, OPEN, self.num_actions)

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
        player = state[PLAYER]
        completed = self.completed(state, action)
        for side in range(2):
            box = self.boxes_beside[action, side]
            # Adding 0 outside the board instead of asking costs no branch.
            state[self.sides + box] += box != self.num_boxes
        remove(state, OPEN, action)
        state[SCORES + player] += completed
        if is_empty(state, OPEN, self.open_words):
            state[PLAYER] = TERMINAL
        elif completed == 0:
            state[PLAYER] = 1 - player

    def completed(self, state: Position, action: int) -> int:
        """How many boxes an open line would complete."""
        first = state[self.sides + self.boxes_beside[action, 0]] == 3
        second = state[self.sides + self.boxes_beside[action, 1]] == 3
        return int(first) + int(second)

    def is_promising(self, state: Position, action: int) -> bool:
        """A line that completes a box."""
        return self.completed(state, action) > 0

    @property
    def recommended(self) -> dict[str, Any]:
        """Its priors, and rollouts that take boxes and give none away."""
        return {"selection": PUCT(c=1.0), "rollout": GameRollout()}

    def gives(self, state: Position, action: int) -> bool:
        """Whether an open line would be the third side of a box, which the other then completes."""
        first = state[self.sides + self.boxes_beside[action, 0]] == 2
        second = state[self.sides + self.boxes_beside[action, 1]] == 2
        return bool(first or second)

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Complete a box, else give none away, else any line."""
        total = self.legal_actions(state, actions)
        safe = 0
        for index in range(total):
            action = actions[index]
            if self.completed(state, action) > 0:
                return action
            if not self.gives(state, action):
                actions[index], actions[safe] = actions[safe], action
                safe += 1
        return actions[below(rng, safe if safe > 0 else total)]

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Most for lines that complete a box, least for those that give one away."""
        total = 0.0
        for index in range(count):
            weight = 1.0
            if self.completed(state, actions[index]) > 0:
                weight = COMPLETING
            elif self.gives(state, actions[index]):
                weight = GIVING
            out[index] = weight
            total += weight
        for index in range(count):
            out[index] /= total

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for more boxes, -1 for fewer, 0 each for a draw."""
        lead = state[SCORES] - state[SCORES + 1]
        out[0] = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
        out[1] = 0.0 - out[0]

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
                boxes = state[self.sides + row * self.columns :][: self.columns]
                fillings = [" # " if sides == 4 else "   " for sides in boxes]
                lines.append("".join(bar + text for bar, text in zip(bars, [*fillings, ""], strict=True)))
        turn = "" if state[PLAYER] == TERMINAL else f", player {state[PLAYER]} to move"
        return "\n".join([*lines, f"boxes {state[SCORES]}:{state[SCORES + 1]}{turn}"])

    def action_to_string(self, state: Position, action: int) -> str:
        """`h` or `v`, then the box whose upper or left side it is: `ha1` is the line at the top left."""
        kind = "h" if action < self.num_horizontal else "v"
        if kind == "h":
            row, column = divmod(action, self.columns)
        else:
            row, column = divmod(action - self.num_horizontal, self.columns + 1)
        return f"{kind}{chr(ord('a') + column)}{row + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse sides, scores or a player that do not fit the drawn lines."""
        undrawn = members(state, OPEN, self.num_actions)
        sides = [sum(line not in undrawn for line in self.lines_around(box)) for box in range(self.num_boxes)]
        if state[self.sides :].tolist() != [*sides, 0]:
            raise ValueError(
                f"the lines draw {sides} sides of the boxes and 0 of none, not {state[self.sides :].tolist()}"
            )
        scores = [int(score) for score in state[SCORES : SCORES + 2]]
        complete = sides.count(4)
        if min(scores) < 0 or sum(scores) != complete:
            raise ValueError(f"{complete} boxes are complete, so the scores cannot be {scores[0]} and {scores[1]}")
        drawn = self.num_actions - len(undrawn)
        players = [TERMINAL] if not undrawn else [0, 1] if complete else [drawn % 2]
        if state[PLAYER] not in players:
            raise ValueError(f"with these lines the player is {' or '.join(map(str, players))}, not {state[PLAYER]}")
