"""Oh Hell: bid how many tricks you will win, and win exactly as many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastmcts.bits import count_bits, nth_bit
from fastmcts.core.constants import NONE
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.games._cards import CARDS, CLUBS, card_number, card_set, card_text
from fastmcts.games._trick_state import TrickState
from fastmcts.games._trick_text import Trick, replayed
from fastmcts.games._tricks import OPENER, PLAYER, PLAYER_SIZE, PLAYERS_SHOWN, TRICKS, TrickGame
from fastmcts.rng import below
from fastmcts.strategies.rollout import CarefulRollout
from fastmcts.strategies.selection import UCT

SCORINGS = ("bid", "tricks", "penalty")
BID_STAKE = 5  # what a bid of zero is worth with scoring="bid"
EXACT_BONUS = 10  # for an exact bid with the other scorings

#: Sets of cards for the estimate before bidding: ranks that win a trick, and those that win half of one.
ACES = 0b1111 << 48
KINGS = ACES >> 4
TOP_THREE = ACES | KINGS | KINGS >> 4


@dataclass(frozen=True)
class OhHell(TrickGame):
    """Everybody plays alone: bids in turn, from the left of the dealer on, and then tricks.

    The card turned up after the deal shows the trump suit. Everybody follows suit if able; the highest
    trump wins a trick, or else the highest card of the suit led, and the winner leads to the next. Whoever
    sits left of the dealer leads first. An action is a card, 4 * rank + suit (`QC`), or 52 + a bid (`3`),
    as in OpenSpiel. That game is `OhHell(trump_must_be_broken=False, last_bid_restricted=True,
    scoring="tricks")`, or `scoring="penalty"` for its `off_bid_penalty`.

    Args:
        num_players: 2 to 6.
        hand_size: Cards per player, and so tricks. One card must be left to turn up.
        trump_must_be_broken: Trump may only be led after a trump was played, or if nothing else is held.
        last_bid_restricted: The bids must not add up to the number of tricks; the last bidder sees to it.
        scoring: `"bid"`: 5 + bid for an exact bid, else as much less. `"tricks"`: `points_per_trick` for each
            trick, and 10 more for an exact bid. `"penalty"`: the same for an exact bid, else
            `points_per_trick` less for each trick above or below it.
        points_per_trick: Counts for `"tricks"` and `"penalty"`.
        dealer: Who deals; -1 draws the dealer with the cards.

    Position: [player to move, cards played, first leader, set of cards played, suit led, best card on the
    table, who played it, tricks won [P], hands [P], voids [P], history [P * hand_size], card turned up,
    1 + bid [P]]. See `_tricks.py`.
    """

    num_players: int = 4
    hand_size: int = 10
    trump_must_be_broken: bool = True
    last_bid_restricted: bool = False
    scoring: str = "bid"
    points_per_trick: int = 1
    dealer: int = NONE

    constant_sum = False

    def __post_init__(self) -> None:
        whole_number("num_players", self.num_players, low=2, high=6)
        whole_number("hand_size", self.hand_size, low=1, high=(CARDS - 1) // self.num_players)
        whole_number("points_per_trick", self.points_per_trick, low=1, high=1000)
        whole_number("dealer", self.dealer, low=NONE, high=self.num_players - 1)
        for option in ("trump_must_be_broken", "last_bid_restricted"):
            if not isinstance(getattr(self, option), bool):
                raise TypeError(f"{option} must be True or False, not {getattr(self, option)!r}")
        if self.scoring not in SCORINGS:
            raise ValueError(f"scoring must be one of {', '.join(SCORINGS)}, not {self.scoring!r}")

    @cached_property
    def num_actions(self) -> int:
        """The cards, and bids from zero to all tricks."""
        return CARDS + self.hand_size + 1

    @cached_property
    def max_game_length(self) -> int:
        """A bid each, and every card."""
        return self.num_players + self.num_plays

    @cached_property
    def min_utility(self) -> float:
        """The worst result: all tricks bid, and not exactly won."""
        if self.scoring == "tricks":
            return 0.0
        return -float(self.highest_bid_score if self.scores_bid else self.points_per_trick * self.hand_size)

    @cached_property
    def max_utility(self) -> float:
        """The best result: all tricks bid and won."""
        return float(self.highest_bid_score if self.scores_bid else self.highest_trick_score)

    @cached_property
    def highest_bid_score(self) -> int:
        """What is won or lost with the highest bid, where bids are scored."""
        return BID_STAKE + self.hand_size

    @cached_property
    def highest_trick_score(self) -> int:
        """What all tricks are worth, if bid, where tricks are scored."""
        return self.points_per_trick * self.hand_size + EXACT_BONUS

    @cached_property
    def scores_bid(self) -> bool:
        """Whether the bid is won or lost."""
        return self.scoring == "bid"

    @cached_property
    def scores_penalty(self) -> bool:
        """Whether each trick above or below the bid costs points."""
        return self.scoring == "penalty"

    @cached_property
    def extra_size(self) -> int:
        """The card turned up, and a bid each."""
        return 1 + self.num_players

    @cached_property
    def turned(self) -> int:
        """Where the card turned up stands."""
        return self.extra

    @cached_property
    def bids(self) -> int:
        """Where 1 + each player's bid stands; 0 before it bids."""
        return self.turned + 1

    # ---- Rules

    def trump_cards(self, state: Position) -> int:
        """The suit of the card turned up."""
        return CLUBS << (state[self.turned] & 3)

    def open_cards(self, state: Position) -> int:
        """The card turned up."""
        return 1 << state[self.turned]

    def initial(self, state: Position, rng: Rng) -> None:
        """Deal, and turn up a card."""
        dealer = self.dealer if self.dealer != NONE else below(rng, self.num_players)
        self.set_table(state, (dealer + 1) % self.num_players)
        left = self.deal(state, rng)
        state[self.turned] = nth_bit(left, below(rng, count_bits(left)))

    def is_bidding(self, state: Position) -> bool:
        """Whether the player to move is to bid."""
        return state[self.bids + state[PLAYER]] == 0

    def forbidden_bid(self, state: Position) -> int:
        """The bid that would make the bids add up to the number of tricks, for the last bidder; else NONE."""
        total = 0
        for player in range(self.num_players):
            bid = state[self.bids + player] - 1
            if player != state[PLAYER] and bid == NONE:
                return NONE
            total += max(bid, 0)
        return self.hand_size - total if self.last_bid_restricted and total <= self.hand_size else NONE

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Bids, then cards of the suit led, or all where there are none."""
        if not self.is_bidding(state):
            return self.list_cards(state, actions)
        forbidden = self.forbidden_bid(state)
        count = 0
        for bid in range(self.hand_size + 1):
            if bid != forbidden:
                actions[count] = CARDS + bid
                count += 1
        return count

    def apply(self, state: Position, action: int) -> None:
        """Play a card, or bid; after the last bid, whoever bid first leads."""
        if action < CARDS:
            self.play(state, action)
        else:
            player = state[PLAYER]
            state[self.bids + player] = action - CARDS + 1
            state[PLAYER] = (player + 1) % self.num_players

    @cached_property
    def bids_shown(self) -> int:
        """A bid of each player."""
        return self.num_players

    def show_bids(self, state: Position, player: int, out: Observation) -> None:
        """Write 1 + each bid, from one's own on, as a share of 1 + the highest; 0 before a player bids."""
        for seat in range(self.num_players):
            bid = state[self.bids + (player + seat) % self.num_players]
            out[PLAYERS_SHOWN + self.num_players * PLAYER_SIZE + seat] = bid / (self.hand_size + 1)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw a bid or a card."""
        if not self.is_bidding(state):
            return self.random_card(state, rng)
        forbidden = self.forbidden_bid(state)
        bid = below(rng, self.hand_size + (1 if forbidden == NONE else 0))
        return CARDS + bid + (1 if forbidden != NONE and bid >= forbidden else 0)

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """The estimated bid; then the cheapest card that wins the trick as it stands, else the cheapest."""
        return self.estimated_bid(state, rng) if self.is_bidding(state) else self.thrifty_card(state, rng)

    @property
    def recommended(self) -> dict[str, Any]:
        """The policy that keeps to the bid."""
        return {"selection": UCT(c=0.5), "rollout": CarefulRollout()}

    def careful_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """The estimated bid; then as many tricks as bid, and no more."""
        if self.is_bidding(state):
            return self.estimated_bid(state, rng)
        player = state[PLAYER]
        wants_trick = bool(state[TRICKS + player] < state[self.bids + player] - 1)
        return self.careful_card(state, wants_trick, NONE, rng)

    def estimated_bid(self, state: Position, rng: Rng) -> int:
        """Count tricks: one for an ace or one of the top three trumps, half for a king or another trump.

        This is about right among four; with fewer players more cards win, and the count is scaled. What is
        not a whole number is rounded by chance.
        """
        hand = state[self.hands + self.current_player(state)]
        trumps = hand & self.trump_cards(state)
        side = hand & ~trumps
        halves = count_bits(trumps) + count_bits(trumps & TOP_THREE)
        halves += 2 * count_bits(side & ACES) + count_bits(side & KINGS)
        bid = min(self.hand_size, (2 * halves + below(rng, self.num_players)) // self.num_players)
        if bid == self.forbidden_bid(state):
            bid += 1 if bid == 0 else -1
        return CARDS + bid

    def returns(self, state: Position, out: Utilities) -> None:
        """Each player's points."""
        for player in range(self.num_players):
            bid = state[self.bids + player] - 1
            won = state[TRICKS + player]
            if self.scores_bid:
                out[player] = BID_STAKE + bid if won == bid else -(BID_STAKE + bid)
            elif won == bid:
                out[player] = self.points_per_trick * won + EXACT_BONUS
            elif self.scores_penalty:
                out[player] = -self.points_per_trick * abs(won - bid)
            else:
                out[player] = self.points_per_trick * won

    # ---- What a player knows; plain Python

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """Bids, which do not depend on the cards; then cards."""
        if self.is_bidding(state):
            return self.legal_actions(state, actions)
        return super().possible_actions(state, player, actions)

    def impossible_text(self, state: Position, player: int, action: int) -> str:
        """Say why a bid cannot be made, or a card not be played."""
        mover = int(state[PLAYER])
        if self.is_bidding(state):
            forbidden = self.forbidden_bid(state)
            but = f", but not {forbidden}: the bids must not add up to {self.hand_size}" if forbidden != NONE else ""
            return (
                f"player {mover} is to bid, from 0 to {self.hand_size}{but}; not {self.action_to_string(state, action)}"
            )
        if action >= CARDS:
            return f"all bids are made: player {mover} is to play a card, not {self.action_to_string(state, action)}"
        return super().impossible_text(state, player, action)

    def read_action(self, text: str) -> int:
        """Read a bid or a card, whether it can be made or not."""
        return CARDS + int(text) if text.isdecimal() else card_number(text)

    def state_from_knowledge(
        self,
        player: int,
        hand: str | Iterable[int | str],
        turned: int | str,
        bids: Sequence[int] = (),
        tricks: Sequence[Trick] = (),
        dealer: int | None = None,
    ) -> TrickState:
        """Make a position from what one player knows.

        Args:
            player: Who.
            hand: The cards that it still holds: a text such as `"QC TD"`, or numbers or names of cards.
            turned: The card turned up for trump.
            bids: Those made so far, in turn, from the left of the dealer on.
            tricks: Those played so far, each a text such as `"AC KC 2D 3C"`, or numbers or names of cards, in the order
                in which they were played; the last may be unfinished. Who leads, and so who played what, follows
                from the rules; a text may tell it, to be checked: `"2: AC KC 2D 3C"`.
            dealer: Who deals; by default the game's dealer, or the last player where that is drawn.

        Returns:
            The view of the player. ValueError says what cannot be.
        """
        player = whole_number("player", player, low=0, high=self.num_players - 1)
        bids = [whole_number("a bid", bid, low=0, high=self.hand_size) for bid in bids]
        if len(bids) > self.num_players:
            raise ValueError(f"{self.num_players} players make a bid each, not {len(bids)}")
        start = self.undealt_start(self.opener(dealer), turned)
        return replayed(self, start, {player: card_set(hand)}, player, bids, tricks)

    def opener(self, dealer: int | None) -> int:
        """Who leads first, given the dealer; by default the game's, or the last player where that is drawn."""
        if dealer is None:
            dealer = self.dealer if self.dealer != NONE else self.num_players - 1
        dealer = whole_number("dealer", dealer, low=0, high=self.num_players - 1)
        return (dealer + 1) % self.num_players

    def undealt_start(self, opener: int, trump: int | str) -> Position:
        """The position before the deal, given who leads first and the card turned up."""
        self.check_opener(opener)
        position = self.start([0] * self.num_players, opener)
        number = card_number(trump) if isinstance(trump, str) else trump
        position[self.turned] = whole_number("turned", number, low=0, high=CARDS - 1)
        return position

    # ---- Text and checks; plain Python

    def state_from_hands(
        self, hands: Sequence[str | Iterable[int | str]], turned: int | str, dealer: int | None = None
    ) -> TrickState:
        """Make the position after a given deal, before the bids.

        Args:
            hands: For each player a text such as `"QC TD"`, or numbers or names of cards.
            turned: The card turned up for trump.
            dealer: Who deals; by default the game's dealer, or the last player where that is drawn.
        """
        position = self.undealt_start(self.opener(dealer), turned)
        position[self.hands : self.voids] = self.hand_sets(hands)
        self.check_state(position)
        return self.new_state(position)

    def action_to_string(self, state: Position, action: int) -> str:
        """Rank and suit of a card; the number of a bid."""
        return card_text(action) if action < CARDS else str(action - CARDS)

    def trump_text(self, state: Position) -> str:
        """The line about the trump suit, with the card turned up."""
        return f"trump: {card_text(int(state[self.turned]))}"

    def score_text(self, state: Position, player: int) -> str:
        """Tricks and bid of a player."""
        bid = int(state[self.bids + player]) - 1
        return f"{super().score_text(state, player)}, bid {bid if bid != NONE else '-'}"

    def check_entries(self, state: Position) -> None:
        """Check the card turned up, the bids and the dealer too."""
        super().check_entries(state)
        turned = int(state[self.turned])
        if not 0 <= turned < CARDS:
            raise ValueError(f"the card turned up is from 0 to {CARDS - 1}, not {turned}")
        bids = state[self.bids :]
        if not ((bids >= 0) & (bids <= self.hand_size + 1)).all():
            raise ValueError(f"bids are 1 + bid, from 0 to {self.hand_size + 1}, not {bids.tolist()}")
        self.check_opener(int(state[OPENER]))

    def check_opener(self, opener: int) -> None:
        """Raise ValueError unless whoever leads first sits left of the dealer."""
        if self.dealer != NONE and opener != (self.dealer + 1) % self.num_players:
            raise ValueError(f"player {opener} cannot lead first where {self.dealer} deals")

    def copy_deal(self, state: Position, position: Position) -> None:
        """Copy the card turned up."""
        position[self.turned] = state[self.turned]

    def actions_so_far(self, state: Position) -> list[int]:
        """The bids in turn, then the cards."""
        bidders = [(int(state[OPENER]) + turn) % self.num_players for turn in range(self.num_players)]
        bids = [int(state[self.bids + player]) - 1 for player in bidders]
        made = bids[: bids.index(NONE)] if NONE in bids else bids
        return [CARDS + bid for bid in made] + self.cards_so_far(state)
