"""Matches between two agents: pairs of games from the same random opening or deal, with changed seats.

Of more than two players, those with even numbers play for one side and those with odd numbers for the other. In a
game for one, both agents play the same deals, and the higher utility wins. Dice fall alike in both games of a pair.
"""

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastmcts.core.validate import whole_number
from fastmcts.engine.trial import try_out
from fastmcts.experiments.agents import Agent, Search, as_agent
from fastmcts.experiments.bars import ProgressOption, shown_progress
from fastmcts.experiments.intervals import share, wilson
from fastmcts.game import Game
from fastmcts.rng import spawn_seed
from fastmcts.state import State

#: How many pairs are played side by side, block after block; the last number holds for all that follow. Ctrl-C loses
#: the block that is not over, so the first ones are small; large ones share the overhead of a batch.
BLOCKS = (5, 5, 10, 20, 50)
OPENING_MOVES = 2
MOST_OPENINGS = 1000  # that are tried until one is found in which the game is not over
DEALS_COMPARED = 8
COUNTS = ("games", "deals")

CHANCE_STREAM, MOVE_STREAM = 1, 2  # parts of a seed


@dataclass
class MatchResult:
    """What was played; the score is that of the first agent.

    Attributes:
        game: The game.
        first: The agent whose score counts.
        second: The other one.
        counts: What a point is won by: each of the "games", or by "deals", the sum of both games of a pair.
        pairs: For each pair the points of the first agent: 1 a win, 0.5 a draw; the mean of both games if they count.
        margins: How much more utility a player of the first side won than one of the second, a game, for each pair.
        draws: How many of what counts were drawn.
        lengths: How many moves each game took, without what chance did.
        moves: How many moves each agent chose.
        seconds: How long each agent thought in all, without compiling.
        seed: What the openings, deals and searches come from.
        interrupted: Whether Ctrl-C ended the match; the games that were not over are left out.
    """

    game: Game
    first: Agent
    second: Agent
    counts: str = "games"
    pairs: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    draws: int = 0
    lengths: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=lambda: [0, 0])
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    seed: int = 0
    interrupted: bool = False

    @property
    def games(self) -> int:
        """How many games were played."""
        return 2 * len(self.pairs)

    @property
    def counted(self) -> int:
        """How many games, or deals, a point was given for."""
        return len(self.pairs) if self.counts == "deals" else self.games

    @property
    def mean(self) -> float:
        """The share of points; NaN without games."""
        return statistics.mean(self.pairs) if self.pairs else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the mean over pairs, which are independent while their two games are not."""
        return statistics.stdev(self.pairs) / len(self.pairs) ** 0.5 if len(self.pairs) > 1 else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean: Wilson's, for as many coins as have the same standard error."""
        mean = self.mean
        return wilson(mean, mean * (1.0 - mean) / self.error**2 if self.error > 0.0 else float(self.counted))

    @property
    def length(self) -> float:
        """The mean length of a game in moves; NaN without games."""
        return statistics.mean(self.lengths) if self.lengths else float("nan")

    @property
    def margin(self) -> float:
        """The mean of `margins`; NaN without games."""
        return statistics.mean(self.margins) if self.margins else float("nan")

    @property
    def seconds_per_move(self) -> tuple[float, float]:
        """How long each agent thought about a move, on average."""
        first, second = (self.seconds[side] / max(1, self.moves[side]) for side in range(2))
        return first, second

    @property
    def score(self) -> str:
        """The score with its interval; nothing while there is none."""
        return share(self.mean, self.interval) if len(self.pairs) > 1 else ""

    def __str__(self) -> str:
        """The match in a few lines."""
        if not self.pairs:
            return f"{self.first!r} against {self.second!r}: no pair of games was played to the end"
        one, other = self.seconds_per_move
        points = self.score or f"{self.mean:.1%} (one pair has no interval)"
        draws = f"{self.draws:,} of {self.counted:,} {self.counts} drawn"
        lines = [
            f"{self.game!r}: {self.games:,} games{', then interrupted' if self.interrupted else ''}",
            f"first:  {self.first!r}",
            f"second: {self.second!r}",
            f"score of the first: {points}; {draws}",
            f"length: {self.length:.1f} moves a game; seconds a move: {one:.2g} and {other:.2g}",
        ]
        if self.counts == "deals":
            lines.insert(4, f"margin: {self.margin:+.3g} in utility a game")
        return "\n".join(lines)

    def as_dictionary(self) -> dict[str, Any]:
        """Everything but the single pairs, as JSON can hold it."""
        has_interval = len(self.pairs) > 1
        return {
            "game": repr(self.game),
            "first": repr(self.first),
            "second": repr(self.second),
            "seed": self.seed,
            "games": self.games,
            "counts": self.counts,
            "score": self.mean if self.pairs else None,
            "interval": list(self.interval) if has_interval else None,
            "draws": self.draws,
            "margin": self.margin if self.pairs else None,
            "length": self.length if self.pairs else None,
            "seconds_per_move": list(self.seconds_per_move),
            "interrupted": self.interrupted,
        }


def play_match(
    game: Game,
    first: Any,
    second: Any,
    games: int = 400,
    seed: int = 0,
    *,
    opening_moves: int | None = None,
    counts: str | None = None,
    threads: int = 1,
    progress: ProgressOption = None,
) -> MatchResult:
    """Play a match between two agents.

    Games are played side by side in blocks. What happens in a game depends on the seed and its number, but not on how
    many games there are. Ctrl-C ends the match, and the blocks that are over count.

    Args:
        game: The game.
        first: The agent whose score counts: an `Agent`, its text, or an object with `choose(state)`.
        second: The other one.
        games: How many games; rounded up to pairs.
        seed: Decides openings, deals, dice and searches.
        opening_moves: How many random moves both games of a pair start with; by default two, or none in a game that
            starts from a deal.
        counts: "games" gives a point for each; "deals" gives one for each pair, by the sum of what each side won, so
            that the luck of the deal is the same for both. By default deals where there is a deal.
        threads: How many threads share the searches of an agent that does not say.
        progress: True for a bar, or a function that is called with the games that are over and the result so far; False
            to see nothing at all, not even that something is being compiled.
    """
    if not isinstance(game, Game):
        raise TypeError(f"play_match takes a Game, such as games.ConnectFour(), not {game!r}")
    try_out(game)
    games = whole_number("games", games, low=1)
    threads = whole_number("threads", threads, low=1)
    seed = whole_number("seed", seed)
    is_dealt = starts_from_a_deal(game)
    if opening_moves is None:
        opening_moves = 0 if is_dealt else OPENING_MOVES
    opening_moves = whole_number("opening_moves", opening_moves, low=0)
    if counts is None:
        counts = "deals" if is_dealt or game.num_players == 1 else "games"
    if counts not in COUNTS or (counts == "games" and game.num_players == 1):
        right = "'deals' in a game for one" if game.num_players == 1 else "'games' or 'deals'"
        raise ValueError(f"counts must be {right}, not {counts!r}")
    agents = [as_agent(first), as_agent(second)]
    for agent in agents:
        agent.check(game)
    result = MatchResult(game, *agents, counts=counts, seed=seed)
    pairs = (games + 1) // 2
    sides = [agent.filled(threads=threads) if isinstance(agent, Search) else agent for agent in agents]
    title = f"{game.name}: {result.first!r} against {result.second!r}"
    try:
        with shown_progress(progress, title, 2 * pairs) as show:
            first_opening = opening(game, opening_moves, np.random.default_rng(0), seed)
            for side in sides:
                side.prepare(first_opening)
            for numbers in blocks(pairs):
                block = Block(game, sides, numbers, opening_moves, seed)
                for over in block.play():
                    show(result.games + over, result.score)
                block.add_to(result)
                show(result.games, result.score)
    except KeyboardInterrupt:
        result.interrupted = True
    return result


def blocks(pairs: int) -> Iterator[range]:
    """The numbers of the pairs in each block."""
    start, sizes = 0, list(BLOCKS)
    while start < pairs:
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        yield range(start, min(start + size, pairs))
        start += size


def starts_from_a_deal(game: Game) -> bool:
    """Whether the first position depends on the seed."""
    starts = [game.new_initial_state(seed).array for seed in range(DEALS_COMPARED)]
    return any(not np.array_equal(start, starts[0]) for start in starts)


def opening(game: Game, moves: int, rng: np.random.Generator, deal: int) -> State:
    """A position, in which somebody is to move, after some random moves; `deal` decides what is dealt."""
    for _ in range(MOST_OPENINGS):
        state = game.new_initial_state(deal)
        roll(state, rng)
        for _ in range(moves):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
                roll(state, rng)
        if not state.is_terminal():
            return state
    raise ValueError(f"{game!r} is always over after {moves} random moves: use fewer opening_moves")


def roll(state: State, rng: np.random.Generator) -> None:
    """Let chance decide until somebody is to move or the game is over, in place."""
    while state.is_chance_node():
        state.apply_action(roll_once(state, rng))


def roll_once(state: State, rng: np.random.Generator) -> int:
    """Draw what chance brings next."""
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    index = np.searchsorted(np.cumsum(probabilities), rng.random(), side="right")
    return outcomes[min(int(index), len(outcomes) - 1)]


class Block:
    """Pairs of games that are played side by side, a move in every game at a time.

    Args:
        game: The game.
        sides: The two agents.
        pairs: The numbers of the pairs in the match.
        opening_moves: How many random moves both games of a pair start with.
        seed: The seed of the match.
    """

    def __init__(self, game: Game, sides: list[Agent], pairs: range, opening_moves: int, seed: int) -> None:
        self.sides = sides
        self.first_game = 2 * pairs.start
        self.seconds, self.moves = [0.0, 0.0], [0, 0]
        self.boards: list[State] = []
        self.dice: list[np.random.Generator] = []
        for pair in pairs:
            deal = spawn_seed(seed, pair)
            start = opening(game, opening_moves, np.random.default_rng(deal), deal)
            self.boards += [start.clone(), start.clone()]
            self.dice += [np.random.default_rng(spawn_seed(deal, CHANCE_STREAM)) for _ in range(2)]
        self.lengths = [opening_moves] * len(self.boards)
        self.searches = np.random.default_rng(spawn_seed(spawn_seed(seed, pairs.start), MOVE_STREAM))

    def play(self) -> Iterator[int]:
        """Play all games to the end; after every move yield how many are over."""
        running = list(range(len(self.boards)))
        while running:
            for side in range(2):
                # In games with even numbers the first side has the players with even numbers.
                at_move = [n for n in running if self.boards[n].current_player() % 2 == (side + n) % 2]
                # Drawn in any case: so a game does not depend on how many others are played beside it.
                seed = int(self.searches.integers(2**62))
                if at_move:
                    self.move(side, at_move, seed)
                    running = [n for n in running if not self.boards[n].is_terminal()]
                yield len(self.boards) - len(running)

    def move(self, side: int, games: list[int], seed: int) -> None:
        """Let a side move in some games."""
        states = [self.boards[n] for n in games]
        start = time.perf_counter()
        actions = self.sides[side].choose_many(states, seed, [self.first_game + n for n in games])
        self.seconds[side] += time.perf_counter() - start
        self.moves[side] += len(games)
        for n, state, action in zip(games, states, actions, strict=True):
            state.apply_action(int(action))
            self.lengths[n] += 1
            roll(state, self.dice[n])

    def add_to(self, result: MatchResult) -> None:
        """Add what was played to the result of a match."""
        for number in range(0, len(self.boards), 2):
            margins = [margin_of(self.boards[number + side], side) for side in range(2)]
            total = sum(margins)
            by_deal = result.counts == "deals"
            points = [won_by(total)] if by_deal else [won_by(margin) for margin in margins]
            result.pairs.append(statistics.mean(points))
            result.draws += points.count(0.5)
            result.margins.append(total if result.game.num_players == 1 else total / 2)
        result.lengths += self.lengths
        for side in range(2):
            result.seconds[side] += self.seconds[side]
            result.moves[side] += self.moves[side]


def margin_of(state: State, side: int) -> float:
    """How much more utility a player of a side has than one of the other side, on average; of one alone, which sign."""
    utilities = state.returns()
    if len(utilities) == 1:
        return utilities[0] if side == 0 else -utilities[0]
    return statistics.mean(utilities[side::2]) - statistics.mean(utilities[1 - side :: 2])


def won_by(margin: float) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss, by however much."""
    return 1.0 if margin > 0.0 else 0.5 if margin == 0.0 else 0.0
