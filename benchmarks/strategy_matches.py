"""Does each strategy win more?  Paired games at equal simulations, against the plain search.

    python benchmarks/strategy_matches.py [--games 400] [--only grave solver] [--seed 0]

Both games of a pair start with the same random moves. The interval is that of the mean over pairs. The plain
side has the constant that `python benchmarks/default_rule.py` finds best on its board, and so has the other
where it uses one. Ctrl-C prints what was played.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import arena

from fastmcts import GRAVE, MAST, UCB1, Game, Prioritized, games


@dataclass(frozen=True)
class Match:
    """Two ways to search a game."""

    title: str
    game: Game
    simulations: int
    first: dict[str, Any]
    second: dict[str, Any]
    both: dict[str, Any] = field(default_factory=dict)

    def play(self, score: arena.Score, count: int, seed: int, show: arena.Show | None) -> None:
        """Play so many games and add up their score."""
        plain = {"simulations": self.simulations, **self.both}
        sides = [arena.Searching(**{**plain, **options}) for options in (self.first, self.second)]
        arena.play(score, self.game, *sides, games=count, seed=seed, show=show)


MATCHES = {
    "grave": Match(
        "`GRAVE()` against the default",
        games.Hex(size=9),
        simulations=500,
        first={"selection": GRAVE()},
        second={},
    ),
    "mast": Match(
        "`MAST()` against random rollouts",
        games.Breakthrough(),
        simulations=500,
        first={"rollout": MAST()},
        second={},
    ),
    "solver": Match(
        "`solver=True` against none",
        games.Breakthrough(rows=6, columns=6),
        simulations=1000,
        first={"solver": True},
        second={},
    ),
    "prioritized": Match(
        "`Prioritized()` against `Lazy()`, `UCB1(c=1.4)`",
        games.SOS(),
        simulations=200,
        first={"expansion": Prioritized()},
        second={},
        both={"selection": UCB1(c=1.4)},
    ),
    "doubling": Match(
        "400 simulations against 200",
        games.ConnectFour(),
        simulations=200,
        first={"simulations": 400},
        second={},
    ),
}


def play_all(names: Sequence[str], count: int, seed: int) -> dict[str, arena.Score]:
    """Play matches one after the other until Ctrl-C; those that were not finished have fewer games."""
    scores = {name: arena.Score() for name in names}
    with suppress(KeyboardInterrupt), arena.bars() as add_bar:
        for name, score in scores.items():
            MATCHES[name].play(score, count, seed, add_bar(name, count))
    return scores


def score_table(scores: dict[str, arena.Score]) -> Iterator[str]:
    """A line for each match."""
    rows = [
        (
            MATCHES[name].title,
            f"`{MATCHES[name].game!r}`",
            f"{MATCHES[name].simulations:,}",
            f"{score.games:,}",
            str(score),
        )
        for name, score in scores.items()
        if score.pairs
    ]
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
