import numpy as np
import pytest

import fastmcts
from fastmcts import games
from fastmcts.kernels.playthrough import play_randomly
from fastmcts.rng import make_rng


@pytest.mark.jit
def test_random_tic_tac_toe_ends_as_uniform_play_must() -> None:
    """X wins 737/1260, draws 8/63, O wins 121/420 of uniformly random games; 3203/420 moves on average."""
    game, rng = games.TicTacToe(), make_rng(0)
    games_played = 40_000
    outcomes, lengths = np.zeros(games_played), np.zeros(games_played)
    actions, moves, utilities, probabilities = np.zeros(9, int), np.zeros(9, int), np.zeros(2), np.zeros(1)
    before, payments = np.zeros(game.state_size, int), np.zeros((2, 2))
    start = game.new_initial_state().array
    for index in range(games_played):
        position = start.copy()
        buffers = before, actions, probabilities, moves, utilities, payments
        lengths[index] = play_randomly(game, position, *buffers, rng)
        outcomes[index] = utilities[0]
    for outcome, share in ((1.0, 737 / 1260), (0.0, 8 / 63), (-1.0, 121 / 420)):
        sigma = np.sqrt(share * (1 - share) / games_played)
        assert abs(np.mean(outcomes == outcome) - share) < 4 * sigma
    assert abs(lengths.mean() - 3203 / 420) < 4 * lengths.std() / np.sqrt(games_played)


@pytest.mark.thorough
@pytest.mark.jit
def test_the_rollouts_of_a_search_are_uniform() -> None:
    """From a root whose children end the game at once or not at all, means are those of random play."""
    state = games.TicTacToe().new_initial_state()
    # One simulation per search: a random first move and a uniform rollout.
    values = [fastmcts.search(state, simulations=1, seed=seed).value for seed in range(20_000)]
    expected = 737 / 1260 + 0.5 * 8 / 63
    assert abs(np.mean(values) - expected) < 4 * np.std(values) / np.sqrt(len(values))
