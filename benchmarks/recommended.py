"""Does each game's recommended strategy play better than the plain one?  At equal simulations, for every game.

    python benchmarks/recommended.py                                    # everything, 200 games each: hours
    python benchmarks/recommended.py --only hex whist --budgets 200 2000 --games 100
    python benchmarks/recommended.py --only pig --write                 # and put its rows into docs/strategies.md

Games of two sides come in pairs from the same random opening, with changed seats; where hands are hidden both games
of a pair have the same cards, and who wins more with them in both together has won the deal. Games of one player are
played by both strategies on the same deals: the share that each wins, or its mean score. Intervals are those of 95%.
Every move is searched with a fresh tree. A row is printed as soon as it is played; Ctrl-C prints what was played.

`--write` replaces the rows that were played in the table of the page, keeps the others, and renews the table of
what is recommended, with simulations per second of both strategies.
"""

import argparse
import itertools
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import arena
import numpy as np

import fastmcts
from fastmcts import Game, State, spawn_seed
from fastmcts.testing.strategies import first_decision, searchable_games

PAGE = Path(__file__).parent.parent / "docs" / "strategies.md"
SCORES = ("<!-- scores -->", "<!-- end of scores -->")
RECOMMENDED = ("<!-- recommended -->", "<!-- end of recommended -->")
SCORE_HEADER = ("game", "simulations", "games", "recommended (95%)", "plain")
RECOMMENDED_HEADER = ("game", "recommended", "simulations/s", "plain, simulations/s")

BUDGETS = (200, 2_000, 20_000)
GAMES = 200
SPEED_SIMULATIONS = 5_000
SPEED_ROUNDS = 3

#: A game's name -> its row's score and the plain one's, once it is played.
Row = tuple[str, ...]


@dataclass
class Solo:
    """How one player has done in deals played alone.

    Attributes:
        utilities: What each deal has brought.
    """

    utilities: list[float] = field(default_factory=list)

    def text(self, game: Game) -> str:
        """The share of deals won where the most that can be won is 1, else the mean score, with its interval."""
        mean = statistics.mean(self.utilities)
        if game.max_utility == 1.0:
            return "won " + arena.share(mean, arena.wilson(mean, len(self.utilities)))
        error = statistics.stdev(self.utilities) / len(self.utilities) ** 0.5
        return f"{mean:,.0f} ± {arena.DEVIATIONS * error:,.0f}"


def play_alone(
    solo: Solo, game: Game, side: arena.Side, seeds: Sequence[int], show: Callable[[int], object] | None = None
) -> None:
    """Let a side play deals of a one-player game next to each other, and note what they bring.

    Args:
        solo: Where the utilities are added, block by block: after Ctrl-C it has those of whole blocks.
        game: The game.
        side: Who plays.
        seeds: One for each deal: it decides the cards, and every outcome of chance.
        show: Called with the number of deals that are over.
    """
    for start in range(0, len(seeds), arena.BLOCK):
        block = seeds[start : start + arena.BLOCK]
        chances = [np.random.default_rng(seed % 2**64) for seed in block]
        states = [game.new_initial_state(seed) for seed in block]
        for move in itertools.count():
            for state, chance in zip(states, chances, strict=True):
                arena.draw_chance(state, chance)
            running = [number for number, state in enumerate(states) if not state.is_terminal()]
            if show:
                show(start + len(states) - len(running))
            if not running:
                break
            at_move = [states[number] for number in running]
            for state, action in zip(at_move, side.choose(running, at_move, spawn_seed(block[0], move)), strict=True):
                state.apply_action(int(action))
        solo.utilities.extend(state.returns()[0] for state in states)


def searching(simulations: int, threads: int, **options: Any) -> arena.Side:
    """Somebody who searches for each move."""
    return arena.Searching(simulations=simulations, threads=threads, **options)


def solo_row(game: Game, budget: int, count: int, threads: int, seed: int) -> Row:
    """Let both strategies play the same deals; the row as far as Ctrl-C let them, empty before both have some."""
    seeds = [spawn_seed(seed, deal) for deal in range(count)]
    players = {"recommended": Solo(), "plain": Solo()}
    sides = {"recommended": searching(budget, threads), "plain": searching(budget, threads, strategy="plain")}
    with suppress(KeyboardInterrupt), arena.bars() as add_bar:
        for name, solo in players.items():
            bar = add_bar(f"{game.name}, {budget:,}: {name}", count)
            play_alone(solo, game, sides[name], seeds, lambda over, bar=bar: bar(over, ""))
    if any(len(solo.utilities) < count for solo in players.values()):
        return ()
    return (label(game), f"{budget:,}", f"{count:,}", *(solo.text(game) for solo in players.values()))


def match_row(game: Game, budget: int, count: int, threads: int, seed: int) -> tuple[Row, bool]:
    """Play recommended against plain; the row, empty where no two pairs were played, and whether it is whole."""
    match = arena.Match(
        f"{budget:,}", game, searching(budget, threads), searching(budget, threads, strategy="plain")
    )
    # Random moves before a deal is played would be bids and cards that nobody chose.
    hidden = game.has_hidden_information
    options = {"opening_moves": 0 if hidden else arena.OPENING_MOVES, "same_cards": hidden, "seed": seed}
    for _, score in arena.play_each([match], count, **options):
        row = (label(game), f"{budget:,}", f"{score.games:,}", str(score), f"{1.0 - score.mean:.1%}")
        return row, score.games >= count
    return (), False


def label(game: Game) -> str:
    """How a game is called in the tables."""
    return f"`{game!r}`" if game.name in VARIANTS else f"`{game.name}`"


def played(arguments: argparse.Namespace) -> Iterator[Row]:
    """The rows, one after the other; Ctrl-C ends with what was played."""
    for name in arguments.only:
        for game, budget in itertools.product(boards(name), arguments.budgets):
            if game.num_players == 1:
                row = solo_row(game, budget, arguments.games, arguments.threads, arguments.seed)
                is_whole = row != ()
            else:
                row, is_whole = match_row(game, budget, arguments.games, arguments.threads, arguments.seed)
            if row:
                yield row
            if not is_whole:
                return
