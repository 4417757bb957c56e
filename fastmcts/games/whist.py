"""Whist: two partnerships play for tricks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastmcts.core.constants import NONE
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.games._cards import CARDS, CLUBS, SUITS, card_set
from fastmcts.games._trick_state import TrickState
from fastmcts.games._trick_text import Trick, replayed
from fastmcts.games._tricks import PLAYED, PLAYER, TRICKS, TrickGame
from fastmcts.strategies.rollout import CarefulRollout
from fastmcts.strategies.selection import UCT

PLAYERS = 4


@dataclass(frozen=True)
class Whist(TrickGame):
    """Players 0 and 2 against 1 and 3: the utility of both partners is the number of tricks they win.

    Everybody follows suit if able. The highest trump wins a trick, or else the highest card of the suit led,
    and the winner leads to the next. Player 0 leads first. An action is a card, 4 * rank + suit: `QC`.

    Args:
        trump: The trump suit: 0 clubs, 1 diamonds, 2 spades, 3 hearts; -1 for no trump.
        hand_size: Cards per player. With fewer than 13 the rest of the deck stays face down.

    Position: [player to move, cards played, first leader, set of cards played, suit led, best card on the
    table, who played it, tricks won [4], hands [4], voids [4], history [4 * hand_size]]. See `_tricks.py`.
    """

    trump: int = SUITS.index("S")
    hand_size: int = CARDS // PLAYERS

    num_players = PLAYERS
    num_actions = CARDS
    trump_must_be_broken = False
    min_utility = 0.0

    def __post_init__(self) -> None:
        whole_number("trump", self.trump, low=NONE, high=len(SUITS) - 1)
        whole_number("hand_size", self.hand_size, low=1, high=CARDS // PLAYERS)

    @cached_property
    def max_game_length(self) -> int:
        """Every card is played."""
        return self.num_plays

    @cached_property
    def max_utility(self) -> float:
        """All tricks."""
        return float(self.hand_size)

    @cached_property
    def trumps(self) -> int:
        """The set of all trumps; empty where there is no trump suit."""
        return CLUBS << self.trump if self.trump != NONE else 0

    def trump_cards(self, state: Position) -> int:
        """The same in every deal."""
        return self.trumps

    def initial(self, state: Position, rng: Rng) -> None:
        """Deal; player 0 leads."""
        self.set_table(state, 0)
        self.deal(state, rng)

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Cards of the suit led, or all where there are none."""
        return self.list_cards(state, actions)

    def apply(self, state: Position, action: int) -> None:
        """Play a card."""
        self.play(state, action)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw a card."""
        return self.random_card(state, rng)

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """The cheapest card that wins the trick as it stands, else the cheapest."""
        return self.thrifty_card(state, rng)

    @property
    def recommended(self) -> dict[str, Any]:
        """The better policy; one trick of thirteen is a small reward, so the constant is small too."""
        return {"selection": UCT(c=0.15), "rollout": CarefulRollout()}

    def careful_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Win tricks, but not from the partner."""
        return self.careful_card(state, True, (state[PLAYER] + 2) % PLAYERS, rng)

    def returns(self, state: Position, out: Utilities) -> None:
        """The tricks of each player and its partner."""
        for player in range(PLAYERS):
            out[player] = state[TRICKS + player] + state[TRICKS + (player + 2) % PLAYERS]

    def evaluate(self, state: Position, out: Utilities) -> None:
        """The tricks won so far, and half of those to come."""
        self.returns(state, out)
        for player in range(PLAYERS):
            out[player] += 0.5 * (self.hand_size - state[PLAYED] // PLAYERS)

    def state_from_knowledge(
        self, player: int, hand: str | Iterable[int | str], tricks: Sequence[Trick] = (), leader: int = 0
    ) -> TrickState:
        """Make a position from what one player knows.

        Args:
            player: Who.
            hand: The cards that it still holds: a text such as `"QC TD"`, or numbers or names of cards.
            tricks: Those played so far, each a text such as `"AC KC 2D 3C"`, or numbers or names of cards, in the order
                in which they were played; the last may be unfinished. Who leads, and so who played what, follows
                from the rules; a text may tell it, to be checked: `"2: AC KC 2D 3C"`.
            leader: Who led first.

        Returns:
            The view of the player. ValueError says what cannot be.
        """
        player = whole_number("player", player, low=0, high=PLAYERS - 1)
        leader = whole_number("leader", leader, low=0, high=PLAYERS - 1)
        return replayed(self, self.start([0] * PLAYERS, leader), {player: card_set(hand)}, player, (), tricks)

    def state_from_hands(self, hands: Sequence[str | Iterable[int | str]], leader: int = 0) -> TrickState:
        """Make the position after a given deal.

        Args:
            hands: For each player a text such as `"QC TD"`, or numbers or names of cards.
            leader: Who leads first.
        """
        leader = whole_number("leader", leader, low=0, high=PLAYERS - 1)
        return self.new_state(self.start(self.hand_sets(hands), leader))
