"""Does a search pay with strength for what it saves?  Connect Four, in pairs of games with changed seats.

    python benchmarks/matches.py memory    # a tenth of the memory that the search wants, against all of it
    python benchmarks/matches.py reuse     # a tree kept from move to move, against a new one each move

Both games of a pair start with the same random moves. The interval is that of the mean over pairs.
"""

import argparse
import statistics
from typing import Any

import numpy as np

import fastmcts
from fastmcts import MCTS, games
from fastmcts.memory import PLACE_BYTES, USABLE
from fastmcts.tree import BYTES_PER_NODE

GAME = games.ConnectFour()
OPENING_MOVES = 2


class Player:
    """Searches each position it is to move in.

    Args:
        reuse: Whether it keeps its tree.
        options: Those of `MCTS`.
    """

    def __init__(self, reuse: bool, **options: Any) -> None:
        self.mcts = MCTS(GAME, **options)
        self.reuse = reuse
        self.reused: list[float] = []
        self.recycled = 0

    def choose(self, state: fastmcts.State) -> int:
        if not self.reuse:
            self.mcts.reset()
        result = self.mcts.search(state)
        self.reused.append(result.reused)
        self.recycled += result.recycled
        assert result.action is not None
        return result.action


def play(state: fastmcts.State, players: list[Player]) -> list[float]:
    """The returns of one game."""
    state = state.clone()
    while not state.is_terminal():
        state.apply_action(players[state.current_player()].choose(state))
    return state.returns()


def opening(rng: np.random.Generator) -> fastmcts.State:
    state = GAME.new_initial_state()
    for _ in range(OPENING_MOVES):
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def match(pairs: int, first: dict[str, Any], second: dict[str, Any]) -> tuple[list[float], list[float], int]:
    """Scores of the first player, a mean for each pair; its shares of reused visits; its recycled nodes."""
    rng = np.random.default_rng(0)
    scores: list[float] = []
    reused: list[float] = []
    recycled = 0
    for pair in range(pairs):
        state = opening(rng)
        both = []
        for seat in (0, 1):
            ours = Player(**first, seed=4 * pair + 2 * seat)
            players = [ours, Player(**second, seed=4 * pair + 2 * seat + 1)]
            both.append(0.5 + 0.5 * play(state, players if seat == 0 else players[::-1])[seat])
            reused += ours.reused
            recycled += ours.recycled
        scores.append(statistics.mean(both))
    return scores, reused, recycled


def wanted_mb(simulations: int) -> float:
    """The memory that a search from the start fills."""
    nodes = fastmcts.search(GAME.new_initial_state(), simulations=simulations, seed=0).nodes
    return nodes * (BYTES_PER_NODE + PLACE_BYTES) / 1e6 / USABLE


def main() -> None:
    """Play a match and print the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["memory", "reuse"])
    parser.add_argument("--games", type=int, help="how many games: 200 for memory, 100 for reuse")
    parser.add_argument("--simulations", type=int, help="for each move: 20,000 for memory, 2,000 for reuse")
    arguments = parser.parse_args()
    plain: dict[str, Any] = {"reuse": False, "simulations": arguments.simulations or 20_000}
    if arguments.what == "memory":
        wanted = wanted_mb(plain["simulations"])
        ours = {**plain, "memory_mb": wanted / 10}
        print(f"wants {wanted:.2f} MB, gets {wanted / 10:.3f} MB; {plain['simulations']:,} simulations a move")
    else:
        plain["simulations"] = arguments.simulations or 2_000
        ours = {**plain, "reuse": True}
        print(f"{plain['simulations']:,} simulations a move")
    games_played = arguments.games or (200 if arguments.what == "memory" else 100)
    scores, reused, recycled = match(games_played // 2, ours, plain)
    mean = statistics.mean(scores)
    margin = 1.96 * statistics.stdev(scores) / len(scores) ** 0.5
    print(f"score {mean:.1%} +- {margin:.1%} in {2 * len(scores)} games")
    print(f"mean share of reused visits {statistics.mean(reused):.1%}; nodes recycled {recycled:,}")


if __name__ == "__main__":
    main()
