"""What is decided before the first game: the game, the size of the network, and how it is trained."""

from dataclasses import dataclass

import fastmcts


@dataclass(frozen=True)
class Settings:
    """All of it, with a default for each game below.

    Attributes:
        game: The id of a game for two in which one's gain is the other's loss, and which pays at the end.
        width: How many features the network has.
        blocks: How many residual blocks of two layers.
        has_mirror: Whether positions may be seen in a mirror: the last axis of what is seen, and of the moves, swapped.
        games: How many games of self-play an iteration has.
        simulations: How many for each of their moves.
        random_moves: Games of iteration i begin with i % (random_moves + 1) moves drawn at random, so that the network
            learns what good play would never meet.
        window: On the games of how many iterations it is trained.
        passes: How often each position is seen in training, on average, while it is in the window.
        batch_size: How many positions a step of the optimizer sees.
        learning_rate: How far the first steps go.
        search_weight: How much of the value to learn is what the search thought; the rest is how the game ended.
        gate_games: How many games the network that was trained plays against the one that plays.
        measured_simulations: How many for each move when strength is measured.
        uct_simulations: How many the opponent has then, which is UCT with rollouts; tic-tac-toe is measured exactly.
        curve_games: How many games a point of the curve takes, and the last one as many as the command says.
        evaluate_every: After how many iterations a point of the curve is measured.
        iterations: How many there are, unless the command says otherwise.
    """

    game: str
    width: int
    blocks: int
    has_mirror: bool
    games: int
    simulations: int
    random_moves: int
    window: int
    passes: float
    batch_size: int
    learning_rate: float
    search_weight: float
    gate_games: int
    measured_simulations: int
    uct_simulations: int
    curve_games: int
    evaluate_every: int
    iterations: int

    def load_game(self) -> fastmcts.Game:
        """The game itself."""
        return fastmcts.load_game(self.game)


TIC_TAC_TOE = Settings(
    game="tic_tac_toe",
    width=128,
    blocks=2,
    has_mirror=True,
    games=256,
    simulations=16,
    random_moves=7,
    window=16,
    passes=8.0,
    batch_size=256,
    learning_rate=2e-3,
    search_weight=0.5,
    gate_games=40,
    measured_simulations=50,
    uct_simulations=0,
    curve_games=0,
    evaluate_every=8,
    iterations=40,
)

CONNECT_FOUR = Settings(
    game="connect_four",
    width=256,
    blocks=3,
    has_mirror=True,
    games=1024,
    simulations=32,
    random_moves=5,
    window=16,
    passes=4.0,
    batch_size=512,
    learning_rate=2e-3,
    search_weight=0.5,
    gate_games=60,
    measured_simulations=200,
    uct_simulations=1000,
    curve_games=100,
    evaluate_every=20,
    iterations=200,
)

DEFAULTS = {settings.game: settings for settings in (TIC_TAC_TOE, CONNECT_FOUR)}
