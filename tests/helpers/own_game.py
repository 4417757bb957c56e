"""A user's own game, in a file that is none of the package's."""

from pathlib import Path

OWN_GAME = """
from dataclasses import dataclass
from fastmcts import Game, UCT
from fastmcts.games import Klondike

@dataclass(frozen=True)
class {name}(Game):
    stones: int = 5
    num_players = 2
    num_actions = 2
    state_size = 2
    def initial(self, state, rng): state[0] = self.stones
    def current_player(self, state): return state[1] if state[0] > 0 else -4
    def legal_actions(self, state, actions):
        for take in range(min(2, state[0])): actions[take] = take
        return min(2, state[0])
    def apply(self, state, action):
        state[0] -= action + 1
        state[1] = 1 - state[1]
    def returns(self, state, out):
        out[1 - state[1]] = 1.0
        out[state[1]] = -1.0

@dataclass(frozen=True)
class Careful(UCT):
    c: float = 0.1
"""


def own_game(folder: Path, file: str = "my_own_nim.py", name: str = "MyNim") -> Path:
    path = folder / file
    path.write_text(OWN_GAME.format(name=name))
    return path
