"""Klondike, the solitaire."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastmcts.bits import lowest_bit
from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game, drawn_text
from fastmcts.games._klondike_knowledge import is_gain, list_preferred, progress
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
    MACRO_ACTIONS,
    MAX_HEIGHT,
    PLAIN_ACTIONS,
    PLAYER,
    RECORD,
    RUN,
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
    derive_slots,
    fits_column,
    fits_foundation,
    foundation_cards,
    hidden_part,
    landing_slots,
    move_run,
    play_from_talon,
    put_on_column,
    shuffle_hidden,
    slot_of,
    suit_of,
    take_from_column,
    top_card,
    uncovers,
    uncovers_card,
)
from fastmcts.games._klondike_text import (
    card_from_name,
    card_name,
    check_position,
    draw_position,
    parse_move,
    print_move,
    state_from_text,
)
from fastmcts.games._klondike_view import (
    ask_for_cards,
    awaited_cards,
    check_known,
    is_drawn_table,
    reveal_cards,
    state_from_table,
)
from fastmcts.rng import below
from fastmcts.state import State
from fastmcts.strategies.expansion import Prioritized
from fastmcts.strategies.rollout import GameRollout
from fastmcts.strategies.selection import UCT

#: A record on the foundations, a card turned up, a card played from the talon: each can happen so often.
MOST_PROGRESS = CARDS + HIDDEN_AT_START + TALON_CARDS

#: Where the parts of what a network sees stand: the columns' cards, the talon's, and numbers; and how many in all.
TALON_OBSERVED = COLUMNS * CARDS
COUNTS_OBSERVED = TALON_OBSERVED + 2 * CARDS
OBSERVED = COUNTS_OBSERVED + COLUMNS + SUITS + 5


@dataclass(frozen=True)
class Klondike(Game):
    """Seven columns, four foundations, and a stock that may be gone through any number of times.

    Args:
        draw: How many cards a `turn` deals.
        macro: There is no `turn`: each card that dealing can bring to the top of the waste is one move away,
            and the order of the stock counts as known. In this form (K+) the literature reports.
        idle_limit: The game is lost after so many moves in a row without progress. Progress is a card
            turned up in a column, a card played from the waste, or more cards on the foundations than
            ever before in the game; so a game lasts at most 97 * idle_limit moves. Less makes
            rollouts shorter and a search faster.
        worry_back: Whether cards may come back from the foundations to the columns.
        score: What the player gets: "win" is 1 for a won game and 0 for a lost one; "cards" is the share
            of the 52 cards that lie on the foundations at the end.

    A face-up run, or its upper part, moves to a card of the other colour and one rank higher; a king moves
    to an empty column. A card that lies face down on top of a column turns up by itself. `turn` deals up to
    `draw` cards from the stock; if the stock is empty it turns the waste over first and then deals, all in
    one action. It is not legal where it would change nothing. All cards dealt are seen, not only the one on
    top, and the player remembers them. The game also ends when no move is left.

    Texts: `turn`, `move W F1`, `move T3 T5`, `move T3 QC T5` where the card is the lowest of several that
    move, `move F1 T3`, and in the macro form `move W 9H T2`. The foundations F1 to F4 are those of clubs,
    diamonds, hearts and spades.

    Actions: 0 is `turn`; 1 waste to foundation; 2 to 8 waste to column; 9 to 15 column to foundation;
    16 + 7 * source + target from column to column; 65 + 7 * suit + column from a foundation. Source and
    target tell how many cards move, since at most one card of a run fits on the target. In the macro form
    93 + 8 * place plays the talon's card at that place, counted in the order of dealing, to its foundation,
    and 94 + 8 * place + column to a column.

    Position: see `_klondike_layout`.
    """

    draw: int = 3
    macro: bool = False
    idle_limit: int = 100
    worry_back: bool = True
    score: str = "win"

    num_players = 1
    state_size = STATE_SIZE
    min_utility = 0.0
    max_utility = 1.0

    def __post_init__(self) -> None:
        whole_number("draw", self.draw, low=1, high=TALON_CARDS)
        whole_number("idle_limit", self.idle_limit, low=1, high=1_000_000)
        for name in ("macro", "worry_back"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if self.score not in ("win", "cards"):
            raise ValueError(f"score must be 'win' or 'cards', not {self.score!r}")

    @cached_property
    def num_actions(self) -> int:
        """All pairs of places; in the macro form every place of the talon is one."""
        return MACRO_ACTIONS if self.macro else PLAIN_ACTIONS

    @cached_property
    def max_game_length(self) -> int:
        """Each progress may be the last of `idle_limit` moves, and so may the end without it."""
        return MOST_PROGRESS * self.idle_limit

    @cached_property
    def scores_cards(self) -> bool:
        """Whether a lost game is worth its cards on the foundations."""
        return self.score == "cards"

    @cached_property
    def dealt(self) -> int:
        """The set of places of the talon that come to the top of the waste when it is dealt from the first card on."""
        return sum(1 << place for place in range(self.draw - 1, TALON_CARDS, self.draw))

    # ---- The rules

    def initial(self, state: Position, rng: Rng) -> None:
        """Deal a shuffled pack: one to seven cards to the columns, the rest to the stock."""
        card = SUITS
        for column in range(COLUMNS):
            for _ in range(column + 1):
                put_on_column(state, card, column)
                card += 1
            state[FACE_DOWN + column] = column + 1
        for place in range(TALON_CARDS):
            state[TALON + place] = card + place
        state[TALON_SIZE] = TALON_CARDS
        shuffle_hidden(state, rng)
        for column in range(COLUMNS):
            state[FACE_DOWN + column] -= 1
            derive_slots(state, column)
        if self.macro:
            state[SEEN] = TALON_CARDS
            if not self.can_move(state):
                state[PLAYER] = TERMINAL

    def current_player(self, state: Position) -> int:
        """0 until the game is over."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Every move that the rules allow, also those that lead nowhere."""
        slots = landing_slots(state)
        count = 0
        if not self.macro:
            if self.can_turn(state):
                actions[0] = TURN
                count = 1
            count = self.list_from_talon(state, slots, actions, count)
        for column in range(COLUMNS):
            if state[HEIGHT + column] > 0 and fits_foundation(state, top_card(state, column)):
                actions[count] = COLUMN_TO_FOUNDATION + column
                count += 1
        for source in range(COLUMNS):
            if state[RUN + source] & slots:
                for target in range(COLUMNS):
                    if state[RUN + source] & state[LANDING + target]:
                        actions[count] = COLUMN_TO_COLUMN + COLUMNS * source + target
                        count += 1
        for suit in range(SUITS):
            card = SUITS * state[FOUNDATION + suit] + suit
            if self.can_worry_back(state, suit) and slots >> (slot_of(card) + 1) & 1:
                for column in range(COLUMNS):
                    if fits_column(state, card, column):
                        actions[count] = FOUNDATION_TO_COLUMN + COLUMNS * suit + column
                        count += 1
        if self.macro:
            count = self.list_from_talon(state, slots, actions, count)
        return count

    def list_from_talon(self, state: Position, slots: int, actions: Actions, count: int) -> int:
        """Append the moves of the talon's cards; the new count."""
        places = self.on_hand(state)
        while places != 0:
            place = lowest_bit(places)
            places &= places - 1
            card = state[TALON + place]
            if fits_foundation(state, card):
                actions[count] = self.from_talon(place)
                count += 1
            if slots >> (slot_of(card) + 1) & 1:
                for column in range(COLUMNS):
                    if fits_column(state, card, column):
                        actions[count] = self.from_talon(place) + 1 + column
                        count += 1
        return count

    def on_hand(self, state: Position) -> int:
        """The set of places of the talon whose cards may be played: the top of the waste, or all within reach."""
        return self.in_reach(state) if self.macro else 1 << state[WASTE_SIZE] >> 1

    def in_reach(self, state: Position) -> int:
        """The set of places that dealing, now or after the waste is turned over, brings to the top of the waste."""
        places = self.dealt | 1 << state[TALON_SIZE] >> 1
        if state[WASTE_SIZE] > 0:
            places |= self.dealt >> (self.draw - 1) << (state[WASTE_SIZE] - 1)
        return places & ((1 << state[TALON_SIZE]) - 1)

    def from_talon(self, place: int) -> int:
        """The action that plays a talon card to its foundation; those to the columns follow."""
        return FROM_TALON + TARGETS * place if self.macro else FROM_WASTE

    def can_turn(self, state: Position) -> bool:
        """Whether a `turn` would change anything."""
        return state[WASTE_SIZE] < state[TALON_SIZE] or state[TALON_SIZE] > self.draw

    def can_worry_back(self, state: Position, suit: int) -> bool:
        """Whether a card may leave a foundation, if it fits somewhere."""
        return self.worry_back and state[FOUNDATION + suit] > 0

    def can_move(self, state: Position) -> bool:
        """Whether any card may move."""
        slots = landing_slots(state)
        for column in range(COLUMNS):
            if state[RUN + column] & slots:
                return True
            if state[HEIGHT + column] > 0 and fits_foundation(state, top_card(state, column)):
                return True
        for suit in range(SUITS):
            card = SUITS * state[FOUNDATION + suit] + suit
            if self.can_worry_back(state, suit) and slots >> (slot_of(card) + 1) & 1:
                return True
        places = self.on_hand(state)
        while places != 0:
            card = state[TALON + lowest_bit(places)]
            if slots >> (slot_of(card) + 1) & 1 or fits_foundation(state, card):
                return True
            places &= places - 1
        return False

    def apply(self, state: Position, action: int) -> None:
        """Move cards, turn up what they uncover, and see whether the game is over."""
        progress = False
        if action == TURN:
            if state[WASTE_SIZE] == state[TALON_SIZE]:
                state[WASTE_SIZE] = 0
            state[WASTE_SIZE] = min(state[WASTE_SIZE] + self.draw, state[TALON_SIZE])
            state[SEEN] = max(state[SEEN], state[WASTE_SIZE])
        elif action < COLUMN_TO_FOUNDATION:
            play_from_talon(state, state[WASTE_SIZE] - 1, action - FROM_WASTE)
            progress = True
        elif action < COLUMN_TO_COLUMN:
            column = action - COLUMN_TO_FOUNDATION
            progress = uncovers(state, column, 1)
            state[FOUNDATION + suit_of(top_card(state, column))] += 1
            take_from_column(state, column, 1)
        elif action < FOUNDATION_TO_COLUMN:
            progress = move_run(state, (action - COLUMN_TO_COLUMN) // COLUMNS, (action - COLUMN_TO_COLUMN) % COLUMNS)
        elif action < FROM_TALON:
            suit = (action - FOUNDATION_TO_COLUMN) // COLUMNS
            card = SUITS * state[FOUNDATION + suit] + suit
            put_on_column(state, card, (action - FOUNDATION_TO_COLUMN) % COLUMNS)
            state[FOUNDATION + suit] -= 1
        else:
            play_from_talon(state, (action - FROM_TALON) // TARGETS, (action - FROM_TALON) % TARGETS)
            progress = True
        self.finish_move(state, progress)

    def finish_move(self, state: Position, progress: bool) -> None:
        """Count idle moves, and end the game if it is won, has stalled, or has no move left."""
        finished = foundation_cards(state)
        if finished > state[RECORD]:
            state[RECORD] = finished
            progress = True
        state[IDLE] = 0 if progress else state[IDLE] + 1
        if finished == CARDS or state[IDLE] >= self.idle_limit or self.is_stuck(state):
            state[PLAYER] = TERMINAL

    def is_stuck(self, state: Position) -> bool:
        """Whether no action is left."""
        return (self.macro or not self.can_turn(state)) and not self.can_move(state)

    def returns(self, state: Position, out: Utilities) -> None:
        """1 for a win, else 0; or the share of cards on the foundations."""
        finished = foundation_cards(state)
        if self.scores_cards:
            out[0] = finished / CARDS
        else:
            out[0] = 1.0 if finished == CARDS else 0.0

    # ---- What networks see

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """Nine times all cards, and how many there are where."""
        return (OBSERVED,)

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Cards by number, from the ace of clubs on: where they lie in each column and in the talon, as far as seen.

        First [7, 52] how high a face-up card of a column lies, as a share of the highest place; then [52] the place in
        the talon of a card that was seen, as a share of all, and [52] 1 for the cards that can be played from there.
        Then, as shares of the most that can be: [7] cards face down in a column, [4] cards on a foundation, and cards
        in the talon, in the waste and seen of them, the most that lay on all foundations, moves without progress.
        """
        for column in range(COLUMNS):
            for height in range(state[FACE_DOWN + column], state[HEIGHT + column]):
                card = state[COLUMN + column * MAX_HEIGHT + height] - SUITS
                out[CARDS * column + card] = (height + 1) / MAX_HEIGHT
            out[COUNTS_OBSERVED + column] = state[FACE_DOWN + column] / (COLUMNS - 1)
        on_hand = self.on_hand(state)
        for place in range(state[SEEN]):
            card = state[TALON + place] - SUITS
            out[TALON_OBSERVED + card] = (place + 1) / TALON_CARDS
            out[TALON_OBSERVED + CARDS + card] = on_hand >> place & 1
        for suit in range(SUITS):
            out[COUNTS_OBSERVED + COLUMNS + suit] = state[FOUNDATION + suit] / KING
        rest = COUNTS_OBSERVED + COLUMNS + SUITS
        out[rest] = state[TALON_SIZE] / TALON_CARDS
        out[rest + 1] = state[WASTE_SIZE] / TALON_CARDS
        out[rest + 2] = state[SEEN] / TALON_CARDS
        out[rest + 3] = state[RECORD] / CARDS
        out[rest + 4] = state[IDLE] / self.idle_limit

    # ---- Hidden information

    def determinize(self, state: Position, player: int, rng: Rng) -> None:
        """Shuffle the cards that were never face up among their places."""
        shuffle_hidden(state, rng)

    def observe(self, state: Position, player: int, out: Position) -> None:
        """The position with UNKNOWN for every card that was never face up."""
        for index in range(STATE_SIZE):
            out[index] = state[index]
        for part in range(COLUMNS + 1):
            first, end = hidden_part(state, part)
            for place in range(first, end):
                out[place] = UNKNOWN

    def reveals(self, state: Position, action: int) -> bool:
        """Whether a card is seen for the first time: turned up in a column or dealt from the stock."""
        if action == TURN:
            dealt = min(state[WASTE_SIZE] + self.draw, state[TALON_SIZE])
            return state[WASTE_SIZE] < state[TALON_SIZE] and dealt > state[SEEN]
        return uncovers_card(state, action)

    # ---- The table as its player sees it; plain Python

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """The legal actions: what is face up decides about them."""
        return self.legal_actions(state, actions)

    def awaited(self, state: Position, player: int, places: Position) -> int:
        """Cards that were turned up in a column or dealt from the stock."""
        awaited = awaited_cards(state)
        places[: len(awaited)] = awaited
        return len(awaited)

    def reveal(self, state: Position, player: int, facts: Position) -> None:
        """Fill in the cards that were turned up, and see whether the game is over."""
        reveal_cards(self, state, facts)

    def awaited_text(self, state: Position, player: int) -> str:
        """Ask for the cards that were turned up."""
        return ask_for_cards(state)

    def fact_to_string(self, fact: int) -> str:
        """Rank and suit of a card: `QC`."""
        return card_name(fact)

    def string_to_fact(self, text: str) -> int:
        """Read rank and suit of a card, in capital or small letters."""
        return card_from_name(text)

    def check_view(self, state: Position, player: int) -> None:
        """Refuse anything but what the player of a game can know."""
        check_known(self, state)

    # ---- Knowledge of the game

    def evaluate(self, state: Position, out: Utilities) -> None:
        """How far the game has come: cards on foundations, cards turned up, columns without hidden cards."""
        out[0] = progress(state)

    def is_promising(self, state: Position, action: int) -> bool:
        """Whether a legal action brings a new card to a foundation or turns a card up."""
        return is_gain(state, action)

    @property
    def recommended(self) -> dict[str, Any]:
        """Greedy rollouts that are cut off and valued: those to the end are long, and hardly ever won."""
        length = 30 if self.macro else 60
        return {
            "selection": UCT(c=0.1),
            "expansion": Prioritized(visits=0),
            "rollout": GameRollout(max_length=length),
        }

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """A greedy policy: any move of the best class there is.

        A priority list in the manner of Bjarnason, Fern and Tadepalli (ICAPS 2009): to a foundation
        uncovering a card, to a foundation, between columns uncovering a card where most are hidden, from the
        waste to a column where it enables such a move, from the waste to any column, and a rearrangement that
        makes one of these possible. Where there is `turn`, it comes before rearranging until the stock was
        gone through once without progress, and after it from then on. What is left leads nowhere. With draw 3
        it wins 14.3% of the deals, 17.6% in the macro form, and 15.4% there with idle_limit=10.
        """
        return actions[below(rng, list_preferred(self, state, actions))]

    # ---- Text

    def state_from_text(self, drawing: str) -> State:
        """Set up a position, or a table as the player sees it.

        Drawn as `str(state)` draws it, with the columns side by side, `##` for cards that were never face up and `-` or
        `--` for no card, it is the player's view: what lies face down is unknown, and `State.reveal` tells it when it
        is turned up. The stock begins with cards that are remembered from an earlier pass.

            stock (next first): 4C ## ##
            waste  (top last):  2S 9H
            foundations:        F1 3C  F2 KD  F3 AH  F4 --

            T1  T2  T3  T4  T5  T6  T7
            KD  ##  ...
                QC

        Lines such as these are a full position, in which every card is named or follows.

            stock: 4C (5D 6H)       the next card first
            waste: 2S 9H            the top card last
            F: 3C KD AH             the highest card of each suit that has begun
            T1: (2H 5S) KD QC       from the bottom up

        Cards in parentheses were never face up. Cards that are not named anywhere lie at the end of the stock,
        unseen. No move has been idle yet.

        Args:
            drawing: The table, or a line for each place that has cards.
        """
        make = state_from_table if is_drawn_table(drawn_text(drawing)) else state_from_text
        return make(self, drawing)

    def render(self, state: Position) -> str:
        """Stock, waste and foundations in one line, the columns below; `##` is a card face down."""
        return draw_position(state)

    def action_to_string(self, state: Position, action: int) -> str:
        """`turn`, or `move` with source, lowest card where it is not the top one, and target."""
        return print_move(state, int(action))

    def string_to_action(self, state: Position, text: str) -> int:
        """Read a move, small or capital letters alike; the card may also be named where it is the top one."""
        return parse_move(self, state, text)

    def check_state(self, state: Position) -> None:
        """Refuse anything but 52 cards in an order that a game can reach, with counters that fit them."""
        check_position(self, state)
