"""Small games that the tests need and nobody would play."""

from dataclasses import dataclass

import numpy as np

import fastmcts
from fastmcts.rng import below


@dataclass(frozen=True)
class TwiceInARow(fastmcts.Game):
    """Each player moves twice in a row and adds 0, 1 or 2 to a sum; player 0 wins if it is a multiple of 3.

    State: [sum, moves made].
    """

    num_players = 2
    num_actions = 3
    state_size = 2
    max_game_length = 8

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        return fastmcts.TERMINAL if state[1] == 8 else state[1] // 2 % 2

    def legal_actions(self, state, actions):
        for action in range(3):
            actions[action] = action
        return 3

    def apply(self, state, action):
        state[0] += action
        state[1] += 1

    def returns(self, state, out):
        winner = 0 if state[0] % 3 == 0 else 1
        out[winner] = 1.0
        out[1 - winner] = -1.0


@dataclass(frozen=True)
class ThreePlayers(fastmcts.Game):
    """Players 0, 1, 2 in turn take 1 to 3 of 12 stones; who takes the last gets 2, the next 1, the third 0.

    State: [stones left, player to move].
    """

    stones: int = 12
    num_players = 3
    num_actions = 3
    state_size = 2
    min_utility = 0.0
    max_utility = 2.0

    def initial(self, state, rng):
        state[0] = self.stones

    def current_player(self, state):
        return state[1] if state[0] > 0 else fastmcts.TERMINAL

    def legal_actions(self, state, actions):
        count = min(3, state[0])
        for action in range(count):
            actions[action] = action
        return count

    def apply(self, state, action):
        state[0] -= action + 1
        state[1] = (state[1] + 1) % 3

    def returns(self, state, out):
        out[(state[1] + 2) % 3] = 2.0
        out[state[1]] = 1.0
        out[(state[1] + 1) % 3] = 0.0


@dataclass(frozen=True)
class OneShot(fastmcts.Game):
    """One player, one move: action 0 loses, action 1 wins.  State: [over, won]."""

    num_players = 1
    num_actions = 2
    state_size = 2
    max_game_length = 1

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        return fastmcts.TERMINAL if state[0] == 1 else 0

    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 1
        return self.num_actions

    def apply(self, state, action):
        state[0] = 1
        state[1] = action

    def returns(self, state, out):
        out[0] = 1.0 if state[1] == 1 else -1.0


@dataclass(frozen=True)
class Shuffled(fastmcts.Game):
    """A game whose start depends on the seed: guess nothing, play until the number dealt runs out."""

    num_players = 1
    num_actions = 1
    state_size = 1
    max_game_length = 10

    def initial(self, state, rng):
        state[0] = 1 + below(rng, 9)

    def current_player(self, state):
        return 0 if state[0] > 0 else fastmcts.TERMINAL

    def legal_actions(self, state, actions):
        actions[0] = 0
        return 1

    def apply(self, state, action):
        state[0] -= 1

    def returns(self, state, out):
        out[0] = 1.0


def position(game: fastmcts.Game, *entries: int) -> fastmcts.State:
    return game.state_from_array(np.array(entries, np.int64))


@dataclass(frozen=True)
class Peek(fastmcts.Game):
    """Player 0 hides a coin in one of two hands; player 1, who gets a hint that is right 3 times in 4, guesses.

    Neither the choice nor the hint is seen by the other.  State: [stage, hand, hint, guess].
    """

    num_players = 2
    num_actions = 2
    num_chance_outcomes = 2
    state_size = 4
    max_game_length = 3
    hides_moves = True

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        if state[0] == 1:
            return fastmcts.CHANCE
        return fastmcts.TERMINAL if state[0] == 3 else state[0] // 2

    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 1
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        for hint in range(2):
            actions[hint] = hint
            probabilities[hint] = 0.75 if hint == state[1] else 0.25
        return 2

    def apply(self, state, action):
        state[0] += 1
        state[state[0]] = action

    def returns(self, state, out):
        out[1] = 1.0 if state[3] == state[1] else -1.0
        out[0] = -out[1]

    def determinize(self, state, player, rng):
        if player == 1 and 0 < state[0] < 3:
            state[1] = below(rng, 2)
        if player == 0 and state[0] == 2:
            state[2] = below(rng, 2)

    def observe(self, state, player, out):
        for index in range(4):
            out[index] = state[index]
        if state[0] < 3:
            out[2 - player] = -1


@dataclass(frozen=True)
class RandomPayoffs(fastmcts.Game):
    """A small game tree that the seed decides: who moves where, among how many moves, and who gets what at the end.

    Nobody's gain is another's loss, and many moves are equally good.  State: [depth, a number for the line so far].
    """

    num_players: int = 2
    depth: int = 4
    num_actions = 3
    state_size = 2
    max_game_length = 4
    min_utility = -0.7
    constant_sum = False

    def initial(self, state, rng):
        state[1] = below(rng, 2**31 - 1)

    def current_player(self, state):
        if state[0] == self.depth or (state[0] > 1 and state[1] % 5 == 0):
            return fastmcts.TERMINAL
        return state[1] // 7 % self.num_players

    def legal_actions(self, state, actions):
        count = 1 + state[1] // 3 % 3
        for action in range(count):
            actions[action] = action
        return count

    def apply(self, state, action):
        state[0] += 1
        state[1] = (state[1] * 1103515245 + 12345 * (action + 1)) % (2**31 - 1)

    def returns(self, state, out):
        for player in range(self.num_players):
            out[player] = (-0.7, -0.1, 0.2, 0.4, 1.0)[state[1] // (11 + 2 * player) % 5]


COIN, WORD = 1, 2


@dataclass(frozen=True)
class Coin(fastmcts.Game):
    """Player 1 sees a coin, and both say a word, player 0 first.  State: [words said, coin, words [2]]."""

    num_players = 2
    num_actions = 2
    state_size = 4
    max_game_length = 2

    def initial(self, state, rng):
        state[COIN] = below(rng, 2)

    def current_player(self, state):
        return state[0] if state[0] < 2 else fastmcts.TERMINAL

    def legal_actions(self, state, actions) -> int:
        actions[0] = 0
        actions[1] = 1
        return 2

    def apply(self, state, action):
        state[WORD + state[0]] = action
        state[0] += 1

    def returns(self, state, out):
        out[0] = 1.0 if state[WORD] == state[COIN] else -1.0
        out[1] = -out[0]

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = below(rng, 2)

    def observe(self, state, player, out):
        for index in range(self.state_size):
            out[index] = state[index]
        if player == 0:
            out[COIN] = -1


DECISIONS, MOVER, SUM, SECRET = range(4)


@dataclass(frozen=True)
class Paid(fastmcts.Game):
    """Moves and dice pay on the way, each player something else; player 0 moves twice in a row.

    Six times a player plays 0, 1 or 2; after every second time a die decides.  State: [decisions made, player to move
    or CHANCE, sum of all that was played, a number from the seed].
    """

    num_players: int = 2
    decisions: int = 6
    num_actions = 3
    num_chance_outcomes = 2
    state_size = 4
    max_game_length = 18
    min_utility = -14.0
    max_utility = 17.0

    def initial(self, state, rng):
        state[SECRET] = below(rng, 2)

    def current_player(self, state):
        return state[MOVER]

    def legal_actions(self, state, actions):
        count = 2 + state[SUM] % 2
        for action in range(count):
            actions[action] = action
        return count

    def chance_outcomes(self, state, actions, probabilities):
        for outcome in range(2):
            actions[outcome] = outcome
            probabilities[outcome] = 0.25 + 0.5 * outcome
        return 2

    def apply(self, state, action):
        state[SUM] += 1 + action
        if state[MOVER] == fastmcts.CHANCE or state[DECISIONS] % 2 == 0:
            state[DECISIONS] += state[MOVER] != fastmcts.CHANCE
            state[MOVER] = state[DECISIONS] // 3 % self.num_players
            if state[DECISIONS] >= self.decisions:
                state[MOVER] = fastmcts.TERMINAL
        else:
            state[DECISIONS] += 1
            state[MOVER] = fastmcts.CHANCE

    def rewards(self, state, action, after, out):
        for player in range(self.num_players):
            out[player] = -0.1 * action
        if state[MOVER] == fastmcts.CHANCE:
            out[after[SUM] % self.num_players] += 0.5 + action
        else:
            out[state[MOVER]] += 0.3 * (after[SUM] % 5) - 0.2 + 0.7 * (action == state[SECRET])

    def returns(self, state, out):
        for player in range(self.num_players):
            out[player] = 1.0 if state[SUM] % self.num_players == player else -0.5


@dataclass(frozen=True)
class PaidInSecret(Paid):
    """The same, but only player 1 knows the number on which it depends what moves pay."""

    def determinize(self, state, player, rng):
        if player == 0:
            state[SECRET] = below(rng, 2)

    def observe(self, state, player, out):
        for index in range(self.state_size):
            out[index] = state[index]
        if player == 0:
            out[SECRET] = -1
