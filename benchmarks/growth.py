"""How much more a simulation costs in a large tree than in a small one.

    python benchmarks/growth.py                   # prints the tables: some minutes
    python benchmarks/growth.py --write           # also puts them into docs/growth.md, and the picture beside it
    python benchmarks/growth.py --most 100000 --rounds 3

The plain search from the start, from 100 to 10 million simulations. Seconds of the processor for the whole call count,
so small searches bear what every call costs. Budgets run in turn, and the best round of each counts. The picture needs
matplotlib: `pip install "fastmcts-numba[plots]"`.
"""

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page_tables

import fastmcts
from fastmcts import Game, games

PAGE = Path(__file__).parent.parent / "docs" / "growth.md"
PICTURE = PAGE.with_suffix(".svg")
MARKERS = ("<!-- tables -->", "<!-- end of tables -->")

BUDGETS = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
BASE = 10_000  # other budgets are compared with this one
GOAL = 2.5  # times as much, at most, for the largest budget on the first board
MEMORY_MB = 8_000  # nothing is recycled
SHORTEST = 0.05  # seconds that a round takes at least: short searches are repeated


@dataclass(frozen=True)
class Board:
    """A game, and up to which budget it is searched: where nodes have many children, memory sets a limit."""

    title: str
    game: Game
    most: int


BOARDS = (
    Board("Connect Four 7x6", games.ConnectFour(), 10_000_000),
    Board("Hex 11x11", games.Hex(size=11), 1_000_000),
    Board("Tic-tac-toe", games.TicTacToe(), 10_000_000),
)


@dataclass(frozen=True)
class Cost:
    """What a simulation costs in searches with one budget, and how large their trees get.

    Args:
        nanoseconds: For each simulation, in the best round.
        steps: How many moves a simulation makes in the tree, on average.
        megabytes: Of all nodes.
    """

    nanoseconds: float
    steps: float
    megabytes: float


def measure_once(game: Game, simulations: int, seed: int) -> Cost:
    """Search as often as it takes for a clock to be exact."""
    state = game.new_initial_state()
    seconds = []
    result = None
    while sum(seconds) < SHORTEST:
        start = time.process_time()
        result = fastmcts.search(state, simulations=simulations, seed=seed, strategy="plain", memory_mb=MEMORY_MB)
        seconds.append(time.process_time() - start)
    assert result is not None
    assert result.recycled == 0
    steps = result.tree.visits[1 : result.nodes].sum(dtype=int) / simulations
    return Cost(1e9 * statistics.median(seconds) / simulations, steps, result.memory_mb)


def measure(board: Board, budgets: Sequence[int], rounds: int) -> dict[int, Cost]:
    """The best round of each budget; in a round, all budgets run in turn."""
    fastmcts.search(board.game.new_initial_state(), simulations=100, seed=0, strategy="plain")  # compiles
    best: dict[int, Cost] = {}
    for seed in range(rounds):
        for budget in budgets:
            cost = measure_once(board.game, budget, seed)
            if budget not in best or cost.nanoseconds < best[budget].nanoseconds:
                best[budget] = cost
    return best


def growth_table(title: str, costs: dict[int, Cost]) -> Iterator[str]:
    """The table of a board, a line for each budget: the cost, its multiple of that at BASE, and the tree."""
    header = (f"{title}, simulations", "ns each", f"beside {BASE:,}", "moves in the tree", "MB")
    base = costs[BASE].nanoseconds

    def row(budget: int, cost: Cost) -> tuple[str, ...]:
        multiple = f"{cost.nanoseconds / base:.2f}x"
        return f"{budget:,}", f"{cost.nanoseconds:,.0f}", multiple, f"{cost.steps:.1f}", f"{cost.megabytes:,.1f}"

    return page_tables.table(header, (row(budget, cost) for budget, cost in costs.items()))


def draw(found: dict[str, dict[int, Cost]], path: Path) -> None:
    """Draw the multiples of the cost at BASE."""
    import matplotlib  # pyright: ignore[reportMissingImports]

    matplotlib.use("svg")
    from matplotlib import pyplot  # pyright: ignore[reportMissingImports]

    # Text as text, and nothing random or dated: a picture of the same numbers is the same file.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "growth", "font.family": "sans-serif", "font.size": 11}
    with pyplot.rc_context(settings):
        figure, axes = pyplot.subplots(figsize=(7.5, 4.2), layout="constrained")
        for title, costs in found.items():
            multiples = [cost.nanoseconds / costs[BASE].nanoseconds for cost in costs.values()]
            axes.plot(list(costs), multiples, marker="o", label=title)
        goal = f"goal for {BOARDS[0].title}: {GOAL:g}"
        axes.plot(BUDGETS[-1], GOAL, marker="_", markersize=18, color="black", linestyle="none", label=goal)
        axes.set(xscale="log", yscale="log", xlabel="simulations of a search", ylim=(0.5, None))
        axes.set(ylabel=f"cost of a simulation\n(1: in a search of {BASE:,})")
        axes.set_yticks([0.5, 1, 2, 5, 10], ["0.5", "1", "2", "5", "10"])
        axes.yaxis.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def main() -> None:
    """Measure and print; write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each budget runs")
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="the largest budget")
    parser.add_argument("--write", action="store_true", help=f"put tables and picture into {PAGE.name}, {PICTURE.name}")
    arguments = parser.parse_args()
    budgets = [budget for budget in BUDGETS if budget <= arguments.most]
    if BASE not in budgets:
        parser.error(f"--most must be at least {BASE}, not {arguments.most}")
    found, tables = {}, []
    for board in BOARDS:
        within = [budget for budget in budgets if budget <= board.most]
        found[board.title] = measure(board, within, arguments.rounds)
        tables.append("\n".join(growth_table(board.title, found[board.title])))
        print(tables[-1], end="\n\n", flush=True)
    if arguments.write:
        page_tables.rewrite(PAGE, MARKERS, "\n\n".join(tables))
        draw(found, PICTURE)


if __name__ == "__main__":
    main()
