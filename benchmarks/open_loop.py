"""Nodes for what chance brings, or a tree of decisions alone: which plays better at equal simulations?

    python benchmarks/open_loop.py [--games 400] [--only pig] [--seed 0] [--write]

On Pig both play each other, in pairs with changed seats. On 2048, a game for one, each plays the same deals, with the
real score; the interval is that of the mean of their differences. Whatever else they do is the same for both.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import page_tables
from page_tables import DOCS

from examples.score_2048 import Score2048
from fastmcts import Game, OpenLoop, PerfectInformation, RandomRollout, games
from fastmcts.experiments import Search, play_deals, play_match

PAGE = DOCS / "methods.md"
NAMES = ("pig", "2048")
BUDGETS = (100, 400)
DEVIATIONS = 1.96  # for an interval of 95%

#: What both play by.
PIG: dict[str, dict[str, Any]] = {"recommended": {}, "rollouts to the end": {"rollout": RandomRollout()}}
SHORT_ROLLOUTS = RandomRollout(max_length=10)
DEALS_SHARE = 10  # a deal of 2048 takes as long as so many games of Pig


def pig_rows(count: int, seed: int, threads: int) -> Iterator[Sequence[str]]:
    """Matches on Pig."""
    game: Game = games.Pig()
    for name, options in PIG.items():
        for simulations in BUDGETS:
            first, second = (
                Search(simulations=simulations, method=method, **options)
                for method in (OpenLoop(), PerfectInformation())
            )
            result = play_match(game, first, second, count, seed=seed, threads=threads, progress=False)
            yield "Pig", name, f"{simulations:,}", f"{result.games:,}", result.score


def score_rows(count: int, seed: int, threads: int) -> Iterator[Sequence[str]]:
    """Deals of 2048."""
    game = Score2048(max_tile=8192)  # so that good play is not cut short
    for simulations in BUDGETS:
        scores = [
            play_deals(
                game,
                Search(simulations=simulations, method=method, rollout=SHORT_ROLLOUTS),
                count,
                seed,
                processes=threads,
            ).utilities
            for method in (OpenLoop(), PerfectInformation())
        ]
        differences = [open_loop - other for open_loop, other in zip(*scores, strict=True)]
        margin = DEVIATIONS * statistics.stdev(differences) / len(differences) ** 0.5
        means = " against ".join(f"{statistics.mean(one):,.0f}" for one in scores)
        difference = f"{statistics.mean(differences):+,.0f} ± {margin:,.0f}"
        yield "2048", "rollouts of 10 moves", f"{simulations:,}", f"{count:,}", f"{means} points ({difference})"


def rows(only: Sequence[str], count: int, seed: int, threads: int) -> Iterator[Sequence[str]]:
    """All that is asked for."""
    if "pig" in only:
        yield from pig_rows(count, seed, threads)
    if "2048" in only:
        yield from score_rows(max(4, count // DEALS_SHARE), seed, threads)


def parse_arguments() -> argparse.Namespace:
    """Read what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--games", type=int, default=400, help="for each match, in pairs; a tenth as many deals of 2048"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    return parser.parse_args()


def main() -> None:
    """Play, and print the table."""
    arguments = parse_arguments()
    header = "game", "strategy", "simulations", "games", "`OpenLoop()` against nodes for chance (95%)"
    lines = []
    for line in page_tables.table(header, rows(arguments.only, arguments.games, arguments.seed, arguments.threads)):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        page_tables.rewrite(PAGE, page_tables.markers("open loop"), "\n".join(lines))


if __name__ == "__main__":
    main()
