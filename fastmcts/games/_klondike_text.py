"""Klondike in words: cards, moves and positions as text, and whether an array is a position."""

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Position
from fastmcts.game import move_text
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
    IDLE,
    KING,
    MAX_HEIGHT,
    PLAYER,
    RECORD,
    SEEN,
    STATE_SIZE,
    SUITS,
    TALON,
    TALON_CARDS,
    TALON_SIZE,
    TARGETS,
    TURN,
    UNKNOWN,
    WASTE_SIZE,
    cards_moved,
    derive_slots,
    foundation_cards,
    slot_of,
    suit_of,
    top_card,
)

if TYPE_CHECKING:
    from fastmcts.games.klondike import Klondike
    from fastmcts.state import State

RANK_LETTERS, SUIT_LETTERS = "A23456789TJQK", "CDHS"
FACE_DOWN_TEXT, UNTOLD_TEXT, NO_CARD_TEXT = "##", "??", "--"

#: What a drawing says below the foundations where it does not follow from the cards.
IDLE_LABEL, RECORD_LABEL = "moves without progress", "most ever on the foundations"

#: How the cards of each place are written in a drawing: those in parentheses were never face up.
CARDS_PATTERN = {
    "STOCK": re.compile(r"[^()]*(\([^()]*\))?"),
    "WASTE": re.compile(r"[^()]*"),
    "F": re.compile(r"[^()]*"),
    **{f"T{column + 1}": re.compile(r"(\([^()]*\))?[^()]*") for column in range(COLUMNS)},
}
PARENTHESES_RULE = (
    "cards in parentheses, which were never face up, come first in a column and last in the stock, and nowhere else"
)
NO_CARDS: tuple[list[int], int] = ([], 0)


def card_name(card: int) -> str:
    """Rank and suit: `QC` is the queen of clubs, `TH` the ten of hearts."""
    return RANK_LETTERS[(int(card) >> 2) - 1] + SUIT_LETTERS[int(card) & 3]


def card_from_name(name: str) -> int:
    """The card that `card_name` writes so; `10H` is read as `TH`."""
    letters = name.upper().replace("10", "T")
    if len(letters) != 2 or letters[0] not in RANK_LETTERS or letters[1] not in SUIT_LETTERS:
        raise ValueError(f"{name!r} is no card; a card is a rank of {RANK_LETTERS} and a suit of {SUIT_LETTERS}")
    return SUITS * (RANK_LETTERS.index(letters[0]) + 1) + SUIT_LETTERS.index(letters[1])


def describe_move(state: Position, action: int) -> tuple[str, int, bool, str]:
    """Where a legal move takes its lowest card from, that card, whether it is the top one, and its target."""
    if action < COLUMN_TO_FOUNDATION or action >= FROM_TALON:
        in_macro_form = action >= FROM_TALON
        place, target = divmod(action - FROM_TALON, TARGETS)
        if not in_macro_form:
            place, target = int(state[WASTE_SIZE]) - 1, action - FROM_WASTE
        card = int(state[TALON + place])
        name = f"F{suit_of(card) + 1}" if target == 0 else f"T{target}"
        return "W", card, place == state[WASTE_SIZE] - 1, name
    if action < COLUMN_TO_COLUMN:
        column = action - COLUMN_TO_FOUNDATION
        card = int(top_card(state, column))
        return f"T{column + 1}", card, True, f"F{suit_of(card) + 1}"
    if action < FOUNDATION_TO_COLUMN:
        source, target = divmod(action - COLUMN_TO_COLUMN, COLUMNS)
        count = int(cards_moved(state, source, target))
        card = int(state[COLUMN + source * MAX_HEIGHT + state[HEIGHT + source] - count])
        return f"T{source + 1}", card, count == 1, f"T{target + 1}"
    suit, column = divmod(action - FOUNDATION_TO_COLUMN, COLUMNS)
    return f"F{suit + 1}", int(SUITS * state[FOUNDATION + suit] + suit), True, f"T{column + 1}"


def print_move(state: Position, action: int) -> str:
    """Write a legal move."""
    if action == TURN:
        return "turn"
    source, card, is_top, target = describe_move(state, action)
    return f"move {source} {target}" if is_top else f"move {source} {card_name(card)} {target}"


def parse_move(game: "Klondike", state: Position, text: str) -> int:
    """Read a legal move; the card may be named even if it is the top one."""
    words = move_text(text).upper().replace("10", "T").split()
    for action in game.new_state(state).legal_actions():
        if action == TURN:
            if words == ["TURN"]:
                return action
            continue
        source, card, is_top, target = describe_move(state, action)
        named = ["MOVE", source, card_name(card), target]
        if words == named or (is_top and words == ["MOVE", source, target]):
            return action
    raise ValueError(f"{text!r} is not a legal move here; legal are: {game.legal_texts(state)}")


def draw_position(state: Position) -> str:
    """Draw what the player sees and remembers.

    `##` is a card that was never face up, `??` one that is face up and not told yet.
    """
    talon = [shown_name(card) for card in state[TALON : TALON + state[SEEN]]]
    talon += [FACE_DOWN_TEXT] * int(state[TALON_SIZE] - state[SEEN])
    waste = int(state[WASTE_SIZE])
    ranks = [int(rank) for rank in state[FOUNDATION : FOUNDATION + SUITS]]
    tops = [card_name(SUITS * rank + suit) if rank else NO_CARD_TEXT for suit, rank in enumerate(ranks)]
    columns = []
    for column in range(COLUMNS):
        hidden = int(state[FACE_DOWN + column])
        cards = column_cards(state, column)
        columns.append([FACE_DOWN_TEXT] * hidden + [shown_name(card) for card in cards[hidden:]])
    rows = [
        "  ".join(column[row] if row < len(column) else "  " for column in columns).rstrip()
        for row in range(max(len(column) for column in columns))
    ]
    counts = [f"{IDLE_LABEL}: {state[IDLE]}"] if state[IDLE] > 0 else []
    if state[RECORD] > foundation_cards(state):
        counts.append(f"{RECORD_LABEL}: {state[RECORD]}")
    return "\n".join(
        [
            f"stock (next first): {' '.join(talon[waste:]) or '-'}",
            f"waste  (top last):  {' '.join(talon[:waste]) or '-'}",
            "foundations:        " + "  ".join(f"F{suit + 1} {top}" for suit, top in enumerate(tops)),
            *counts,
            "",
            "  ".join(f"T{column + 1}" for column in range(COLUMNS)),
            *rows,
        ]
    )


def shown_name(card: int) -> str:
    """The name of a card that lies face up."""
    return UNTOLD_TEXT if card == UNKNOWN else card_name(card)


def column_cards(state: Position, column: int) -> list[int]:
    """A column from the bottom up."""
    first = COLUMN + column * MAX_HEIGHT
    return [int(card) for card in state[first : first + int(state[HEIGHT + column])]]


def state_from_text(game: "Klondike", drawing: str) -> "State":
    """Set up a position from lines; see `Klondike.state_from_text`."""
    state = np.zeros(STATE_SIZE, np.int64)
    named = read_lines(drawing)
    for card in named.get("F", NO_CARDS)[0]:
        state[FOUNDATION + suit_of(card)] = card >> 2
    for column in range(COLUMNS):
        cards, hidden = named.get(f"T{column + 1}", NO_CARDS)
        if len(cards) > MAX_HEIGHT:
            raise ValueError(f"a column holds at most {MAX_HEIGHT} cards, but T{column + 1} has {len(cards)}")
        state[COLUMN + column * MAX_HEIGHT :][: len(cards)] = cards
        state[HEIGHT + column] = len(cards)
        state[FACE_DOWN + column] = hidden
        derive_slots(state, column)
    waste = named.get("WASTE", NO_CARDS)[0]
    stock, unseen = named.get("STOCK", NO_CARDS)
    used = {*waste, *stock, *cards_outside_talon(state)}
    rest = [card for card in range(SUITS, SUITS + CARDS) if card not in used]
    talon = [*waste, *stock, *rest]
    if len(talon) > TALON_CARDS:
        raise ValueError(f"stock and waste hold at most {TALON_CARDS} cards, but {len(talon)} are left for them")
    state[TALON : TALON + len(talon)] = talon
    state[TALON_SIZE] = len(talon)
    state[WASTE_SIZE] = len(waste)
    state[SEEN] = len(talon) if game.macro else len(talon) - len(rest) - unseen
    state[RECORD] = foundation_cards(state)
    state[PLAYER] = TERMINAL if state[RECORD] == CARDS or game.is_stuck(state) else 0
    return game.state_from_array(state)


def read_lines(drawing: str) -> dict[str, tuple[list[int], int]]:
    """Read lines with a place and its cards: for each place the cards, and how many are in parentheses."""
    named: dict[str, tuple[list[int], int]] = {}
    for line in filter(None, (line.strip() for line in drawing.splitlines())):
        label, _, cards = line.partition(":")
        place = label.strip().upper()
        if place not in CARDS_PATTERN:
            raise ValueError(f"{place!r} is no place; there are stock, waste, F, and T1 to T{COLUMNS}")
        if place in named:
            raise ValueError(f"{line!r} is a second line for {place}; write all its cards in one")
        if not CARDS_PATTERN[place].fullmatch(cards.strip()):
            raise ValueError(f"{line!r} cannot be: {PARENTHESES_RULE}")
        hidden = cards[cards.find("(") + 1 : cards.find(")")].split() if "(" in cards else []
        words = cards.replace("(", " ").replace(")", " ").split()
        named[place] = ([card_from_name(word) for word in words], len(hidden))
        suits = [suit_of(card) for card in named[place][0]]
        if place == "F" and len(set(suits)) < len(suits):
            raise ValueError(f"{line!r} has two cards of one suit; write only the highest of each")
    return named


def cards_outside_talon(state: Position) -> list[int]:
    """All cards on foundations and in columns."""
    cards = [SUITS * rank + suit for suit in range(SUITS) for rank in range(1, int(state[FOUNDATION + suit]) + 1)]
    return cards + [card for column in range(COLUMNS) for card in column_cards(state, column)]


def check_position(game: "Klondike", state: Position) -> None:
    """Raise ValueError unless an array is a position of the game."""
    check_counts(game, state)
    talon = [int(card) for card in state[TALON : TALON + int(state[TALON_SIZE])]]
    cards = sorted(talon + cards_outside_talon(state))
    if cards != list(range(SUITS, SUITS + CARDS)):
        raise ValueError("the foundations, columns and talon do not hold each of the 52 cards exactly once")
    padding = [state[TALON + len(talon) : TALON + TALON_CARDS]]
    for column in range(COLUMNS):
        first = COLUMN + column * MAX_HEIGHT
        padding.append(state[first + int(state[HEIGHT + column]) : first + MAX_HEIGHT])
        run = column_cards(state, column)[int(state[FACE_DOWN + column]) :]
        for lower, upper in pairwise(run):
            if slot_of(lower) != slot_of(upper) + 1:
                raise ValueError(f"{card_name(upper)} cannot lie face up on {card_name(lower)} in T{column + 1}")
    derived = state.copy()
    for column in range(COLUMNS):
        derive_slots(derived, column)
    if not np.array_equal(state, derived):
        raise ValueError("the derived slots do not fit the columns")
    if any(place.any() for place in padding):
        raise ValueError("a place above a column or behind the talon is not 0")
    won = foundation_cards(state) == CARDS
    over = won or state[IDLE] == game.idle_limit or game.is_stuck(state)
    if state[PLAYER] != (TERMINAL if over else 0):
        raise ValueError(f"the player is {TERMINAL if over else 0} here, not {state[PLAYER]}")


def check_counts(game: "Klondike", state: Position) -> None:
    """Raise ValueError unless every counter is possible, so that nothing is read outside its place."""

    def check(what: str, index: int, low: int, high: int) -> None:
        if not low <= state[index] <= high:
            raise ValueError(f"{what} must be from {low} to {high}, not {state[index]}")

    for suit in range(SUITS):
        check(f"the rank on foundation F{suit + 1}", FOUNDATION + suit, 0, KING)
    for column in range(COLUMNS):
        check(f"the height of column T{column + 1}", HEIGHT + column, 0, MAX_HEIGHT)
        # A column that has cards has one face up, and none is ever dealt face down later.
        most = min(column, int(state[HEIGHT + column]) - 1)
        check(f"the number of face-down cards of T{column + 1}", FACE_DOWN + column, 0, max(most, 0))
    check("the size of the talon", TALON_SIZE, 0, TALON_CARDS)
    talon_size = int(state[TALON_SIZE])
    check("the size of the waste", WASTE_SIZE, 0, talon_size)
    check(
        "the number of talon cards seen",
        SEEN,
        talon_size if game.macro else int(state[WASTE_SIZE]),
        talon_size,
    )
    finished = int(foundation_cards(state))
    # The game is won with all cards, and only worrying back leaves less on the foundations than there was.
    most = CARDS - 1 if game.worry_back and finished < CARDS else finished
    check("the record of the foundations", RECORD, finished, most)
    check("the number of idle moves", IDLE, 0, game.idle_limit)
