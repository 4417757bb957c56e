"""How strong is the search of SOS out of the box?  8x8, pairs of games from the same two random moves, changed seats.

    python benchmarks/sos_strength.py [--only greedy] [--games 200] [--threads 2] [--seed 0] [--write]

Four tables:
    greedy       against a player who takes a point if there is one, and else moves at random
    six-lines    against `PUCT(c=3)` with a prior of six lines, which knows points only, at equal simulations
    steps        each number of simulations against the one before
    prioritized  `Prioritized()` against `Lazy()`, as the source has it and with first-play urgency

A row is printed when it is played; Ctrl-C prints what was played. `--write` puts the tables that were played whole into
docs/sources/sos.md. Seconds a move are those of searches in a batch, which share nothing but the overhead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import arena
import numpy as np
from numpy.typing import NDArray

from fastmcts import PUCT, UCB1, Lazy, Prioritized, State, search_batch
from fastmcts.core.types import Actions, Position
from fastmcts.experiments import MatchResult, Search, play_match
from fastmcts.games.sos import SOS

PAGE = Path(__file__).parent.parent / "docs" / "sources" / "sos.md"
GAME = SOS()
BUDGETS = (50, 100, 500, 1_000, 5_000)
HEADER = ("first", "second", "games", "score of the first (95%)", "moves/s of the first")
#: Twice the simulations gain less than five or ten times as many: it takes more games to see it.
MORE_GAMES = {("steps", "1,000"): 4}

URGENT = UCB1(c=0.3, first_play=0.6)


class Greedy:
    """Takes a point if there is one, and else moves at random."""

    def __init__(self) -> None:
        self.chooser = np.random.default_rng(0)

    def choose(self, state: State) -> int:
        """Any of the moves that score, or of all."""
        legal = state.legal_actions()
        return int(self.chooser.choice([a for a in legal if GAME.is_promising(state.array, a)] or legal))

    def __repr__(self) -> str:
        """As in the table."""
        return "greedy: a point, else random"


@dataclass(frozen=True)
class SixLines(SOS):
    """SOS with a prior that knows points only."""

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Fifty to one for a move that scores."""
        total = 0.0
        for index in range(count):
            out[index] = 50.0 if self.completed(state, actions[index]) > 0 else 1.0
            total += out[index]
        for index in range(count):
            out[index] /= total


class Baseline:
    """Searches with the prior of six lines, and random rollouts."""

    def __init__(self, simulations: int) -> None:
        self.simulations = simulations
        self.calls = 0

    def choose(self, state: State) -> int:
        """The move of a search."""
        return self.choose_many([state])[0]

    def choose_many(self, states: Sequence[State]) -> list[int]:
        """The moves of searches in one batch."""
        self.calls += 1
        positions = np.stack([state.array for state in states])
        options: dict[str, Any] = {"strategy": "plain", "selection": PUCT(c=3.0), "simulations": self.simulations}
        return search_batch(positions, game=SixLines(), seed=self.calls, **options).action.tolist()

    def __repr__(self) -> str:
        """As in the table."""
        return f"six lines, {self.simulations:,}"


def plain(simulations: int, **options: Any) -> Search:
    """A search whose every part is said."""
    settings: dict[str, Any] = {"selection": UCB1(c=1.4), **options}
    return Search(simulations=simulations, strategy="plain", **settings)


def matches(table: str) -> Iterator[tuple[str, str, Any, Any]]:
    """The rows of a table: two titles and two agents."""
    if table == "greedy":
        for budget in BUDGETS:
            yield f"{budget:,}", "greedy", Search(simulations=budget), Greedy()
    elif table == "six-lines":
        for budget in (500, 5_000):
            yield f"{budget:,}", f"six lines, {budget:,}", Search(simulations=budget), Baseline(budget)
    elif table == "steps":
        for fewer, more in pairwise(BUDGETS):
            yield f"{more:,}", f"{fewer:,}", Search(simulations=more), Search(simulations=fewer)
    else:
        for budget in BUDGETS:
            lazy = plain(budget, expansion=Lazy())
            yield f"`Prioritized()`, {budget:,}", f"`Lazy()`, {budget:,}", plain(budget, expansion=Prioritized()), lazy
        for budget in (100, 1_000):
            urgent = plain(budget, selection=URGENT, expansion=Prioritized())
            lazy = plain(budget, expansion=Lazy())
            yield f"`Prioritized()` with `first_play`, {budget:,}", f"`Lazy()`, {budget:,}", urgent, lazy


TABLES = ("greedy", "six-lines", "steps", "prioritized")


def play(table: str, games: int, threads: int, seed: int, whole: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The rows of a table as they are played; `whole` gets those that Ctrl-C did not end."""
    for first, second, one, other in matches(table):
        count = games * MORE_GAMES.get((table, first), 1)
        result = play_match(GAME, one, other, count, seed, threads=threads, progress=True)
        if len(result.pairs) > 1:
            yield row(first, second, result)
        if result.interrupted:
            raise KeyboardInterrupt
        whole.append(row(first, second, result))


def row(first: str, second: str, result: MatchResult) -> tuple[str, ...]:
    """A row of a table."""
    return first, second, f"{result.games:,}", result.score, f"{1 / result.seconds_per_move[0]:,.0f}"


def main() -> None:
    """Play the tables, print them, and write them if asked to."""
    arguments = arena.parse_arguments(__doc__, list(TABLES), page=PAGE)
    for table in arguments.only:
        whole: list[tuple[str, ...]] = []
        try:
            rows = play(table, arguments.games, arguments.threads, arguments.seed, whole)
            for line in arena.table(HEADER, rows):
                print(line, flush=True)
        except KeyboardInterrupt:
            return
        if arguments.write:
            markers = f"<!-- {table} -->", f"<!-- end of {table} -->"
            arena.rewrite(PAGE, markers, "\n".join(arena.table(HEADER, whole)))


if __name__ == "__main__":
    main()
