"""Is what a network sees of a game all that the player knows, and nothing else?"""

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import numpy as np

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.types import Observation
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.kernels.observation import write_observations
from fastmcts.state import State

LARGEST = 1000.0  # of what a network sees, either side of 0: it learns from numbers near 1
MARGIN = 64  # entries on each side of a buffer
CANARY = -24301.0  # a float32 that no right observation holds, being beyond LARGEST
POSITIONS_COMPILED = 20  # are shown to compiled rules

Fail = Callable[[str], NoReturn]


class Sight(NamedTuple):
    """What a player knows in a position of which a network sees something, and how to get there."""

    known: bytes
    where: str


@dataclass
class Sights:
    """What networks would see in the random games of one check.

    Attributes:
        first: By player and what a network sees, where it was seen first.
        advice: Names two positions that a network cannot tell apart; None as long as there are none.
    """

    first: dict[tuple[int, bytes], Sight] = field(default_factory=dict)
    advice: str | None = None

    def note(self, state: State, player: int, seen: Observation, where: str) -> None:
        """Remember what a network sees of a position with the eyes of a player, and what the player knows there.

        Args:
            state: A full position.
            player: Whose eyes.
            seen: float32 [observation_size].
            where: How to get there.
        """
        if state.is_terminal() or self.advice is not None:
            return  # no network is asked about a game that is over
        known = np.zeros(state.game.state_size, np.int64)
        state.game.observe(state.array, player, known)
        first = self.first.setdefault((player, seen.tobytes()), Sight(known.tobytes(), where))
        if first.known != known.tobytes():
            entry = np.flatnonzero(np.frombuffer(first.known, np.int64) != known)[0]
            self.advice = (
                f"{state.game.name}: a network sees the same in two positions that player {player} can tell apart:"
                f" entry {entry} of what it knows is another. If that matters for the game, let observation show it.\n"
                f"  {first.where}\n  {where}"
            )

    def advise(self) -> None:
        """Warn of two positions that a network cannot tell apart; that may be meant so."""
        if self.advice is not None:
            warnings.warn(self.advice, UserWarning, stacklevel=3)


def check_range(game: Game, seen: Observation, fail: Fail) -> None:
    """What a network sees are numbers from which it can learn."""
    far = np.flatnonzero(np.abs(seen) > LARGEST)
    if len(far) > 0:
        fail(
            f"observation writes {seen[far[0]]:g} into {place(game, far[0])}, beyond -{LARGEST:g} to {LARGEST:g}:"
            " networks learn from numbers near 1, so scale it, or use a plane for each value"
        )


def check_compiled_observation(game: Game, seed: int) -> None:
    """Show positions of a random game to the compiled rule, between canaries, and compare it with plain Python."""
    for state in some_positions(game, seed):
        for player in range(game.num_players):
            guarded = np.full(MARGIN + game.observation_size + MARGIN, CANARY, np.float32)
            out, position = guarded[MARGIN:-MARGIN], state.array.copy()
            known = np.zeros(game.state_size, np.int64)
            write_observations(game, position[None], np.array([player]), known, out[None])
            where = f"{game.name}: of the position {state.array.tolist()}, the compiled observation"
            if (guarded[:MARGIN] != CANARY).any() or (guarded[-MARGIN:] != CANARY).any():
                raise GameError(f"{where} writes past the end of `out`, of observation_shape {game.observation_shape}")
            if not np.array_equal(position, state.array):
                raise GameError(f"{where} changes the position; only apply and determinize may")
            plain = state.observation_tensor(player).ravel()
            if plain.tobytes() != out.tobytes():
                raise GameError(f"{where} shows player {player}:\n  {difference(game, out, plain)} in plain Python")


def some_positions(game: Game, seed: int) -> list[State]:
    """Positions from random games."""
    chooser, positions = random.Random(seed), list[State]()
    while len(positions) < POSITIONS_COMPILED:
        state = game.new_initial_state(chooser.getrandbits(32))
        positions.append(state.clone())
        with wrapping_integers():
            while actions := state.legal_actions():
                state.apply_action(chooser.choice(actions))
                if chooser.random() < 0.2:
                    positions.append(state.clone())
        positions.append(state)
    return positions


def difference(game: Game, here: Observation, there: Observation) -> str:
    """The first entry in which a network sees something else, for a message."""
    index = np.flatnonzero(here.view(np.uint32) != there.view(np.uint32))[0]
    return f"{place(game, index)} is {here[index]:g} here and {there[index]:g}"


def place(game: Game, index: int) -> str:
    """Where an entry stands in an observation."""
    where = np.unravel_index(int(index), game.observation_shape)
    return f"entry [{', '.join(str(number) for number in where)}]"
