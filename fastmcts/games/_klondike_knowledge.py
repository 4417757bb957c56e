"""What a Klondike player knows: how far a game has come, and which moves to prefer.

Whatever is asked here looks only at cards that are or were face up.
"""

from typing import TYPE_CHECKING

from fastmcts.bits import lowest_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Actions, Position
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
    LANDING,
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
    cards_moved,
    face_down_cards,
    fits_foundation,
    foundation_cards,
    landing_slots,
    rank_of,
    slot_of,
    top_card,
    uncovers,
    uncovers_card,
)

if TYPE_CHECKING:
    from fastmcts.games.klondike import Klondike

#: What `progress` adds up, and the sum in a position that is won.
FOUNDATION_WEIGHT, TURNED_UP_WEIGHT, UNCOVERED_WEIGHT = 5, 10, 10
FULL_WEIGHT = FOUNDATION_WEIGHT * CARDS + TURNED_UP_WEIGHT * HIDDEN_AT_START + UNCOVERED_WEIGHT * COLUMNS


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
def is_gain(state: Position, action: int) -> bool:
    """Whether a legal action brings a new card to a foundation or turns a card up."""
    if action < COLUMN_TO_FOUNDATION:
        return action == FROM_WASTE
    if action >= FROM_TALON:
        return (action - FROM_TALON) % TARGETS == 0
    return uncovers_card(state, action) or (action < COLUMN_TO_COLUMN and has_record(state))


@compiled
def has_record(state: Position) -> bool:
    """Whether the foundations hold as many cards as ever: one that comes back to its foundation is no gain."""
    return foundation_cards(state) == state[RECORD]


@compiled
def list_preferred(game: "Klondike", state: Position, actions: Actions) -> int:
    """List the legal moves of the best kind that there is, as `rollout_action` orders them; return how many."""
    count = list_to_foundations(game, state, actions)
    if count == 0:
        count = list_uncovering(state, actions)
    if count == 0:
        count = list_to_columns(game, state, actions)
    if count > 0:
        return count
    can_turn = not game.macro and game.can_turn(state)
    # Once the stock was gone through without progress, it is time to rearrange something.
    if not can_turn or state[IDLE] * game.draw > state[TALON_SIZE] + game.draw:
        count = game.legal_actions(state, actions)
        useful = 0
        for index in range(count):
            action = actions[index]
            if action >= COLUMN_TO_COLUMN and prepares(game, state, action):
                actions[index], actions[useful] = actions[useful], action
                useful += 1
        if useful > 0 or not can_turn:
            return useful if useful > 0 else count
    actions[0] = TURN
    return 1


@compiled
def list_to_foundations(game: "Klondike", state: Position, actions: Actions) -> int:
    """Moves to a foundation that uncover a card; if there are none, others."""
    count = 0
    others = 0  # a bit for each column
    for column in range(COLUMNS):
        if state[HEIGHT + column] > 0 and fits_foundation(state, top_card(state, column)):
            others |= 1 << column
            if uncovers(state, column, 1):
                actions[count] = COLUMN_TO_FOUNDATION + column
                count += 1
    if count > 0:
        return count
    if others != 0 and has_record(state):
        for column in range(COLUMNS):
            if others >> column & 1:
                actions[count] = COLUMN_TO_FOUNDATION + column
                count += 1
    places = game.on_hand(state)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        if fits_foundation(state, state[TALON + place]):
            actions[count] = game.from_talon(place)
            count += 1
    return count


@compiled
def list_uncovering(state: Position, actions: Actions) -> int:
    """Moves between columns that uncover a card, from where the most are hidden."""
    slots = landing_slots(state)
    count = 0
    most = 1
    for source in range(COLUMNS):
        # The highest bit of a run is that of its first card, with which all of it moves.
        first = state[RUN + source] & ~(state[RUN + source] >> 1)
        if first & slots and state[FACE_DOWN + source] >= most:
            if state[FACE_DOWN + source] > most:
                most = state[FACE_DOWN + source]
                count = 0
            for target in range(COLUMNS):
                if first & state[LANDING + target]:
                    actions[count] = COLUMN_TO_COLUMN + COLUMNS * source + target
                    count += 1
    return count


@compiled
def list_to_columns(game: "Klondike", state: Position, actions: Actions) -> int:
    """Moves from the talon to a column where they enable another to uncover a card; if there are none, others."""
    slots = landing_slots(state)
    count = 0
    enabling = False
    places = game.on_hand(state)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        slot = slot_of(state[TALON + place])
        if slots >> (slot + 1) & 1:
            enables = waits_in_column(state, slot - 1)
            if enables and not enabling:
                enabling = True
                count = 0
            if enables == enabling:
                for column in range(COLUMNS):
                    if state[LANDING + column] >> (slot + 1) & 1:
                        actions[count] = game.from_talon(place) + 1 + column
                        count += 1
    return count


@compiled
def prepares(game: "Klondike", state: Position, action: int) -> bool:
    """Whether a move that rearranges cards, between columns or from a foundation, makes a better one possible."""
    if action >= FOUNDATION_TO_COLUMN:
        suit = (action - FOUNDATION_TO_COLUMN) // COLUMNS
        return waits(game, state, slot_of(SUITS * state[FOUNDATION + suit] + suit) - 1)
    source = (action - COLUMN_TO_COLUMN) // COLUMNS
    left = int(state[HEIGHT + source]) - cards_moved(state, source, (action - COLUMN_TO_COLUMN) % COLUMNS)
    lowest = COLUMN + source * MAX_HEIGHT
    if left > 0:
        # The card that is free now has the rank and colour of the one that is covered instead, so that as a
        # place to land on it is no better; but it may go to its foundation.
        return fits_foundation(state, state[lowest + left - 1])
    if rank_of(state[lowest]) == KING:
        return False
    return waits(game, state, KING) or waits(game, state, STRIPE + KING)


@compiled
def waits(game: "Klondike", state: Position, slot: int) -> bool:
    """Whether a card of a slot waits for a place: on hidden cards in a column, or in the talon within reach."""
    places = game.in_reach(state) & ((1 << state[SEEN]) - 1)
    while places != 0:
        if slot_of(state[TALON + lowest_bit(places)]) == slot:
            return True
        places &= places - 1
    return waits_in_column(state, slot)


@compiled
def waits_in_column(state: Position, slot: int) -> bool:
    """Whether the face-up cards of a column begin with a card of this slot and lie on hidden ones."""
    for column in range(COLUMNS):
        # The highest bit of a run is that of its first card.
        if state[FACE_DOWN + column] > 0 and state[RUN + column] >> (slot + 1) == 1:
            return True
    return False
