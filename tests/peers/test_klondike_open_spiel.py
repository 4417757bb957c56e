"""Klondike's columns and foundations agree with OpenSpiel's `solitaire`, move by move.

Its moves are pairs of cards, the one that moves and the one that it lands on. The rules differ in this:

- Stock and waste are one pile there, of which every third card can be played, counted anew after each move; here
  the place of the last card dealt counts. A card from that pile is played here only where both games allow it.
- A king moves there to the first empty column only, not from a foundation, and not if it is the lowest card of its
  column. Here it may move to any empty column, from anywhere.
- There the game goes on until its depth limit or until nothing can move; here it is lost after many idle moves.
"""

import random
from collections import Counter

import numpy as np
import pytest

from fastmcts.games import Klondike
from fastmcts.games import _klondike_layout as layout
from fastmcts.games._klondike_text import card_name, column_cards, describe_move
from fastmcts.rng import make_rng
from fastmcts.state import State

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer

SUIT_SIGNS = {"♠": "S", "♥": "H", "♣": "C", "♦": "D"}
SUIT_ORDER = "SHCD"  # of the numbers that reveal cards
EMPTY_COLUMN = ""

#: What moves where: a card's name, and that of the card it lands on; a suit for an empty foundation.
Move = tuple[str, str]


def peer_moves(other) -> dict[Move, int]:
    """OpenSpiel's legal moves; the move that ends the game is none."""
    moves = {}
    for action in other.legal_actions():
        if action != 0:
            target, source = (letters(text) for text in other.action_to_string(action).split("←"))
            moves[source, target] = action
    return moves


def letters(text: str) -> str:
    """A card as Klondike writes it; an empty column, which is drawn as a card of no suit, is empty."""
    name = "".join(SUIT_SIGNS.get(sign, sign) for sign in text.strip())
    return name if name.isascii() else EMPTY_COLUMN


def our_moves(state: State) -> dict[Move, tuple[int, str]]:
    """Klondike's legal moves as pairs of cards, each with its action and the kind of place it starts from."""
    moves: dict[Move, tuple[int, str]] = {}
    for action in state.legal_actions():
        source, card, _, target = describe_move(state.array, action)
        place = int(target[1:]) - 1
        if target[0] == "F":
            rank = int(state.array[layout.FOUNDATION + place])
            under = card_name(layout.SUITS * rank + place) if rank else card_name(card)[1]
        else:
            under = top_of(state, place)
        if not (under == EMPTY_COLUMN and (source[0] == "F" or is_lowest(state, source, card))):
            moves.setdefault((card_name(card), under), (action, source[0]))
    return moves


def top_of(state: State, column: int) -> str:
    cards = column_cards(state.array, column)
    return card_name(cards[-1]) if cards else EMPTY_COLUMN


def is_lowest(state: State, source: str, card: int) -> bool:
    return source[0] == "T" and column_cards(state.array, int(source[1:]) - 1)[0] == card


def reveal_to(other, cards: list[int]) -> None:
    """Let OpenSpiel's chance turn up these cards."""
    for card in cards:
        rank, suit = layout.rank_of(card), SUIT_ORDER.index(card_name(card)[1])
        other.apply_action(13 * suit + rank)


def same_deal(peer, state: State):
    """OpenSpiel's position after the same deal; its pile of stock and waste starts with the card dealt last."""
    other = peer.new_initial_state()
    tops = [column_cards(state.array, column)[-1] for column in range(layout.COLUMNS)]
    dealt = state.array[layout.TALON : layout.TALON + layout.TALON_CARDS].tolist()
    reveal_to(other, [*tops, *reversed(dealt)])
    return other


def uncovered(before: State, after: State) -> list[int]:
    """The card that a move has turned up in a column, if it has."""
    turned = np.flatnonzero(
        before.array[layout.FACE_DOWN : layout.FACE_DOWN + layout.COLUMNS]
        != after.array[layout.FACE_DOWN : layout.FACE_DOWN + layout.COLUMNS]
    )
    return [column_cards(after.array, int(column))[-1] for column in turned]


def talon(state: State) -> set[str]:
    """The cards of stock and waste."""
    size = int(state.array[layout.TALON_SIZE])
    return {card_name(card) for card in state.array[layout.TALON : layout.TALON + size]}


def test_columns_and_foundations_have_the_same_moves():
    game = Klondike(macro=True, idle_limit=1000)
    peer = open_spiel.load_game("solitaire(depth_limit=100000)")
    buffer = np.zeros(game.num_actions, np.int64)
    compared: Counter[str] = Counter()
    for seed in range(40):
        state, chooser, rng = game.new_initial_state(seed), random.Random(seed), make_rng(seed)
        other = same_deal(peer, state)
        ours, theirs = our_moves(state), peer_moves(other)
        assert ours.keys() == theirs.keys(), "before anything was played, the stock is dealt alike too"
        for _ in range(120):
            hidden = talon(state)
            on_table = {move for move in ours if move[0] not in hidden}
            assert on_table == {move for move in theirs if move[0] not in hidden}
            compared.update(kind_of(move, ours[move][1]) for move in on_table)
            common = sorted(ours.keys() & theirs.keys())
            if not common:
                break
            # Mostly the game's own policy, so that some games come far.
            with np.errstate(over="ignore"):
                greedy = int(game.rollout_action(state.array, buffer, rng))
            greedy_moves = [move for move in common if ours[move][0] == greedy]
            move = greedy_moves[0] if greedy_moves and chooser.random() < 0.8 else chooser.choice(common)
            before = state.clone()
            state.apply_action(ours[move][0])
            other.apply_action(theirs[move])
            reveal_to(other, uncovered(before, state))
            ours, theirs = our_moves(state), peer_moves(other)
    assert compared["column to column"] > 3000
    assert compared["column to foundation"] > 1000
    assert compared["foundation to column"] > 1000
    assert compared["king to empty column"] > 20


def kind_of(move: Move, source: str) -> str:
    """Which rule allows a move."""
    card, under = move
    if under == EMPTY_COLUMN:
        return "king to empty column"
    to_foundation = under[-1] == card[-1]
    return f"{'column' if source == 'T' else 'foundation'} to {'foundation' if to_foundation else 'column'}"
