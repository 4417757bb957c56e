"""Leduc poker: six cards, two rounds of betting, and a card on the table between them."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.rng import below
from fastmcts.state import State
from fastmcts.strategies.methods import ISMCTS
from fastmcts.strategies.selection import UCT

#: Where the parts of a position stand: who is to move, the betting of both rounds, the card on the table, raises in
#: this round, and each player's chips in the pot and card.
PLAYER, FIRST, SECOND, TABLE, RAISES, CHIPS, CARD = 0, 1, 2, 3, 4, 5, 7

JACK, QUEEN, KING, UNKNOWN = 0, 1, 2, -1
RANKS, COPIES = 3, 2
FOLD, CALL, RAISE = 0, 1, 2
CARD_NAMES, UNKNOWN_NAME = "JQK", "?"
MOVE_NAMES = ("fold", "call", "raise")
ANTE, MOST_RAISES = 1, 2
RAISE_OF_FIRST, RAISE_OF_SECOND = 2, 4

#: The betting of a round is a number: a leading 1, then two bits for each action; 0 before the round.
START, BITS = 0b1, 2

#: How networks see a position: which player one is, one's card, the card on the table, what was done in each round, the
#: chips of both, and the other card once it was shown.
OWN_SHOWN, TABLE_SHOWN, BETTING_SHOWN = 2, 2 + RANKS, 2 + 2 * RANKS
MOST_BETS, MOST_CHIPS = 2 + MOST_RAISES, ANTE + MOST_RAISES * (RAISE_OF_FIRST + RAISE_OF_SECOND)
CHIPS_SHOWN = BETTING_SHOWN + 2 * MOST_BETS * len(MOVE_NAMES)
OTHER_SHOWN = CHIPS_SHOWN + 2

#: A position as it is drawn: a card each, what happened, and whose view it is.
DRAWING = re.compile(r"([JQK?]) ([JQK?]):((?: (?:fold|call|raise|[JQK]))*)(?:; seen by player ([01]))?", re.IGNORECASE)


@dataclass(frozen=True)
class LeducPoker(Game):
    """Bet with a card in hand, turn up another, and bet again; a pair wins, else the higher card.

    There are two jacks, two queens and two kings. Each antes a chip. Player 0 begins both rounds; a raise is 2 chips in
    the first round and 4 in the second, and a round has two of them at most (Southey et al. 2005; OpenSpiel's rules,
    without suits, which decide nothing).

    Actions: 0 is `fold`, where there is a raise to answer; 1 is `call` (or check), 2 is `raise`. Chance outcomes 0, 1,
    2 are the jack, queen or king that is turned up. Utilities are chips won or lost; equal cards share the pot.

    Position: [player to move, betting of the first round, of the second, card on the table, raises in this round, chips
    of both players, cards of both players]; an unknown card is -1. The betting of a round is a 1 followed by two bits
    for each action.
    """

    num_players = 2
    num_actions = 3
    num_chance_outcomes = RANKS
    state_size = 9
    max_game_length = 9
    min_utility = -13.0
    max_utility = 13.0
    observation_shape = (OTHER_SHOWN + RANKS,)

    def initial(self, state: Position, rng: Rng) -> None:
        """Ante, and deal a card to each."""
        state[FIRST] = START
        state[TABLE] = UNKNOWN
        state[CHIPS] = ANTE
        state[CHIPS + 1] = ANTE
        state[CARD] = below(rng, RANKS)
        self.deal_other(state, 0, rng)

    def deal_other(self, state: Position, player: int, rng: Rng) -> None:
        """Give the other player one of the cards that are neither on the table nor held by `player`."""
        own, table = state[CARD + player], state[TABLE]
        left = RANKS * COPIES - 1 - (1 if table != UNKNOWN else 0)
        drawn = below(rng, left)
        rank = 0
        while drawn >= self.copies_left(rank, own, table):
            drawn -= self.copies_left(rank, own, table)
            rank += 1
        state[CARD + 1 - player] = rank

    def copies_left(self, rank: int, one: int, other: int) -> int:
        """How many cards of a rank are left when two others are taken out."""
        return COPIES - (1 if one == rank else 0) - (1 if other == rank else 0)

    def current_player(self, state: Position) -> int:
        """Player 0 begins each round; chance turns up a card between them."""
        return state[PLAYER]

    def is_raised(self, state: Position) -> bool:
        """Whether the player to move has fewer chips in the pot than the other."""
        return state[CHIPS] != state[CHIPS + 1]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Call; fold where there is a raise to answer; raise where fewer than two were made in this round."""
        count = 0
        if self.is_raised(state):
            actions[count] = FOLD
            count += 1
        actions[count] = CALL
        count += 1
        if state[RAISES] < MOST_RAISES:
            actions[count] = RAISE
            count += 1
        return count

    def chance_outcomes(
        self,
        state: Position,
        actions: Actions,
        probabilities: NDArray[np.float64],
    ) -> int:
        """Any of the four cards that nobody holds."""
        count = 0
        for rank in range(RANKS):
            copies = self.copies_left(rank, state[CARD], state[CARD + 1])
            if copies > 0:
                actions[count] = rank
                probabilities[count] = copies / (RANKS * COPIES - 2)
                count += 1
        return count

    def apply(self, state: Position, action: int) -> None:
        """A fold ends the game; a call ends the round, unless it is the round's first action."""
        if state[PLAYER] == CHANCE:
            state[TABLE] = action
            state[SECOND] = START
            state[RAISES] = 0
            state[PLAYER] = 0
            return
        player = state[PLAYER]
        place = FIRST if state[SECOND] == 0 else SECOND
        is_first_action = state[place] == START
        state[place] = (state[place] << BITS) + action
        state[PLAYER] = 1 - player
        if action == FOLD:
            state[PLAYER] = TERMINAL
        elif action == RAISE:
            state[CHIPS + player] = state[CHIPS + 1 - player]
            state[CHIPS + player] += RAISE_OF_FIRST if place == FIRST else RAISE_OF_SECOND
            state[RAISES] += 1
        else:
            state[CHIPS + player] = state[CHIPS + 1 - player]
            if not is_first_action:
                state[PLAYER] = CHANCE if place == FIRST else TERMINAL

    def strength(self, state: Position, player: int) -> int:
        """A pair beats any single card."""
        card = state[CARD + player]
        return card + RANKS if card == state[TABLE] else card

    def returns(self, state: Position, out: Utilities) -> None:
        """Whoever folded loses its chips; else the stronger hand wins the other's."""
        if self.is_raised(state):  # not answered: somebody folded
            loser = 0 if state[CHIPS] < state[CHIPS + 1] else 1
            out[loser] = -float(state[CHIPS + loser])
        else:
            difference = self.strength(state, 0) - self.strength(state, 1)
            loser = 0 if difference < 0 else 1
            out[loser] = -float(state[CHIPS]) if difference != 0 else 0.0
        out[1 - loser] = -out[loser]

    def is_showdown(self, state: Position) -> bool:
        """Whether the cards have been shown."""
        return state[PLAYER] == TERMINAL and not self.is_raised(state)

    def determinize(self, state: Position, player: int, rng: Rng) -> None:
        """Draw the other card anew, unless it was shown."""
        if not self.is_showdown(state):
            self.deal_other(state, player, rng)

    def observe(self, state: Position, player: int, out: Position) -> None:
        """The betting, the table and one's own card; both cards after a showdown."""
        for index in range(self.state_size):
            out[index] = state[index]
        if not self.is_showdown(state):
            out[CARD + 1 - player] = UNKNOWN

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Marks: which player one is [2], one's card [3], the card on the table [3], actions [2 rounds, 4, 3].

        Then one's own chips in the pot and the other's, as shares of 13, and the card that was shown [3].
        """
        out[player] = 1.0
        out[OWN_SHOWN + state[CARD + player]] = 1.0
        if state[TABLE] != UNKNOWN:
            out[TABLE_SHOWN + state[TABLE]] = 1.0
        for betting in range(2):
            actions = 0
            while state[FIRST + betting] >> BITS * actions > START:
                actions += 1
            for index in range(actions):
                action = state[FIRST + betting] >> BITS * (actions - 1 - index) & 0b11
                out[BETTING_SHOWN + (betting * MOST_BETS + index) * len(MOVE_NAMES) + action] = 1.0
        out[CHIPS_SHOWN] = state[CHIPS + player] / MOST_CHIPS
        out[CHIPS_SHOWN + 1] = state[CHIPS + 1 - player] / MOST_CHIPS
        if self.is_showdown(state):
            out[OTHER_SHOWN + state[CARD + 1 - player]] = 1.0

    def reveals(self, state: Position, action: int) -> bool:
        """Whether the cards are shown next: a call that ends the second round."""
        return action == CALL and state[SECOND] > START

    @property
    def recommended(self) -> dict[str, Any]:
        """Opponents who know their own card; a smaller constant, since most games are for less than all 13 chips."""
        return {"selection": UCT(c=0.4), "method": ISMCTS(observers="all")}

    def deals(self) -> Iterator[tuple[Position, float]]:
        """Any two of the six cards, of which two have each rank."""
        pairs = RANKS * COPIES * (RANKS * COPIES - 1)
        for first, second in itertools.product(range(RANKS), repeat=2):
            yield self.start(first, second), COPIES * self.copies_left(second, first, UNKNOWN) / pairs

    # ---- What a player knows; plain Python

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """The legal ones, whatever the cards; any rank may be turned up."""
        if state[PLAYER] != CHANCE:
            return self.legal_actions(state, actions)
        actions[:RANKS] = range(RANKS)
        return RANKS

    def awaited(self, state: Position, player: int, places: Position) -> int:
        """The other card, at a showdown."""
        other = CARD + 1 - player
        places[0] = other
        return int(self.is_showdown(state) and state[other] == UNKNOWN)

    def reveal(self, state: Position, player: int, facts: Position) -> None:
        """Fill in the other card, of which two others are not left."""
        card, own, table = int(facts[0]), state[CARD + player], state[TABLE]
        if not JACK <= card <= KING or self.copies_left(card, own, table) == 0:
            left = [name for rank, name in enumerate(CARD_NAMES) if self.copies_left(rank, own, table) > 0]
            raise ValueError(f"player {1 - player} has shown one of {', '.join(left)}, not card {card}")
        state[CARD + 1 - player] = card

    def awaited_text(self, state: Position, player: int) -> str:
        """Ask for the other card."""
        return f"tell first which card player {1 - player} has shown: state.reveal('K')"

    def fact_to_string(self, fact: int) -> str:
        """`J`, `Q` or `K`."""
        return CARD_NAMES[fact]

    def string_to_fact(self, text: str) -> int:
        """Read a card in capital or small letters."""
        name = text.strip().upper()
        if len(name) != 1 or name not in CARD_NAMES:
            raise ValueError(f"a card is one of J, Q and K, not {text!r}")
        return CARD_NAMES.index(name)

    def state_from_knowledge(self, player: int, card: str, course: str = "") -> State:
        """Make a position from what one player knows.

        Args:
            player: Who.
            card: Its card: `J`, `Q` or `K`.
            course: What happened so far, the card on the table included, such as `"raise call Q call"`. After a
                showdown `reveal` tells the other card.

        Returns:
            The view of the player.
        """
        player = whole_number("player", player, low=0, high=1)
        position = self.start(UNKNOWN, UNKNOWN)
        position[CARD + player] = self.string_to_fact(card)
        return self.played_on(self.new_state(position, player), course)

    def start(self, first: int, second: int) -> Position:
        """The position at the start, with these cards."""
        position = np.array([0, START, 0, UNKNOWN, 0, ANTE, ANTE, UNKNOWN, UNKNOWN])
        position[CARD : CARD + 2] = first, second
        return position

    def played_on(self, state: State, course: str) -> State:
        """The same position after what a text tells."""
        for word in course.split():
            state.apply_action(state.string_to_action(word.upper() if len(word) == 1 else word.lower()))
        return state

    # ---- Text and checks; plain Python

    def state_from_text(self, drawing: str) -> State:
        """Read what `str(state)` writes: `K J: raise call Q call`, or `K ?: call; seen by player 0`."""
        read = DRAWING.fullmatch(" ".join(drawing.split()))
        if read is None:
            raise ValueError(
                f"a position is drawn as 'K J: raise call Q call' or 'K ?: call; seen by player 0', not {drawing!r}"
            )
        cards, viewer = [name.upper() for name in read.group(1, 2)], read.group(4)
        if viewer is None:
            if UNKNOWN_NAME in cards:
                raise ValueError(f"{drawing!r} does not say whose view it is: add '; seen by player 0' or '1'")
            return self.played_on(self.new_state(self.start(*map(self.string_to_fact, cards))), read.group(3))
        state = self.state_from_knowledge(int(viewer), cards[int(viewer)], read.group(3))
        other = cards[1 - int(viewer)]
        if other != UNKNOWN_NAME:
            state.reveal(other)
        return state

    def actions_of_round(self, betting: int) -> list[int]:
        """The actions that the number of a round stands for."""
        digits = (max(betting, START).bit_length() - 1) // BITS
        return [betting >> BITS * place & 3 for place in reversed(range(digits))]

    def render(self, state: Position) -> str:
        """Cards and what happened, such as `K J: raise call Q call`."""
        cards = " ".join(UNKNOWN_NAME if card == UNKNOWN else CARD_NAMES[card] for card in state[CARD : CARD + 2])
        course = [MOVE_NAMES[action] for action in self.actions_of_round(int(state[FIRST]))]
        if state[TABLE] != UNKNOWN:
            course.append(CARD_NAMES[state[TABLE]])
            course += [MOVE_NAMES[action] for action in self.actions_of_round(int(state[SECOND]))]
        return f"{cards}: {' '.join(course)}".rstrip()

    def render_view(self, state: Position, player: int) -> str:
        """The same with a question mark for an unknown card: `K ?: raise call; seen by player 0`."""
        return f"{self.render(state)}; seen by player {player}"

    def action_to_string(self, state: Position, action: int) -> str:
        """`fold`, `call` or `raise`; for chance, the card."""
        return CARD_NAMES[action] if state[PLAYER] == CHANCE else MOVE_NAMES[action]

    def check_state(self, state: Position) -> None:
        """Refuse cards and betting that no game can have."""
        first, second, table = int(state[CARD]), int(state[CARD + 1]), int(state[TABLE])
        if not {first, second} <= {JACK, QUEEN, KING} or not UNKNOWN <= table <= KING:
            raise ValueError(f"cards are 0, 1 or 2, not {first} and {second} with {table} on the table")
        if table != UNKNOWN and self.copies_left(table, first, second) == 0:
            raise ValueError(f"there are two cards of each rank, not {first}, {second} and {table}")
        if min(state[FIRST], state[SECOND]) < 0 or max(state[FIRST], state[SECOND]) >> 4 * BITS + 1:
            raise ValueError(f"no betting is written {state[FIRST]} and {state[SECOND]}")
        replayed = self.new_state(self.start(first, second))
        actions = self.actions_of_round(int(state[FIRST]))
        actions += [] if table == UNKNOWN else [table, *self.actions_of_round(int(state[SECOND]))]
        for action in actions:
            if action not in replayed.legal_actions():
                raise ValueError(f"after {str(replayed)!r} there is no action {action}")
            replayed.apply_action(action)
        for index in np.flatnonzero(replayed.array != state):
            raise ValueError(f"entry {index} is {replayed.array[index]} after {str(replayed)!r}, not {state[index]}")
