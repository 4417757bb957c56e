"""Does a search pay with strength for what it saves?  Connect Four, in pairs of games with changed seats.

    python benchmarks/matches.py memory    # a tenth of the memory that the search wants, against all of it
    python benchmarks/matches.py reuse     # a tree kept from move to move, against a new one each move

Both games of a pair start with the same random moves. The interval is that of the mean over pairs.
"""

import argparse
import statistics
from collections.abc import Sequence
from typing import Any

import fastmcts
from fastmcts import MCTS, games
from fastmcts.core.tree import BYTES_PER_NODE
from fastmcts.engine.capacity import PLACE_BYTES, USABLE
from fastmcts.experiments import Agent, play_match

GAME = games.ConnectFour()


class OneByOne(Agent):
    """Searches each game with a search of its own.

    Args:
        reuse: Whether it keeps its trees from move to move.
        options: Those of `MCTS`.
    """

    def __init__(self, reuse: bool, **options: Any) -> None:
        self.options = options
        self.reuse = reuse
        self.searches: dict[int, MCTS] = {}
        self.reused: list[float] = []
        self.recycled = 0

    def choose_many(
        self, states: Sequence[fastmcts.State], seeds: Sequence[int], numbers: Sequence[int] = ()
    ) -> Sequence[int]:
        """The moves that the searches find."""
        return [self.choose(*entry) for entry in zip(states, seeds, numbers, strict=True)]

    def choose(self, state: fastmcts.State, seed: int = 0, number: int = 0) -> int:
        """The move in one game."""
        if number not in self.searches or not self.reuse:
            self.searches[number] = MCTS(GAME, seed=seed, **self.options)
        result = self.searches[number].search(state)
        self.reused.append(result.reused)
        self.recycled += result.recycled
        assert result.action is not None
        return result.action


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
    first, second = OneByOne(**ours), OneByOne(**plain)
    result = play_match(GAME, first, second, games_played, progress=True)
    print(f"score {result.score} in {result.games} games")
    print(f"mean share of reused visits {statistics.mean(first.reused):.1%}; nodes recycled {first.recycled:,}")


if __name__ == "__main__":
    main()
