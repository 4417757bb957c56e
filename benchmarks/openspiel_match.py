"""Our search against OpenSpiel's C++ `MCTSBot`, in our matches, through the bridge.

    python benchmarks/openspiel_match.py [--pairs 200] [--simulations 1000] [--seconds 0.01] [--seed 0]

Connect Four, in pairs from the same random opening with changed seats: with as many simulations for each move, and with
as many seconds of the clock. Our plain strategy is UCT with a random rollout from each leaf, as the bot's is; the
recommended one plays too. Needs the extra `openspiel`.
"""

import argparse

import arena

from fastmcts import games
from fastmcts.experiments import Search
from fastmcts.experiments.openspiel import OpenSpielMCTS

NAME = "connect_four"
UNLIMITED = 10_000_000  # simulations, where the clock ends a search


def main() -> None:
    """Play the matches and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=1000, help="for each move")
    parser.add_argument("--seconds", type=float, default=0.01, help="for each move of the matches at equal time")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    counted = OpenSpielMCTS(NAME, arguments.simulations)
    clocked = OpenSpielMCTS(NAME, UNLIMITED, seconds=arguments.seconds)
    matches = [
        arena.Match(f"{agent!r} against OpenSpiel", games.ConnectFour(), agent, opponent)
        for agent, opponent in [
            (Search(simulations=arguments.simulations, strategy="plain"), counted),
            (Search(simulations=arguments.simulations), counted),
            (Search(seconds=arguments.seconds, strategy="plain"), clocked),
            (Search(seconds=arguments.seconds), clocked),
        ]
    ]
    for _, result in arena.play_each(matches, 2 * arguments.pairs, seed=arguments.seed):
        print(result, "\n", flush=True)


if __name__ == "__main__":
    main()
