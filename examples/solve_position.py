"""Solve a position: what is it worth, and which moves keep that?"""

import fastmcts
from fastmcts import games


def main(simulations: int = 100_000) -> None:
    """Prove what tic-tac-toe is worth after x in a corner and o beside it."""
    state = games.TicTacToe().new_initial_state()
    for cell in ("a1", "b1"):
        state.apply_action(state.string_to_action(cell))
    print(state)
    result = fastmcts.search(state, simulations=simulations, seed=0, solver=True)
    print(result)
    print(f"{result.stopped_by} after {result.simulations:,} simulations: worth {result.proven_value} to x")


if __name__ == "__main__":
    main()
