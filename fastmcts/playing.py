"""One game of self-play: as it goes on, and as it is handed over."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.batch import BatchResult
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.types import Rng
from fastmcts.engine.kept import Kept
from fastmcts.kernels.chance import draw_outcome
from fastmcts.rng import make_rng, spawn_seed, unit
from fastmcts.state import State


class SelfPlayGame(NamedTuple):
    """A finished game with T positions in which a player had a move to make, of a game with A actions and P players.

    `np.savez(path, **game._asdict())` writes it to a file; `write_shards` writes many to a few.

    Attributes:
        observations: float32 [T, *observation_shape], each position as the player to move sees it.
        legal: bool [T, A], which moves are legal.
        policies: float32 [T, A], what to learn: `improved_policy` of each search, which adds up to one.
        values: float32 [T], what each search thought of the position: utilities for the player to move.
        outcomes: float32 [T], how the game ended: the utility of the player to move in each position.
        players: int64 [T], who that is.
        moves: int64 [T], the move that was played.
        returns: float32 [P], the utilities of all players at the end.
        number: Which game it is, of all that follow from the seed of `self_play`.
        seed: Its own seed: `game.new_initial_state(seed, draw_chance=True)` is where it began.
    """

    observations: NDArray[np.float32]
    legal: NDArray[np.bool_]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]
    outcomes: NDArray[np.float32]
    players: NDArray[np.int64]
    moves: NDArray[np.int64]
    returns: NDArray[np.float32]
    number: int
    seed: int


class Searched(NamedTuple):
    """A position of a game that was searched, and what was found: an entry of each array of `SelfPlayGame`."""

    observation: NDArray[np.float32]
    legal: NDArray[np.bool_]
    policy: NDArray[np.float64]
    value: float
    player: int
    move: int


@dataclass(frozen=True, eq=False)
class Playing:
    """A game that goes on. It never changes, so that an interruption leaves it as it was before a move, or after.

    Attributes:
        number: Which game it is.
        seed: Its seed.
        state: Where it stands: a player is to move, or it is over.
        moves: How many moves were made.
        last: The position before, and all before that one, as a chain: (last, (last but one, ...)).
        path: The last move, and what chance has brought after it.
        kept: What is kept of the tree of each player, or of the one tree for all.
    """

    number: int
    seed: int
    state: State
    moves: int = 0
    last: "tuple[Searched, Any] | None" = None
    path: tuple[int, ...] = ()
    kept: tuple[Kept | None, ...] = ()

    @property
    def nodes(self) -> int:
        """How many nodes are kept."""
        return sum(one.nodes for one in self.kept if one is not None)

    @property
    def search_seed(self) -> int:
        """The seed of the next search."""
        return spawn_seed(self.seed, 2 * self.moves)

    @property
    def draws(self) -> Rng:
        """What the next move is drawn from, and what chance does after it."""
        return make_rng(spawn_seed(self.seed, 2 * self.moves + 1))

    def after(
        self, found: BatchResult, row: int, observation: NDArray[np.float32], by_improved: bool, temperature: float
    ) -> "Playing":
        """The game after the move that follows from what was found."""
        draws, state = self.draws, self.state
        target = found.improved_policy[row]
        action = int(found.action[row])
        value = float(found.utility[row])
        if not target.any():  # what to do was proven before any move was visited
            target = np.eye(1, len(target), action)[0]
            value = float(found.in_units(found.proven_value)[row])
        elif temperature > 0.0:
            action = drawn(target if by_improved else found.policy[row], temperature, draws)
        position = Searched(
            observation,
            found.legal[row],
            target,
            value,
            state.current_player(),
            action,
        )
        following = state.child(action)
        path = action, *roll(following, draws)
        return Playing(self.number, self.seed, following, self.moves + 1, (position, self.last), path)

    def record(self) -> SelfPlayGame:
        """The game, when it is over."""
        positions, chain = list[Searched](), self.last
        while chain is not None:
            position, chain = chain
            positions.append(position)
        positions.reverse()
        game, count = self.state.game, len(positions)
        players = np.array([position.player for position in positions], np.int64)
        returns = np.array(self.state.returns(), np.float32)
        observations = np.zeros((count, *game.observation_shape), np.float32)
        legal = np.zeros((count, game.num_actions), np.bool_)
        policies = np.zeros((count, game.num_actions), np.float32)
        for row, position in enumerate(positions):
            observations[row], legal[row], policies[row] = position.observation, position.legal, position.policy
        return SelfPlayGame(
            observations,
            legal,
            policies,
            np.array([position.value for position in positions], np.float32),
            returns[players],
            players,
            np.array([position.move for position in positions], np.int64),
            returns,
            self.number,
            self.seed,
        )


def drawn(shares: NDArray[np.float64], temperature: float, rng: Rng) -> int:
    """Draw an action in proportion to shares ** (1 / temperature)."""
    weights = (shares / shares.max()) ** (1.0 / temperature)
    chances = np.cumsum(weights / weights.sum())
    with wrapping_integers():
        number = unit(rng)
    return min(int(np.searchsorted(chances, number, side="right")), int(np.flatnonzero(weights)[-1]))


def roll(state: State, rng: Rng) -> list[int]:
    """Let chance decide, in place, until a player is to move or the game is over; return what it has brought."""
    game, brought = state.game, list[int]()
    if not state.is_chance_node():
        return brought
    outcomes, probabilities = np.zeros(game.num_chance_outcomes, np.int64), np.zeros(game.num_chance_outcomes)
    with wrapping_integers():
        while state.is_chance_node():
            brought.append(int(draw_outcome(game, state.array, outcomes, probabilities, rng)))
            state.make_move(brought[-1])
    return brought
