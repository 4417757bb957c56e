"""Many games side by side: all that wait for the same agent are one batch."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fastmcts.experiments.agents import Agent
from fastmcts.experiments.openings import opening, roll
from fastmcts.experiments.records import CHANCE_STREAM, GameRecord, move_seed
from fastmcts.game import Game
from fastmcts.rng import spawn_seed

#: How many games are played side by side. Batches of some dozens share what a call costs; Ctrl-C loses those that are
#: not over.
TABLES = 128


@dataclass(frozen=True)
class Pairing:
    """Two agents and what they play. With the number of a pair and the seats, it determines a game.

    Attributes:
        game: The game.
        first: Plays for the players with even numbers in the first game of each pair.
        second: Plays for the others.
        seed: From which each pair gets one of its own.
        opening_moves: How many random moves both games of a pair start with.
    """

    game: Game
    first: Agent
    second: Agent
    seed: int
    opening_moves: int

    @property
    def sides(self) -> tuple[Agent, Agent]:
        """Both agents."""
        return self.first, self.second

    def prepare(self) -> None:
        """Check both agents, and compile what they need; ValueError if the game is over after the opening."""
        for agent in self.sides:
            agent.check(self.game)
        start, _ = opening(self.game, self.opening_moves, np.random.default_rng(0), self.seed)
        for agent in self.sides:
            agent.prepare(start)


class Table:
    """A game that is being played."""

    def __init__(self, pairing: Pairing, pair: int, seat: int) -> None:
        self.pair, self.seat = pair, seat
        self.deal = spawn_seed(pairing.seed, pair)
        rng = np.random.default_rng(self.deal)
        self.state, self.actions = opening(pairing.game, pairing.opening_moves, rng, self.deal)
        self.opening = len(self.actions)
        self.dice = np.random.default_rng(spawn_seed(self.deal, CHANCE_STREAM))  # alike in both games of a pair
        self.has_chance = pairing.game.has_chance
        self.opening_moves = pairing.opening_moves
        self.moves, self.simulations, self.seconds = [0, 0], [0, 0], [0.0, 0.0]
        self.player = self.state.current_player()

    @property
    def side(self) -> int:
        """Which agent is to move: of more than two players, the first has every other one."""
        return (self.player + self.seat) % 2

    @property
    def is_over(self) -> bool:
        """Whether nobody is to move any more."""
        return self.player < 0

    @property
    def seed(self) -> int:
        """The seed of the next move."""
        return move_seed(self.deal, self.seat, len(self.actions))

    def play(self, action: int, simulations: int, seconds: float) -> None:
        """Make the move that was chosen, and let chance do its part."""
        side = self.side
        self.state.apply_action(action)
        self.actions.append(action)
        self.moves[side] += 1
        self.simulations[side] += simulations
        self.seconds[side] += seconds
        if self.has_chance:
            self.actions += roll(self.state, self.dice)
        self.player = self.state.current_player()

    def record(self) -> GameRecord:
        """The game as it was played."""
        return GameRecord(
            pair=self.pair,
            seat=self.seat,
            deal=self.deal,
            opening=self.opening,
            actions=tuple(self.actions),
            returns=tuple(self.state.returns()),
            length=self.opening_moves + sum(self.moves),
            moves=(self.moves[0], self.moves[1]),
            simulations=(self.simulations[0], self.simulations[1]),
            seconds=(self.seconds[0], self.seconds[1]),
        )


def play_games(pairing: Pairing, games: Iterable[tuple[int, int]], width: int = TABLES) -> Iterator[list[GameRecord]]:
    """Play games side by side; yields those that have ended after every round of moves, often none.

    What happens in a game does not depend on which others are played beside it.

    Args:
        pairing: Who plays what.
        games: The number of the pair and the seat of each game.
        width: How many are played at a time.
    """
    waiting = iter(games)
    running: list[Table] = []
    while True:
        while len(running) < width and (entry := next(waiting, None)) is not None:
            running.append(Table(pairing, *entry))
        if not running:
            return
        for side, agent in enumerate(pairing.sides):
            move(agent, [table for table in running if table.side == side and not table.is_over])
        yield [table.record() for table in running if table.is_over]
        running = [table for table in running if not table.is_over]


def move(agent: Agent, tables: Sequence[Table]) -> None:
    """Let an agent move in all games that wait for it."""
    if not tables:
        return
    start = time.perf_counter()
    states, seeds = [table.state for table in tables], [table.seed for table in tables]
    numbers = [2 * table.pair + table.seat for table in tables]
    choices = agent.decide(states, seeds, numbers, [table.actions for table in tables])
    each = (time.perf_counter() - start) / len(tables)
    for index, table in enumerate(tables):
        seconds = choices.seconds[index] if choices.seconds else each
        table.play(int(choices.actions[index]), choices.simulations[index] if choices.simulations else 0, seconds)
