"""Tables from a store: scores, ratings, and every game for pandas."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcts.experiments.code import code_of
from fastmcts.experiments.elo import elo_of
from fastmcts.experiments.extras import needed
from fastmcts.experiments.intervals import share
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plan_parts import Cell
from fastmcts.experiments.ratings import Ratings, rate
from fastmcts.experiments.records import ALONE, GameRecord
from fastmcts.experiments.store import Store, StoredMatch, texts_of

if TYPE_CHECKING:
    import pandas

FORMATS = ("text", "csv", "json", "markdown", "latex")

#: What LaTeX reads as something else.
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}


@dataclass(frozen=True)
class Summary:
    """The score of a match.

    Attributes:
        game: The game, as it prints.
        budget: What agents have for a move that name no budget.
        first: What the plan calls the first agent.
        second: What it calls the other one; empty if the first one plays alone.
        games: How many games were played.
        score: The share of points of the first agent; alone, the share of deals won, or what a deal has brought on
            average of the most that it can.
        low: The lower bound of its 95% interval.
        high: The upper bound.
        error: The standard error of the score, over pairs or deals; NaN without two of them.
        draws: How many of what counts were drawn.
        counts: What counts: "games", "deals", or "alone".
        margin: How much more utility a player of the first agent's won than one of the other's, a game; alone, how much
            utility a deal has brought.
        length: Moves a game.
        first_simulations: Simulations a move of the first agent.
        second_simulations: And of the other one.
        first_seconds: Seconds a move of the first agent.
        second_seconds: And of the other one.
        parameters: The values from the grid.
        code: The fingerprint of what has played.
    """

    game: str
    budget: str
    first: str
    second: str
    games: int
    score: float
    low: float
    high: float
    error: float
    draws: int
    counts: str
    margin: float
    length: float
    first_simulations: float
    second_simulations: float
    first_seconds: float
    second_seconds: float
    parameters: dict[str, Any]
    code: str

    @property
    def counted(self) -> int:
        """How many games, or deals, a point was given for."""
        return self.games // 2 if self.counts == "deals" else self.games


def summarise(path: str | Path, plan: Plan | None = None) -> list[Summary]:
    """The scores of all matches in a store, or of those of a plan, under its names, in its order.

    Args:
        path: The store.
        plan: Which matches to tell, and how many games of each. Of one that different code has played, that of the code
            as it is counts, or else the last.
    """
    with Store(path, is_read_only=True) as store:
        found = [(match, store.records(match.id)) for match in store.matches()]
    played = [(match, records) for match, records in found if records]
    if plan is None:
        return [summary_of(match, records) for match, records in played]
    by_key: dict[Any, dict[str, tuple[StoredMatch, list[GameRecord]]]] = {}
    for match, records in played:
        by_key.setdefault(match.key, {})[match.code] = match, records
    summaries = []
    for cell in plan.cells:
        if by_code := by_key.get(texts_of(cell.pairing)):
            match, records = by_code.get(code_of(cell.pairing)) or [*by_code.values()][-1]
            chosen = [record for record in records if record.pair < cell.pairs]
            summaries.append(summary_of(named_by(cell, match), chosen))
    return summaries


def named_by(cell: Cell, match: StoredMatch) -> StoredMatch:
    """A match under the names that a plan has for it."""
    return replace(
        match,
        counts=cell.counts,
        first_name=cell.first,
        second_name=cell.second,
        budget=cell.budget,
        parameters=cell.parameters,
    )


def summary_of(match: StoredMatch, records: Sequence[GameRecord]) -> Summary:
    """The score of one match, or of one agent alone."""
    tally = match.tally
    tally.add(records)
    moves = [max(1, sum(record.moves[side] for record in records)) for side in range(2)]
    simulations = [sum(record.simulations[side] for record in records) / moves[side] for side in range(2)]
    seconds = [sum(record.seconds[side] for record in records) / moves[side] for side in range(2)]
    low, high = tally.interval
    return Summary(
        game=match.game,
        budget=match.budget,
        first=match.first_name or match.first,
        second=match.second_name or match.second,
        games=tally.games,
        score=tally.mean,
        low=low,
        high=high,
        error=tally.error,
        draws=tally.draws,
        counts=match.counts,
        margin=sum(record.margin for record in records) / len(records),
        length=sum(record.length for record in records) / len(records),
        first_simulations=simulations[0],
        second_simulations=simulations[1],
        first_seconds=seconds[0],
        second_seconds=seconds[1],
        parameters=match.parameters,
        code=match.code,
    )


def ratings_of(summaries: Iterable[Summary]) -> dict[tuple[str, str], Ratings]:
    """The ratings for each game and budget in which more than two agents have met."""
    groups: dict[tuple[str, str], list[Summary]] = {}
    for summary in summaries:
        if summary.counts != ALONE:
            groups.setdefault((summary.game, summary.budget), []).append(summary)
    found = {}
    for key, group in groups.items():
        if len({name for summary in group for name in (summary.first, summary.second)}) > 2:
            # Of a match that different code has played, the last one counts.
            results = {(one.first, one.second): (one.score * one.counted, float(one.counted)) for one in group}
            found[key] = rate(results)
    return found


# ---- Tables

HEADER = (
    *("game", "budget", "first", "second", "games", "score (95%)", "Elo", "draws", "moves"),
    *("simulations a move", "seconds a move"),
)
TEXTS = 4  # so many columns are texts, the others numbers


def cells_of(summary: Summary, with_code: bool) -> list[str]:
    """A row of a table for people."""
    is_alone = summary.counts == ALONE
    cells = [
        summary.game,
        summary.budget,
        summary.first,
        "(alone)" if is_alone else summary.second,
        f"{summary.games:,}",
        share(summary.score, (summary.low, summary.high)),
        "" if is_alone else f"{elo_of(summary.score):+.0f}",
        "" if is_alone else f"{summary.draws / max(1, summary.counted):.1%}",
        f"{summary.length:.1f}",
        f"{summary.first_simulations:,.0f}" + (f" / {summary.second_simulations:,.0f}" * (not is_alone)),
        f"{summary.first_seconds:.2g}" + (f" / {summary.second_seconds:.2g}" * (not is_alone)),
    ]
    return [*cells, summary.code] if with_code else cells


def report(path: str | Path, style: str = "text", plan: Plan | None = None) -> str:
    """The scores in a store as a table.

    Rows that different code has played are never added up; where there are several, or of a plan those of other code
    than now, a column tells which.

    Args:
        path: The store.
        style: "text", "markdown" and "latex" are for people; "csv" and "json" have all digits. JSON has ratings too.
        plan: Which matches to tell, as in `summarise`; by default all.
    """
    if style not in FORMATS:
        raise ValueError(f"style must be one of {', '.join(FORMATS)}, not {style!r}")
    summaries = summarise(path, plan)
    if style == "json":
        return json.dumps({"scores": [*map(as_json, summaries)], "ratings": ratings_as_lists(summaries)}, indent=1)
    if style == "csv":
        return as_csv(summaries)
    about = [(summary.game, summary.budget, summary.first, summary.second) for summary in summaries]
    current = None if plan is None else {code_of(cell.pairing) for cell in plan.cells}
    is_of_other_code = current is not None and any(summary.code not in current for summary in summaries)
    with_code = is_of_other_code or len({*about}) < len(about)
    header = [*HEADER, "code"] if with_code else [*HEADER]
    rows = [cells_of(summary, with_code) for summary in summaries]
    return {"text": as_text, "markdown": as_markdown, "latex": as_latex}[style](header, rows)


def as_json(summary: Summary) -> dict[str, Any]:
    """A score as JSON can hold it, which has no word for what is not known."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(summary).items()
    }


def ratings_as_lists(summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    """Ratings, as JSON can hold them."""
    return [
        {"game": game, "budget": budget, "agent": name, "elo": float(elo), "margin": float(margin)}
        for (game, budget), ratings in ratings_of(summaries).items()
        for name, elo, margin in zip(ratings.names, ratings.elo, ratings.margins, strict=True)
    ]


def as_csv(summaries: Sequence[Summary]) -> str:
    """All digits, for programs."""
    parameters = sorted({name for summary in summaries for name in summary.parameters})
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    plain = [name for name in Summary.__dataclass_fields__ if name != "parameters"]
    writer.writerow([*plain, *parameters])
    for summary in summaries:
        values = [getattr(summary, name) for name in plain]
        writer.writerow([*values, *(summary.parameters.get(name, "") for name in parameters)])
    return lines.getvalue().rstrip("\n")


def as_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of equal width; numbers at the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = []
    for row in (header, *rows):
        padded = [cell.ljust(width) for cell, width in zip(row[:TEXTS], widths, strict=False)]
        padded += [cell.rjust(width) for cell, width in zip(row[TEXTS:], widths[TEXTS:], strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def as_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a page."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * TEXTS}{'---:|' * (len(header) - TEXTS)}"]
    return "\n".join([*lines, *(f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows)])


def as_latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a paper, with the rules of booktabs."""

    def line(cells: Sequence[str]) -> str:
        escaped = ("".join(LATEX.get(character, character) for character in cell) for cell in cells)
        return f"{' & '.join(escaped)} \\\\"

    columns = "l" * TEXTS + "r" * (len(header) - TEXTS)
    top = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", line(header), "\\midrule"]
    return "\n".join([*top, *map(line, rows), "\\bottomrule", "\\end{tabular}"])


# ---- Games


def load_results(path: str | Path) -> "pandas.DataFrame":
    """Every game in a store as a row of a DataFrame, for those who compute for themselves.

    Columns are those of the match (texts and names of both agents, budget, parameters of the grid, seed, code) and of
    the game (pair, seat, points of the first agent, length, moves, simulations and seconds of both, actions).
    """
    pandas: Any = needed("pandas", "experiments", "A DataFrame")
    rows = []
    with Store(path, is_read_only=True) as store:
        for match in store.matches():
            about = {name: value for name, value in asdict(match).items() if name not in ("parameters", "id")}
            for record in store.records(match.id):
                rows.append({**about, **match.parameters, **columns_of(record)})
    return pandas.DataFrame(rows)


def columns_of(record: GameRecord) -> dict[str, Any]:
    """A game as columns."""
    return {
        "pair": record.pair,
        "seat": record.seat,
        "points": record.points,
        "margin": record.margin,
        "length": record.length,
        "first_moves": record.moves[0],
        "second_moves": record.moves[1],
        "first_simulations": record.simulations[0],
        "second_simulations": record.simulations[1],
        "first_seconds": record.seconds[0],
        "second_seconds": record.seconds[1],
        "actions": record.actions,
        "returns": record.returns,
    }
