"""What does each game recommend, and how many simulations a second does it run, beside the plain strategy?

    python benchmarks/recommended_speed.py                     # print the table: a minute
    python benchmarks/recommended_speed.py --only pig --write  # put some rows, or all, into docs/strategies.md

How much these strategies win is in the table below it, which `match_tables.py` writes.
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import page_tables

import fastmcts
from fastmcts import Game, Options, games
from fastmcts.engine.plan import make_plan
from fastmcts.testing.strategies import first_decision, searchable_games

PAGE = page_tables.DOCS / "strategies.md"
MARKERS = page_tables.markers("recommended")
HEADER = ("game", "recommended", "simulations/s", "plain, simulations/s")

#: Games that are measured on more boards than their usual one, which is small or only one of their forms.
BOARDS: dict[str, tuple[Game, ...]] = {
    "dots_and_boxes": (games.DotsAndBoxes(), games.DotsAndBoxes(rows=4, columns=4)),
    "klondike": (games.Klondike(), games.Klondike(macro=True)),
    "mnk": (games.MNK(), games.MNK(m=15, n=15, k=5)),
}
SIMULATIONS = 5_000
ROUNDS = 3


def rows(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """What each game recommends, and what it costs."""
    for game in itertools.chain.from_iterable(BOARDS.get(name) or (fastmcts.load_game(name),) for name in names):
        strategy = make_plan(game, Options(seconds=1.0)).text
        label = f"`{game!r}`" if game.name in BOARDS else f"`{game.name}`"
        yield label, f"`{strategy}`", f"{speed(game):,.0f}", f"{speed(game, strategy='plain'):,.0f}"


def speed(game: Game, **options: Any) -> float:
    """Simulations per second from the start on one core, the best of some rounds."""
    state = first_decision(game)
    fastmcts.search(state, simulations=10, seed=0, **options)
    results = [fastmcts.search(state, simulations=SIMULATIONS, seed=seed, **options) for seed in range(ROUNDS)]
    return max(result.simulations / result.seconds for result in results)


def table_rows(text: str) -> list[tuple[str, ...]]:
    """The rows of a Markdown table, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines[2:]]


def main() -> None:
    """Measure, print the table, and write it if asked to."""
    names = searchable_games()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="GAME", help=", ".join(names))
    parser.add_argument("--write", action="store_true", help=f"put the rows into {PAGE.parent.name}/{PAGE.name}")
    arguments = parser.parse_args()
    measured = list(rows(arguments.only))
    print("\n".join(page_tables.table(HEADER, measured)))
    if arguments.write:
        _, inside, _ = page_tables.between(PAGE.read_text(), MARKERS)
        known = {row[0]: row for row in (*table_rows(inside), *measured)}
        lines = page_tables.table(HEADER, [known[key] for key in sorted(known, key=str.lower)])
        page_tables.rewrite(PAGE, MARKERS, "\n".join(lines))


if __name__ == "__main__":
    main()
