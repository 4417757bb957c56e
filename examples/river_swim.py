"""A Markov decision process: RiverSwim, in which only patience against the current pays."""

from dataclasses import dataclass

import fastmcts
from fastmcts import UCT, ExpandAll, GameRollout

PLACE, TIME, MOVER = range(3)  # of a position
LEFT, RIGHT = 0, 1
BACK, STAY, ON = 0, 1, 2  # what the current does to a swimmer


@dataclass(frozen=True)
class RiverSwim(fastmcts.Game):
    """Swim left with the current, or right against it (Strehl and Littman 2008, numbers of Osband et al. 2013).

    Left always succeeds, and pays 0.005 in the first place. Right succeeds 35% of the time, stays 60% and drifts back
    5% (in the first place 60% and 40% stay; in the last one 60% stay and 40% drift back), and pays 1 in the last place.

    State: [place, steps made, the player or CHANCE].
    """

    places: int = 6
    horizon: int = 20

    num_players = 1
    num_actions = 2
    num_chance_outcomes = 3
    state_size = 3
    min_utility = 0.0

    @property
    def max_game_length(self) -> int:
        """Each step may leave something to the current."""
        return 2 * self.horizon

    @property
    def max_utility(self) -> float:
        """As if every step paid 1."""
        return float(self.horizon)

    def initial(self, state, rng):
        state[PLACE] = 0

    def current_player(self, state):
        return state[MOVER]

    def legal_actions(self, state, actions):
        actions[0] = LEFT
        actions[1] = RIGHT
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        if state[PLACE] == 0:
            actions[0], probabilities[0] = STAY, 0.4
            actions[1], probabilities[1] = ON, 0.6
            return 2
        if state[PLACE] == self.places - 1:
            actions[0], probabilities[0] = BACK, 0.4
            actions[1], probabilities[1] = STAY, 0.6
            return 2
        actions[0], probabilities[0] = BACK, 0.05
        actions[1], probabilities[1] = STAY, 0.6
        actions[2], probabilities[2] = ON, 0.35
        return 3

    def apply(self, state, action):
        if state[MOVER] == fastmcts.CHANCE:
            state[PLACE] += action - STAY
            state[MOVER] = fastmcts.TERMINAL if state[TIME] == self.horizon else 0
            return
        state[TIME] += 1
        if action == RIGHT:
            state[MOVER] = fastmcts.CHANCE
        else:
            state[PLACE] = max(0, state[PLACE] - 1)
            state[MOVER] = fastmcts.TERMINAL if state[TIME] == self.horizon else 0

    def rewards(self, state, action, after, out):
        out[0] = 0.0
        if state[MOVER] != fastmcts.CHANCE:
            if action == LEFT and state[PLACE] == 0:
                out[0] = 0.005
            if action == RIGHT and state[PLACE] == self.places - 1:
                out[0] = 1.0

    def returns(self, state, out):
        out[0] = 0.0

    def rollout_action(self, state, actions, rng):
        return RIGHT

    @property
    def recommended(self):
        """Rollouts swim on, which is nearly the best play; what is known of few visits is not worth a branch."""
        return {"selection": UCT(c=0.1), "expansion": ExpandAll(visits=1000), "rollout": GameRollout()}

    def action_to_string(self, state, action):
        return ("back", "stay", "on")[action] if state[MOVER] == fastmcts.CHANCE else ("left", "right")[action]


def main(simulations: int = 20_000) -> None:
    """Search from the first place: the best play can expect a return of 3.397."""
    state = RiverSwim().new_initial_state()
    result = fastmcts.search(state, simulations=simulations, seed=0)
    print(result)
    print(f"{state.action_to_string(result.action)}, worth {result.values.max():.2f}")


if __name__ == "__main__":
    main()
