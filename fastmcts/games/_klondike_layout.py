"""Klondike's position and its arithmetic: where cards stand, what fits on what, how they move.

A card is 4 * rank + suit: ranks from 1 (ace) to 13 (king), suits clubs 0, diamonds 1, hearts 2, spades 3.
Zero is no card. A column is dealt at most six cards face down and then holds a run of at most thirteen.
"""

from fastmcts.bits import count_bits, nth_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Position, Rng
from fastmcts.rng import below

COLUMNS, SUITS, KING, CARDS = 7, 4, 13, 52
TALON_CARDS, MAX_HEIGHT = 24, 19
HIDDEN_AT_START = 21
NO_CARD, UNKNOWN = 0, -1

#: Sets of cards: all of them, and the clubs.
ALL_CARDS = (1 << SUITS + CARDS) - (1 << SUITS)
FIRST_SUIT = sum(1 << SUITS * rank for rank in range(1, KING + 1))

#: Where the parts of a position stand. The talon is stock and waste in one list, in the order of dealing:
#: its first WASTE_SIZE cards are the waste, of which the last lies on top, and its first SEEN cards have
#: been face up at some time. RECORD is the most cards that the foundations ever held together, IDLE how
#: many moves ago the last progress was made.
PLAYER, IDLE, RECORD, TALON_SIZE, WASTE_SIZE, SEEN = range(6)
FOUNDATION = 6  # [SUITS] the highest rank on each
FACE_DOWN = FOUNDATION + SUITS  # [COLUMNS] how many cards lie face down
HEIGHT = FACE_DOWN + COLUMNS  # [COLUMNS] how many cards there are
TALON = HEIGHT + COLUMNS  # [TALON_CARDS]
COLUMN = TALON + TALON_CARDS  # [COLUMNS, MAX_HEIGHT] from the bottom up

#: Derived from the columns and kept up to date, so that moves are found by a few bit operations.
LANDING = COLUMN + COLUMNS * MAX_HEIGHT  # [COLUMNS] a bit for the slot of the top card, two if empty
RUN = LANDING + COLUMNS  # [COLUMNS] a bit for each slot on which a part of the run could land
STATE_SIZE = RUN + COLUMNS

#: The numbers of the actions. `target` is 0 for the foundation of the card's suit, else 1 + the column.
TURN = 0
FROM_WASTE = 1  # + target
COLUMN_TO_FOUNDATION = FROM_WASTE + 1 + COLUMNS  # + column
COLUMN_TO_COLUMN = COLUMN_TO_FOUNDATION + COLUMNS  # + 7 * source + target column
FOUNDATION_TO_COLUMN = COLUMN_TO_COLUMN + COLUMNS * COLUMNS  # + 7 * suit + column
FROM_TALON = FOUNDATION_TO_COLUMN + SUITS * COLUMNS  # + 8 * place + target, in the macro form only
TARGETS = 1 + COLUMNS
PLAIN_ACTIONS = FROM_TALON
MACRO_ACTIONS = FROM_TALON + TALON_CARDS * TARGETS

#: Ranks fall and colours alternate in a run, so the parity of rank + colour is the same for all of it: its
#: stripe. A card's slot tells stripe and rank, far enough apart that slots of one run differ by its length
#: at most and slots of two stripes by more.
STRIPE = 32
EMPTY_SLOTS = 1 << KING + 1 | 1 << STRIPE + KING + 1  # as if a card above the king lay there


@compiled
def rank_of(card: int) -> int:
    """1 for an ace to 13 for a king."""
    return card >> 2


@compiled
def suit_of(card: int) -> int:
    """Clubs 0, diamonds 1, hearts 2, spades 3."""
    return card & 3


@compiled
def slot_of(card: int) -> int:
    """Stripe and rank in one number; a card may lie on any whose slot is its own plus one."""
    red = (card ^ card >> 1) & 1
    return ((card >> 2) + red & 1) * STRIPE + (card >> 2)


@compiled
def top_card(state: Position, column: int) -> int:
    """The card on top of a column, which must not be empty."""
    height = int(state[HEIGHT + column])
    return state[COLUMN + column * MAX_HEIGHT + height - 1]


@compiled
def landing_slots(state: Position) -> int:
    """The slots of all columns' top cards."""
    slots = 0
    for column in range(COLUMNS):
        slots |= state[LANDING + column]
    return slots


@compiled
def derive_slots(state: Position, column: int) -> None:
    """Bring LANDING and RUN of a column up to date."""
    if state[HEIGHT + column] == 0:
        state[LANDING + column] = EMPTY_SLOTS
        state[RUN + column] = 0
    else:
        slot = slot_of(top_card(state, column))
        face_up = state[HEIGHT + column] - state[FACE_DOWN + column]
        state[LANDING + column] = 1 << slot
        state[RUN + column] = ((1 << face_up) - 1) << (slot + 1)


@compiled
def fits_foundation(state: Position, card: int) -> bool:
    """Whether a card is the next one of its suit."""
    return state[FOUNDATION + suit_of(card)] + 1 == rank_of(card)


@compiled
def fits_column(state: Position, card: int, column: int) -> bool:
    """Whether a card may be put on a column: a king on an empty one, else one down in the other colour."""
    return state[LANDING + column] >> (slot_of(card) + 1) & 1 == 1


@compiled
def cards_moved(state: Position, source: int, target: int) -> int:
    """How many cards a legal move takes from one column to another.

    The ranks of a run differ, so at most one of its cards fits on the target, and all above it come along.
    """
    top = top_card(state, source)
    if state[HEIGHT + target] == 0:
        return KING + 1 - rank_of(top)
    return rank_of(top_card(state, target)) - rank_of(top)


@compiled
def uncovers(state: Position, column: int, count: int) -> bool:
    """Whether taking `count` cards from a column turns a face-down card up."""
    face_down = state[FACE_DOWN + column]
    return face_down > 0 and state[HEIGHT + column] - count == face_down


@compiled
def uncovers_card(state: Position, action: int) -> bool:
    """Whether a legal action turns a card of a column up."""
    if action < COLUMN_TO_FOUNDATION or action >= FOUNDATION_TO_COLUMN:
        return False
    if action < COLUMN_TO_COLUMN:
        return uncovers(state, action - COLUMN_TO_FOUNDATION, 1)
    source = (action - COLUMN_TO_COLUMN) // COLUMNS
    return uncovers(state, source, cards_moved(state, source, (action - COLUMN_TO_COLUMN) % COLUMNS))


@compiled
def put_on_column(state: Position, card: int, column: int) -> None:
    """Lay a card on a column."""
    state[COLUMN + column * MAX_HEIGHT + state[HEIGHT + column]] = card
    state[HEIGHT + column] += 1
    derive_slots(state, column)


@compiled
def take_from_column(state: Position, column: int, count: int) -> None:
    """Remove cards that have been laid elsewhere, and turn up the card below them."""
    flips = uncovers(state, column, count)
    state[HEIGHT + column] -= count
    end = COLUMN + column * MAX_HEIGHT + state[HEIGHT + column]
    for place in range(end, end + count):
        state[place] = NO_CARD
    if flips:
        state[FACE_DOWN + column] -= 1
    derive_slots(state, column)


@compiled
def take_from_talon(state: Position, place: int) -> None:
    """Remove the card at a place of the talon; what was dealt before it is the waste now."""
    state[TALON_SIZE] -= 1
    state[SEEN] -= 1
    state[WASTE_SIZE] = place
    for index in range(TALON + place, TALON + state[TALON_SIZE]):
        state[index] = state[index + 1]
    state[TALON + state[TALON_SIZE]] = NO_CARD


@compiled
def play_from_talon(state: Position, place: int, target: int) -> None:
    """Play a talon card to its foundation, target 0, or to the column target - 1."""
    card = state[TALON + place]
    if target == 0:
        state[FOUNDATION + suit_of(card)] += 1
    else:
        put_on_column(state, card, target - 1)
    take_from_talon(state, place)


@compiled
def move_run(state: Position, source: int, target: int) -> bool:
    """Move the part of a run that fits on another column; whether that turns a card up."""
    count = cards_moved(state, source, target)
    flips = uncovers(state, source, count)
    first = COLUMN + source * MAX_HEIGHT + state[HEIGHT + source] - count
    for place in range(first, first + count):
        put_on_column(state, state[place], target)
    take_from_column(state, source, count)
    return flips


@compiled
def foundation_cards(state: Position) -> int:
    """How many cards lie on the foundations."""
    return state[FOUNDATION] + state[FOUNDATION + 1] + state[FOUNDATION + 2] + state[FOUNDATION + 3]


@compiled
def face_down_cards(state: Position) -> int:
    """How many cards of the columns lie face down."""
    count = 0
    for column in range(COLUMNS):
        count += state[FACE_DOWN + column]
    return count


@compiled
def hidden_part(state: Position, part: int) -> tuple[int, int]:
    """Where the cards that were never face up begin and end: in a column, or in the talon if `part` is COLUMNS."""
    if part == COLUMNS:
        return TALON + state[SEEN], TALON + state[TALON_SIZE]
    first = COLUMN + part * MAX_HEIGHT
    return first, first + state[FACE_DOWN + part]


@compiled
def seen_cards(state: Position) -> int:
    """The set of cards that are or were face up, with bit `card` set for each of them."""
    cards = 0
    for suit in range(SUITS):
        below_next = (1 << SUITS * (state[FOUNDATION + suit] + 1)) - 1
        cards |= below_next & (FIRST_SUIT << suit)
    for column in range(COLUMNS):
        first = COLUMN + column * MAX_HEIGHT
        for place in range(first + state[FACE_DOWN + column], first + state[HEIGHT + column]):
            cards |= 1 << state[place]
    for place in range(TALON, TALON + state[SEEN]):
        cards |= 1 << state[place]
    return cards


@compiled
def shuffle_hidden(state: Position, rng: Rng) -> None:
    """Put the cards that were never face up into random order, whatever their order was.

    They are those that nobody sees anywhere: their places are not read.
    """
    cards = ALL_CARDS & ~seen_cards(state)
    for part in range(COLUMNS + 1):
        first, end = hidden_part(state, part)
        for place in range(first, end):
            card = nth_bit(cards, below(rng, count_bits(cards)))
            cards ^= 1 << card
            state[place] = card
