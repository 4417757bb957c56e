"""Kuhn poker, the smallest poker: three cards, two players, one bet."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastmcts.core.constants import TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game, drawn_text, move_text
from fastmcts.rng import below
from fastmcts.state import State
from fastmcts.strategies.methods import ISMCTS
from fastmcts.strategies.selection import SmoothUCT

#: Where the parts of a position stand: who is to move, the betting so far, and each player's card.
PLAYER, HISTORY, CARD = 0, 1, 2

JACK, QUEEN, KING, UNKNOWN = 0, 1, 2, -1
CARDS = 3
PASS, BET = 0, 1
CARD_NAMES, UNKNOWN_NAME = "JQK", "?"
MOVE_NAMES = ("pass", "bet")

#: A position as it is drawn: a card each, the betting, and whose view it is.
DRAWING = re.compile(r"([JQK?]) ([JQK?]):((?: (?:pass|bet))*)(?:; seen by player ([01]))?", re.IGNORECASE)

#: A history is a binary number: a leading 1, then 0 for each pass and 1 for each bet.
START = 0b1
PASS_PASS, BET_PASS, BET_BET, PASS_BET_PASS, PASS_BET_BET = 0b100, 0b110, 0b111, 0b1_010, 0b1_011
#: The player to move after each history.
PLAYERS = {START: 0, 0b10: 1, 0b11: 1, 0b101: 0}
ENDS = (PASS_PASS, BET_PASS, BET_BET, PASS_BET_PASS, PASS_BET_BET)


@dataclass(frozen=True)
class KuhnPoker(Game):
    """Each antes a chip and gets a card; one bet of a chip may be made, and called or not.

    Actions: 0 is `pass` (check or fold), 1 is `bet` (or call). Utilities are chips won or lost.

    Position: [player to move, history, card of player 0, card of player 1]; cards are 0, 1, 2 for jack,
    queen, king. A history is a 1 followed by a binary digit per action.
    """

    num_players = 2
    num_actions = 2
    state_size = 4
    max_game_length = 3
    observation_shape = (14,)  # who one is, one's card, three moves, the other's card
    min_utility = -2.0
    max_utility = 2.0

    def initial(self, state: Position, rng: Rng) -> None:
        """Deal a card to each."""
        state[HISTORY] = START
        state[CARD] = below(rng, CARDS)
        self.deal_other(state, 0, rng)

    def deal_other(self, state: Position, player: int, rng: Rng) -> None:
        """Give the other player one of the two cards that `player` does not hold."""
        state[CARD + 1 - player] = (state[CARD + player] + 1 + below(rng, CARDS - 1)) % CARDS

    def current_player(self, state: Position) -> int:
        """Player 0 begins."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Always both."""
        actions[0] = PASS
        actions[1] = BET
        return 2

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Either, with equal chances."""
        return below(rng, 2)

    def apply(self, state: Position, action: int) -> None:
        """Two passes, or an answer to a bet, end the game."""
        answers_bet = state[HISTORY] > START and state[HISTORY] & 1 == BET
        second_pass = state[HISTORY] > START and action == PASS
        state[HISTORY] = 2 * state[HISTORY] + action
        state[PLAYER] = TERMINAL if answers_bet or second_pass else 1 - state[PLAYER]

    def returns(self, state: Position, out: Utilities) -> None:
        """The higher card wins the pot, unless somebody folded."""
        history = state[HISTORY]
        if history == BET_PASS:
            chips = 1.0
        elif history == PASS_BET_PASS:
            chips = -1.0
        else:
            stake = 1.0 if history == PASS_PASS else 2.0
            chips = stake if state[CARD] > state[CARD + 1] else -stake
        out[0] = chips
        out[1] = -chips

    def is_showdown(self, history: int) -> bool:
        """Whether the cards have been shown."""
        return history in (PASS_PASS, BET_BET, PASS_BET_BET)

    def determinize(self, state: Position, player: int, rng: Rng) -> None:
        """Draw the other card anew, unless it was shown."""
        if not self.is_showdown(state[HISTORY]):
            self.deal_other(state, player, rng)

    def observe(self, state: Position, player: int, out: Position) -> None:
        """The betting and one's own card; both cards after a showdown."""
        for index in range(self.state_size):
            out[index] = state[index]
        if not self.is_showdown(state[HISTORY]):
            out[CARD + 1 - player] = UNKNOWN

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Marks: which player one is [2], one's card [3], each move so far [3, 2], the card that was shown [3]."""
        out[player] = 1.0
        out[2 + state[CARD + player]] = 1.0
        moves = 3 if state[HISTORY] >= 8 else 2 if state[HISTORY] >= 4 else 1 if state[HISTORY] >= 2 else 0
        for move in range(moves):
            action = state[HISTORY] >> (moves - 1 - move) & 1
            out[5 + 2 * move + action] = 1.0
        if self.is_showdown(state[HISTORY]):
            out[11 + state[CARD + 1 - player]] = 1.0

    def reveals(self, state: Position, action: int) -> bool:
        """Whether the cards are shown next."""
        return self.is_showdown(2 * state[HISTORY] + action)

    @property
    def recommended(self) -> dict[str, Any]:
        """All hands from the deal on, against opponents who play their average: this approaches an equilibrium."""
        return {"selection": SmoothUCT(c=0.5), "method": ISMCTS(observers="all", begins="deal")}

    def deals(self) -> Iterator[tuple[Position, float]]:
        """Any two different cards."""
        for first, second in itertools.permutations(range(CARDS), 2):
            yield np.array([0, START, first, second]), 1 / (CARDS * (CARDS - 1))

    # ---- What a player knows; plain Python

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """Always both, whatever the cards."""
        return self.legal_actions(state, actions)

    def awaited(self, state: Position, player: int, places: Position) -> int:
        """The other card, at a showdown."""
        other = CARD + 1 - player
        places[0] = other
        return int(self.is_showdown(state[HISTORY]) and state[other] == UNKNOWN)

    def reveal(self, state: Position, player: int, facts: Position) -> None:
        """Fill in the other card, which is not one's own."""
        if not JACK <= facts[0] <= KING or facts[0] == state[CARD + player]:
            own = self.fact_to_string(state[CARD + player])
            raise ValueError(f"player {1 - player} has shown one of J, Q and K other than {own}, not card {facts[0]}")
        state[CARD + 1 - player] = facts[0]

    def awaited_text(self, state: Position, player: int) -> str:
        """Ask for the other card."""
        return f"tell first which card player {1 - player} has shown: state.reveal('K')"

    def fact_to_string(self, fact: int) -> str:
        """`J`, `Q` or `K`."""
        return CARD_NAMES[fact]

    def string_to_fact(self, text: str) -> int:
        """Read a card in capital or small letters."""
        name = text.strip().upper() if isinstance(text, str) else ""
        if len(name) != 1 or name not in CARD_NAMES:
            raise ValueError(f"a card is one of J, Q and K, not {text!r}")
        return CARD_NAMES.index(name)

    def state_from_knowledge(self, player: int, card: str, betting: str = "") -> State:
        """Make a position from what one player knows.

        Args:
            player: Who.
            card: Its card: `J`, `Q` or `K`.
            betting: What was done so far, such as `"pass bet"`. After a showdown `reveal` tells the other card.

        Returns:
            The view of the player.
        """
        player = whole_number("player", player, low=0, high=1)
        position = np.array([0, START, UNKNOWN, UNKNOWN])
        position[CARD + player] = self.string_to_fact(card)
        state = self.new_state(position, player)
        for move in move_text(betting).split():
            state.apply_action(state.string_to_action(move.lower()))
        return state

    # ---- Text and checks; plain Python

    def state_from_text(self, drawing: str) -> State:
        """Read what `str(state)` writes: `K J: pass bet`, or `K ?: pass; seen by player 0`."""
        read = DRAWING.fullmatch(" ".join(drawn_text(drawing).split()))
        if read is None:
            raise ValueError(
                f"a position is drawn as 'K J: pass bet' or 'K ?: pass; seen by player 0', not {drawing!r}"
            )
        cards, viewer = [name.upper() for name in read.group(1, 2)], read.group(4)
        if viewer is None:
            if UNKNOWN_NAME in cards:
                raise ValueError(f"{drawing!r} does not say whose view it is: add '; seen by player 0' or '1'")
            position = np.array([0, START, *map(self.string_to_fact, cards)])
            self.check_state(position)
            state = self.new_state(position)
            for move in read.group(3).lower().split():
                state.apply_action(state.string_to_action(move))
            return state
        state = self.state_from_knowledge(int(viewer), cards[int(viewer)], read.group(3))
        other = cards[1 - int(viewer)]
        if other != UNKNOWN_NAME:
            state.reveal(other)
        return state

    def render(self, state: Position) -> str:
        """Cards and betting, such as `K J: pass bet`."""
        cards = " ".join(UNKNOWN_NAME if card == UNKNOWN else CARD_NAMES[card] for card in state[CARD : CARD + 2])
        betting = " ".join(MOVE_NAMES[int(digit)] for digit in f"{int(state[HISTORY]):b}"[1:])
        return f"{cards}: {betting}".rstrip()

    def render_view(self, state: Position, player: int) -> str:
        """The same with a question mark for an unknown card: `K ?: pass bet; seen by player 0`."""
        return f"{self.render(state)}; seen by player {player}"

    def action_to_string(self, state: Position, action: int) -> str:
        """`pass` or `bet`."""
        return MOVE_NAMES[action]

    def check_state(self, state: Position) -> None:
        """Refuse impossible betting, a wrong player, and anything but two different cards of three."""
        player, history, first, second = (int(entry) for entry in state)
        if history not in PLAYERS and history not in ENDS:
            raise ValueError(f"no betting has the history {history}")
        if player != PLAYERS.get(history, TERMINAL):
            raise ValueError(f"after the history {history} the player is not {player}")
        if first == second or not {first, second} <= {JACK, QUEEN, KING}:
            raise ValueError(f"the players hold two different cards of 0, 1 and 2, not {first} and {second}")
