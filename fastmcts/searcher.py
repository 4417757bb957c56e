"""One tree, and what it takes to add simulations to it."""

import time

import numpy as np

from fastmcts import tree as trees
from fastmcts.arrays import Position
from fastmcts.errors import CompileError, GameError
from fastmcts.game import Game
from fastmcts.kernels.loop import run
from fastmcts.kernels.rng import make_rng
from fastmcts.options import Options
from fastmcts.scratch import make_scratch
from fastmcts.strategy import make_strategy

FIRST_CAPACITY = 1024  # nodes


class Searcher:
    """Grows one tree from a position."""

    def __init__(self, game: Game, options: Options) -> None:
        self.game = game
        self.strategy = make_strategy(game, options)
        moves_kept = game.max_game_length if self.strategy.keeps_moves else 0
        self.scratch = make_scratch(
            game.state_size, game.num_actions, game.num_players, game.num_chance_outcomes, moves_kept
        )
        self.tree = trees.allocate(
            FIRST_CAPACITY + max(game.num_actions, game.num_chance_outcomes),
            self.strategy.statistics,
            game.num_players,
            game.num_actions,
        )
        self.root = np.zeros(game.state_size, np.int64)
        self.rng = make_rng(0)

    def plant(self, position: Position, seed: int) -> None:
        """Start a new tree at a position."""
        self.root[:] = position
        self.rng = make_rng(seed)
        trees.plant(self.tree, self.game.current_player(self.root))

    def prepare(self) -> float:
        """Compile the kernels for these components, or load them from the cache; return the seconds."""
        start = time.perf_counter()
        try:
            self.run_kernel(0)
        except CompileError as error:
            raise error.with_traceback(None) from None
        return time.perf_counter() - start

    def simulate(self, simulations: int) -> int:
        """Add simulations, growing the tree where needed; fewer than asked for only if the root is decided."""
        remaining = simulations
        while remaining > 0 and not self.is_decided():
            remaining -= self.run_kernel(remaining)
            if remaining > 0 and not self.is_decided():
                self.tree = trees.grown(self.tree, 2 * self.tree.visits.size)
        return simulations - remaining

    def is_decided(self) -> bool:
        """Whether the value of the root is proven."""
        return bool(self.strategy.proofs.root_is_decided(self.tree))

    def run_kernel(self, simulations: int) -> int:
        """Add up to so many simulations, as many as surely find room; return how many."""
        try:
            return run(self.strategy, self.tree, self.root, self.scratch, self.rng, simulations)
        except CompileError:
            raise
        except GameError as error:
            raise GameError(f"{self.game.name} breaks the rules for games: {error}") from None
