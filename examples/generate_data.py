"""Generate data for training: games against itself, side by side, a batch of searches for each move."""

import numpy as np

import fastmcts
from fastmcts import games


def main(simulations: int = 100, number_of_games: int = 64, seed: int = 0) -> None:
    """Play all games to the end; keep positions, shares of visits, and how each game ended for the player to move."""
    game = games.ConnectFour()
    states = [game.new_initial_state() for _ in range(number_of_games)]
    positions, policies, players, numbers = [], [], [], []
    move = 0
    while running := [number for number, state in enumerate(states) if not state.is_terminal()]:
        batch = fastmcts.search_batch(
            [states[number] for number in running], simulations=simulations, seed=fastmcts.spawn_seed(seed, move)
        )
        for number, found in zip(running, batch, strict=True):
            positions.append(states[number].array.copy())
            policies.append(found.policy)
            players.append(states[number].current_player())
            numbers.append(number)
            states[number].apply_action(found.sample(temperature=1.0, seed=found.seed))
        move += 1
    outcomes = np.array([states[number].returns()[player] for number, player in zip(numbers, players, strict=True)])
    print(f"positions {np.stack(positions).shape}, policies {np.stack(policies).shape}, outcomes {outcomes.shape}")


if __name__ == "__main__":
    main()
