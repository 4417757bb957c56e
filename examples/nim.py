"""A game of one's own: Nim, written for fastmcts in one class."""

from dataclasses import dataclass

import fastmcts


@dataclass(frozen=True)
class Nim(fastmcts.Game):
    """Take one to three stones; whoever takes the last one wins.  State: [stones left, player to move]."""

    stones: int = 21
    num_players = 2
    num_actions = 3
    state_size = 2

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
        state[1] = 1 - state[1]

    def returns(self, state, out):
        loser = state[1]  # it would be the loser's turn
        out[loser] = -1.0
        out[1 - loser] = 1.0

    def action_to_string(self, state, action):
        return f"take {action + 1}"


def main(simulations: int = 2_000) -> None:
    """Search a pile of ten: to take two leaves a multiple of four, which wins."""
    state = Nim(stones=10).new_initial_state()
    result = fastmcts.search(state, simulations=simulations, seed=0)
    print(result)
    print(state.action_to_string(result.action))  # prints take 2


if __name__ == "__main__":
    main()
