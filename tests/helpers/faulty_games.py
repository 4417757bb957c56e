"""Games with a mistake that more than one test looks for."""

from dataclasses import dataclass

import fastmcts
from examples.nim import Nim
from tests.toys import Coin, TwiceInARow


@dataclass(frozen=True)
class Fragile(TwiceInARow):
    """Breaks off in the fourth move of a line that a search comes to some time."""

    def legal_actions(self, state, actions):
        for action in range(3):
            actions[action] = action
        return 3 - 3 * (state[1] == 4 and state[0] == 8)


class Unsorted(Nim):
    def legal_actions(self, state, actions):
        actions[0] = 1
        actions[1] = 0
        return 2 if state[0] > 1 else 1


class OutOfRange(Nim):
    def legal_actions(self, state, actions):
        actions[0] = 3
        return 1


class Seen(Nim):
    """Rightly shown to networks; those below are not."""

    observation_shape = (2,)

    def observation(self, state, player, out):
        out[0] = state[0] / self.stones
        out[1] = 1.0 if state[1] == player else 0.0


class SeenBeyond(Seen):
    def observation(self, state, player, out):
        out[2] = 1.0


class SeenAndChanged(Seen):
    def observation(self, state, player, out):
        state[0] = 1


class Infinite(Seen):
    def observation(self, state, player, out):
        out[0] = 1.0
        out[1] = 1e300 * 1e300


class Returned(Seen):
    def observation(self, state, player, out):
        return out


class Restless(Seen):
    def observation(self, state, player, out):
        LOOKS.append(player)
        out[0] = len(LOOKS)


class Betrayed(Coin):
    """Both players are shown the coin."""

    observation_shape = (4,)

    def observation(self, state, player, out):
        for index in range(4):
            out[index] = state[index]


LOOKS: list[int] = []

#: What is wrong with the games above that are shown to networks.
FAULTS_SEEN: list[tuple[type[fastmcts.Game], str]] = [
    (SeenBeyond, r"observation reads or writes past .* index 2 .*observation_shape is \(2,\)\)\n.* out\[2\] = 1.0"),
    (SeenAndChanged, "observation changes the position; only apply and determinize may"),
    (Infinite, "observation writes inf into entry 1 of `out`; networks need finite numbers"),
    (Returned, "observation returns .*; it must write what a network sees into `out` and return nothing"),
    (Restless, "observation writes something else when it is called again: it depends on more than the position"),
    (Betrayed, "observation shows player 0 what is hidden from it: something else than in a world that it cannot"),
]
