"""Liar's dice: bid how many dice show a face, higher and higher, until somebody does not believe it."""

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.games._bit_set import INSIDE, SHIFT, members, toggle, words_for
from fastmcts.rng import below
from fastmcts.state import State

#: Where the parts of a position stand: who is to move, how many actions were made, the last bid, and the set of all
#: bids; the dice are behind it.
PLAYER, TURN, LAST, BIDS = range(4)

UNKNOWN = 0  # a face that is hidden
UNKNOWN_NAME = "?"
MOST_ACTIONS = 1_000

#: A position as it is drawn: the dice of each player, the bids, and whose view it is.
DRAWING = re.compile(r"([\d?, ]+):((?: (?:\d+x\d+|liar))*)(?:; seen by player (\d+))?", re.IGNORECASE)


@dataclass(frozen=True)
class LiarsDice(Game):
    """Roll dice unseen and bid how many of all show a face; who is called a liar shows whether it is so.

    A bid is higher if it has more dice, or as many of a higher face. The highest face is wild: it counts as any.
    Whoever called wins if there are fewer dice than the last bid says, else whoever bid wins; the one gains 1 and the
    other loses 1. For two players these are OpenSpiel's rules; others take turns, and who is not concerned gets 0.

    Args:
        players: How many play.
        dice: For each player.
        sides: Of each die.

    Actions: (number - 1) * sides + face - 1 is a bid, `2x5` for two fives; the action after all bids is `liar`.

    Position: [player to move, actions so far, last bid or -1, set of the bids made, dice of each player in ascending
    order]; a hidden die is 0.
    """

    players: int = 2
    dice: int = 1
    sides: int = 6

    def __post_init__(self) -> None:
        whole_number("players", self.players, low=2, high=20)
        whole_number("dice", self.dice, low=1, high=20)
        whole_number("sides", self.sides, low=2, high=100)
        if self.num_actions > MOST_ACTIONS:
            raise ValueError(
                f"players * dice * sides must be below {MOST_ACTIONS:,}, not {self.num_bids:,}: that many bids"
            )

    @cached_property
    def num_players(self) -> int:
        """All `players`."""
        return self.players

    @cached_property
    def num_bids(self) -> int:
        """Each face, of one die up to all of them."""
        return self.players * self.dice * self.sides

    @cached_property
    def num_actions(self) -> int:
        """Each bid, and `liar`."""
        return self.num_bids + 1

    @cached_property
    def liar(self) -> int:
        """The action that ends the game."""
        return self.num_bids

    @cached_property
    def words(self) -> int:
        """Entries for the set of bids."""
        return words_for(self.num_bids)

    @cached_property
    def rolled(self) -> int:
        """Where the dice stand."""
        return BIDS + self.words

    @cached_property
    def state_size(self) -> int:
        """The bids, and all dice."""
        return self.rolled + self.players * self.dice

    @cached_property
    def max_game_length(self) -> int:
        """Every bid, and `liar`."""
        return self.num_bids + 1

    # ---- Rules

    def initial(self, state: Position, rng: Rng) -> None:
        """Everybody rolls; player 0 begins."""
        state[LAST] = NONE
        for player in range(self.players):
            self.roll(state, player, rng)

    def roll(self, state: Position, player: int, rng: Rng) -> None:
        """Roll a player's dice, and put them into order."""
        first = self.rolled + player * self.dice
        for index in range(self.dice):
            face = 1 + below(rng, self.sides)
            place = first + index
            while place > first and state[place - 1] > face:
                state[place] = state[place - 1]
                place -= 1
            state[place] = face

    def current_player(self, state: Position) -> int:
        """Players take turns."""
        return state[PLAYER]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """All higher bids, and `liar` once there is a bid."""
        lowest = state[LAST] + 1
        count = self.num_legal(state)
        for index in range(count):
            actions[index] = lowest + index
        return count

    def num_legal(self, state: Position) -> int:
        """How many actions are legal: those from the last bid on."""
        return self.num_bids - state[LAST] - (1 if state[LAST] == NONE else 0)

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw one of the actions above the last bid."""
        return state[LAST] + 1 + below(rng, self.num_legal(state))

    def apply(self, state: Position, action: int) -> None:
        """Bid, or end the game."""
        state[TURN] += 1
        if action == self.liar:
            state[PLAYER] = TERMINAL
        else:
            toggle(state, BIDS, self.words, action)
            state[LAST] = action
            state[PLAYER] = (state[PLAYER] + 1) % self.players

    def is_true(self, state: Position) -> bool:
        """Whether there are as many dice as the last bid says."""
        face = state[LAST] % self.sides + 1
        number = state[LAST] // self.sides + 1
        for place in range(self.rolled, self.state_size):
            if state[place] == face or state[place] == self.sides:
                number -= 1
        return number <= 0

    def returns(self, state: Position, out: Utilities) -> None:
        """The one who called wins from the one who bid, or loses."""
        for player in range(self.players):
            out[player] = 0.0
        gain = -1.0 if self.is_true(state) else 1.0
        out[(state[TURN] - 1) % self.players] = gain
        out[(state[TURN] - 2) % self.players] = -gain

    def determinize(self, state: Position, player: int, rng: Rng) -> None:
        """Roll the others' dice anew, unless they were shown."""
        if state[PLAYER] != TERMINAL:
            for other in range(self.players):
                if other != player:
                    self.roll(state, other, rng)

    def observe(self, state: Position, player: int, out: Position) -> None:
        """The bids and one's own dice; all dice at the end."""
        for index in range(self.state_size):
            out[index] = state[index]
        if state[PLAYER] != TERMINAL:
            for place in range(self.rolled, self.state_size):
                if (place - self.rolled) // self.dice != player:
                    out[place] = UNKNOWN

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """For each player its bids, its dice and whether it is to move; and whether somebody was called a liar."""
        return (self.players * (self.num_bids + self.sides + 1) + 1,)

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Of each player, from oneself on: bids made [players, bids], dice [players, sides], to move [players].

        Dice are the share of a player's that show a face. The others' are shown at the end, when the last number is 1.
        """
        made = 0
        for bid in range(self.num_bids):
            if state[BIDS + (bid >> SHIFT)] >> (bid & INSIDE) & 1:
                out[self.seat(player, made % self.players) * self.num_bids + bid] = 1.0
                made += 1
        dice = self.players * self.num_bids
        for other in range(self.players):
            if other == player or state[PLAYER] == TERMINAL:
                for index in range(self.dice):
                    face = state[self.rolled + other * self.dice + index]
                    out[dice + self.seat(player, other) * self.sides + face - 1] += 1.0 / self.dice
        if state[PLAYER] == TERMINAL:
            out[self.observation_size - 1] = 1.0
        else:
            out[dice + self.players * self.sides + self.seat(player, state[PLAYER])] = 1.0

    def seat(self, player: int, other: int) -> int:
        """How many players on from one another one sits."""
        return (other - player + self.players) % self.players

    def reveals(self, state: Position, action: int) -> bool:
        """Whether the dice are shown next."""
        return action == self.liar

    def deals(self) -> Iterator[tuple[Position, float]]:
        """Whatever all players may roll; dice in another order are the same."""
        rolls = [
            (hand, self.orders(hand) / self.sides**self.dice)
            for hand in itertools.combinations_with_replacement(range(1, self.sides + 1), self.dice)
        ]
        for hands in itertools.product(rolls, repeat=self.players):
            position = self.start()
            position[self.rolled :] = [face for hand, _ in hands for face in hand]
            yield position, math.prod(chance for _, chance in hands)

    def orders(self, hand: tuple[int, ...]) -> int:
        """In how many orders dice may fall."""
        repeats = math.prod(math.factorial(hand.count(face)) for face in set(hand))
        return math.factorial(self.dice) // repeats

    # ---- What a player knows; plain Python

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """The legal ones, whatever the dice."""
        return self.legal_actions(state, actions)

    def awaited(self, state: Position, player: int, places: Position) -> int:
        """The others' dice, at the end."""
        hidden = self.rolled + np.flatnonzero(state[self.rolled :] == UNKNOWN)
        if state[PLAYER] != TERMINAL:
            return 0
        places[: len(hidden)] = hidden
        return len(hidden)

    def reveal(self, state: Position, player: int, facts: Position) -> None:
        """Fill in the others' dice, player after player; each player's in any order."""
        for face in facts:
            if not 1 <= face <= self.sides:
                raise ValueError(f"a die shows 1 to {self.sides}, not {face}")
        places = np.zeros(self.state_size, np.int64)
        state[places[: self.awaited(state, player, places)]] = facts
        for other in range(self.players):
            state[self.dice_of(other)].sort()

    def dice_of(self, player: int) -> slice:
        """Where a player's dice stand."""
        return slice(self.rolled + player * self.dice, self.rolled + (player + 1) * self.dice)

    def awaited_text(self, state: Position, player: int) -> str:
        """Ask for the others' dice."""
        example = " ".join(["1"] * (self.players - 1) * self.dice)
        return f"tell first what the others have rolled, in the order of the players: state.reveal('{example}')"

    def state_from_knowledge(self, player: int, dice: str, bids: str = "") -> State:
        """Make a position from what one player knows.

        Args:
            player: Who.
            dice: What it rolled, such as `"1 4"`.
            bids: The bids so far, such as `"1x4 2x4"`, and `liar` at the end. Then `reveal` tells the other dice.

        Returns:
            The view of the player.
        """
        player = whole_number("player", player, low=0, high=self.players - 1)
        position = self.start()
        position[self.dice_of(player)] = self.read_dice(dice)
        return self.played_on(self.new_state(position, player), bids)

    def start(self) -> Position:
        """The position at the start, with all dice hidden."""
        position = np.zeros(self.state_size, np.int64)
        position[LAST] = NONE
        return position

    def read_dice(self, text: str) -> list[int]:
        """The dice of one player, in ascending order."""
        faces = [self.string_to_fact(word) for word in text.replace(",", " ").split()]
        if len(faces) != self.dice or not all(1 <= face <= self.sides for face in faces):
            raise ValueError(f"a player has {self.dice} dice from 1 to {self.sides}, not {text!r}")
        return sorted(faces)

    def played_on(self, state: State, bids: str) -> State:
        """The same position after some bids."""
        for word in bids.split():
            state.apply_action(state.string_to_action(word.lower()))
        return state

    # ---- Text and checks; plain Python

    def state_from_text(self, drawing: str) -> State:
        """Read what `str(state)` writes: `1,4 2,6: 1x4 2x4`, or `1,4 ?,?: 1x4; seen by player 0`."""
        read = DRAWING.fullmatch(" ".join(drawing.split()))
        hands = read.group(1).split() if read else []
        if read is None or len(hands) != self.players:
            raise ValueError(
                f"a position of {self.players} players is drawn as '1,4 2,6: 1x4 2x4' or"
                f" '1,4 ?,?: 1x4; seen by player 0', not {drawing!r}"
            )
        if read.group(3) is None:
            if UNKNOWN_NAME in read.group(1):
                raise ValueError(f"{drawing!r} does not say whose view it is: add '; seen by player 0'")
            position = self.start()
            position[self.rolled :] = [face for hand in hands for face in self.read_dice(hand)]
            return self.played_on(self.new_state(position), read.group(2))
        viewer = whole_number("the viewer", int(read.group(3)), low=0, high=self.players - 1)
        state = self.state_from_knowledge(viewer, hands[viewer], read.group(2))
        others = [hand for player, hand in enumerate(hands) if player != viewer]
        if any(UNKNOWN_NAME not in hand for hand in others):
            state.reveal(*others)
        return state

    def render(self, state: Position) -> str:
        """Dice and bids, such as `1,4 2,6: 1x4 2x4`."""
        faces = [UNKNOWN_NAME if face == UNKNOWN else str(face) for face in state[self.rolled :]]
        hands = [",".join(faces[first : first + self.dice]) for first in range(0, len(faces), self.dice)]
        actions = sorted(members(state, BIDS, self.num_bids))
        if state[PLAYER] == TERMINAL:
            actions.append(self.liar)
        return f"{' '.join(hands)}: {' '.join(self.action_to_string(state, action) for action in actions)}".rstrip()

    def render_view(self, state: Position, player: int) -> str:
        """The same with question marks for hidden dice: `1,4 ?,?: 1x4; seen by player 0`."""
        return f"{self.render(state)}; seen by player {player}"

    def action_to_string(self, state: Position, action: int) -> str:
        """`2x5` for two fives, or `liar`."""
        return "liar" if action == self.liar else f"{action // self.sides + 1}x{action % self.sides + 1}"

    def check_state(self, state: Position) -> None:
        """Refuse dice and bids that no game can have."""
        dice = state[self.rolled :].tolist()
        if not all(1 <= face <= self.sides for face in dice):
            raise ValueError(f"dice show 1 to {self.sides}, not {dice}")
        for player in range(self.players):
            hand = state[self.dice_of(player)].tolist()
            if hand != sorted(hand):
                raise ValueError(f"the dice of player {player} are to be in ascending order, not {hand}")
        bids = sorted(members(state, BIDS, self.num_bids))
        if state[LAST] != (bids[-1] if bids else NONE):
            raise ValueError(f"after the bids {bids} the last one is not {state[LAST]}")
        over = bool(state[PLAYER] == TERMINAL)
        if over and not bids:
            raise ValueError("nobody is called a liar before the first bid")
        if state[TURN] != len(bids) + over:
            raise ValueError(f"after {len(bids)} bids the number of actions is not {state[TURN]}")
        if not over and state[PLAYER] != len(bids) % self.players:
            raise ValueError(f"after {len(bids)} bids the player to move is not {state[PLAYER]}")
