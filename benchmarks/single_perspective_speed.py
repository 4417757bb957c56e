"""What does a tree of one's own moves save?  Simulations per second and nodes, beside the full tree in equal time.

    python benchmarks/single_perspective_speed.py [--seconds 0.3] [--rounds 7] [--only sos] [--write]

Both search the first position of a game with random rollouts, `UCT(c=0.5)` and one new child a simulation, in turn. A
ratio is the median of the rounds. `--write` puts the table into docs/sources/single_perspective.md.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

import page_tables

import fastmcts
from fastmcts import Game, Method, PerfectInformation, SinglePerspective
from fastmcts.testing.strategies import first_decision, searchable_games

PAGE = Path(__file__).parent.parent / "docs" / "sources" / "single_perspective.md"
MARKERS = ("<!-- speed -->", "<!-- end of speed -->")
HEADER = ("game", "full tree, simulations/s", "single perspective", "ratio", "nodes, of the full tree's")


def suitable_games() -> list[str]:
    """The games for several in which nothing is hidden: there both trees know the same."""
    names = {name: fastmcts.load_game(name) for name in searchable_games()}
    return [name for name, game in names.items() if game.num_players > 1 and not game.has_hidden_information]


def search(game: Game, method: Method, seconds: float, seed: int) -> fastmcts.SearchResult:
    """Search the first position of a game."""
    return fastmcts.search(first_decision(game), seconds=seconds, seed=seed, strategy="plain", method=method)


def row(name: str, seconds: float, rounds: int) -> tuple[str, ...]:
    """A game's row."""
    game = fastmcts.load_game(name)
    methods = (PerfectInformation(), SinglePerspective())
    for method in methods:
        search(game, method, 0.01, seed=0)
    pairs = [[search(game, method, seconds, seed) for method in methods] for seed in range(rounds)]
    speeds = [[result.simulations / result.seconds for result in pair] for pair in pairs]
    full, single = (statistics.median(column) for column in zip(*speeds, strict=True))
    ratio = statistics.median(one / other for other, one in speeds)
    nodes = statistics.median(single.nodes / full.nodes for full, single in pairs)
    return f"`{name}`", f"{full:,.0f}", f"{single:,.0f}", f"{ratio:.2f}", f"{nodes:.1%}"


def rows(names: Sequence[str], seconds: float, rounds: int) -> Iterator[tuple[str, ...]]:
    """A row for each game, as it is measured."""
    for name in names:
        yield row(name, seconds, rounds)


def main() -> None:
    """Measure, print the table, and write it if asked to."""
    names = suitable_games()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each search")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="GAME", help=", ".join(names))
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}; needs all games")
    arguments = parser.parse_args()
    if arguments.write and arguments.only != names:
        parser.error("--write needs all games: leave --only out")
    lines = []
    for line in page_tables.table(HEADER, rows(arguments.only, arguments.seconds, arguments.rounds)):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        page_tables.rewrite(PAGE, MARKERS, "\n".join(lines))


if __name__ == "__main__":
    main()
