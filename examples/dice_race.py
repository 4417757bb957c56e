"""A game with dice: a race in which a player rolls, or takes a safe step."""

from dataclasses import dataclass

import fastmcts

FIELDS, PLAYER, IS_ROLLING = 0, 2, 3  # where the parts of a position stand
ROLL, STEP = 0, 1
FACES = 6
STEP_LENGTH = 3


@dataclass(frozen=True)
class DiceRace(fastmcts.Game):
    """Roll a die and go as far, or take a step of three fields; whoever comes to the end first wins.

    State: [field of player 0, field of player 1, player to move, whether the die rolls].
    """

    length: int = 20
    num_players = 2
    num_actions = 2
    num_chance_outcomes = FACES
    state_size = 4

    def initial(self, state, rng):
        state[PLAYER] = 0

    def current_player(self, state):
        if max(state[FIELDS], state[FIELDS + 1]) >= self.length:
            return fastmcts.TERMINAL
        return fastmcts.CHANCE if state[IS_ROLLING] else state[PLAYER]

    def legal_actions(self, state, actions):
        actions[0], actions[1] = ROLL, STEP
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        for face in range(FACES):
            actions[face] = face
            probabilities[face] = 1.0 / FACES
        return FACES

    def apply(self, state, action):
        if state[IS_ROLLING]:
            self.go(state, action + 1)
        elif action == STEP:
            self.go(state, STEP_LENGTH)
        else:
            state[IS_ROLLING] = 1

    def go(self, state, fields):
        """Move the player on, and let the other one play."""
        state[FIELDS + state[PLAYER]] += fields
        state[PLAYER] = 1 - state[PLAYER]
        state[IS_ROLLING] = 0

    def returns(self, state, out):
        winner = 0 if state[FIELDS] >= self.length else 1
        out[winner] = 1.0
        out[1 - winner] = -1.0

    def action_to_string(self, state, action):
        if state[IS_ROLLING]:
            return str(action + 1)
        return "roll" if action == ROLL else "step"


def main(simulations: int = 5_000) -> None:
    """Search the start, and a position in which a step wins and both are as far."""
    game = DiceRace()
    state = game.new_initial_state()
    print(fastmcts.search(state, simulations=simulations, seed=0))
    state.array[FIELDS] = state.array[FIELDS + 1] = game.length - STEP_LENGTH
    result = fastmcts.search(state, simulations=simulations, seed=0)
    print(state.action_to_string(result.action))  # prints step


if __name__ == "__main__":
    main()
