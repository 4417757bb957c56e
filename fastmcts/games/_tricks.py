"""What games of tricks have in common: playing cards, and what the cards played tell about hidden hands."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from fastmcts.bits import NATURAL, count_bits, lowest_bit, nth_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng
from fastmcts.game import Game, drawn_text, move_text
from fastmcts.games._cards import CARDS, CLUBS, DECK, SUIT_NAMES, SUITS, card_number, card_set, card_text, cards_text
from fastmcts.games._hidden_hands import ALL_SUITS, WIDTH, draw_cards, field, is_possible, redeal
from fastmcts.games._trick_state import TrickState
from fastmcts.games._trick_text import draw_position, state_from_drawing
from fastmcts.rng import below

#: Where the parts of a position stand: who is to move, how many cards were played, who led the first
#: trick, and the set of cards played; of the trick on the table the suit led, the card that wins it as it
#: stands, and who played that. Behind them stand, with an entry per player, tricks won, hands, and voids
#: (sets of suits that a player is known to lack), then the history (1 + card, for each card played), then
#: what the single game adds.
PLAYER, PLAYED, OPENER, GONE, LED, BEST, WINNER, TRICKS = range(8)

#: How networks see a position: sets of cards, one behind the other, and what is known about each player. Of each
#: player's cards played there is when, then suits it is known to lack, tricks won, and whether it is to move and leads.
OWN_HAND, ON_TABLE, WINNING_CARD, TRUMP_CARDS, OPEN_CARDS = (CARDS * index for index in range(5))
PLAYERS_SHOWN = 5 * CARDS
VOIDS_SHOWN, TRICKS_SHOWN = CARDS, CARDS + len(SUITS)
TO_MOVE, LEADS = TRICKS_SHOWN + 1, TRICKS_SHOWN + 2
PLAYER_SIZE = TRICKS_SHOWN + 3


class TrickGame(Game):
    """Base of games in which everybody has a hand of cards and follows suit. Cards are actions 0 to 51."""

    hand_size: int
    #: Whether trump may only be led once a trump was played, or by those who hold nothing else.
    trump_must_be_broken: bool
    #: How many entries the single game adds to the position.
    extra_size: int = 0

    @cached_property
    def num_plays(self) -> int:
        """How many cards are played in all."""
        return self.num_players * self.hand_size

    @cached_property
    def one_each(self) -> int:
        """A card for each player, packed as in `_hidden_hands`."""
        return sum(1 << WIDTH * player for player in range(self.num_players))

    @cached_property
    def hands(self) -> int:
        """Where the players' sets of cards stand."""
        return TRICKS + self.num_players

    @cached_property
    def voids(self) -> int:
        """Where the sets of suits stand that each player is known to lack."""
        return self.hands + self.num_players

    @cached_property
    def history(self) -> int:
        """Where the cards played stand."""
        return self.voids + self.num_players

    @cached_property
    def extra(self) -> int:
        """Where the entries of the single game stand."""
        return self.history + self.num_plays

    @cached_property
    def state_size(self) -> int:
        """The common entries and those of the single game."""
        return self.extra + self.extra_size

    @abstractmethod
    def trump_cards(self, state: Position) -> int:
        """The set of all trumps."""
        raise NotImplementedError

    def open_cards(self, state: Position) -> int:
        """The set of cards that nobody holds and everybody sees, besides those played."""
        return 0

    # ---- Rules

    def current_player(self, state: Position) -> int:
        """Players are numbered in turn, clockwise."""
        return state[PLAYER]

    def set_table(self, state: Position, opener: int) -> None:
        """Prepare for the first trick."""
        state[PLAYER] = opener
        state[OPENER] = opener
        state[LED] = NONE
        state[BEST] = NONE
        state[WINNER] = NONE

    def deal(self, state: Position, rng: Rng) -> int:
        """Deal the hands; return the set of cards that are left."""
        left = DECK
        for player in range(self.num_players):
            hand = draw_cards(left, self.hand_size, rng)
            state[self.hands + player] = hand
            left &= ~hand
        return left

    def playable(self, state: Position) -> int:
        """The set of cards that the player to move may play."""
        player: int = state[PLAYER] & NATURAL
        hand = state[self.hands + player]
        if state[LED] == NONE:
            trumps = self.trump_cards(state)
            if self.trump_must_be_broken and state[GONE] & trumps == 0 and hand & ~trumps != 0:
                return hand & ~trumps
            return hand
        following = hand & CLUBS << state[LED]
        return following if following != 0 else hand

    def play(self, state: Position, card: int) -> None:
        """Put a card on the table, note what it gives away, and end the trick if it was the last."""
        player = state[PLAYER] & NATURAL
        led, best, winner = state[LED], state[BEST], state[WINNER]
        trumps = self.trump_cards(state)
        suit = card & 3
        if led == NONE:
            # Who leads trump before it may be led has nothing else.
            if self.trump_must_be_broken and trumps >> card & 1 != 0 and state[GONE] & trumps == 0:
                state[self.voids + player] |= ALL_SUITS & ~(1 << suit)
            led, best, winner = suit, card, player
        else:
            # Who does not follow suit lacks it.
            state[self.voids + player] |= 0 if suit == led else 1 << led
            wins = beats(card, best, trumps)
            best = card if wins else best
            winner = player if wins else winner
        state[self.hands + player] &= ~(1 << card)
        state[GONE] |= 1 << card
        played = state[PLAYED] & NATURAL
        state[self.history + played] = 1 + card
        state[PLAYED] = played + 1
        if (played + 1) % self.num_players == 0:
            # Whoever wins the trick leads to the next.
            state[TRICKS + winner] += 1
            state[PLAYER] = winner if played + 1 < self.num_plays else TERMINAL
            led, best, winner = NONE, NONE, NONE
        else:
            state[PLAYER] = player + 1 if player + 1 < self.num_players else 0
        state[LED] = led
        state[BEST] = best
        state[WINNER] = winner

    def list_cards(self, state: Position, actions: Actions) -> int:
        """List the cards that may be played."""
        cards = self.playable(state)
        count = 0
        while cards != 0:
            actions[count] = lowest_bit(cards)
            cards &= cards - 1
            count += 1
        return count

    def random_card(self, state: Position, rng: Rng) -> int:
        """Draw one of the cards that may be played."""
        cards = self.playable(state)
        return nth_bit(cards, below(rng, count_bits(cards)))

    def thrifty_card(self, state: Position, rng: Rng) -> int:
        """Win the trick as it stands as cheaply as possible; where no card does, play the cheapest.

        Any side card is cheaper than any trump, and a low rank cheaper than a high one. Between suits of
        the same rank the choice is random.
        """
        trumps = self.trump_cards(state)
        cards = self.playable(state)
        best = state[BEST]
        if best != NONE:
            higher = CLUBS << (best & 3) & -(1 << best)
            winning = cards & (higher | trumps if trumps >> best & 1 == 0 else higher)
            if winning != 0:
                cards = winning
        return cheapest(cards, trumps, rng)

    def careful_card(self, state: Position, wants_trick: bool, partner: int, rng: Rng) -> int:
        """Win a trick for sure or cheaply, leave it to a partner who wins it, or keep out of it.

        Args:
            state: The position.
            wants_trick: Whether to win the trick; otherwise the highest card goes that does not.
            partner: Whose tricks are as good as one's own; NONE if nobody's are.
            rng: Decides between suits of the same rank.
        """
        trumps = self.trump_cards(state)
        cards = self.playable(state)
        hand = state[self.hands + self.current_player(state)]
        best = state[BEST]
        is_last = state[PLAYED] % self.num_players == self.num_players - 1
        covered = with_lower_ranks(DECK & ~(state[GONE] | hand | self.open_cards(state)))
        if best == NONE:
            sure = cards & ~covered
            return cheapest(sure if wants_trick and sure != 0 else cards, trumps, rng)
        higher = CLUBS << (best & 3) & -(1 << best)
        winning = cards & (higher | trumps if trumps >> best & 1 == 0 else higher)
        losing = cards & ~winning
        if not wants_trick:
            if losing != 0:
                return dearest(losing, rng)
            return dearest(cards, rng) if is_last else cheapest(cards, trumps, rng)
        is_ours = state[WINNER] == partner and (is_last or covered >> best & 1 == 0)
        if is_ours:
            return cheapest(losing if losing != 0 else cards, trumps, rng)
        sure = winning & ~covered
        if sure != 0 and not is_last:
            return cheapest(sure, trumps, rng)
        return cheapest(winning if winning != 0 else cards, trumps, rng)

    # ---- Hidden hands

    def determinize(self, state: Position, player: int, rng: Rng) -> None:
        """Deal the hidden cards anew; every deal in which all cards were played legally is equally likely."""
        redeal(self, state, player, self.unseen(state, player), rng)

    def unseen(self, state: Position, player: int) -> int:
        """The set of cards that a player does not see."""
        return DECK & ~(state[GONE] | state[self.hands + player] | self.open_cards(state))

    def hand_sizes(self, state: Position) -> int:
        """How many cards each player holds, packed as in `_hidden_hands`; derived from what was played."""
        tricks = state[PLAYED] // self.num_players
        sizes = (self.hand_size - tricks) * self.one_each
        player = state[PLAYER]
        for _ in range(state[PLAYED] - tricks * self.num_players):  # those who have played to this trick
            player = player - 1 if player > 0 else self.num_players - 1
            sizes -= 1 << WIDTH * player
        return sizes

    def observe(self, state: Position, player: int, out: Position) -> None:
        """Everything but the other hands."""
        for index in range(self.state_size):
            out[index] = state[index]
        for other in range(self.num_players):
            if other != player:
                out[self.hands + other] = 0

    # ---- What networks see

    @cached_property
    def bids_shown(self) -> int:
        """How many numbers the single game adds to what is known about the players."""
        return 0

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Five sets of cards, what is known about each player, and what the single game adds."""
        return (PLAYERS_SHOWN + self.num_players * PLAYER_SIZE + self.bids_shown,)

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Cards [5, 52] by number, then each player from oneself on [num_players, 59], then what the game adds.

        Cards: one's own hand, on the table, the one that wins the trick as it stands, trumps, and open ones. Of a
        player: when it played which card, as a share of all that will be played [52]; suits that it is known to
        lack [4]; tricks won, as a share of all; 1 if it is to move; 1 if it leads to the trick.
        """
        players = self.num_players
        on_table = state[PLAYED] % players
        for card in range(CARDS):
            out[OWN_HAND + card] = state[self.hands + player] >> card & 1
            out[TRUMP_CARDS + card] = self.trump_cards(state) >> card & 1
            out[OPEN_CARDS + card] = self.open_cards(state) >> card & 1
        for play in range(state[PLAYED] - on_table, state[PLAYED]):
            out[ON_TABLE + state[self.history + play] - 1] = 1.0
        if state[BEST] != NONE:
            out[WINNING_CARD + state[BEST]] = 1.0
        for seat in range(players):
            start = PLAYERS_SHOWN + seat * PLAYER_SIZE
            other = (player + seat) % players
            for suit in range(len(SUITS)):
                out[start + VOIDS_SHOWN + suit] = state[self.voids + other] >> suit & 1
            out[start + TRICKS_SHOWN] = state[TRICKS + other] / self.hand_size
            if state[PLAYER] != TERMINAL:
                out[start + TO_MOVE] = 1.0 if other == state[PLAYER] else 0.0
                out[start + LEADS] = 1.0 if (other + on_table) % players == state[PLAYER] else 0.0
        self.show_history(state, player, out)
        self.show_bids(state, player, out)

    def show_history(self, state: Position, player: int, out: Observation) -> None:
        """Write who played which card when; who did follows from the tricks before."""
        trumps = self.trump_cards(state)
        leader: int = state[OPENER]
        winner, best = leader, 0
        for play in range(state[PLAYED]):
            card = state[self.history + play] - 1
            place = play % self.num_players
            if place == 0:
                leader = winner
            mover = (leader + place) % self.num_players
            if place == 0 or beats(card, best, trumps):
                winner, best = mover, card
            seat = (mover - player + self.num_players) % self.num_players
            out[PLAYERS_SHOWN + seat * PLAYER_SIZE + card] = (play + 1) / self.num_plays

    def show_bids(self, state: Position, player: int, out: Observation) -> None:
        """Write what the single game adds, at the end of `out`."""

    # ---- What a player knows; plain Python

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """The cards that the player to move may play in some deal that fits."""
        if state[PLAYER] == player:
            return self.legal_actions(state, actions)
        cards = self.possible_cards(state, player)
        found = [card for card in range(CARDS) if cards >> card & 1]
        actions[: len(found)] = found
        return len(found)

    def possible_cards(self, state: Position, viewer: int) -> int:
        """The set of cards that another player, who is to move, may play as far as the viewer knows.

        After a card that it may hold, some deal must be left. Cards of one suit are alike in that.
        """
        possible = 0
        for suit in range(len(SUITS)):
            cards = int(self.unseen(state, viewer)) & CLUBS << suit
            if cards and not int(state[self.voids + state[PLAYER]]) >> suit & 1:
                after = state.copy()
                self.play(after, lowest_bit(cards))
                possible |= cards if self.has_world(after, viewer) else 0
        return possible

    def has_world(self, state: Position, viewer: int) -> bool:
        """Whether the unseen cards can be dealt such that everybody has followed suit if able."""
        others = [player for player in range(self.num_players) if player != viewer]
        sizes = int(self.hand_sizes(state))
        return is_possible(
            [int(state[self.voids + player]) for player in others],
            [field(sizes, player) for player in others],
            int(self.unseen(state, viewer)),
        )

    def impossible_text(self, state: Position, player: int, action: int) -> str:
        """Say why a card cannot be played."""
        if not 0 <= action < CARDS:
            return f"a card is an action from 0 to {CARDS - 1}, not {action}"
        mover, name, suit = int(state[PLAYER]), card_text(action), action & 3
        hand = int(state[self.hands + player])
        if state[GONE] >> action & 1:
            return f"{name} was played already"
        if self.open_cards(state) >> action & 1:
            return f"{name} was turned up, so that nobody holds it"
        if mover == player:
            if not hand >> action & 1:
                return f"player {player} does not hold {name}, but {cards_text(hand)}"
            return f"player {player} may not play {name} now, but {cards_text(self.playable(state))}"
        if hand >> action & 1:
            return f"player {mover} cannot hold {name}, which is in the hand of player {player}"
        if state[self.voids + mover] >> suit & 1:
            return f"player {mover} cannot hold {name}: it has shown before that it lacks {SUIT_NAMES[suit]}"
        if state[LED] not in (NONE, suit):
            return (
                f"player {mover} cannot play {name}: it must hold {SUIT_NAMES[state[LED]]}, the suit led, since"
                " without any no deal fits what was played"
            )
        return f"player {mover} cannot play {name}: no deal fits both that and what was played before"

    def string_to_possible_action(self, state: Position, player: int, text: str) -> int:
        """Read what another player may do; if it may not, the error says why."""
        action = self.read_action(move_text(text))
        if action not in self.new_state(state, player).legal_actions():
            raise ValueError(self.impossible_text(state, player, action))
        return action

    def read_action(self, text: str) -> int:
        """Read a card, whether it can be played or not."""
        return card_number(text)

    # ---- Text and checks; plain Python

    def new_state(self, position: Position, viewer: int | None = None) -> TrickState:
        """Wrap a position, or the view of a player, without copying or checking it."""
        return TrickState(self, position, viewer)

    def state_from_text(self, drawing: str) -> TrickState:
        """Read what `str(state)` writes, of a full position or of a view; the lines must fit each other.

        The drawing contains whose view it is, the hands, the bids, the tricks so far and who led to each.
        """
        return state_from_drawing(self, drawn_text(drawing))

    def undealt_start(self, opener: int, trump: str) -> Position:
        """The position before the deal, given who leads first and what a drawing says about the trump."""
        return self.start([0] * self.num_players, opener)

    def undealt(self, state: Position) -> Position:
        """The position before the deal, given one later in the game."""
        position = self.start([0] * self.num_players, int(state[OPENER]))
        self.copy_deal(state, position)
        return position

    def start(self, hands: Sequence[int], opener: int) -> Position:
        """The position in which these sets of cards were dealt."""
        position = np.zeros(self.state_size, np.int64)
        self.set_table(position, opener)
        position[self.hands : self.voids] = hands
        return position

    def hand_sets(self, hands: Sequence[str | Iterable[int | str]]) -> list[int]:
        """Check hands given as text or as cards, and make them sets."""
        sets = [card_set(hand) for hand in hands]
        self.check_deal(sets)
        return sets

    def check_deal(self, hands: Sequence[int], open_cards: int = 0) -> None:
        """Raise ValueError unless there is a hand of the right size for everybody, and no card twice."""
        sizes = [hand.bit_count() for hand in hands]
        if sizes != [self.hand_size] * self.num_players:
            raise ValueError(f"{self.num_players} players have {self.hand_size} cards each at the start, not {sizes}")
        seen = open_cards
        for hand in hands:
            if seen & hand:
                raise ValueError(f"dealt twice: {cards_text(seen & hand)}")
            seen |= hand

    def render(self, state: Position) -> str:
        """A line per player with hand and tricks, the tricks so far, and the cards on the table."""
        return draw_position(self, state, None)

    def render_view(self, state: Position, player: int) -> str:
        """The same with the number of cards in place of hands that are hidden."""
        return draw_position(self, state, player)

    def trump_text(self, state: Position) -> str:
        """The line about the trump suit."""
        trumps = int(self.trump_cards(state))
        return f"trump: {card_text(lowest_bit(trumps))[1]}" if trumps else "no trump"

    def score_text(self, state: Position, player: int) -> str:
        """How a player stands."""
        return f"{state[TRICKS + player]} won"

    def action_to_string(self, state: Position, action: int) -> str:
        """Rank and suit of a card."""
        return card_text(action)

    def string_to_action(self, state: Position, text: str) -> int:
        """Read a legal action; small letters will do."""
        return super().string_to_action(state, move_text(text).upper())

    def check_state(self, state: Position) -> None:
        """Play the game in the history again: it must be legal and lead to this very position."""
        self.check_entries(state)
        position = self.start(self.dealt_hands(state), int(state[OPENER]))
        self.copy_deal(state, position)
        for action in self.actions_so_far(state):
            legal = self.new_state(position).legal_actions()
            if action not in legal:
                raise ValueError(
                    f"the history is not legal: player {position[PLAYER]} chose"
                    f" {self.action_to_string(position, action)} after {position[PLAYED]} cards;"
                    f" legal were {self.legal_texts(position)}"
                )
            self.apply(position, action)
        for index in np.flatnonzero(position != state):
            raise ValueError(
                f"entry {index} of the position is {state[index]}, but its deal and history lead to {position[index]}"
            )

    def check_entries(self, state: Position) -> None:
        """Raise ValueError where an entry could not be read as what it stands for."""
        if not 0 <= state[PLAYED] <= self.num_plays:
            raise ValueError(f"from 0 to {self.num_plays} cards are played, not {state[PLAYED]}")
        if not 0 <= state[OPENER] < self.num_players:
            raise ValueError(f"a player from 0 to {self.num_players - 1} leads first, not {state[OPENER]}")
        hands = state[self.hands : self.voids]
        if not ((hands >= 0) & (hands <= DECK)).all():
            raise ValueError(f"hands are sets of {CARDS} cards, not {hands.tolist()}")
        history = state[self.history : self.extra]
        played = history[: state[PLAYED]]
        if not ((played >= 1) & (played <= CARDS)).all() or history[state[PLAYED] :].any():
            raise ValueError(
                f"the history is 1 + card, from 1 to {CARDS}, for each of {state[PLAYED]} cards played,"
                f" then zeros, not {history.tolist()}"
            )

    def dealt_hands(self, state: Position) -> list[int]:
        """The hands at the start: what the players hold and what they played."""
        position = self.undealt(state)
        hands = state[self.hands : self.voids].tolist()
        for card in self.cards_so_far(state):
            if any(hand >> card & 1 for hand in hands):
                raise ValueError(f"{card_text(card)} is there twice")
            hands[position[PLAYER]] |= 1 << card
            self.play(position, card)
        self.check_deal(hands, int(self.open_cards(state)))
        return hands

    def copy_deal(self, state: Position, position: Position) -> None:
        """Copy what the single game's deal adds to the hands."""

    def cards_so_far(self, state: Position) -> list[int]:
        """The cards played, in order."""
        return [int(card) - 1 for card in state[self.history : self.history + state[PLAYED]]]

    def actions_so_far(self, state: Position) -> list[int]:
        """All actions since the deal, in order."""
        return self.cards_so_far(state)


@compiled
def beats(card: int, best: int, trumps: int) -> bool:
    """Whether a card wins a trick that another would win as it stands."""
    return card > best if card & 3 == best & 3 else trumps >> card & 1 != 0


@compiled
def cheapest(cards: int, trumps: int, rng: Rng) -> int:
    """A card of the lowest rank, of a side suit if there is one; the suit is random."""
    if cards & ~trumps != 0:
        cards &= ~trumps
    cards &= ALL_SUITS << (lowest_bit(cards) & ~3)
    return nth_bit(cards, below(rng, count_bits(cards)))


@compiled
def dearest(cards: int, rng: Rng) -> int:
    """A card of the highest rank; the suit is random."""
    up_to_highest = with_lower_ranks(cards | cards >> 1 | cards >> 2 | cards >> 3)
    cards &= ALL_SUITS << (count_bits(up_to_highest) - 1 & ~3)
    return nth_bit(cards, below(rng, count_bits(cards)))


@compiled
def with_lower_ranks(cards: int) -> int:
    """A set of cards, and all that are lower in their suits."""
    cards |= cards >> 4
    cards |= cards >> 8
    cards |= cards >> 16
    return cards | cards >> 32
