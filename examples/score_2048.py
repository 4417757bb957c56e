"""2048 with its real score: every merge pays the tile that it makes, when it makes it."""

from dataclasses import dataclass

import numpy as np

import fastmcts
from fastmcts import UCT, RandomRollout
from fastmcts.games import Twenty48
from fastmcts.games.twenty48 import CELLS, SCORE


@dataclass(frozen=True)
class Score2048(Twenty48):
    """2048, in which a search is about the points that are still to come; with a `discount`, early ones count more."""

    @property
    def max_utility(self) -> float:
        """A tile of 2**k has scored less than k * 2**k, and no cell can hold more than the largest."""
        return float(CELLS * self.max_exponent * self.max_tile)

    def rewards(self, state, action, after, out):
        out[0] = float(after[SCORE] - state[SCORE])

    def returns(self, state, out):
        out[0] = 0.0

    def evaluate(self, state, out):
        out[0] = 0.0

    @property
    def recommended(self):
        """What is still to come is a small part of what can be scored at most."""
        return {"selection": UCT(c=0.3, normalize=True), "rollout": RandomRollout(max_length=60)}


def main(simulations: int = 1_000, moves: int = 300) -> None:
    """Play some moves."""
    state = Score2048().new_initial_state(seed=0, draw_chance=True)
    mcts = fastmcts.MCTS(state.game, simulations=simulations, seed=0)
    dice = np.random.default_rng(0)
    for _ in range(moves):
        if state.is_terminal():
            break
        action = mcts.search(state).action
        assert action is not None  # since it is not over
        state.apply_action(action)
        while state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(dice.choice(outcomes, p=chances)))
    print(state)
    print(f"return {state.returns()[0]:g}")


if __name__ == "__main__":
    main()
