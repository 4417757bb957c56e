"""Analyse a deal: what a player of Whist does who sees its own hand only, and what it would do with open cards."""

import fastmcts
from fastmcts import ISMCTS, PIMC, PerfectInformation, games


def main(simulations: int = 5_000, hand_size: int = 13) -> None:
    """Compare three methods on the first card of a deal."""
    state = games.Whist(hand_size=hand_size).new_initial_state(seed=0)
    print(state)
    for method in (ISMCTS(), PIMC(worlds=20), PerfectInformation()):
        result = fastmcts.search(state, simulations=simulations, seed=0, method=method)
        card = state.action_to_string(result.action)
        print(f"{type(method).__name__}: {card}, worth {result.value:.2f} of all tricks")


if __name__ == "__main__":
    main()
