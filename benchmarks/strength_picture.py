"""Draw the table of scores in docs/strategies.md: how much each game's recommended strategy wins against the plain one.

python benchmarks/strength_picture.py   # writes docs/strength.svg; needs the extra `plots`
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page_tables

PAGE = page_tables.DOCS / "strategies.md"
PICTURE = page_tables.DOCS / "strength.svg"
COLUMNS = 4
PERCENT = re.compile(r"([\d.]+)%")


@dataclass(frozen=True)
class Score:
    """A row of the table, in percent.

    Attributes:
        game: The game, as the table writes it.
        simulations: For each move.
        mean: What the recommended strategy scores.
        low: The lower end of its interval.
        high: The upper end.
        plain: What the plain strategy scores.
    """

    game: str
    simulations: int
    mean: float
    low: float
    high: float
    plain: float


def read_scores(page: str) -> Iterator[Score]:
    """The rows of the table that are shares of points."""
    _, table, _ = page_tables.between(page, page_tables.markers("scores"))
    for line in table.strip().splitlines()[2:]:
        game, simulations, _, mean, plain = (cell.strip() for cell in line.strip("| ").split(" | "))
        shares = [float(share) for share in PERCENT.findall(f"{mean} {plain}")[:4]]
        if len(shares) == 4:
            yield Score(game.strip("`"), int(simulations.replace(",", "")), *shares)


def titles(games: list[str]) -> dict[str, str]:
    """A short name for each game: with the options that tell it from others of its class."""
    options = {game: re.findall(r"\w+=[^,)]+", game) for game in games}
    names = {game: game.partition("(")[0] for game in games}

    def title(game: str) -> str:
        others = [options[other] for other in games if other != game and names[other] == names[game]]
        own = [option for option in options[game] if any(option not in other for other in others)]
        return f"{names[game]}\n{', '.join(own)}" if own else names[game]

    return {game: title(game) for game in games}


def draw(scores: list[Score], path: Path) -> None:
    """Draw a panel for each game."""
    import matplotlib  # pyright: ignore[reportMissingImports]

    matplotlib.use("svg")
    from matplotlib import pyplot  # pyright: ignore[reportMissingImports]

    games = titles(list(dict.fromkeys(score.game for score in scores)))
    budgets = sorted({score.simulations for score in scores})
    rows = -(-len(games) // COLUMNS)
    # Text as text, and nothing random or dated: a picture of the same numbers is the same file.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "strength", "font.family": "sans-serif", "font.size": 9}
    with pyplot.rc_context(settings):
        figure, panels = pyplot.subplots(
            rows, COLUMNS, figsize=(10, 1.9 * rows), sharex=True, sharey=True, squeeze=False, layout="constrained"
        )
        for panel in panels.flat[len(games) :]:
            panel.set_visible(False)
        for panel, (game, title) in zip(panels.flat, games.items(), strict=False):
            own = [score for score in scores if score.game == game]
            simulations = [score.simulations for score in own]
            below, above = [one.mean - one.low for one in own], [one.high - one.mean for one in own]
            panel.errorbar(
                simulations, [one.mean for one in own], [below, above], marker="o", capsize=3, label="recommended"
            )
            panel.plot(simulations, [one.plain for one in own], marker=".", color="grey", label="plain")
            panel.set(xscale="log", ylim=(-5, 105), title=title)
            panel.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
            panel.minorticks_off()
            panel.grid(alpha=0.3)
        panels[0, 0].legend(frameon=False, loc="center")
        figure.supxlabel("simulations for a move")
        figure.supylabel("score in percent, with its interval of 95%")
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def main() -> None:
    """Read, and draw."""
    draw(list(read_scores(PAGE.read_text())), PICTURE)


if __name__ == "__main__":
    main()
