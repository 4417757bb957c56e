"""Does each game's recommended strategy play better than the plain one?  At equal simulations, for every game.

    python benchmarks/recommended.py                                    # everything, 200 games each: hours
    python benchmarks/recommended.py --only hex whist --budgets 200 2000 --games 100
    python benchmarks/recommended.py --only pig --write                 # and put its rows into docs/strategies.md

Games of two sides come in pairs from the same random opening, with changed seats. Where hands are hidden both games
of a pair have the same cards, and the side that scores more in both together has won. Games of one player are played
by both strategies on the same deals, with a tree that is kept through the deal: the share that each wins, or its mean
score. Intervals are those of 95%. A row is printed as soon as it is played; Ctrl-C prints what was played.

`--write` puts the rows that were played whole into the table of the page, keeps the others, and writes anew what each
game recommends, with the simulations per second of both strategies.
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import arena

import fastmcts
from fastmcts import Game, Options, games
from fastmcts.engine.plan import make_plan
from fastmcts.experiments import DealsResult, Search, play_deals
from fastmcts.experiments.intervals import share
from fastmcts.testing.strategies import first_decision, searchable_games

PAGE = Path(__file__).parent.parent / "docs" / "strategies.md"
SCORES = ("<!-- scores -->", "<!-- end of scores -->")
RECOMMENDED = ("<!-- recommended -->", "<!-- end of recommended -->")
SCORE_HEADER = ("game", "simulations", "games", "recommended (95%)", "plain")
RECOMMENDED_HEADER = ("game", "recommended", "simulations/s", "plain, simulations/s")

#: Games that are played on more boards than their usual one, which is small or only one of their forms.
BOARDS: dict[str, tuple[Game, ...]] = {
    "dots_and_boxes": (games.DotsAndBoxes(), games.DotsAndBoxes(rows=4, columns=4)),
    "klondike": (games.Klondike(), games.Klondike(macro=True)),
    "mnk": (games.MNK(), games.MNK(m=15, n=15, k=5)),
}
BUDGETS = (200, 2_000, 20_000)
GAMES = 200
SPEED_SIMULATIONS = 5_000
SPEED_ROUNDS = 3


def boards(name: str) -> tuple[Game, ...]:
    """The boards on which a game is played."""
    return BOARDS.get(name) or (fastmcts.load_game(name),)


def label(game: Game) -> str:
    """What a game is called in the tables: its id, and its options where it is played on several boards."""
    return f"`{game!r}`" if game.name in BOARDS else f"`{game.name}`"


# ---- Playing


@dataclass
class Row:
    """A game at one budget.

    Attributes:
        game: The game.
        budget: Simulations for each move.
        games: How many games were played.
        recommended: The score of the recommended strategy, with its interval.
        plain: The score of the plain one.
        is_whole: Whether all games were played; Ctrl-C may have come before.
    """

    game: Game
    budget: str
    games: int
    recommended: str
    plain: str
    is_whole: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands in the table."""
        return label(self.game), self.budget, f"{self.games:,}", self.recommended, self.plain


def alone(game: Game, agents: Sequence[Search], arguments: argparse.Namespace, title: str) -> Row | None:
    """Both strategies on the same deals; None if Ctrl-C comes before both have played."""
    results = []
    for agent in agents:
        options: dict[str, Any] = {"processes": arguments.threads, "progress": True}
        results.append(play_deals(game, agent, arguments.games, arguments.seed, **options))
        if results[-1].interrupted:
            return None
    return Row(game, title, arguments.games, deals_text(results[0]), deals_text(results[1]), True)


def deals_text(result: DealsResult) -> str:
    """The share of deals won, or the mean score; with its interval."""
    low, high = result.interval
    if result.is_won_or_lost:
        return share(result.won / len(result.utilities), result.interval)
    return f"{result.mean:,.0f} ({low:,.0f} to {high:,.0f})"


def against(game: Game, agents: Sequence[Search], arguments: argparse.Namespace, title: str) -> Row | None:
    """The recommended strategy against the plain one; None if Ctrl-C comes before two pairs are played."""
    match = arena.Match(title, game, *agents)
    for _, result in arena.play_each([match], arguments.games, seed=arguments.seed, threads=arguments.threads):
        is_whole = not result.interrupted
        return Row(game, title, result.games, result.score, f"{1.0 - result.mean:.1%}", is_whole)
    return None


def play(arguments: argparse.Namespace) -> Iterator[Row]:
    """The rows, one after the other; Ctrl-C ends with what was played."""
    for name in arguments.only:
        pairs: Iterator[tuple[Game, int]] = itertools.product(boards(name), arguments.budgets)
        for game, budget in pairs:
            agents = [Search(simulations=budget), Search(simulations=budget, strategy="plain")]
            compare = alone if game.num_players == 1 else against
            row = compare(game, agents, arguments, f"{budget:,}")
            if row:
                yield row
            if not row or not row.is_whole:
                return


# ---- The page


def recommended_rows(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """What each game recommends, and what it costs."""
    for game in itertools.chain.from_iterable(boards(name) for name in names):
        strategy = make_plan(game, Options(seconds=1.0)).text
        yield label(game), f"`{strategy}`", f"{speed(game):,.0f}", f"{speed(game, strategy='plain'):,.0f}"


def speed(game: Game, **options: Any) -> float:
    """Simulations per second from the start on one core, the best of some rounds."""
    state = first_decision(game)
    fastmcts.search(state, simulations=10, seed=0, **options)
    results = [
        fastmcts.search(state, simulations=SPEED_SIMULATIONS, seed=seed, **options) for seed in range(SPEED_ROUNDS)
    ]
    return max(result.simulations / result.seconds for result in results)


def between(text: str, markers: tuple[str, str]) -> tuple[str, str, str]:
    """A text before, between and behind two markers."""
    before, rest = text.split(markers[0])
    inside, after = rest.split(markers[1])
    return before, inside, after


def table_rows(text: str) -> list[tuple[str, ...]]:
    """The rows of a Markdown table, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines[2:]]


def merged(old: Iterable[tuple[str, ...]], new: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows of scores: a new one takes the place of an old one for the same game and budget; sorted by both."""
    rows = {row[:2]: row for row in (*old, *new)}
    return [
        rows[key] for key in sorted(rows, key=lambda key: (key[0].strip("`").lower(), int(key[1].replace(",", ""))))
    ]


def write(rows: Iterable[tuple[str, ...]], names: Iterable[str]) -> None:
    """Put rows of scores into the page, and what the games recommend."""
    text = PAGE.read_text()
    before, inside, after = between(text, SCORES)
    scores = "\n".join(arena.table(SCORE_HEADER, merged(table_rows(inside), rows)))
    text = f"{before}{SCORES[0]}\n\n{scores}\n\n{SCORES[1]}{after}"
    before, inside, after = between(text, RECOMMENDED)
    known = {row[0]: row for row in (*table_rows(inside), *recommended_rows(names))}
    lines = "\n".join(arena.table(RECOMMENDED_HEADER, [known[key] for key in sorted(known, key=str.lower)]))
    PAGE.write_text(f"{before}{RECOMMENDED[0]}\n\n{lines}\n\n{RECOMMENDED[1]}{after}")


def parse() -> argparse.Namespace:
    """Read the command line."""
    names = searchable_games()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="GAME", help=", ".join(names))
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS, help="simulations for each move")
    parser.add_argument("--games", type=int, default=GAMES, help="for each game and budget, in pairs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help=f"put the rows into {PAGE.parent.name}/{PAGE.name}")
    arguments = parser.parse_args()
    if arguments.games < 4:
        parser.error(f"--games must be at least 4, not {arguments.games}: one pair has no interval")
    if min(arguments.budgets) < 1:
        parser.error(f"--budgets must be at least 1 each, not {min(arguments.budgets)}")
    return arguments


def main() -> None:
    """Play, print the table, and write it if asked to."""
    arguments = parse()
    whole: list[tuple[str, ...]] = []

    def cells() -> Iterator[tuple[str, ...]]:
        for row in play(arguments):
            yield row.cells
            if row.is_whole:
                whole.append(row.cells)

    for line in arena.table(SCORE_HEADER, cells()):
        print(line, flush=True)
    if arguments.write:
        write(whole, arguments.only)


if __name__ == "__main__":
    main()
