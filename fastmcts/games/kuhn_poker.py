"""Kuhn poker, the smallest poker: three cards, two players, one bet."""

from dataclasses import dataclass
from typing import Any

from fastmcts.arrays import Actions, Position, Rng, Utilities
from fastmcts.constants import TERMINAL
from fastmcts.game import Game
from fastmcts.kernels.rng import below
from fastmcts.selection import UCT

#: Where the parts of a position stand: who is to move, the betting so far, and each player's card.
PLAYER, HISTORY, CARD = 0, 1, 2

JACK, QUEEN, KING, UNKNOWN = 0, 1, 2, -1
CARDS = 3
PASS, BET = 0, 1

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

    def reveals(self, state: Position, action: int) -> bool:
        """Whether the cards are shown next."""
        return self.is_showdown(2 * state[HISTORY] + action)

    @property
    def recommended(self) -> dict[str, Any]:
        """A smaller constant: rewards are scaled by the two chips of a bet, and many games are for one."""
        return {"selection": UCT(c=0.2)}

    def render(self, state: Position) -> str:
        """Cards and betting, such as `K J: pass bet`."""
        cards = " ".join("JQK"[card] for card in state[CARD : CARD + 2])
        betting = " ".join(("pass", "bet")[int(digit)] for digit in f"{int(state[HISTORY]):b}"[1:])
        return f"{cards}: {betting}".rstrip()

    def action_to_string(self, state: Position, action: int) -> str:
        """`pass` or `bet`."""
        return ("pass", "bet")[action]

    def check_state(self, state: Position) -> None:
        """Refuse impossible betting, a wrong player, and anything but two different cards of three."""
        player, history, first, second = (int(entry) for entry in state)
        if history not in PLAYERS and history not in ENDS:
            raise ValueError(f"no betting has the history {history}")
        if player != PLAYERS.get(history, TERMINAL):
            raise ValueError(f"after the history {history} the player is not {player}")
        if first == second or not {first, second} <= {JACK, QUEEN, KING}:
            raise ValueError(f"the players hold two different cards of 0, 1 and 2, not {first} and {second}")
