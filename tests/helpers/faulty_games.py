"""Games with a mistake that more than one test looks for."""

from dataclasses import dataclass

from examples.nim import Nim
from tests.toys import TwiceInARow


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
