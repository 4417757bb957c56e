"""Write the tables of matches in the docs from the results of the plans in `experiments/`.

    python benchmarks/match_tables.py results.sqlite --play            # play all plans first: about an hour of one core
    python benchmarks/match_tables.py results.sqlite --only klondike   # print a table
    python benchmarks/match_tables.py results.sqlite --write           # and put all of them into their pages
    python benchmarks/match_tables.py one.sqlite two.sqlite            # the last store that has a match counts

Plans can as well be played one by one, on more cores or a cluster, with `fastmcts experiment run PLAN --out STORE`.
Every table says how many games it is about. A match that was not played whole has no row; a table whose rows take
several matches is not written then.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import page_tables
from page_tables import DOCS

from fastmcts.compiler.component import brief
from fastmcts.experiments import Plan, load_plan, run, summarise
from fastmcts.experiments.intervals import DEVIATIONS, share
from fastmcts.experiments.reports import Summary

PLANS = DOCS.parent / "experiments"

#: What stands in a column, by its heading.
COLUMNS: dict[str, Callable[[Summary], str]] = {
    "match": lambda one: f"{one.first} against {one.second}",
    "first": lambda one: one.first,
    "second": lambda one: one.second,
    "player": lambda one: one.first,
    "our strategy": lambda one: one.first.partition(", ")[0],
    "each move has": lambda one: one.first.partition(", ")[2],
    "game": lambda one: f"`{one.game}`",
    "form": lambda one: klondike_form(one.game),
    "simulations": lambda one: f"{budget(one):,}" if one.budget else "",
    "games": lambda one: f"{one.games:,}",
    "deals": lambda one: f"{one.counted:,}",
    "score of the first (95%)": lambda one: scored(one),
    "our score (95%)": lambda one: scored(one),
    "deals won by the first (95%)": lambda one: scored(one),
    "won (95%)": lambda one: scored(one),
    "margin": lambda one: f"{one.margin:+.2f}",
    "moves/s of the first": lambda one: f"{1.0 / one.first_seconds:,.0f}",
    "seconds a game": lambda one: f"{one.first_seconds * one.length:.2g}",
    "seconds a move, ours and theirs": lambda one: f"{one.first_seconds:.4f} and {one.second_seconds:.4f}",
}


def budget(summary: Summary) -> int:
    """The simulations for a move that the plan says."""
    return int(summary.budget.partition("=")[2])


def scored(summary: Summary) -> str:
    """The score with its interval."""
    return share(summary.score, (summary.low, summary.high))


def klondike_form(game: str) -> str:
    """In which form Klondike was played, and whether cards may come back from the foundations."""
    form = "macro" if "macro=True" in game else "plain"
    return f"{form}, none back" if "worry_back=False" in game else form


Lines = Iterator[str]
Maker = Callable[[Sequence[Summary]], Lines]


def columns(*names: str, only: Callable[[Summary], bool] = lambda one: True) -> Maker:
    """A row for each match that is chosen, with these columns."""

    def make(summaries: Sequence[Summary]) -> Lines:
        rows = [[COLUMNS[name](one) for name in names] for one in summaries if only(one)]
        return page_tables.table(names, rows)

    return make


# ---- Tables with a column for each game, constant or strategy


def mean_of(summaries: Sequence[Summary]) -> str:
    """The mean of scores, all with equal weight, and its 95% interval."""
    mean = sum(one.score for one in summaries) / len(summaries)
    error = math.sqrt(sum(one.error**2 for one in summaries)) / len(summaries)
    return f"{mean:.1%} ± {DEVIATIONS * error:.1%}"


def default_rule(summaries: Sequence[Summary]) -> Lines:
    """A row for each rule and a column for each game, with the mean over the games."""
    games = list(dict.fromkeys(one.game for one in summaries))
    rows = []
    for rule in dict.fromkeys(one.parameters["rule"] for one in summaries):
        own = [one for one in summaries if one.parameters["rule"] == rule]
        rows.append((f"`{rule}`", *(f"{one.score:.1%} ± {DEVIATIONS * one.error:.1%}" for one in own), mean_of(own)))
    return page_tables.table(("score against `UCT(c=1.4)`", *(f"`{game}`" for game in games), "mean"), rows)


def pooled(summaries: Sequence[Summary]) -> str:
    """The mean of scores and its 95% interval, over the pairs of all games together, as many in each."""
    pairs = summaries[0].games // 2
    mean = sum(one.score for one in summaries) / len(summaries)
    within = [one.error**2 * (pairs - 1) if pairs > 1 else 0.0 for one in summaries]
    squares = sum(one.score**2 + spread for one, spread in zip(summaries, within, strict=True)) / len(summaries)
    error = math.sqrt((squares - mean * mean) / (pairs * len(summaries) - 1))
    return f"{mean:.1%} ± {DEVIATIONS * error:.1%}"


def exploration(summaries: Sequence[Summary]) -> Lines:
    """A row for each budget and a column for each constant, the mean over the games."""
    constants = list(dict.fromkeys(one.parameters["c"] for one in summaries))
    rows = []
    for simulations in dict.fromkeys(map(budget, summaries)):
        own = [[one for one in summaries if budget(one) == simulations and one.parameters["c"] == c] for c in constants]
        rows.append((f"{simulations:,} simulations", f"{sum(one.games for one in own[0]):,}", *map(pooled, own)))
    header = ("score against `UCT(c=0.5)`", "games each", *(f"`c={c}`" for c in constants))
    return page_tables.table(header, rows)


def by_game(summaries: Sequence[Summary]) -> Lines:
    """A row for each agent and a column for each game."""
    games = list(dict.fromkeys(one.game for one in summaries))
    rows = [
        (first, f"{own[0].games:,}", *map(scored, own))
        for first in dict.fromkeys(one.first for one in summaries)
        if (own := [one for one in summaries if one.first == first])
    ]
    return page_tables.table(("against random play", "games each", *(f"`{game}`" for game in games)), rows)


def recommended(summaries: Sequence[Summary]) -> Lines:
    """A row for each game and budget: one match, or the deals of both strategies."""
    groups: dict[tuple[str, int], list[Summary]] = {}
    for one in summaries:
        groups.setdefault((one.game, budget(one)), []).append(one)
    rows = []
    for (game, simulations), own in sorted(groups.items(), key=lambda entry: (entry[0][0].lower(), entry[0][1])):
        first, last = own[0], own[-1]
        plain = scored(last) if first is not last else f"{1.0 - first.score:.1%}"
        games = f"{first.games:,}" if first.games == last.games else f"{first.games:,} and {last.games:,}"
        rows.append((f"`{game}`", f"{simulations:,}", games, scored(first), plain))
    return page_tables.table(("game", "simulations", "games", "recommended (95%)", "plain"), rows)


# ---- Which table stands where


@dataclass(frozen=True)
class PageTable:
    """A table of the docs.

    Attributes:
        plan: Whose results it tells, a file in `experiments/` without its ending.
        page: Where it stands.
        make: Makes its lines.
        takes_all: Whether it needs all matches of the plan, since rows take several.
    """

    plan: str
    page: Path
    make: Maker
    takes_all: bool = False


SOS = DOCS / "sources" / "sos.md"
SOS_COLUMNS = ("first", "second", "games", "score of the first (95%)", "moves/s of the first")

#: By the name that stands in the markers of the page.
TABLES = {
    "strategies": PageTable(
        "strategies",
        DOCS / "benchmarks.md",
        columns("match", "game", "simulations", "games", "score of the first (95%)"),
    ),
    "default rule": PageTable("default_rule", DOCS / "benchmarks.md", default_rule, takes_all=True),
    "exploration": PageTable("exploration_budgets", DOCS / "benchmarks.md", exploration, takes_all=True),
    "scores": PageTable("recommended", DOCS / "strategies.md", recommended),
    "openspiel": PageTable(
        "openspiel",
        DOCS / "experiments.md",
        columns("our strategy", "each move has", "games", "our score (95%)", "seconds a move, ours and theirs"),
    ),
    "klondike": PageTable(
        "klondike",
        DOCS / "sources" / "klondike.md",
        columns("player", "form", "simulations", "deals", "won (95%)", "seconds a game"),
    ),
    "random play": PageTable("single_perspective", DOCS / "sources" / "single_perspective.md", by_game, takes_all=True),
    "tricks": PageTable(
        "tricks",
        DOCS / "sources" / "tricks.md",
        columns("match", "game", "deals", "deals won by the first (95%)", "margin"),
    ),
    "takes points": PageTable("sos", SOS, columns(*SOS_COLUMNS, only=lambda one: one.second == "takes points")),
    "six lines": PageTable("sos", SOS, columns(*SOS_COLUMNS, only=lambda one: one.second.startswith("six lines"))),
    "steps": PageTable("sos", SOS, columns(*SOS_COLUMNS, only=lambda one: one.second.startswith("recommended"))),
    "prioritized": PageTable(
        "prioritized", SOS, columns("first", "second", "simulations", "games", "score of the first (95%)")
    ),
}


def results(plan: Plan, stores: Sequence[Path]) -> list[Summary]:
    """The matches that were played whole, with games written without the options that are as by default."""
    cells = {(repr(cell.pairing.game), cell.budget, cell.first, cell.second): cell for cell in plan.cells}
    found: dict[tuple[str, ...], Summary] = {}
    for store in stores:
        for one in summarise(store, plan):
            key = one.game, one.budget, one.first, one.second
            if one.games == cells[key].games:
                found[key] = replace(one, game=brief(cells[key].pairing.game))
    return [found[key] for key in cells if key in found]


def main() -> None:
    """Play if asked to, print the tables, and write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+", help="the results; the first is made by --play if missing")
    names = list(TABLES)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="TABLE", help=", ".join(names))
    parser.add_argument("--play", action="store_true", help="first play what is not in the store")
    parser.add_argument("--workers", type=int, help="how many processes play; by default one for every core")
    parser.add_argument("--write", action="store_true", help="put the tables into their pages")
    arguments = parser.parse_args()
    for name in arguments.only:
        table = TABLES[name]
        plan = load_plan(PLANS / f"{table.plan}.toml")
        if arguments.play:
            run(plan, arguments.stores[0], workers=arguments.workers, progress=True)
        summaries = results(plan, arguments.stores)
        missing = len(plan.cells) - len(summaries)
        is_written = bool(summaries) and not (missing and table.takes_all)
        text = "\n".join(table.make(summaries)) if is_written else ""
        note = f", of which {missing:,} matches were not played whole" if missing else ""
        print(f"{name}, from {table.plan}.toml{note}\n\n{text}\n", flush=True)
        if arguments.write and is_written:
            page_tables.rewrite(table.page, page_tables.markers(name), text)


if __name__ == "__main__":
    main()
