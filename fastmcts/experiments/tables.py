"""Many games side by side: all that wait for the same agent are one batch; and deals that one agent plays alone."""

import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from fastmcts.experiments.agents import Agent, Asked, Search
from fastmcts.experiments.openings import opening, roll
from fastmcts.experiments.records import CHANCE_STREAM, GameRecord, move_seed
from fastmcts.game import Game
from fastmcts.mcts import MCTS
from fastmcts.rng import make_rng, spawn_seed
from fastmcts.state import State

#: How many games are played side by side. Batches of some dozens share what a call costs; Ctrl-C loses those that are
#: not over.
TABLES = 128
STARTS = 100  # deals that are looked at for one in which somebody is to move
PREPARING = 64  # simulations of a search whose result nobody needs: some for each of several trees


@dataclass(frozen=True)
class Pairing:
    """Two agents and what they play, or one and the deals of a game for one. With a number and a seat it is a game.

    Attributes:
        game: The game.
        first: Plays for the players with even numbers in the first game of each pair.
        second: Plays for the others; None if the first one plays alone.
        seed: From which each pair, or deal, gets one of its own.
        opening_moves: How many random moves both games of a pair start with.
    """

    game: Game
    first: Agent
    second: Agent | None
    seed: int
    opening_moves: int

    @property
    def sides(self) -> tuple[Agent, ...]:
        """Both agents, or the one."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def is_alone(self) -> bool:
        """Whether one agent plays alone."""
        return self.second is None

    def games(self, pairs: int) -> list[tuple[int, int]]:
        """The games of so many pairs, or deals: the number of each and the seat."""
        return [(pair, seat) for pair in range(pairs) for seat in range(len(self.sides))]

    def start(self) -> State:
        """A position after an opening, in which somebody is to move; ValueError if there seems to be none."""
        for pair in range(STARTS):
            deal = spawn_seed(self.seed, pair)
            state, _ = opening(self.game, self.opening_moves, make_rng(deal), deal)
            if not state.is_terminal():
                return state
        raise ValueError(f"{self.game!r} is over as soon as it is dealt, in {STARTS} deals: there is nothing to play")

    def prepare(self) -> None:
        """Compile what the agents need."""
        start = self.start()
        for agent in self.sides:
            if self.is_alone and isinstance(agent, Search):
                prepare_kept_tree(agent, start)
            else:
                agent.prepare(start)


def prepare_kept_tree(agent: Search, state: State) -> None:
    """Compile what a search needs that keeps its tree from move to move."""
    search = MCTS(state.game, seed=0, **agent.options)
    dice = make_rng(0)
    for _ in range(2):
        if not state.is_terminal():
            action = search.search(state, simulations=PREPARING).action
            assert action is not None
            state.apply_action(action)
            roll(state, dice)


class Table:
    """A game that is being played."""

    def __init__(self, pairing: Pairing, pair: int, seat: int) -> None:
        self.pair, self.seat = pair, seat
        self.deal = spawn_seed(pairing.seed, pair)
        self.state, self.actions = opening(pairing.game, pairing.opening_moves, make_rng(self.deal), self.deal)
        self.opening = len(self.actions)
        self.dice = make_rng(spawn_seed(self.deal, CHANCE_STREAM))  # alike in both games of a pair
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


def play_games(
    pairing: Pairing, games: Iterable[tuple[int, int]], width: int = TABLES
) -> Generator[list[GameRecord], None, None]:
    """Play games side by side; yields those that have ended after every round of moves, often none.

    What happens in a game does not depend on which others are played beside it.

    Args:
        pairing: Who plays what.
        games: The number of the pair and the seat of each game.
        width: How many are played at a time; deals that one agent plays alone come one after the other.
    """
    if pairing.is_alone:
        yield from play_alone(pairing, games)
        return
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


def play_alone(pairing: Pairing, games: Iterable[tuple[int, int]]) -> Generator[list[GameRecord], None, None]:
    """Play deals one after the other; a search keeps its tree through a deal, with the seed of the deal."""
    agent = pairing.first
    for number, seat in games:
        table = Table(pairing, number, seat)
        search = MCTS(pairing.game, seed=table.deal, **agent.options) if isinstance(agent, Search) else None
        while not table.is_over:
            if search is None:
                move(agent, [table])
            else:
                result = search.search(table.state)
                assert result.action is not None
                table.play(result.action, result.simulations, result.seconds)
            yield []
        yield [table.record()]


def move(agent: Agent, tables: Sequence[Table]) -> None:
    """Let an agent move in all games that wait for it."""
    if not tables:
        return
    start = time.perf_counter()
    states, seeds = [table.state for table in tables], [table.seed for table in tables]
    numbers = [2 * table.pair + table.seat for table in tables]
    choices = agent.decide(Asked(states, seeds, numbers, [table.actions for table in tables]))
    each = (time.perf_counter() - start) / len(tables)
    for index, table in enumerate(tables):
        seconds = choices.seconds[index] if choices.seconds else each
        table.play(int(choices.actions[index]), choices.simulations[index] if choices.simulations else 0, seconds)
