"""Play a match: Connect Four with its recommended strategy against the plain one, at equal simulations."""

from fastmcts import games
from fastmcts.experiments import Search, play_match


def main(simulations: int = 200, number_of_games: int = 100) -> None:
    """Play pairs of games from the same openings, and print the score with its interval."""
    recommended = Search(simulations=simulations)
    plain = Search(simulations=simulations, strategy="plain")
    print(play_match(games.ConnectFour(), recommended, plain, number_of_games, seed=0))


if __name__ == "__main__":
    main()
