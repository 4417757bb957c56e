"""The files of a game that tests write into a folder, edit and search in other processes."""

#: Two moves; `WINNER`, `prize` and `BONUS` decide, through other files, which of them wins.
GAME = """
from dataclasses import dataclass
import fastmcts
from helper import prize

@dataclass(frozen=True)
class Choice(fastmcts.Game):
    num_players = 1
    num_actions = 2
    state_size = 2
    max_game_length = 1
    def initial(self, state, rng): state[1] = 0
    def current_player(self, state): return fastmcts.TERMINAL if state[0] else 0
    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 1
        return 2
    def apply(self, state, action):
        state[0] = 1
        state[1] = action
    def returns(self, state, out):
        out[0] = prize(state[1])
"""

HELPER = """
import numpy as np
import fastmcts
import tables

WINNER = 1

@fastmcts.compiled
def prize(action):
    return 0.5 * (action == WINNER) + tables.BONUS[action]
"""

TABLES = """
import numpy as np
BONUS = np.array([0.0, 0.0])
"""
