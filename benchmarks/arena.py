"""Matches between two ways to play: pairs of games from the same random opening or deal, with changed seats.

Of more than two players, those with even numbers play for one side and those with odd numbers for the other.
"""

import argparse
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

import fastmcts
from fastmcts import Game, State, spawn_seed
from fastmcts.jit import wrapping_integers
from fastmcts.kernels.rng import make_rng

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
        return fastmcts.search_batch(states, seed=seed, threads=self.threads, **self.options).action.tolist()


class Policy:
    """Plays one of a game's own policies.

    Args:
        name: The method that chooses: "random_action" or "rollout_action".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, numbers: Sequence[int], states: Sequence[State], seed: int) -> Sequence[int]:
        """The moves of the policy."""
        rng = make_rng(seed)
        actions = np.zeros(states[0].game.num_actions, np.int64)
        with wrapping_integers():
            return [int(getattr(state.game, self.name)(state.array, actions, rng)) for state in states]


@dataclass
class Score:
    """What the first side has scored in each pair.

    Attributes:
        pairs: 1 a win, 0.5 a draw, the mean of both games; or, where the games of a pair are played with the same
            cards, 1 if the sum of both is higher than the other side's, and 0.5 if it is equal.
        margins: How much more utility a player of the first side won than one of the second, a game.
    """

    pairs: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)

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


def draw_chance(state: State, rng: np.random.Generator) -> None:
    """Play on, by their chances, the outcomes of dice or cards until somebody is to move."""
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=chances)))


def opening(game: Game, moves: int, rng: np.random.Generator, deal: int) -> State:
    """A position after some random moves in which the game is not over; `deal` decides what is dealt."""
    while True:
        state = game.new_initial_state(deal)
        draw_chance(state, rng)
        for _ in range(moves):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
                draw_chance(state, rng)
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
    same_cards: bool = False,
) -> None:
    """Play a match.

    Args:
        score: Where the pairs are added, block by block: after Ctrl-C it has those that are over.
        game: The game.
        first: The side whose score counts.
        second: The other side.
        games: How many games; rounded up to pairs.
        opening_moves: How many random moves both games of a pair start with.
        seed: Decides openings and searches.
        show: Called after every move with the games that are over and the score so far.
        same_cards: Count a pair once, by the sum of what each side won: so the luck of the deal is the same for both.
    """
    rng = np.random.default_rng(seed)
    pairs = (games + 1) // 2
    for start in range(0, pairs, BLOCK // 2):
        numbers = range(start, min(start + BLOCK // 2, pairs))
        openings = [opening(game, opening_moves, rng, spawn_seed(seed, number)) for number in numbers]
        boards = play_block(openings, (first, second), 2 * start, rng, lambda over: show and show(over, score))
        margins = [margin_of(state, number % 2) for number, state in enumerate(boards)]
        for one, other in zip(margins[::2], margins[1::2], strict=True):
            score.pairs.append(points(one + other) if same_cards else (points(one) + points(other)) / 2)
            score.margins.append((one + other) / 2)


def play_block(
    openings: list[State],
    sides: tuple[Side, Side],
    offset: int,
    rng: np.random.Generator,
    show: Callable[[float], object],
) -> list[State]:
    """Play a pair from each opening, a move in every game at a time; return how the games ended."""
    boards = [state.clone() for state in openings for _ in sides]
    running = list(range(len(boards)))
    while running:
        for side in range(2):
            # In games with even numbers the first side has the players with even numbers.
            at_move = [n for n in running if boards[n].current_player() % 2 == (side + n) % 2]
            if at_move:
                states = [boards[n] for n in at_move]
                actions = sides[side].choose([offset + n for n in at_move], states, int(rng.integers(2**62)))
                for state, action in zip(states, actions, strict=True):
                    state.apply_action(int(action))
                    draw_chance(state, rng)
                running = [n for n in running if not boards[n].is_terminal()]
            show(offset + len(boards) - len(running))
    return boards


def margin_of(state: State, side: int) -> float:
    """How much more utility a player of a side has than one of the other side, on average."""
    utilities = state.returns()
    return statistics.mean(utilities[side::2]) - statistics.mean(utilities[1 - side :: 2])


def points(margin: float) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss, by however much."""
    return 1.0 if margin > 0.0 else 0.5 if margin == 0.0 else 0.0


def parse_arguments(description: str | None, names: Sequence[str], simulations: int) -> argparse.Namespace:
    """Read what the matches of a script have in common; `names` are the games to choose from."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400, help="for each match, in pairs")
    parser.add_argument("--simulations", type=int, default=simulations, help="for each move")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="GAME", help=", ".join(names))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.games < 4:
        parser.error(f"--games must be at least 4, not {arguments.games}: one pair has no interval")
    return arguments


@dataclass(frozen=True)
class Match:
    """Two sides, and what they play; the title says who they are."""

    title: str
    game: Game
    first: Side
    second: Side


def play_each(matches: Iterable[Match], games: int, **options: Any) -> Iterator[tuple[Match, Score]]:
    """Play matches one after the other, with the options of `play`; yield each when it is over.

    Ctrl-C ends the last one early: it is yielded with what was played.
    """
    for match in matches:
        score, is_over = Score(), False
        with suppress(KeyboardInterrupt), bars() as add_bar:
            show = add_bar(f"{match.game.name}: {match.title}", games)
            play(score, match.game, match.first, match.second, games, show=show, **options)
            is_over = True
        if len(score.pairs) > 1:
            yield match, score
        if not is_over:
            return


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
