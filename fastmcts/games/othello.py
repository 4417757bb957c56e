"""Othello (Reversi) on the usual board of 8x8."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.bits import Word, count_bits, lowest_bit, nth_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.game import Game
from fastmcts.games._planes import fill_plane, mark_bits
from fastmcts.rng import below
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import PUCT

#: Where the parts of a position stand: who is to move, a bitboard per player, where a disc may be placed.
PLAYER, DISCS, PLACES = 0, 1, 3

PASS = 64
CENTRE = 1 << 27 | 1 << 28 | 1 << 35 | 1 << 36

# Only discs with a neighbour on both sides can be flanked. These masks keep runs of discs from wrapping
# around the edge, and they clear what an arithmetic shift to the right of bit 63 drags along.
INNER_COLUMNS = 0x7E7E7E7E7E7E7E7E
INNER_ROWS = 0x00FFFFFFFFFFFF00
INNER_CELLS = INNER_COLUMNS & INNER_ROWS

CORNERS = 1 | 1 << 7 | 1 << 56 | -1 << 63  # a1, h1, a8, h8: -1 << 63 is the sign alone

EAST, SOUTH_WEST, SOUTH, SOUTH_EAST = 1, 7, 8, 9  # and the opposite directions


@dataclass(frozen=True)
class Othello(Game):
    """Flank the other's discs to turn them over; who has more at the end wins.

    An action is row * 8 + column, or 64 to pass, which is legal only where no disc can be placed. Its text
    is column and row, `a1` at the top left, or `pass`. The game ends when neither player can place a disc.

    Position: [player to move, black's discs, white's discs, where the player to move may place a disc],
    cells as the bits of a word, of which `h8` is the sign. Black is player 0.
    """

    num_players = 2
    num_actions = 65
    state_size = 4
    max_game_length = 120  # at most one pass before each of 60 discs
    observation_shape = (3, 8, 8)

    def initial(self, state: Position, rng: Rng) -> None:
        """Two discs each in the centre; black begins."""
        state[DISCS] = 1 << 28 | 1 << 35
        state[DISCS + 1] = 1 << 27 | 1 << 36
        state[PLACES] = places(state[DISCS], state[DISCS + 1])

    def current_player(self, state: Position) -> int:
        """0 for black, 1 for white."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """The cells where a disc flanks another; otherwise a pass."""
        rest = state[PLACES]
        if rest == 0:
            actions[0] = PASS
            return 1
        count = 0
        while rest != 0:
            cell = lowest_bit(rest)
            actions[count] = cell
            count += 1
            rest ^= np.int64(1) << cell
        return count

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw one of the places."""
        legal = state[PLACES]
        if legal == 0:
            return PASS
        return nth_bit(legal, below(rng, count_bits(legal)))

    def apply(self, state: Position, action: int) -> None:
        """Place a disc and turn the flanked ones over, or pass."""
        player: int = state[PLAYER]
        own = state[DISCS + player]
        other = state[DISCS + 1 - player]
        if action != PASS:
            disc = np.int64(1) << action
            turned = flanked(disc, own, other)
            own ^= turned | disc
            other ^= turned
            state[DISCS + player] = own
            state[DISCS + 1 - player] = other
        state[PLACES] = places(other, own)
        if state[PLACES] == 0 and places(own, other) == 0:
            state[PLAYER] = TERMINAL
        else:
            state[PLAYER] = 1 - player

    def returns(self, state: Position, out: Utilities) -> None:
        """+1 for the player with more discs, -1 for the other, 0 each for equal numbers."""
        lead = count_bits(state[DISCS]) - count_bits(state[DISCS + 1])
        out[0] = min(max(lead, -1), 1)
        out[1] = -out[0]

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Planes: one's own discs, the other's, and 1 everywhere if one is to move."""
        mark_bits(out, 0, 64, state[DISCS + player])
        mark_bits(out, 1, 64, state[DISCS + 1 - player])
        fill_plane(out, 2, 64, 1.0 if state[PLAYER] == player else 0.0)

    # ---- Knowledge of the game

    @property
    def recommended(self) -> dict[str, Any]:
        """Its priors, and rollouts that know corners."""
        return {"selection": PUCT(c=2.0), "rollout": GameRollout()}

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """A corner if there is one, else a place that is not beside an empty corner, else any."""
        legal = state[PLACES]
        if legal == 0:
            return PASS
        if legal & CORNERS:
            legal &= CORNERS
        else:
            good = legal & ~beside_corners(~(state[DISCS] | state[DISCS + 1]) & CORNERS)
            legal = good if good != 0 else legal
        return nth_bit(legal, below(rng, count_bits(legal)))

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Corners, and places that leave the other few replies; little for those beside an empty corner."""
        player: int = state[PLAYER]
        own = state[DISCS + player]
        other = state[DISCS + 1 - player]
        risky = beside_corners(~(own | other) & CORNERS)
        total = 0.0
        for index in range(count):
            weight = 1.0
            if actions[index] != PASS:
                disc = np.int64(1) << actions[index]
                turned = flanked(disc, own, other)
                replies = count_bits(places(other ^ turned, own ^ (turned | disc)))
                weight = 1.0 / (2 + replies)
                if disc & CORNERS:
                    weight *= 4.0
                elif disc & risky:
                    weight *= 0.3
            out[index] = weight
            total += weight
        for index in range(count):
            out[index] /= total

    # ---- Text and checks

    def render(self, state: Position) -> str:
        """Eight lines of `x` for black, `o` for white and dots, with coordinates and what may be next."""
        letters = "  a b c d e f g h"
        lines = [f"{row + 1} {' '.join(disc(state, row * 8 + column) for column in range(8))}" for row in range(8)]
        black, white = (count_bits(state[DISCS + player]) for player in range(2))
        turn = {0: "x to move", 1: "o to move", TERMINAL: "over"}[int(state[PLAYER])]
        return "\n".join([letters, *lines, f"x {black}, o {white}, {turn}"])

    def action_to_string(self, state: Position, action: int) -> str:
        """Column letter and row number, `a1` at the top left; or `pass`."""
        return "pass" if action == PASS else f"{'abcdefgh'[action % 8]}{action // 8 + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse overlapping discs, an empty cell in the centre, and a turn that does not fit the discs."""
        black, white = state[DISCS], state[DISCS + 1]
        if black & white:
            raise ValueError(f"the bitboards {black} and {white} overlap")
        if (black | white) & CENTRE != CENTRE:
            raise ValueError("the four cells in the centre are never empty")
        options = places(black, white), places(white, black)
        player = int(state[PLAYER])
        players = (0, 1) if options[0] or options[1] else (TERMINAL,)
        if player not in players:
            wanted = " or ".join(str(choice) for choice in players)
            raise ValueError(f"with these discs the player is {wanted}, not {player}")
        legal = 0 if player == TERMINAL else options[player]
        if state[PLACES] != legal:
            raise ValueError(f"discs may be placed on the bits of {legal}, not of {state[PLACES]}")


def disc(state: Position, cell: int) -> str:
    """What is drawn in a cell."""
    for player in range(2):
        if state[DISCS + player] >> cell & 1:
            return "xo"[player]
    return "."


@compiled
def beside_corners(corners: Word) -> Word:
    """The three cells beside each of some corners."""
    beside = 0
    if corners & 1:
        beside |= 0x0000000000000302
    if corners >> 7 & 1:
        beside |= 0x000000000000C040
    if corners >> 56 & 1:
        beside |= 0x0203000000000000
    if corners >> 63 & 1:
        beside |= 0x40C0000000000000
    return beside


@compiled
def places(own: Word, other: Word) -> Word:
    """The empty cells where a disc of one's own would flank some of the other's."""
    columns = other & INNER_COLUMNS
    rows = other & INNER_ROWS
    cells = other & INNER_CELLS
    ends = run_up(own, columns, EAST) << EAST
    ends |= run_up(own, rows, SOUTH) << SOUTH
    ends |= run_up(own, cells, SOUTH_WEST) << SOUTH_WEST
    ends |= run_up(own, cells, SOUTH_EAST) << SOUTH_EAST
    ends |= run_down(own, columns, EAST) >> EAST
    ends |= run_down(own, rows, SOUTH) >> SOUTH
    ends |= run_down(own, cells, SOUTH_WEST) >> SOUTH_WEST
    ends |= run_down(own, cells, SOUTH_EAST) >> SOUTH_EAST
    return ends & ~(own | other)


@compiled
def flanked(disc: Word, own: Word, other: Word) -> Word:
    """The other's discs between a new disc and one's own."""
    columns = other & INNER_COLUMNS
    rows = other & INNER_ROWS
    cells = other & INNER_CELLS
    turned = flanked_up(disc, own, columns, EAST)
    turned |= flanked_up(disc, own, rows, SOUTH)
    turned |= flanked_up(disc, own, cells, SOUTH_WEST)
    turned |= flanked_up(disc, own, cells, SOUTH_EAST)
    turned |= flanked_down(disc, own, columns, EAST)
    turned |= flanked_down(disc, own, rows, SOUTH)
    turned |= flanked_down(disc, own, cells, SOUTH_WEST)
    turned |= flanked_down(disc, own, cells, SOUTH_EAST)
    return turned


@compiled
def flanked_up(disc: Word, own: Word, other: Word, step: int) -> Word:
    """The discs turned over in one direction towards higher cells."""
    run = run_up(disc, other, step)
    return run if own & run << step else 0


@compiled
def flanked_down(disc: Word, own: Word, other: Word, step: int) -> Word:
    """The discs turned over in one direction towards lower cells."""
    run = run_down(disc, other, step)
    return run if own & run >> step else 0


@compiled
def run_up(start: Word, other: Word, step: int) -> Word:
    """The unbroken runs of up to six of the other's discs that follow a start, towards higher cells."""
    run = other & start << step
    run |= other & run << step
    pairs = other & other << step
    run |= pairs & run << 2 * step
    run |= pairs & run << 2 * step
    return run


@compiled
def run_down(start: Word, other: Word, step: int) -> Word:
    """The unbroken runs of up to six of the other's discs that follow a start, towards lower cells."""
    run = other & start >> step
    run |= other & run >> step
    pairs = other & other >> step
    run |= pairs & run >> 2 * step
    run |= pairs & run >> 2 * step
    return run
