"""Can `determinize` draw the world that is real?

The real world is one of those that fit what a player knows, so that a uniform draw finds it some time. Where there are
few worlds that is tried for whole positions. Where there are too many, it is tried for entries, and for their bits,
since an entry may be a set of cards: what is so in one game out of fifty must be drawn about as often.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.types import Position
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.state import State

FEWEST_GAMES = 5  # in which something must have been real, before it is expected to be drawn
EXPECTED = 100  # times that it would be drawn if draws were like the games; other players' choices may make it rarer
MOST_TRIED = {"entries": 100, "bits": 500, "positions": 100}  # that were not drawn at once, the most frequent first
DEALS = 200  # that are looked at besides those of the games that are played
FIRST_MOVES = 6  # of them up to 5 are made before, since something may be dealt after the start
DRAWS = 2  # from each position, at first
SHOWN = 10  # values, in a message


class Fact(NamedTuple):
    """Something that was real in a position, hidden from a player."""

    player: int
    value: int | bytes
    place: int | None = None  # of the entry; None: the value is the whole position
    bit: int | None = None  # of the entry; None: the value is the whole entry

    @property
    def kind(self) -> str:
        """What it is about, as in MOST_TRIED."""
        return "positions" if self.place is None else "entries" if self.bit is None else "bits"

    def value_in(self, world: Position) -> int | bytes:
        """What stands in a world where the value stands in reality."""
        if self.place is None:
            return world.tobytes()
        entry = int(world[self.place])
        return entry if self.bit is None else entry >> self.bit & 1

    def __str__(self) -> str:
        """What it is about, in words."""
        if self.place is None:
            return "the position"
        return f"entry {self.place}" if self.bit is None else f"bit {self.bit} of entry {self.place}"


@dataclass
class RealWorlds:
    """What was real and not drawn at once in the random games of one check."""

    games: int = 0
    missed: dict[Fact, dict[int, State]] = field(default_factory=dict)  # -> by game, the first such position

    def note(self, number: int, player: int, state: State, worlds: Iterable[State]) -> None:
        """Compare a position with worlds drawn from it for a player.

        Args:
            number: Of the game.
            player: Who cannot tell them apart.
            state: The real one.
            worlds: Some draws.
        """
        real = state.array
        differences = np.stack([world.array for world in worlds]) ^ real
        if not (differences != 0).any(axis=1).all():
            return
        position = state.clone()
        facts = [Fact(player, real.tobytes())]
        for index in np.flatnonzero((differences != 0).all(axis=0)).tolist():
            entry = int(real[index])
            facts.append(Fact(player, entry, index))
            never = int(np.bitwise_and.reduce(differences[:, index])) & (2**64 - 1)
            facts += [Fact(player, entry >> bit & 1, index, bit) for bit in range(64) if never >> bit & 1]
        for fact in facts:
            self.missed.setdefault(fact, {}).setdefault(number, position)

    def note_deals(self, game: Game, seed: int) -> None:
        """Look at the start of many games: a long game shows little of what may be dealt."""
        for number in range(seed + self.games, seed + self.games + DEALS):
            state, chooser = game.new_initial_state(number), random.Random(number)
            for _ in range(number % FIRST_MOVES):
                if actions := state.legal_actions():
                    with wrapping_integers():
                        state.apply_action(chooser.choice(actions))
            for player in range(game.num_players):
                self.note(number, player, state, [state.determinize(player, draw) for draw in range(DRAWS)])
        self.games += DEALS

    def check(self, game: Game) -> None:
        """Draw until all that was real in several games is drawn too; GameError if something never is."""
        for kind, most in MOST_TRIED.items():
            often = [fact for fact in self.missed if fact.kind == kind and len(self.missed[fact]) >= FEWEST_GAMES]
            for fact in sorted(often, key=lambda fact: -len(self.missed[fact]))[:most]:
                self.check_drawn(game, fact)

    def check_drawn(self, game: Game, fact: Fact) -> None:
        """Draw worlds from positions in which something is real, until it is drawn."""
        positions = list(self.missed[fact].values())
        draws = -(-EXPECTED * self.games // len(positions))
        others: set[int | bytes] = set()
        for seed in range(draws):
            drawn = fact.value_in(positions[seed % len(positions)].determinize(fact.player, seed).array)
            if drawn == fact.value:
                return
            others.add(drawn)
        games = f"in {len(positions)} of {self.games} games, hidden from player {fact.player}"
        if isinstance(fact.value, bytes):
            was, instead = f"{positions[0].array.tolist()}", "something else"
        else:
            values = sorted(other for other in others if isinstance(other, int))
            was, instead = str(fact.value), ", ".join(map(str, values[:SHOWN])) + ", ..." * (len(values) > SHOWN)
        raise GameError(
            f"{game.name}: determinize never draws the real world: {fact} was {was}\n"
            f"  {games}, and was {instead} in all of {draws} draws from there"
        )
