"""2048: slide tiles, merge equal ones, and chance adds a tile after every move."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._planes import fill_plane

#: Where the parts of a position stand: who is to move, the score, and the cells row by row.
PLAYER, SCORE, CELL = 0, 1, 2

SIDE = 4
CELLS = SIDE * SIDE
UP, RIGHT, DOWN, LEFT = range(4)
DIRECTIONS = ("up", "right", "down", "left")

#: For each direction, the cell towards which the first line slides, the step from line to line, and the step
#: from there along a line.
FIRST = (0, SIDE - 1, CELLS - SIDE, 0)
NEXT_LINE = (1, SIDE, 1, SIDE)
ALONG = (SIDE, -1, -SIDE, 1)

#: Chance adds a 2 or, one time in ten, a 4; cells hold the exponents of two.
CHANCE_OF_FOUR = 0.1


@dataclass(frozen=True)
class Twenty48(Game):
    """2048 on a 4x4 board. A merge scores the new tile; it ends with the largest tile or without a move.

    Args:
        max_tile: The game ends when a tile of this value is made: a power of two from 8 to 131072, which is
            the largest that can be made at all.
        max_score: The utility is the score, counted up to this. The default is what the merges of one
            2048 are worth if all the tiles that chance added were 2; the scores of random play are
            about 1,000.

    Actions: 0 `up`, 1 `right`, 2 `down`, 3 `left`; those that move nothing are not legal. Chance outcome
    2 * cell adds a 2 and 2 * cell + 1 adds a 4, the cells counted row by row.

    Position: [player to move, score, 16 cells]; a cell is 0 or the exponent of its power of two.
    """

    max_tile: int = 2048
    max_score: int = 20_480

    num_players = 1
    num_actions = 4
    num_chance_outcomes = 2 * CELLS
    state_size = CELL + CELLS
    min_utility = 0.0

    def __post_init__(self) -> None:
        whole_number("max_tile", self.max_tile, low=8, high=2**17)
        if self.max_tile & (self.max_tile - 1):
            raise ValueError(f"max_tile must be a power of two, not {self.max_tile:,}")
        whole_number("max_score", self.max_score, low=1, high=2**53)  # so that a float holds it exactly

    @cached_property
    def max_exponent(self) -> int:
        """The exponent of the tile that ends the game."""
        return self.max_tile.bit_length() - 1

    @cached_property
    def max_utility(self) -> float:
        """The largest score that counts."""
        return float(self.max_score)

    @cached_property
    def max_game_length(self) -> int:
        """Each added tile brings 2 or more to a board that holds at most 16 tiles of half the largest.

        There is at most one move for each tile added.
        """
        return 2 * (CELLS * (self.max_tile // 2) // 2)

    def initial(self, state: Position, rng: Rng) -> None:
        """An empty board, to which chance adds two tiles."""
        state[PLAYER] = CHANCE

    def current_player(self, state: Position) -> int:
        """0, or CHANCE where a tile is to be added."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The directions in which something moves."""
        count = 0
        for direction in range(4):
            if can_slide(state, direction):
                actions[count] = direction
                count += 1
        return count

    def chance_outcomes(
        self,
        state: Position,
        actions: Actions,
        probabilities: NDArray[np.float64],
    ) -> int:
        """A 2 or a 4 on any empty cell."""
        empty = 0
        for cell in range(CELLS):
            if state[CELL + cell] == 0:
                empty += 1
        count = 0
        for cell in range(CELLS):
            if state[CELL + cell] == 0:
                actions[count] = 2 * cell
                probabilities[count] = (1.0 - CHANCE_OF_FOUR) / empty
                actions[count + 1] = 2 * cell + 1
                probabilities[count + 1] = CHANCE_OF_FOUR / empty
                count += 2
        return count

    def apply(self, state: Position, action: int) -> None:
        """Add a tile, or slide all of them."""
        if state[PLAYER] == CHANCE:
            state[CELL + action // 2] = 1 + action % 2
            state[PLAYER] = self.player_after_tile(state)
        else:
            largest = 0
            for line in range(SIDE):
                largest = max(largest, slide_line(state, action, line))
            state[PLAYER] = TERMINAL if largest >= self.max_exponent else CHANCE

    def player_after_tile(self, state: Position) -> int:
        """CHANCE after the first of all tiles, TERMINAL where nothing can move."""
        tiles = 0
        for cell in range(CELLS):
            if state[CELL + cell] > 0:
                tiles += 1
        if tiles == 1:
            return CHANCE
        if tiles < CELLS or can_slide(state, UP) or can_slide(state, LEFT):
            return 0
        return TERMINAL

    def returns(self, state: Position, out: Utilities) -> None:
        """The score, up to max_score."""
        out[0] = float(min(state[SCORE], self.max_score))

    def evaluate(self, state: Position, out: Utilities) -> None:
        """The score so far."""
        out[0] = float(min(state[SCORE], self.max_score))

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """A plane for empty cells and for each kind of tile, and two more."""
        return self.max_exponent + 3, SIDE, SIDE

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: where nothing is, a 2, a 4, and so on; the score as a share of max_score; 1 if one is to move."""
        for cell in range(CELLS):
            out[state[CELL + cell] * CELLS + cell] = 1.0
        fill_plane(out, self.max_exponent + 1, CELLS, min(state[SCORE], self.max_score) / self.max_score)
        fill_plane(out, self.max_exponent + 2, CELLS, 1.0 if state[PLAYER] == player else 0.0)

    def render(self, state: Position) -> str:
        """Four lines of tiles and dots, and the score."""
        tiles = [str(2 ** int(cell)) if cell else "." for cell in state[CELL:]]
        rows = [" ".join(f"{tile:>6}" for tile in tiles[row : row + SIDE]) for row in range(0, CELLS, SIDE)]
        return "\n".join([*rows, f"score {state[SCORE]}"])

    def action_to_string(self, state: Position, action: int) -> str:
        """The direction; for chance the tile and its cell, such as `2 at a1` for the one at the top left."""
        if state[PLAYER] != CHANCE:
            return DIRECTIONS[action]
        row, column = divmod(action // 2, SIDE)
        return f"{2 + 2 * (action % 2)} at {'abcd'[column]}{row + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse tiles that cannot be, and a player who does not fit the board."""
        cells = [int(cell) for cell in state[CELL:]]
        if not all(0 <= cell <= self.max_exponent for cell in cells):
            raise ValueError(f"cells hold exponents from 0 to {self.max_exponent}, not {cells}")
        # A tile of 2**k scores (k - 1) * 2**k if it grew from 2s, and 4 less for each 4 that chance added.
        most = sum((cell - 1) << cell for cell in cells if cell)
        if not 0 <= state[SCORE] <= most or state[SCORE] % 4:
            raise ValueError(f"these tiles score a multiple of 4 from 0 to {most}, not {state[SCORE]}")
        if self.max_exponent in cells:
            players = [TERMINAL]
        elif 0 not in cells:
            players = [self.player_after_tile(state)]
        elif cells.count(0) >= CELLS - 1:
            players = [CHANCE]
        else:
            players = [0, CHANCE]
        if state[PLAYER] not in players:
            raise ValueError(f"the player is one of {players} here, not {state[PLAYER]}")


@compiled
def can_slide(state: Position, direction: int) -> bool:
    """Whether anything moves or merges in a direction."""
    along = ALONG[direction]
    for line in range(SIDE):
        cell = CELL + FIRST[direction] + line * NEXT_LINE[direction]
        for _ in range(SIDE - 1):
            nearer = state[cell]
            cell += along
            if state[cell] > 0 and (nearer == 0 or nearer == state[cell]):
                return True
    return False


@compiled
def slide_line(state: Position, direction: int, line: int) -> int:
    """Slide one line and add its merges to the score; the exponent of the largest tile that merged."""
    along = ALONG[direction]
    source = CELL + FIRST[direction] + line * NEXT_LINE[direction]
    target = source  # where the next tile comes to rest, or meets an equal one
    largest = 0
    for _ in range(SIDE):
        tile = state[source]
        if tile > 0:
            state[source] = 0
            if state[target] == 0:
                state[target] = tile
            elif state[target] == tile:
                state[target] = tile + 1
                state[SCORE] += 2 << tile
                largest = max(largest, tile + 1)
                target += along  # a merged tile does not merge again
            else:
                target += along
                state[target] = tile
        source += along
    return largest
