"""Hex on boards of any size."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastmcts.bits import NATURAL
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._bit_set import count, fill, nth, toggle, words_for, write_all
from fastmcts.games._planes import fill_plane
from fastmcts.rng import below
from fastmcts.strategies.selection import GRAVE

#: Where the parts of a position stand; behind the words of empty cells come the cells, with a border.
PLAYER, WINNER, EMPTY = 0, 1, 2

#: What a cell of the first player holds: a stone that is joined to the top, or a loose one. On the border, the
#: top is joined and the bottom is the goal. Of the second player the same, shifted, for left and right.
LOOSE, JOINED, GOAL = 1, 2, 4
SHIFT = 3

#: Above a cell's six bits stands, while a move spreads, the next cell of those that still have to spread.
LINK = 6


@dataclass(frozen=True)
class Hex(Game):
    """Connect your two sides: the first player the top with the bottom, the second the left with the right.

    An action is row * size + column; its text is column and row, `a1` at the top left. Each row of the
    board stands half a cell further right than the one above, so a cell touches two cells above, two
    beside and two below it. There is no swap rule.

    Args:
        size: Rows and columns of the board.

    Position: [player to move, winner, empty cells as bits of words, cells...]. The cells are surrounded by
    a border. A stone carries whether it is joined to its player's first side, so a move looks at its
    neighbours alone, and each stone is revisited at most once in a game.
    """

    size: int = 11

    num_players = 2

    def __post_init__(self) -> None:
        whole_number("size", self.size, low=1, high=26)

    @cached_property
    def num_actions(self) -> int:
        """One action per cell."""
        return self.size * self.size

    @cached_property
    def max_game_length(self) -> int:
        """As many moves as cells: a full board always has a winner."""
        return self.size * self.size

    @cached_property
    def num_words(self) -> int:
        """How many entries the empty cells take."""
        return words_for(self.num_actions)

    @cached_property
    def width(self) -> int:
        """From a cell to the one below: a row and its two cells of border."""
        return self.size + 2

    @cached_property
    def border(self) -> int:
        """Where the border starts, which stands in front of all cells."""
        return EMPTY + self.num_words

    @cached_property
    def state_size(self) -> int:
        """Player, winner, words, and a square with its border."""
        return self.border + self.width * self.width

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """From a cell to its six neighbours."""
        return -self.width, 1 - self.width, -1, 1, self.width - 1, self.width

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board."""
        state[WINNER] = NONE
        fill(state, EMPTY, self.num_actions)
        last = self.width - 1
        for index in range(1, last):
            state[self.border + index] = JOINED
            state[self.border + last * self.width + index] = GOAL
            state[self.border + index * self.width] = JOINED << SHIFT
            state[self.border + index * self.width + last] = GOAL << SHIFT

    def current_player(self, state: Position) -> int:
        """0 for x, who connects top and bottom; 1 for o, who connects left and right."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The empty cells."""
        return write_all(state, EMPTY, self.num_words, actions)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw one of the empty cells."""
        return nth(state, EMPTY, self.num_words, below(rng, count(state, EMPTY, self.num_words)))

    def apply(self, state: Position, action: int) -> None:
        """Put a stone on a cell."""
        player = state[PLAYER]
        shift = SHIFT * player
        action &= NATURAL
        toggle(state, EMPTY, self.num_words, action)
        cell = self.cell(action)
        near = 0
        for step in self.steps:
            near |= state[cell + step]
        near >>= shift
        state[cell] = (JOINED if near & JOINED else LOOSE) << shift
        won = near & (JOINED | GOAL) == JOINED | GOAL
        if near & (JOINED | LOOSE) == JOINED | LOOSE:
            won |= self.spread(state, cell, shift)
        if won:
            state[WINNER] = player
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - player

    def cell(self, action: int) -> int:
        """Where in a position the cell of an action stands."""
        return self.border + self.width + 1 + action + 2 * (action // self.size)

    def spread(self, state: Position, cell: int, shift: int) -> bool:
        """Join all stones that hang together with a new one; whether they reach the goal."""
        joined = JOINED << shift
        near = 0
        pending = cell
        while pending != 0:
            here = pending & NATURAL
            pending = state[here] >> LINK
            state[here] = joined
            for step in self.steps:
                neighbour = state[here + step] >> shift
                near |= neighbour
                if neighbour & LOOSE:
                    state[here + step] = joined | pending << LINK
                    pending = here + step
        return near & GOAL != 0

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the winner, -1 for the loser."""
        winner = state[WINNER]
        out[winner] = 1.0
        out[1 - winner] = -1.0

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Four planes."""
        return 4, self.size, self.size

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: own stones, the other's; 1 everywhere if one is to move, and if one connects top and bottom."""
        cells = self.num_actions
        for action in range(cells):
            stone = self.stone(state, action)
            if stone != 0:
                plane = 0 if stone == 1 + player else 1
                out[plane * cells + action] = 1.0
        fill_plane(out, 2, cells, 1.0 if state[PLAYER] == player else 0.0)
        fill_plane(out, 3, cells, 1.0 if player == 0 else 0.0)

    @property
    def recommended(self) -> dict[str, Any]:
        """A cell is good for whoever gets it, now or later: that is what GRAVE counts."""
        return {"selection": GRAVE()}

    def render(self, state: Position) -> str:
        """Lines of `x`, `o` and dots, each a little further right, with coordinates."""
        letters = [self.action_to_string(state, column)[0] for column in range(self.size)]
        lines = ["   " + " ".join(letters)]
        for row in range(self.size):
            cells = [".xo"[self.stone(state, row * self.size + column)] for column in range(self.size)]
            lines.append(" " * row + f"{row + 1:2} " + " ".join(cells))
        return "\n".join(lines)

    def action_to_string(self, state: Position, action: int) -> str:
        """Column letter and row number: `a1` is the cell at the top left."""
        return f"{chr(ord('a') + action % self.size)}{action // self.size + 1}"

    def stone(self, state: Position, action: int) -> int:
        """0 for an empty cell, or 1 + the player whose stone it holds."""
        content = state[self.cell(action)]
        return 0 if content == 0 else 1 if content < LOOSE << SHIFT else 2

    def check_state(self, state: Position) -> None:
        """Play the stones again, with each in turn as the last one, until the same position comes up."""
        stones: list[list[int]] = [[], [], []]
        for action in range(self.num_actions):
            stones[self.stone(state, action)].append(action)
        _, first, second = stones
        if len(first) - len(second) not in (0, 1):
            raise ValueError(f"x begins, so {len(first)} x and {len(second)} o cannot be")
        moves = [NONE] * (len(first) + len(second))
        for turn in range(max(len(first), 1)):
            moves[0::2] = first[turn:] + first[:turn]
            moves[1::2] = second[turn:] + second[:turn]
            if np.array_equal(self.replayed(moves), state):
                return
        raise ValueError("no game leads here: it would have ended before, or entries do not fit the stones")

    def replayed(self, actions: list[int]) -> Position:
        """The position after some moves, or after those up to a win."""
        replay = self.new_initial_state()
        for action in actions:
            if replay.is_terminal():
                break
            self.apply(replay.array, action)
        return replay.array
