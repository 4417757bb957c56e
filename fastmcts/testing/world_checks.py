"""Can `determinize` draw the world that is real?

The real world is one of those that fit what a player knows, so that a uniform draw finds it some time. Where there are
few worlds that is tried for whole positions; where there are too many, entry by entry: what an entry is in one game
out of fifty must be drawn for it about as often.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.state import State

FEWEST_GAMES = 5  # in which something must have been real, before it is expected to be drawn
EXPECTED = 100  # times that it would be drawn if draws were like the games; other players' choices may make it rarer
MOST_TRIED = 300  # things that were not drawn at once, the most frequent first
SHOWN = 10  # values, in a message

#: A player, and an entry with its value or None with all values: something that was real and not drawn at once.
Missed: TypeAlias = tuple[int, int | None, int | bytes]


@dataclass
class RealWorlds:
    """What was real and not drawn at once in the random games of one check."""

    games: int = 0
    missed: dict[Missed, dict[int, State]] = field(default_factory=dict)  # -> by game, the first such position

    def note(self, number: int, player: int, state: State, worlds: Iterable[State]) -> None:
        """Compare a position with worlds drawn from it for a player.

        Args:
            number: Of the game.
            player: Who cannot tell them apart.
            state: The real one.
            worlds: Some draws.
        """
        drawn = np.stack([world.array for world in worlds])
        misses = (drawn != state.array).all(axis=0)
        if not misses.any():
            return
        position = state.clone()
        for index in np.flatnonzero(misses).tolist():
            self.missed.setdefault((player, index, int(state.array[index])), {}).setdefault(number, position)
        self.missed.setdefault((player, None, state.array.tobytes()), {}).setdefault(number, position)

    def check(self, game: Game) -> None:
        """Draw until all that was real in several games is drawn too; GameError if something never is."""
        often = [(missed, list(found.values())) for missed, found in self.missed.items() if len(found) >= FEWEST_GAMES]
        often.sort(key=lambda pair: (-len(pair[1]), pair[0][1] is None))
        for (player, index, value), positions in often[:MOST_TRIED]:
            draws = -(-EXPECTED * self.games // len(positions))
            self.check_drawn(game, player, index, value, positions, draws)

    def check_drawn(
        self, game: Game, player: int, index: int | None, value: int | bytes, positions: list[State], draws: int
    ) -> None:
        """Draw worlds from positions in which something is real, until it is drawn."""
        others: set[int] = set()
        for seed in range(draws):
            world = positions[seed % len(positions)].determinize(player, seed).array
            if (world.tobytes() if index is None else int(world[index])) == value:
                return
            if index is not None:
                others.add(int(world[index]))
        often = (
            f"in {len(positions)} of {self.games} games, hidden from player {player}, and in {draws} draws from them"
        )
        if index is None:
            raise GameError(
                f"{game.name}: determinize never draws the real world: it was {positions[0].array.tolist()}\n  {often}"
                " that was never drawn"
            )
        shown = ", ".join(map(str, sorted(others)[:SHOWN])) + (", ..." if len(others) > SHOWN else "")
        raise GameError(
            f"{game.name}: determinize never draws the real world: entry {index} of the position was {value}\n"
            f"  {often} it never was, but {shown}"
        )
