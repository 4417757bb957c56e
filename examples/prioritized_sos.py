"""SOS with prioritised expansion: moves that score are tried first, and start with optimism."""

import fastmcts
from fastmcts import UCB1, Lazy, Prioritized, games


def main(simulations: int = 100, size: int = 8) -> None:
    """Look how often the move that scores is visited, with prioritised expansion and without."""
    state = games.SOS(rows=size, columns=size).new_initial_state()
    for move in ("a1S", "b1O"):
        state.apply_action(state.string_to_action(move))
    scoring = state.string_to_action("c1S")
    for expansion in (Lazy(), Prioritized(value=0.8, visits=1)):
        result = fastmcts.search(
            state, simulations=simulations, seed=0, strategy="plain", selection=UCB1(c=1.4), expansion=expansion
        )
        visits = int(result.visits[list(result.actions).index(scoring)])
        played = state.action_to_string(result.action)
        print(f"{expansion}: c1S was visited {visits} times, {played} is played")


if __name__ == "__main__":
    main()
