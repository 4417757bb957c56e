"""What the match scripts have in common: their arguments, matches one after the other, and tables."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastmcts import Game
from fastmcts.experiments import Agent, MatchResult, play_match

THREADS = 2


def parse_arguments(
    description: str | None, names: Sequence[str], simulations: int | None = None, page: Path | None = None
) -> argparse.Namespace:
    """Read what the matches of a script have in common.

    Args:
        description: What the script is for.
        names: The games, or tables, to choose from.
        simulations: How many for each move unless said otherwise; None where the script decides.
        page: What `--write` writes to.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400, help="for each match, in pairs")
    if simulations is not None:
        parser.add_argument("--simulations", type=int, default=simulations, help="for each move")
    if page is not None:
        parser.add_argument("--write", action="store_true", help=f"put the tables into {page.name}")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.games < 4:
        parser.error(f"--games must be at least 4, not {arguments.games}: one pair has no interval")
    return arguments


@dataclass(frozen=True)
class Match:
    """Two agents, and what they play; the title says who they are."""

    title: str
    game: Game
    first: Agent
    second: Agent


def play_each(matches: Iterable[Match], games: int, **options: Any) -> Iterator[tuple[Match, MatchResult]]:
    """Play matches one after the other, with a bar and the options of `play_match`; yield each when it is over.

    Ctrl-C ends the last one early: it is yielded with what was played.
    """
    for match in matches:
        result = play_match(match.game, match.first, match.second, games, **{"progress": True, **options})
        if len(result.pairs) > 1:
            yield match, result
        if result.interrupted:
            return


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def rewrite(page: Path, markers: tuple[str, str], text: str) -> None:
    """Replace what stands between two markers of a page."""
    before, rest = page.read_text().split(markers[0])
    _, after = rest.split(markers[1])
    page.write_text(f"{before}{markers[0]}\n\n{text}\n\n{markers[1]}{after}")
