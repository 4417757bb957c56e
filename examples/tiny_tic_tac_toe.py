"""The smallest MCTS: a leaf gets all its children at once, with one rollout each."""

import fastmcts
from fastmcts import UCB1, ExpandAll, games


def main(simulations: int = 200) -> None:
    """Let it play against itself: good play ends in a draw."""
    state = games.TicTacToe().new_initial_state()
    while not state.is_terminal():
        result = fastmcts.search(
            state,
            simulations=simulations,
            seed=0,
            strategy="plain",
            selection=UCB1(c=1.4),
            expansion=ExpandAll(visits=0),
        )
        state.apply_action(result.action)
        print(f"{state}\n")
    print(state.returns())


if __name__ == "__main__":
    main()
