"""What a Klondike player knows: how far a game has come, and which moves to prefer.

Whatever is asked here looks only at cards that are or were face up.
"""

from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Position
from fastmcts.games._klondike_layout import (
    CARDS,
    COLUMN,
    COLUMN_TO_COLUMN,
    COLUMN_TO_FOUNDATION,
    COLUMNS,
    FACE_DOWN,
    FOUNDATION,
    FOUNDATION_TO_COLUMN,
    FROM_TALON,
    FROM_WASTE,
    HEIGHT,
    HIDDEN_AT_START,
    IDLE,
    KING,
    MAX_HEIGHT,
    RECORD,
    RUN,
    SEEN,
    STRIPE,
    SUITS,
    TALON,
    TALON_SIZE,
    TARGETS,
    TURN,
    WASTE_SIZE,
    cards_moved,
    face_down_cards,
    fits_foundation,
    foundation_cards,
    is_reachable,
    rank_of,
    slot_of,
    uncovers_card,
)

#: What `progress` adds up, and the sum in a position that is won.
FOUNDATION_WEIGHT, TURNED_UP_WEIGHT, UNCOVERED_WEIGHT = 5, 10, 10
FULL_WEIGHT = FOUNDATION_WEIGHT * CARDS + TURNED_UP_WEIGHT * HIDDEN_AT_START + UNCOVERED_WEIGHT * COLUMNS

#: The classes of moves in the order in which they are preferred. UNCOVER has one for each number of cards
#: that lie face down in the column, the largest number first.
MOST_HIDDEN = COLUMNS - 1
UNCOVER_BY_FOUNDATION, TO_FOUNDATION, UNCOVER = range(3)
ENABLE, FROM_STOCK, DEAL, REARRANGE, DEAL_AGAIN, POINTLESS = range(UNCOVER + MOST_HIDDEN, UNCOVER + MOST_HIDDEN + 6)


@compiled
def progress(state: Position) -> float:
    """How far the game has come, from 0 to 1.

    Cards on foundations count, cards turned up, and columns without hidden cards.
    """
    uncovered = 0
    for column in range(COLUMNS):
        if state[FACE_DOWN + column] == 0:
            uncovered += 1
    weight = FOUNDATION_WEIGHT * foundation_cards(state)
    weight += TURNED_UP_WEIGHT * (HIDDEN_AT_START - face_down_cards(state))
    weight += UNCOVERED_WEIGHT * uncovered
    return weight / FULL_WEIGHT


@compiled
def move_class(state: Position, action: int, draw: int) -> int:
    """The class of a legal action, lower ones first; whether REARRANGE is POINTLESS, `prepares` tells."""
    if action == TURN:
        # Once the stock was gone through without progress, it is time to rearrange something.
        return DEAL_AGAIN if state[IDLE] * draw > state[TALON_SIZE] + draw else DEAL
    if action < COLUMN_TO_FOUNDATION:
        return talon_class(state, state[WASTE_SIZE] - 1, action - FROM_WASTE)
    if action >= FROM_TALON:
        return talon_class(state, (action - FROM_TALON) // TARGETS, (action - FROM_TALON) % TARGETS)
    uncovering = uncovers_card(state, action)
    if action < COLUMN_TO_COLUMN:
        if uncovering:
            return UNCOVER_BY_FOUNDATION
        # A card that comes back to its foundation is no gain: without this, it would go to and fro.
        return TO_FOUNDATION if foundation_cards(state) == state[RECORD] else POINTLESS
    if uncovering:
        return UNCOVER + MOST_HIDDEN - state[FACE_DOWN + (action - COLUMN_TO_COLUMN) // COLUMNS]
    return REARRANGE


@compiled
def talon_class(state: Position, place: int, target: int) -> int:
    """The class of playing a talon card to its foundation, target 0, or to a column."""
    if target == 0:
        return TO_FOUNDATION
    return ENABLE if waits_in_column(state, slot_of(state[TALON + place]) - 1) else FROM_STOCK


@compiled
def prepares(state: Position, action: int, draw: int) -> bool:
    """Whether a move of the class REARRANGE makes one of a better class possible."""
    if action >= FOUNDATION_TO_COLUMN:
        suit = (action - FOUNDATION_TO_COLUMN) // COLUMNS
        return waits(state, slot_of(SUITS * state[FOUNDATION + suit] + suit) - 1, draw)
    source = (action - COLUMN_TO_COLUMN) // COLUMNS
    left = int(state[HEIGHT + source]) - cards_moved(state, source, (action - COLUMN_TO_COLUMN) % COLUMNS)
    lowest = COLUMN + source * MAX_HEIGHT
    if left > 0:
        # The card that is free now has the rank and colour of the one that is covered instead, so that as a
        # place to land on it is no better; but it may go to its foundation.
        return fits_foundation(state, state[lowest + left - 1])
    if rank_of(state[lowest]) == KING:
        return False
    return waits(state, KING, draw) or waits(state, STRIPE + KING, draw)


@compiled
def waits(state: Position, slot: int, draw: int) -> bool:
    """Whether a card of a slot waits for a place: on hidden cards in a column, or in the talon within reach."""
    for place in range(state[SEEN]):
        if slot_of(state[TALON + place]) == slot and is_reachable(state, place, draw):
            return True
    return waits_in_column(state, slot)


@compiled
def waits_in_column(state: Position, slot: int) -> bool:
    """Whether the face-up cards of a column begin with a card of this slot and lie on hidden ones."""
    for column in range(COLUMNS):
        # The highest bit of a run is that of its first card.
        if state[FACE_DOWN + column] > 0 and state[RUN + column] >> (slot + 1) == 1:
            return True
    return False
