"""What the network is trained on: the positions of the last iterations, read from the files of self-play."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fastmcts
from examples.alphazero.settings import Settings


class Batch(NamedTuple):
    """B positions to learn from, of a game with A actions.

    Attributes:
        observations: float32 [B, planes, rows, columns].
        legal: bool [B, A].
        policies: float32 [B, A], what the search made of the position.
        values: float32 [B], how good it is for the player to move, from -1 to 1.
    """

    observations: NDArray[np.float32]
    legal: NDArray[np.bool_]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]


def random_moves(settings: Settings, iteration: int) -> int:
    """With how many random moves the games of an iteration begin."""
    return iteration % (settings.random_moves + 1)


def read_iteration(folder: Path, settings: Settings, iteration: int) -> Batch:
    """All positions of an iteration's games, in the order of the games' numbers."""
    games = sorted(fastmcts.read_shards(folder), key=lambda played: played.number)
    if len(games) < settings.games:
        found = f"{len(games)} of {settings.games} games" if games else "no games any more"
        raise ValueError(f"{folder} has {found}: begin anew in another folder")
    opening = random_moves(settings, iteration)
    return joined([Batch(*played[:3], values_to_learn(played, settings, opening)) for played in games])


def joined(parts: Sequence[Batch]) -> Batch:
    """All positions of several batches."""
    return Batch(*map(np.concatenate, zip(*parts, strict=True)))


def values_to_learn(played: fastmcts.SelfPlayGame, settings: Settings, opening: int) -> NDArray[np.float32]:
    """Values between what the search thought and how the game ended, which says nothing of moves drawn at random."""
    weight = np.full(len(played.values), settings.search_weight)
    weight[:opening] = 1.0
    return (weight * played.values + (1.0 - weight) * played.outcomes).astype(np.float32)


def batches(window: Sequence[Batch], settings: Settings, seed: Sequence[int]) -> Iterator[Batch]:
    """Draw what an iteration trains on from the last iterations, the newest of which comes last."""
    rng = np.random.default_rng(seed)
    everything = joined(window)
    steps = round(settings.passes * len(window[-1].values) / settings.batch_size)
    for _ in range(max(1, steps)):
        rows = rng.integers(len(everything.values), size=settings.batch_size)
        observations, legal, policies, values = everything
        batch = Batch(observations[rows], legal[rows], policies[rows], values[rows])
        if settings.has_mirror:
            mirror(batch, rng.random(settings.batch_size) < 0.5)
        yield batch


def mirror(batch: Batch, rows: NDArray[np.bool_]) -> None:
    """Swap left and right in some rows, in place. A policy has a number for each column, or for each cell."""
    columns = batch.observations.shape[-1]
    for part in batch[:3]:
        board = part.reshape(len(part), -1, columns)
        board[rows] = board[rows, :, ::-1]
