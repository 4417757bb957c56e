"""Single perspective: a tree of one player's moves, in which everybody else moves at random."""

import fastmcts
from fastmcts import PerfectInformation, SinglePerspective, games


def main(simulations: int = 10_000) -> None:
    """Compare the trees, and the moves, of both ways to think on Connect Four."""
    state = games.ConnectFour().new_initial_state()
    for method in (PerfectInformation(), SinglePerspective(), SinglePerspective(resample=True)):
        result = fastmcts.search(state, simulations=simulations, seed=0, strategy="plain", method=method)
        move = state.action_to_string(result.action)
        print(f"{method}: {move}, {result.nodes:,} nodes, {result.max_depth} levels deep")


if __name__ == "__main__":
    main()
