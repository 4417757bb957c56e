"""Sweep a constant: which weight of exploration plays Connect Four best at so many simulations?

The constant is a float field of the rule, so that all its values share one compilation.
"""

from collections.abc import Sequence

from fastmcts import UCT, games
from fastmcts.experiments import Search, play_match


def main(
    simulations: int = 200, number_of_games: int = 100, constants: Sequence[float] = (0.1, 0.25, 1.0, 2.0)
) -> None:
    """Let each constant play against 0.5."""
    game = games.ConnectFour()
    middle = Search(simulations=simulations, strategy="plain", selection=UCT(c=0.5))
    for c in constants:
        agent = Search(simulations=simulations, strategy="plain", selection=UCT(c=c))
        result = play_match(game, agent, middle, number_of_games, seed=0)
        print(f"c = {c}: {result.score}")


if __name__ == "__main__":
    main()
