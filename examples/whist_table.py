"""Tricks with hidden hands: a position from what one player knows, and what follows when somebody shows a void."""

import fastmcts
from fastmcts import games


def main(simulations: int = 5_000) -> None:
    """Player 2 leads the king of clubs, player 3 does not follow, and player 0 asks what to play."""
    game = games.Whist(hand_size=4)
    table = game.state_from_knowledge(player=0, hand="AS 9H AC 2C", leader=2)
    for card in ("KC", "7H"):
        table.apply_action(table.string_to_action(card))
    print(table)
    print(f"player 3 lacks: {table.known_voids(3)}")
    print(fastmcts.search(table, simulations=simulations, seed=0))


if __name__ == "__main__":
    main()
