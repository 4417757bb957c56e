"""Klondike: play a deal without seeing the hidden cards, with a tree that is kept from move to move."""

import fastmcts
from fastmcts import games


def main(simulations: int = 200, seed: int = 7, most_moves: int = 500) -> None:
    """Print the moves, and whether the deal was won."""
    game = games.Klondike()
    state = game.new_initial_state(seed=seed)
    player = fastmcts.MCTS(game, simulations=simulations, seed=0)
    moves = []
    while len(moves) < most_moves and (command := player.choose(state)) is not None:
        moves.append(command)
        state.apply_action(state.string_to_action(command))
    print("; ".join(moves))
    print(state)
    print(f"{len(moves)} moves, {'won' if state.returns() == [1.0] else 'not won'}")


if __name__ == "__main__":
    main()
