"""The 52 cards: their numbers and their names.

A card is 4 * rank + suit, as in OpenSpiel's `oh_hell`: suits are clubs 0, diamonds 1, spades 2, hearts 3,
ranks run from the two, 0, to the ace, 12. So `2C` is 0, `2D` is 1 and `AH` is 51; of two cards of a suit
the higher one has the higher number. A set of cards is an int with bit `card` set for each of them.
"""

from collections.abc import Iterable

from fastmcts.core.validate import whole_number

SUITS = "CDSH"
SUIT_NAMES = ("clubs", "diamonds", "spades", "hearts")
RANKS = "23456789TJQKA"
CARDS = len(SUITS) * len(RANKS)

#: Sets of cards: all of them, and the clubs; shifted left by a suit's number, these are that suit's cards.
DECK = (1 << CARDS) - 1
CLUBS = sum(1 << card for card in range(0, CARDS, len(SUITS)))


def card_text(card: int) -> str:
    """Rank and suit: `QC` is the queen of clubs, `TD` the ten of diamonds."""
    return RANKS[card // len(SUITS)] + SUITS[card % len(SUITS)]


def card_number(text: str) -> int:
    """Read rank and suit in capital or small letters."""
    name = text.strip().upper()
    if len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ValueError(f"a card is one of {RANKS} and one of {SUITS}, such as 'QC', not {text!r}")
    return RANKS.index(name[0]) * len(SUITS) + SUITS.index(name[1])


def cards_text(cards: int) -> str:
    """The names of a set of cards, suit by suit, the highest first."""
    held = [card for card in range(CARDS) if int(cards) >> card & 1]
    return " ".join(card_text(card) for card in sorted(held, key=lambda card: (card % len(SUITS), -card)))


def card_set(cards: str | Iterable[int | str]) -> int:
    """Make a set from `"QC TD"`, or from numbers and names of cards."""
    numbers = [
        card_number(card) if isinstance(card, str) else whole_number("a card", card)
        for card in (cards.split() if isinstance(cards, str) else cards)
    ]
    for number in numbers:
        if not 0 <= number < CARDS:
            raise ValueError(f"a card is a number from 0 to {CARDS - 1}, not {number}")
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"a card is there twice in {' '.join(card_text(card) for card in numbers)}")
    return sum(1 << number for number in numbers)
