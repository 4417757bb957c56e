"""Klondike as its player sees it: cards that are turned up and to be told, and tables drawn as text."""

import re
from typing import TYPE_CHECKING

import numpy as np

from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Position
from fastmcts.core.validate import whole_number
from fastmcts.games._klondike_layout import (
    ALL_CARDS,
    CARDS,
    COLUMN,
    COLUMNS,
    FACE_DOWN,
    FOUNDATION,
    HEIGHT,
    IDLE,
    MAX_HEIGHT,
    PLAYER,
    RECORD,
    SEEN,
    STATE_SIZE,
    SUITS,
    TALON,
    TALON_CARDS,
    TALON_SIZE,
    UNKNOWN,
    WASTE_SIZE,
    derive_slots,
    face_down_cards,
    foundation_cards,
    hidden_part,
    seen_cards,
)
from fastmcts.games._klondike_text import (
    FACE_DOWN_TEXT,
    IDLE_LABEL,
    NO_CARD_TEXT,
    RECORD_LABEL,
    UNTOLD_TEXT,
    card_from_name,
    card_name,
    cards_outside_talon,
    check_counts,
    check_position,
    column_cards,
)

if TYPE_CHECKING:
    from fastmcts.games.klondike import Klondike
    from fastmcts.state import State

#: The lines of a drawn table, and the one above its columns.
STOCK_LINE = re.compile(r"\s*stock(?: \(next first\))?:(.*)", re.IGNORECASE)
WASTE_LINE = re.compile(r"\s*waste(?: +\(top last\))?:(.*)", re.IGNORECASE)
FOUNDATIONS_LINE = re.compile(r"\s*foundations:(.*)", re.IGNORECASE)
COUNT_LINE = re.compile(rf"\s*({IDLE_LABEL}|{RECORD_LABEL}): *(\d+) *", re.IGNORECASE)
COLUMNS_LINE = re.compile(r"\s*" + r"\s+".join(f"T{column + 1}" for column in range(COLUMNS)) + r"\s*", re.IGNORECASE)

MOST_COUNTED = 2**31 - 1  # in a drawing: the rules allow less, and arrays hold more


# ---- Cards that are turned up


def awaited_cards(state: Position) -> list[int]:
    """Where cards lie face up that are not told yet: on top of a column, or dealt from the stock."""
    tops = [COLUMN + column * MAX_HEIGHT + int(state[HEIGHT + column]) - 1 for column in awaiting_columns(state)]
    talon = [place for place in range(TALON, TALON + int(state[SEEN])) if state[place] == UNKNOWN]
    return tops + talon


def awaiting_columns(state: Position) -> list[int]:
    """The columns on top of which a card lies that is not told yet."""
    columns = []
    for column in range(COLUMNS):
        height = int(state[HEIGHT + column])
        if height > state[FACE_DOWN + column] and state[COLUMN + column * MAX_HEIGHT + height - 1] == UNKNOWN:
            columns.append(column)
    return columns


def ask_for_cards(state: Position) -> str:
    """Ask for the cards that are turned up and not told yet."""
    columns = awaiting_columns(state)
    if columns:
        return f"tell first what was turned up in T{columns[0] + 1}: state.reveal('QC')"
    count = len(awaited_cards(state))
    example = " ".join(["QC", "4D", "9H"][:count]) + (" ..." if count > 3 else "")
    cards = "card was" if count == 1 else f"{count} cards were"
    return f"tell first which {cards} dealt from the stock, the first one first: state.reveal('{example}')"


def reveal_cards(game: "Klondike", state: Position, cards: Position) -> None:
    """Fill in cards that are turned up; ValueError says where a card lies already."""
    places, columns = awaited_cards(state), awaiting_columns(state)
    for place, card in zip(places, cards.tolist(), strict=True):
        if not SUITS <= card < SUITS + CARDS:
            raise ValueError(f"a card is a number from {SUITS} to {SUITS + CARDS - 1}, not {card}")
        if lies := where_seen(state, card):
            raise ValueError(f"{card_name(card)} cannot be turned up: it is {lies}")
        state[place] = card
    for column in columns:
        derive_slots(state, column)
    state[PLAYER] = next_player(game, state)


def where_seen(state: Position, card: int) -> str:
    """Where a card is or was seen, in words; nothing if it was not."""
    if card >> 2 <= state[FOUNDATION + (card & 3)]:
        return f"on foundation F{(card & 3) + 1}"
    for column in range(COLUMNS):
        if card in column_cards(state, column):
            return f"in column T{column + 1}"
    if card in state[TALON : TALON + int(state[SEEN])]:
        return "in the stock or the waste"
    return ""


def next_player(game: "Klondike", state: Position) -> int:
    """0, or TERMINAL if the game is over."""
    over = foundation_cards(state) == CARDS or state[IDLE] >= game.idle_limit or game.is_stuck(state)
    return TERMINAL if over else 0


def check_known(game: "Klondike", state: Position) -> None:
    """Raise ValueError unless an array is what the player of a game can know: some order of its cards must fit."""
    check_counts(game, state)
    hidden = [place for part in range(COLUMNS + 1) for place in range(*map(int, hidden_part(state, part)))]
    if any(state[place] != UNKNOWN for place in hidden):
        raise ValueError(f"a card that was never face up is {UNKNOWN}, unknown")
    known = cards_outside_talon(state) + state[TALON : TALON + int(state[TALON_SIZE])].tolist()
    if not all(card == UNKNOWN or SUITS <= card < SUITS + CARDS for card in known):
        raise ValueError(f"cards are numbers from {SUITS} to {SUITS + CARDS - 1}, or {UNKNOWN} where they are unknown")
    if known.count(UNKNOWN) > len(hidden):
        raise ValueError(ask_for_cards(state))
    for card in known:
        if card != UNKNOWN and known.count(card) > 1:
            raise ValueError(f"{card_name(card)} is there twice")
    unseen = ALL_CARDS & ~int(seen_cards(state))
    if unseen.bit_count() != len(hidden):
        raise ValueError(f"{unseen.bit_count()} cards are seen nowhere, but {len(hidden)} lie face down")
    world = state.copy()
    world[hidden] = [card for card in range(SUITS, SUITS + CARDS) if unseen >> card & 1]
    check_position(game, world)


def hidden_cards(state: Position) -> int:
    """How many cards were never face up."""
    return int(face_down_cards(state) + state[TALON_SIZE] - state[SEEN])


# ---- Drawn tables


def is_drawn_table(drawing: str) -> bool:
    """Whether a text is a table as `str(state)` draws it, with the columns side by side."""
    return any(COLUMNS_LINE.fullmatch(line) for line in drawing.splitlines())


def state_from_table(game: "Klondike", drawing: str) -> "State":
    """Read a drawn table: what the player sees and remembers."""
    state = np.zeros(STATE_SIZE, np.int64)
    lines = [line for line in drawing.splitlines() if line.strip()]
    header = next(index for index, line in enumerate(lines) if COLUMNS_LINE.fullmatch(line))
    read = read_head(lines[:header], state)
    read_columns(lines[header], lines[header + 1 :], state)
    waste, stock = (read_cards(read.get(name, "")) for name in ("waste", "stock"))
    if UNKNOWN in waste:
        raise ValueError(f"the waste is face up: name its cards in place of {FACE_DOWN_TEXT}")
    talon = [*waste, *stock]
    if len(talon) > TALON_CARDS:
        raise ValueError(f"stock and waste hold at most {TALON_CARDS} cards, not {len(talon)}")
    seen = talon.index(UNKNOWN) if UNKNOWN in talon else len(talon)
    if any(card != UNKNOWN for card in talon[seen:]):
        raise ValueError(f"the cards {FACE_DOWN_TEXT} of the stock come last, since it is dealt from the front")
    state[TALON : TALON + len(talon)] = talon
    state[TALON_SIZE], state[WASTE_SIZE], state[SEEN] = len(talon), len(waste), seen
    counts = {IDLE_LABEL: 0, RECORD_LABEL: foundation_cards(state)}
    state[IDLE], state[RECORD] = (
        whole_number(label, int(read.get(label, count)), low=0, high=MOST_COUNTED) for label, count in counts.items()
    )
    state[PLAYER] = next_player(game, state)
    return game.state_from_array(state, viewer=0)


def read_head(lines: list[str], state: Position) -> dict[str, str]:
    """Read what stands above the columns: the foundations into `state`, and the rest by name."""
    read: dict[str, str] = {}
    for line in lines:
        if found := STOCK_LINE.fullmatch(line):
            name, value = "stock", found[1]
        elif found := WASTE_LINE.fullmatch(line):
            name, value = "waste", found[1]
        elif found := FOUNDATIONS_LINE.fullmatch(line):
            name, value = "foundations", found[1]
            read_foundations(value, state)
        elif found := COUNT_LINE.fullmatch(line):
            name, value = found[1].lower(), found[2]
        else:
            raise ValueError(f"{line!r} cannot be read: above the columns stand stock, waste and foundations")
        if name in read:
            raise ValueError(f"{line!r} is a second line for the {name}")
        read[name] = value
    return read


def read_foundations(text: str, state: Position) -> None:
    """Read `F1 AC  F2 --`: the top card of each foundation."""
    words = text.upper().split()
    for place, name in zip(words[::2], words[1::2], strict=False):
        suits = [f"F{suit + 1}" for suit in range(SUITS)]
        if place not in suits:
            raise ValueError(f"{place!r} is no foundation; there are {', '.join(suits)}")
        if name == NO_CARD_TEXT:
            continue
        card = card_from_name(name)
        if card & 3 != suits.index(place):
            raise ValueError(f"{card_name(card)} does not belong on {place}, which is for another suit")
        state[FOUNDATION + (card & 3)] = card >> 2
    if len(words) % 2:
        raise ValueError(f"foundations are written 'F1 AC  F2 --', a place and a card each, not {text.strip()!r}")


def read_cards(text: str) -> list[int]:
    """Read cards, of which some may lie face down."""
    return [read_card(word) for word in text.split() if word != "-"]


def read_card(word: str) -> int:
    """Read a card, or the back of one."""
    if word == UNTOLD_TEXT:
        raise ValueError(f"{UNTOLD_TEXT} is a card that is turned up and not told: write which one it is")
    return UNKNOWN if word == FACE_DOWN_TEXT else card_from_name(word)


def read_columns(header: str, rows: list[str], state: Position) -> None:
    """Read rows of cards, each of which stands below the name of its column."""
    starts = [header.upper().index(f"T{column + 1}") for column in range(COLUMNS)]
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    for number, row in enumerate(rows):
        for word in re.finditer(r"\S+", row):
            column = next((index for index, start in enumerate(starts) if abs(word.start() - start) <= 1), None)
            if column is None:
                raise ValueError(f"{word[0]!r} in {row!r} does not stand below the name of a column")
            if len(columns[column]) != number:
                raise ValueError(f"{word[0]!r} in {row!r} hangs in the air: above it, T{column + 1} has no card")
            columns[column].append(read_card(word[0]))
    for column, cards in enumerate(columns):
        if len(cards) > MAX_HEIGHT:
            raise ValueError(f"a column holds at most {MAX_HEIGHT} cards, but T{column + 1} has {len(cards)}")
        hidden = next((index for index, card in enumerate(cards) if card != UNKNOWN), len(cards))
        if UNKNOWN in cards[hidden:]:
            raise ValueError(f"the cards {FACE_DOWN_TEXT} of T{column + 1} lie below those that are face up")
        if cards and hidden == len(cards):
            raise ValueError(f"the last card of T{column + 1} lies face up: name it in place of {FACE_DOWN_TEXT}")
        state[COLUMN + column * MAX_HEIGHT :][: len(cards)] = cards
        state[HEIGHT + column] = len(cards)
        state[FACE_DOWN + column] = hidden
        derive_slots(state, column)
