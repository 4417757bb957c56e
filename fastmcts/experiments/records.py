"""Games that were played, as they can be stored, replayed and searched again."""

from collections.abc import Iterator
from dataclasses import dataclass

from fastmcts.game import Game
from fastmcts.rng import spawn_seed
from fastmcts.state import State

CHANCE_STREAM, MOVE_STREAM = 1, 2  # parts of the seed of a pair of games
COUNTS = ("games", "deals")  # what a point may be won by
ALONE = "alone"  # instead of that, where one agent plays deals and no other


@dataclass(frozen=True)
class GameRecord:
    """One game of a match.

    Attributes:
        pair: The number of the pair that it belongs to.
        seat: 0 if the first agent plays for the players with even numbers, 1 if it plays for the others.
        deal: The seed of the pair, from which everything comes: the deal, the opening, dice and searches.
        opening: How many of the actions were drawn before anybody had to choose.
        actions: All of them, what chance brought too.
        returns: The utility of each player.
        length: How many moves the game took, without what chance did.
        moves: How many of them each agent chose.
        simulations: How many simulations each agent ran in all its searches.
        seconds: How long each agent thought, without compiling.
    """

    pair: int
    seat: int
    deal: int
    opening: int
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    length: int
    moves: tuple[int, int]
    simulations: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def margin(self) -> float:
        """How much more utility a player of the first agent's has than one of the other's; of one alone, which sign."""
        if len(self.returns) == 1:
            return self.returns[0] if self.seat == 0 else -self.returns[0]
        own, others = self.returns[self.seat :: 2], self.returns[1 - self.seat :: 2]
        return sum(own) / len(own) - sum(others) / len(others)

    @property
    def points(self) -> float:
        """Those of the first agent: 1 for a win, 0.5 for a draw."""
        return won_by(self.margin)

    def replay(self, game: Game) -> Iterator[State]:
        """The positions of the game from the start to the end, each a copy; ValueError names an illegal action."""
        state = game.new_initial_state(self.deal)
        yield state.clone()
        for index, action in enumerate(self.actions):
            try:
                state.apply_action(action)
            except ValueError as error:
                raise ValueError(
                    f"this is no game of {game!r}: action {index} of pair {self.pair}, seat {self.seat}: {error}"
                ) from error
            yield state.clone()

    def seed_of_move(self, index: int) -> int:
        """The seed with which action `index` was searched: `search(position, seed=...)` finds the same."""
        return move_seed(self.deal, self.seat, index)


def move_seed(deal: int, seat: int, index: int) -> int:
    """The seed of one move: it depends on the pair, the seats and how many actions came before, and nothing else."""
    return spawn_seed(spawn_seed(spawn_seed(deal, MOVE_STREAM), seat), index)


def won_by(margin: float) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss, by however much."""
    return 1.0 if margin > 0.0 else 0.5 if margin == 0.0 else 0.0
