"""How fast is fastmcts beside OpenSpiel's C++ `MCTSBot`, and beside MCTS in plain Python?

    python benchmarks/peer_speed.py [--rounds 5]

All run UCT with random rollouts from the start position on one thread, in turn, in one process. Only the ratio
counts; it compares the best round of each, since whatever else the machine does only slows down. OpenSpiel
(`pip install open_spiel`) builds the same kind of tree, but not the same tree: it lists all children of a leaf
on its second visit, and draws other random numbers. The Python MCTS is that of our tests, tests/naive, which
builds the very same tree.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import arena

import fastmcts
from fastmcts import UCB1, UCT, Game, games

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests import naive

C = 1.4
PEER_C = 2 * C  # OpenSpiel's rewards go from -1 to 1, ours from 0 to 1: this explores as much
MEMORY_MB = 1000
LEAST = 200  # simulations

#: A run adds so many simulations with a seed and returns the seconds.
Run = Callable[[int, int], float]


@dataclass(frozen=True)
class Board:
    """A game, what OpenSpiel calls it, and how many simulations each gets."""

    title: str
    game: Game
    peer: str
    simulations: int
    goal: float


BOARDS = (
    Board("Connect Four", games.ConnectFour(), "connect_four", 20_000, 8.0),
    Board("Hex 11x11", games.Hex(size=11), "hex(board_size=11)", 5_000, 8.0),
    Board("Breakthrough", games.Breakthrough(), "breakthrough", 5_000, 8.0),
    Board("Othello", games.Othello(), "othello", 5_000, 8.0),
    Board("Tic-tac-toe", games.TicTacToe(), "tic_tac_toe", 20_000, 2.0),
)
NAIVE_SIMULATIONS = 300
OURS_PER_NAIVE = 20  # simulations of ours for each in plain Python, so that ours is more than a moment
NAIVE_GOAL = 300.0


def ours(game: Game, selection: fastmcts.Selection) -> Run:
    """Runs fastmcts."""
    state = game.new_initial_state()

    def run(simulations: int, seed: int) -> float:
        start = time.perf_counter()
        result = fastmcts.search(state, simulations=simulations, seed=seed, strategy="plain", selection=selection)
        seconds = time.perf_counter() - start
        assert result.visits.sum() == simulations
        return seconds

    return run


def open_spiel(pyspiel: Any, name: str) -> Run:
    """Runs OpenSpiel's `MCTSBot::MCTSearch`, which is C++ altogether."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def run(simulations: int, seed: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(game, evaluator, PEER_C, simulations, MEMORY_MB, False, seed, False)
        start = time.perf_counter()
        root = bot.mcts_search(state)
        seconds = time.perf_counter() - start
        assert root.explore_count == simulations
        return seconds

    return run


def plain_python(game: Game, score: naive.Score) -> Run:
    """Runs the MCTS of our tests."""
    state = game.new_initial_state()

    def run(simulations: int, seed: int) -> float:
        start = time.perf_counter()
        root = naive.Search(state, seed, score).run(simulations)
        seconds = time.perf_counter() - start
        assert root.visits == simulations
        return seconds

    return run


def rates(runs: tuple[Run, Run], simulations: tuple[int, int], rounds: int) -> tuple[float, float]:
    """Simulations per second of two, which take turns."""
    best = [0.0, 0.0]
    for run in runs:
        run(LEAST, 0)  # compiles
    for seed in range(rounds):
        for index, run in enumerate(runs):
            best[index] = max(best[index], simulations[index] / run(simulations[index], seed))
    return best[0], best[1]


def row(title: str, simulations: str, rates: tuple[float, float], goal: float) -> tuple[str, ...]:
    """A line of the table."""
    return title, simulations, f"{rates[0]:,.0f}", f"{rates[1]:,.0f}", f"{rates[0] / rates[1]:.1f}", f"{goal:g}"


def speed_table(rounds: int) -> Iterator[str]:
    """Simulations per second beside the peers."""
    rows = []
    try:
        import pyspiel  # pyright: ignore[reportMissingImports]
    except ImportError:
        print("OpenSpiel is not installed (pip install open_spiel): its part is skipped", file=sys.stderr)
    else:
        for board in BOARDS:
            runs = ours(board.game, UCT(c=C)), open_spiel(pyspiel, board.peer)
            both = rates(runs, (board.simulations, board.simulations), rounds)
            rows.append(row(f"{board.title}: OpenSpiel, C++", f"{board.simulations:,}", both, board.goal))
    sos = games.SOS()
    runs = ours(sos, UCB1(c=C)), plain_python(sos, naive.ucb1(C))
    budgets = OURS_PER_NAIVE * NAIVE_SIMULATIONS, NAIVE_SIMULATIONS
    both = rates(runs, budgets, rounds)
    rows.append(row("SOS 8x8: plain Python", f"{budgets[0]:,} and {budgets[1]:,}", both, NAIVE_GOAL))
    header = ("peer", "simulations", "fastmcts, simulations/s", "peer, simulations/s", "ratio", "goal")
    return arena.table(header, rows)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs")
    print("\n".join(speed_table(parser.parse_args().rounds)))


if __name__ == "__main__":
    main()
