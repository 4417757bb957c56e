"""Matches between two ways to search: pairs of games from the same random opening, with changed seats."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

import fastmcts
from fastmcts import Game, State

THREADS = 2
BLOCK = 100  # games that are played side by side; Ctrl-C loses those that are not over
OPENING_MOVES = 2
DEVIATIONS = 1.96  # of the mean, for an interval of 95%

#: Called with the games that are over and the score so far, which is printed.
Show = Callable[[float, object], object]


class Side(Protocol):
    """Somebody who plays many games at once."""

    def choose(self, numbers: Sequence[int], states: Sequence[State], seed: int) -> Sequence[int]:
        """The moves to make in some positions.

        Args:
            numbers: Which games of the match these are.
            states: Their positions.
            seed: A number that is different each time.
        """
        ...


class Searching:
    """Searches all positions in one batch.

    Args:
        threads: How many threads share the work.
        options: Those of `search_batch`.
    """

    def __init__(self, threads: int = THREADS, **options: Any) -> None:
        self.threads = threads
        self.options = options

    def choose(self, numbers: Sequence[int], states: Sequence[State], seed: int) -> Sequence[int]:
        """The moves that the searches find."""
        threads = min(self.threads, len(states))
        return fastmcts.search_batch(states, seed=seed, threads=threads, **self.options).action.tolist()


@dataclass
class Score:
    """What the first side has scored: 1 a win, 0.5 a draw, the mean of both games for each pair."""

    pairs: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        """How many games were played."""
        return 2 * len(self.pairs)

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
        return wilson(mean, mean * (1.0 - mean) / self.error**2 if self.error > 0.0 else float(self.games))

    def __str__(self) -> str:
        """The score with its interval; nothing while there is none."""
        return share(self.mean, self.interval) if len(self.pairs) > 1 else ""


def wilson(mean: float, coins: float) -> tuple[float, float]:
    """Wilson's 95% interval for the chance of a coin, of which `coins` throws had this mean."""
    z2 = DEVIATIONS**2
    centre = (mean + z2 / (2 * coins)) / (1 + z2 / coins)
    margin = DEVIATIONS * (mean * (1 - mean) / coins + z2 / (4 * coins**2)) ** 0.5 / (1 + z2 / coins)
    return centre - margin, centre + margin


def share(mean: float, interval: tuple[float, float]) -> str:
    """A share with its interval."""
    low, high = interval
    return f"{mean:.1%} ({low:.1%} to {high:.1%})"


def opening(game: Game, moves: int, rng: np.random.Generator) -> State:
    """A position after some random moves in which the game is not over."""
    while True:
        state = game.new_initial_state()
        for _ in range(moves):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            return state


def play(
    score: Score,
    game: Game,
    first: Side,
    second: Side,
    games: int,
    opening_moves: int = OPENING_MOVES,
    seed: int = 0,
    show: Show | None = None,
) -> None:
    """Play a match of two-player games.

    Args:
        score: Where the pairs are added, block by block: after Ctrl-C it has those that are over.
        game: The game.
        first: The side whose score counts.
        second: The other side.
        games: How many games; rounded up to pairs.
        opening_moves: How many random moves both games of a pair start with.
        seed: Decides openings and searches.
        show: Called after every move with the games that are over and the score so far.
    """
    rng = np.random.default_rng(seed)
    pairs = (games + 1) // 2
    for start in range(0, pairs, BLOCK // 2):
        openings = [opening(game, opening_moves, rng) for _ in range(min(BLOCK // 2, pairs - start))]
        score.pairs += play_block(openings, (first, second), 2 * start, rng, lambda over: show and show(over, score))


def play_block(
    openings: list[State],
    sides: tuple[Side, Side],
    offset: int,
    rng: np.random.Generator,
    show: Callable[[float], object],
) -> list[float]:
    """Play a pair from each opening, a move in every game at a time; return the first side's score of each pair."""
    boards = [state.clone() for state in openings for _ in sides]
    running = list(range(len(boards)))
    while running:
        for side in range(2):
            # In games with even numbers the first side is player 0.
            at_move = [n for n in running if boards[n].current_player() == (side + n) % 2]
            if at_move:
                states = [boards[n] for n in at_move]
                actions = sides[side].choose([offset + n for n in at_move], states, int(rng.integers(2**62)))
                for state, action in zip(states, actions, strict=True):
                    state.apply_action(int(action))
                running = [n for n in running if not boards[n].is_terminal()]
            show(offset + len(boards) - len(running))
    points = [points_of(state, number % 2) for number, state in enumerate(boards)]
    return [(points[n] + points[n + 1]) / 2 for n in range(0, len(points), 2)]


def points_of(state: State, player: int) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss, whatever the utilities."""
    ours, theirs = state.returns()[player], state.returns()[1 - player]
    return 1.0 if ours > theirs else 0.5 if ours == theirs else 0.0


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


@contextmanager
def bars() -> Iterator[Callable[[str, int], Show]]:
    """Draw a bar for each match: yields a function of its name and number of games that makes its `show`."""
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("{task.fields[score]}"),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def add(name: str, games: int) -> Show:
            task = bar.add_task(name, total=games, score="")

            def show(over: float, score: object) -> None:
                bar.update(task, completed=over, score=str(score), visible=over < games)

            return show

        yield add
