"""Pictures of results, as PNG or SVG; lines differ by their marks and not by colour alone, so that print shows them."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastmcts.experiments.convergence import POSITIONS, settling
from fastmcts.experiments.extras import needed
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.records import ALONE
from fastmcts.experiments.reports import Summary, ratings_of, summarise
from fastmcts.strategies.snapshot import Trace

KINDS = ("budget", "parameter", "ladder", "matrix", "convergence")
AXES = ("budget", "simulations", "seconds")
SUFFIXES = (".png", ".svg", ".pdf")
COLUMNS = 3  # panels in a row
PANEL = 3.4, 2.6  # inches
#: Line and mark; each is another one than that of its neighbours.
STYLES = [(("-", "--", ":", "-.")[number % 4], "os^DvPX"[number % 7]) for number in range(28)]
#: Text as text, and nothing random or dated: a picture of the same numbers is the same file.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "fastmcts", "font.family": "sans-serif", "font.size": 9}


def plot(
    path: str | Path,
    out: str | Path,
    kind: str | None = None,
    parameter: str | None = None,
    x: str = "budget",
    plan: Plan | None = None,
    positions: int = POSITIONS,
) -> Path:
    """Draw the results in a store.

    Args:
        path: The store.
        out: The picture; its ending says which kind of file.
        kind: "budget" draws scores with their 95% bands against the budget, "parameter" against a parameter of the
            grid, "ladder" ratings, "matrix" everybody against everybody. "convergence" searches positions of the games
            again, with traces, and draws how soon they had the move that they made. By default what the results have.
        parameter: Which parameter, if there are several.
        x: With "budget", what to draw scores against: the "budget" of the plan, or the "simulations" or "seconds"
            that the first agent has used for a move.
        plan: Which matches to draw, as in `summarise`; by default all. "convergence" needs it, to search again.
        positions: With "convergence", how many positions of each match.

    Returns:
        Where the picture is.
    """
    out = checked_place(out)
    summaries = summarise(path, plan)
    if not summaries:
        raise ValueError(f"{path} has no games: run a plan first")
    kind = kind or fitting_kind(summaries)
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if x not in AXES:
        raise ValueError(f"x must be one of {', '.join(AXES)}, not {x!r}")
    with drawing() as figure_class:
        if kind == "budget":
            figure = draw_budgets(figure_class, summaries, x)
        elif kind == "parameter":
            figure = draw_parameter(figure_class, summaries, chosen_parameter(summaries, parameter))
        elif kind == "ladder":
            figure = draw_ladders(figure_class, summaries)
        elif kind == "convergence":
            figure = draw_convergence(figure_class, path, plan, positions)
        else:
            figure = draw_matrices(figure_class, summaries)
        save(figure, out)
    return out


def plot_trace(trace: Trace, out: str | Path, names: Sequence[str] | None = None, most: int = 8) -> Path:
    """Draw how a search converges: the share of visits and the value of its moves as simulations are added.

    Args:
        trace: That of a search with `trace=True`.
        out: The picture; its ending says which kind of file.
        names: Of the legal moves in ascending order; by default their numbers.
        most: How many moves to draw, the most visited ones.
    """
    out = checked_place(out)
    visits = np.asarray(trace.visits, float)
    if visits.size == 0:
        raise ValueError("the trace is empty: search with trace=True, where there is more than one move")
    shares = visits / np.maximum(1.0, visits.sum(axis=1, keepdims=True))
    order = np.argsort(-visits[-1], kind="stable")[:most].tolist()
    with drawing() as figure_class:
        figure, panels = make_panels(figure_class, 2)
        for panel, values, label in zip(panels, (shares, trace.values), ("share of visits", "value"), strict=True):
            for (line, mark), move in zip(STYLES, order, strict=False):
                name = str(move) if names is None else names[move]
                panel.plot(trace.simulations, values[:, move], line, marker=mark, markersize=3, label=name)
            panel.set_xscale("log")
            panel.set_xlabel("simulations")
            panel.set_ylabel(label)
            panel.set_ylim(-0.02, 1.02)
        panels[0].legend(title="move", fontsize=7, title_fontsize=7)
        save(figure, out)
    return out


# ---- What is drawn


def checked_place(out: str | Path) -> Path:
    """Where the picture is to be, or ValueError."""
    out = Path(out)
    if out.suffix.lower() not in SUFFIXES:
        raise ValueError(f"a picture ends in {', '.join(SUFFIXES)}, not {out.name!r}")
    if not out.parent.is_dir():
        raise ValueError(f"there is no folder {out.parent} for {out.name}: make it first")
    return out


def fitting_kind(summaries: Sequence[Summary]) -> str:
    """What the results have most of."""
    if numeric_parameters(summaries):
        return "parameter"
    if len({summary.budget for summary in summaries}) > 1:
        return "budget"
    return "ladder" if ratings_of(summaries) else "matrix"


def numeric_parameters(summaries: Sequence[Summary]) -> list[str]:
    """The parameters of the grid that are numbers."""
    names = {name for summary in summaries for name in summary.parameters}
    return sorted(
        name for name in names if all(isinstance(summary.parameters.get(name, 0), int | float) for summary in summaries)
    )


def chosen_parameter(summaries: Sequence[Summary], parameter: str | None) -> str:
    """The parameter to draw against; ValueError if it is not clear which."""
    known = numeric_parameters(summaries)
    if not known:
        raise ValueError("no parameter of the grid is a number: draw another kind of picture")
    if parameter is None and len(known) > 1:
        raise ValueError(f"there are several parameters, {', '.join(known)}: say which")
    if parameter is not None and parameter not in known:
        raise ValueError(f"no parameter of the grid is called {parameter!r}; there are: {', '.join(known)}")
    return parameter or known[0]


def budget_value(budget: str) -> float:
    """The number of a budget such as "simulations=100"; NaN if there is none."""
    return float(budget.partition("=")[2]) if "=" in budget else math.nan


# ---- Curves


class Point(NamedTuple):
    """A point of a line, with its band."""

    game: str
    line: str
    x: float
    y: float
    low: float
    high: float


def draw_budgets(figure_class: Any, summaries: Sequence[Summary], x: str) -> Any:
    """Scores against the budget, a panel for each game and a line for each two agents, or for one alone."""
    if x == "budget" and any(math.isnan(budget_value(summary.budget)) for summary in summaries):
        raise ValueError("the plan has no budgets: draw against x='simulations' or x='seconds'")
    values: dict[str, Callable[[Summary], float]] = {
        "budget": lambda summary: budget_value(summary.budget),
        "simulations": lambda summary: summary.first_simulations,
        "seconds": lambda summary: summary.first_seconds,
    }
    unit = summaries[0].budget.partition("=")[0] if x == "budget" else x
    points = [
        Point(one.game, " against ".join(filter(None, (one.first, one.second))), values[x](one), *scores_of(one))
        for one in summaries
    ]
    return draw_curves(figure_class, points, f"{unit} a move", "log")


def draw_parameter(figure_class: Any, summaries: Sequence[Summary], parameter: str) -> Any:
    """Scores against a parameter, a panel for each game and a line for each budget and agent."""
    points = [
        Point(one.game, label_of(one, parameter), float(one.parameters[parameter]), *scores_of(one))
        for one in summaries
        if parameter in one.parameters
    ]
    return draw_curves(figure_class, points, parameter)


def draw_convergence(figure_class: Any, path: str | Path, plan: Plan | None, positions: int) -> Any:
    """How soon searches had the move that they made, a panel for each game and a line for each search."""
    if plan is None:
        raise ValueError("a picture of convergence searches positions again: say of which plan (plan=, --plan)")
    points = [Point(*settled) for settled in settling(plan, path, positions)]
    if not points:
        raise ValueError("no search of the plan had a choice in the games of the store: draw another kind of picture")
    return draw_curves(figure_class, points, "simulations", "log", "has its last move (95%)")


def scores_of(summary: Summary) -> tuple[float, float, float]:
    """The score and its interval."""
    return summary.score, summary.low, summary.high


def label_of(summary: Summary, parameter: str) -> str:
    """How a line is called whose points differ by a parameter."""
    words = [word for word in summary.first.split(" ") if not word.startswith(f"{parameter}=")]
    return " ".join([*words, f"({summary.budget})" if summary.budget else ""]).strip()


def draw_curves(
    figure_class: Any, points: Sequence[Point], x_label: str, scale: str = "linear", y_label: str = "score (95%)"
) -> Any:
    """Lines with bands, a panel for each game."""
    games = list(dict.fromkeys(point.game for point in points))
    labels = list(dict.fromkeys(point.line for point in points))
    figure, panels = make_panels(figure_class, len(games))
    for panel, game in zip(panels, games, strict=True):
        for number, name in enumerate(labels):
            line, mark = STYLES[number % len(STYLES)]
            own = sorted(point[2:] for point in points if point.game == game and point.line == name)
            if own:
                at, heights, low, high = zip(*own, strict=True)
                panel.plot(at, heights, line, marker=mark, markersize=4, label=name)
                panel.fill_between(at, low, high, alpha=0.15)
        panel.axhline(0.5, color="0.6", linewidth=0.8)
        panel.set_title(game, fontsize=9)
        panel.set_xscale(scale)
        panel.set_ylim(0.0, 1.0)
        panel.set_xlabel(x_label)
        panel.set_ylabel(y_label)
    if len(labels) > 1:
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=min(4, len(names)), fontsize=8)
    return figure


# ---- Ratings


def draw_ladders(figure_class: Any, summaries: Sequence[Summary]) -> Any:
    """Ratings with their intervals, best first, a panel for each game and budget."""
    rated = ratings_of(summaries)
    if not rated:
        raise ValueError("ratings compare more than two agents of one game and budget: draw another kind of picture")
    figure, panels = make_panels(figure_class, len(rated))
    for panel, ((game, budget), ratings) in zip(panels, rated.items(), strict=True):
        places = range(len(ratings.names))
        panel.errorbar(ratings.elo, places, xerr=ratings.margins, fmt="ko", markersize=4, capsize=3)
        panel.set_yticks(places, ratings.names, fontsize=7)
        panel.invert_yaxis()
        panel.axvline(0.0, color="0.6", linewidth=0.8)
        panel.set_title(f"{game} {budget}".strip(), fontsize=9)
        panel.set_xlabel("Elo (95%)")
    return figure


def draw_matrices(figure_class: Any, summaries: Sequence[Summary]) -> Any:
    """Everybody against everybody as numbers on grey, a panel for each game and budget."""
    groups: dict[str, list[Summary]] = {}
    for summary in summaries:
        if summary.counts != ALONE:
            groups.setdefault(f"{summary.game} {summary.budget}".strip(), []).append(summary)
    if not groups:
        raise ValueError("every agent has played alone: a matrix is for matches, draw against the budget")
    figure, panels = make_panels(figure_class, len(groups))
    for panel, (title, group) in zip(panels, groups.items(), strict=True):
        names = list(dict.fromkeys(name for summary in group for name in (summary.first, summary.second)))
        scores = np.full((len(names), len(names)), np.nan)
        for summary in group:
            row, column = names.index(summary.first), names.index(summary.second)
            scores[row, column], scores[column, row] = summary.score, 1.0 - summary.score
        panel.imshow(scores, cmap="Greys", vmin=0.0, vmax=1.0)
        for row, column in np.argwhere(~np.isnan(scores)).tolist():
            shade = "white" if scores[row, column] > 0.6 else "black"
            panel.text(column, row, f"{scores[row, column]:.0%}", ha="center", va="center", color=shade, fontsize=8)
        panel.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=7)
        panel.set_yticks(range(len(names)), names, fontsize=7)
        panel.set_title(title, fontsize=9)
    return figure


# ---- Figures


@contextmanager
def drawing() -> Iterator[Any]:
    """Have matplotlib draw as `SETTINGS` say; yields the class of its figures."""
    matplotlib: Any = needed("matplotlib", "plots", "A picture")
    with matplotlib.rc_context(SETTINGS):
        yield needed("matplotlib.figure", "plots", "A picture").Figure


def make_panels(figure_class: Any, count: int) -> tuple[Any, list[Any]]:
    """A figure with so many panels."""
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    figure = figure_class(figsize=(max(PANEL[0] * columns, 4.5), PANEL[1] * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    for panel in panels.flat[count:]:
        panel.set_visible(False)
    return figure, list(panels.flat[:count])


def save(figure: Any, out: Path) -> None:
    """Write the picture, without the date."""
    metadata = {"Date": None} if out.suffix == ".svg" else {}
    try:
        figure.savefig(out, dpi=150, metadata=metadata)
    except OSError as error:
        raise ValueError(f"{out} cannot be written: {error.strerror or error}") from error
