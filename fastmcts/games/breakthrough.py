"""Breakthrough on boards of up to 64 cells."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.bits import NATURAL, Word, count_bits, lowest_bit, nth_bit
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._planes import fill_plane, mark_bits
from fastmcts.rng import below
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, and a bitboard per player.
PLAYER, PIECES = 0, 1

NUM_DIRECTIONS = 6
SIDEWAYS = (-1, 0, 1)


@dataclass(frozen=True)
class Breakthrough(Game):
    """Step forward and capture diagonally; reaching the far row or taking the last piece wins.

    Black is player 0, starts in the upper rows and moves down; white moves up. Each side has two rows of
    pieces, or one on boards of fewer than six rows. An action is ((row * columns + column) * 6 + direction)
    * 2 + capture with rows from the top, directions 0 to 2 for black's steps to the columns -1, 0 and +1 and
    3 to 5 for white's. Its text is from and to, `a7a6` (row 1 is white's first), with `*` for a capture.

    Args:
        rows: Height of the board.
        columns: Width of the board.

    Position: [player to move, black's pieces, white's pieces], cells as the bits of a word.
    """

    rows: int = 8
    columns: int = 8

    num_players = 2
    state_size = 3

    def __post_init__(self) -> None:
        whole_number("rows", self.rows, low=2, high=32)
        whole_number("columns", self.columns, low=2, high=26)
        if self.rows * self.columns > 64:
            raise ValueError(
                f"a board has at most 64 cells, not {self.rows} x {self.columns} = {self.rows * self.columns}"
            )

    @cached_property
    def num_actions(self) -> int:
        """From each cell six directions, each with and without a capture."""
        return self.rows * self.columns * NUM_DIRECTIONS * 2

    @cached_property
    def home_rows(self) -> int:
        """How many rows of pieces each side starts with."""
        return 2 if self.rows >= 6 else 1

    @cached_property
    def max_game_length(self) -> int:
        """Each move brings a piece one row closer to the far side."""
        return 2 * self.columns * sum(self.rows - 1 - row for row in range(self.home_rows))

    @cached_property
    def goal(self) -> int:
        """The first cell of the lowest row, which is black's goal."""
        return (self.rows - 1) * self.columns

    @cached_property
    def landing(self) -> NDArray[np.int64]:
        """Where a player's pieces can land that step to the columns -1, 0, +1: int64 [player, 3].

        These masks keep steps from wrapping around the edge, and they clear what an arithmetic shift to
        the right of bit 63 drags along.
        """
        boards = [
            [self.board(rows, range(max(sideways, 0), self.columns + min(sideways, 0))) for sideways in SIDEWAYS]
            for rows in (range(1, self.rows), range(self.rows - 1))
        ]
        return np.array(boards, np.uint64).view(np.int64)

    @cached_property
    def home(self) -> NDArray[np.int64]:
        """The pieces of each player at the start: int64 [player]."""
        whole = range(self.columns)
        boards = [
            self.board(range(self.home_rows), whole),
            self.board(range(self.rows - self.home_rows, self.rows), whole),
        ]
        return np.array(boards, np.uint64).view(np.int64)

    def board(self, rows: range, columns: range) -> int:
        """The bits of some rows and columns, without a sign."""
        return sum(1 << row * self.columns + column for row in rows for column in columns)

    def initial(self, state: Position, rng: Rng) -> None:
        """Full rows of pieces; black begins."""
        state[PIECES] = self.home[0]
        state[PIECES + 1] = self.home[1]

    def current_player(self, state: Position) -> int:
        """0 for black, 1 for white."""
        return state[PLAYER]

    def targets(self, player: int, own: Word, other: Word, sideways: int) -> Word:
        """Where pieces may go that step to the same column or one beside it."""
        blocked = own | other if sideways == 0 else own
        return self.reach(player, own, sideways) & ~blocked

    def reach(self, player: int, pieces: Word, sideways: int) -> Word:
        """The cells one step ahead of pieces, in the same column or one beside it, whatever stands there."""
        forward = pieces << self.columns + sideways if player == 0 else pieces >> self.columns - sideways
        return forward & self.landing[player, 1 + sideways]

    def action(self, player: int, other: Word, target: int, sideways: int) -> int:
        """The number of a piece's step to a target."""
        source = target - sideways + (self.columns if player == 1 else -self.columns)
        direction = 3 * player + 1 + sideways
        return (source * NUM_DIRECTIONS + direction) * 2 + int(other >> target & 1)

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The steps of each piece, from the upper left to the lower right."""
        player: int = state[PLAYER] & NATURAL
        own = state[PIECES + player]
        other = state[PIECES + 1 - player]
        count = 0
        rest = own
        while rest != 0:
            piece = np.int64(1) << lowest_bit(rest)
            rest ^= piece
            for sideways in SIDEWAYS:
                target = self.reach(player, piece, sideways) & ~(own | other if sideways == 0 else own)
                if target != 0:
                    actions[count] = self.action(player, other, lowest_bit(target), sideways)
                    count += 1
        return count

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw a direction as often as pieces can take it, and one of those pieces."""
        player: int = state[PLAYER] & NATURAL
        own = state[PIECES + player]
        other = state[PIECES + 1 - player]
        left = self.targets(player, own, other, -1)
        straight = self.targets(player, own, other, 0)
        right = self.targets(player, own, other, 1)
        return self.draw_step(player, other, left, straight, right, rng)

    def draw_step(self, player: int, other: Word, left: Word, straight: Word, right: Word, rng: Rng) -> int:
        """Draw one of the steps to these targets."""
        up_to_left = count_bits(left)
        up_to_straight = up_to_left + count_bits(straight)
        n = below(rng, up_to_straight + count_bits(right))
        # Without a branch on n, which is random: no processor could predict it.
        is_left = n < up_to_left
        is_right = n >= up_to_straight
        targets = left if is_left else right if is_right else straight
        earlier = 0 if is_left else up_to_straight if is_right else up_to_left
        return self.action(player, other, nth_bit(targets, n - earlier), int(is_right) - int(is_left))

    def apply(self, state: Position, action: int) -> None:
        """Move a piece, and take what stands there."""
        player: int = state[PLAYER] & NATURAL
        step = (action & NATURAL) // 2
        source = step // NUM_DIRECTIONS
        sideways = step % NUM_DIRECTIONS - 3 * player - 1
        target = source + sideways + (self.columns if player == 0 else -self.columns)
        other = state[PIECES + 1 - player] & ~(np.int64(1) << target)
        state[PIECES + player] ^= np.int64(1) << source | np.int64(1) << target
        state[PIECES + 1 - player] = other
        arrived = target >= self.goal if player == 0 else target < self.columns
        state[PLAYER] = TERMINAL if arrived or other == 0 else 1 - player

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the winner, -1 for the loser."""
        winner = 0 if self.has_won(state, 0) else 1
        out[winner] = 1.0
        out[1 - winner] = -1.0

    def has_won(self, state: Position, player: int) -> bool:
        """Whether a player has a piece on the far row, or the other has none left."""
        return state[PIECES + player] & self.far_row(player) != 0 or state[PIECES + 1 - player] == 0

    def far_row(self, player: int) -> Word:
        """The cells that a player wants to reach."""
        return self.landing[player, 1] & ~self.landing[1 - player, 1]

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Four planes."""
        return 4, self.rows, self.columns

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: own pieces, the other's; 1 everywhere if one is to move, and if one is black, who goes down."""
        cells = self.rows * self.columns
        mark_bits(out, 0, cells, state[PIECES + player])
        mark_bits(out, 1, cells, state[PIECES + 1 - player])
        fill_plane(out, 2, cells, 1.0 if state[PLAYER] == player else 0.0)
        fill_plane(out, 3, cells, 1.0 if player == 0 else 0.0)

    # ---- Knowledge of the game

    @property
    def recommended(self) -> dict[str, Any]:
        """Its priors, and rollouts that do not overlook a win."""
        return {"selection": PUCT(c=3.0), "rollout": GameRollout()}

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Win at once, else take a piece that would win with its next step, else any step."""
        player: int = state[PLAYER] & NATURAL
        own = state[PIECES + player]
        other = state[PIECES + 1 - player]
        left = self.targets(player, own, other, -1)
        straight = self.targets(player, own, other, 0)
        right = self.targets(player, own, other, 1)
        goal = self.far_row(player)
        last_step = self.reach(player, self.far_row(1 - player), 0)
        if (left | straight | right) & goal:
            left &= goal
            straight &= goal
            right &= goal
        elif (left | right) & other & last_step:
            left &= other & last_step
            straight = 0
            right &= other & last_step
        return self.draw_step(player, other, left, straight, right, rng)

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Steps that win, stop a win, take a piece or come far; little for those that lose a piece."""
        player: int = state[PLAYER] & NATURAL
        own = state[PIECES + player]
        other = state[PIECES + 1 - player]
        attacked = self.reach(1 - player, other, -1) | self.reach(1 - player, other, 1)
        total = 0.0
        for index in range(count):
            step = (actions[index] & NATURAL) // 2
            source = step // NUM_DIRECTIONS
            sideways = step % NUM_DIRECTIONS - 3 * player - 1
            target = source + sideways + (self.columns if player == 0 else -self.columns)
            row = target // self.columns
            done = row if player == 0 else self.rows - 1 - row
            left = self.rows - 1 - done
            rest = own & ~(np.int64(1) << source)
            defended = self.reach(player, rest, -1) | self.reach(player, rest, 1)
            weight = 1.0 + done
            if left == 0:
                weight = 1000.0
            elif actions[index] % 2 == 1:
                weight = 300.0 if done == 1 else 30.0 / done
                if attacked >> target & 1 and not defended >> target & 1:
                    weight *= 0.5
            elif attacked >> target & 1:
                weight *= 0.5 if defended >> target & 1 else 0.1
            elif left == 1:
                weight = 100.0
            out[index] = weight
            total += weight
        for index in range(count):
            out[index] /= total

    # ---- Text and checks

    def render(self, state: Position) -> str:
        """Lines of `b`, `w` and dots, with coordinates; row 1 is the lowest."""
        lines = [
            f"{self.rows - row:2} "
            + " ".join(self.piece(state, row * self.columns + column) for column in range(self.columns))
            for row in range(self.rows)
        ]
        letters = [self.cell_name(column)[0] for column in range(self.columns)]
        return "\n".join([*lines, "   " + " ".join(letters)])

    def piece(self, state: Position, cell: int) -> str:
        """What is drawn in a cell."""
        for player in range(2):
            if state[PIECES + player] >> cell & 1:
                return "bw"[player]
        return "."

    def cell_name(self, cell: int) -> str:
        """Column letter and row number, from the bottom."""
        return f"{chr(ord('a') + cell % self.columns)}{self.rows - cell // self.columns}"

    def action_to_string(self, state: Position, action: int) -> str:
        """From and to, and `*` for a capture: `a7a6`, `b3c4*`."""
        source, direction = divmod(action // 2, NUM_DIRECTIONS)
        player, sideways = divmod(direction, 3)
        target = source + (-self.columns if player else self.columns) + sideways - 1
        return f"{self.cell_name(source)}{self.cell_name(target)}{'*' * (action % 2)}"

    def check_state(self, state: Position) -> None:
        """Refuse pieces that overlap, leave the board or are too many, and a turn that does not fit them."""
        black, white = state[PIECES], state[PIECES + 1]
        cells = self.rows * self.columns
        outside = 0 if cells == 64 else (black | white) >> cells
        if black & white or outside:
            raise ValueError(f"the bitboards {black} and {white} overlap or leave the board")
        for name, pieces in (("black", black), ("white", white)):
            if count_bits(pieces) > self.home_rows * self.columns:
                raise ValueError(
                    f"{name} has {count_bits(pieces)} pieces, but starts with {self.home_rows * self.columns}"
                )
        winners = [player for player in range(2) if self.has_won(state, player)]
        if len(winners) == 2:
            raise ValueError("both players would have won")
        allowed = (TERMINAL,) if winners else (0, 1)
        if state[PLAYER] not in allowed:
            wanted = " or ".join(str(player) for player in allowed)
            raise ValueError(f"with these pieces the player is {wanted}, not {state[PLAYER]}")
