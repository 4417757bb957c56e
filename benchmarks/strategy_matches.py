"""Does each strategy win more?  Paired games at equal simulations, against the plain search.

    python benchmarks/strategy_matches.py [--games 400] [--only grave solver] [--seed 0]

Both games of a pair start with the same random moves. The interval is that of the mean over pairs. The plain
side has the constant that `python benchmarks/default_rule.py` finds best on its board, and so has the other
where it uses one. Ctrl-C prints what was played.
"""

import argparse
from collections.abc import Iterator, Sequence

import arena

from fastmcts import GRAVE, MAST, UCB1, Prioritized, games
from fastmcts.experiments import MatchResult, Search


def plain(simulations: int) -> Search:
    """The search that strategies are compared with."""
    return Search(simulations=simulations, strategy="plain")


MATCHES = {
    "grave": arena.Match(
        "`GRAVE()` against the default",
        games.Hex(size=9),
        plain(500).filled(selection=GRAVE()),
        plain(500),
    ),
    "mast": arena.Match(
        "`MAST()` against random rollouts",
        games.Breakthrough(),
        plain(500).filled(rollout=MAST()),
        plain(500),
    ),
    "solver": arena.Match(
        "`solver=True` against none",
        games.Breakthrough(rows=6, columns=6),
        plain(1000).filled(solver=True),
        plain(1000),
    ),
    "prioritized": arena.Match(
        "`Prioritized()` against `Lazy()`, `UCB1(c=1.4)`",
        games.SOS(),
        plain(200).filled(selection=UCB1(c=1.4), expansion=Prioritized()),
        plain(200).filled(selection=UCB1(c=1.4)),
    ),
    "doubling": arena.Match("400 simulations against 200", games.ConnectFour(), plain(400), plain(200)),
}


def play_all(names: Sequence[str], count: int, seed: int) -> dict[str, MatchResult]:
    """Play matches one after the other until Ctrl-C; the last one may have fewer games."""
    played = arena.play_each([MATCHES[name] for name in names], count, seed=seed, threads=arena.THREADS)
    return {name: result for name, (_, result) in zip(names, played, strict=False)}


def score_table(results: dict[str, MatchResult]) -> Iterator[str]:
    """A line for each match."""
    rows = []
    for name, result in results.items():
        assert isinstance(result.second, Search)
        simulations = result.second.options["simulations"]
        game = f"`{result.game!r}`"
        rows.append((MATCHES[name].title, game, f"{simulations:,}", f"{result.games:,}", result.score))
    return arena.table(("match", "game", "simulations", "games", "score of the first (95%)"), rows)


def main() -> None:
    """Play the matches and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400, help="for each match")
    parser.add_argument("--only", nargs="+", choices=list(MATCHES), default=list(MATCHES), metavar="MATCH")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print("\n".join(score_table(play_all(arguments.only, arguments.games, arguments.seed))))


if __name__ == "__main__":
    main()
