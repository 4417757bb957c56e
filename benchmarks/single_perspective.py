"""Is a tree of one's own moves alone enough against random play, and should its replies be drawn anew?

Replies that stay are one draw for each move of the root, however long the search: it does not see what other
replies would do. Several trees draw as many; replies that are drawn anew at each visit are all seen in one tree.

    python benchmarks/single_perspective.py [--games 400] [--simulations 200] [--only connect_four] [--seed 0]

Both games of a pair start with the same two random moves and have changed seats. The interval is that of the mean
over pairs. A line is printed as soon as a match is over; Ctrl-C prints what was played.
"""

from collections.abc import Iterator, Sequence

import arena

from fastmcts import Game, PerfectInformation, SinglePerspective, games
from fastmcts.experiments import Agent, Random, Search

GAMES: dict[str, Game] = {
    "tic_tac_toe": games.TicTacToe(),
    "connect_four": games.ConnectFour(),
    "breakthrough": games.Breakthrough(rows=6, columns=6),
}

PAIRINGS = (
    ("full tree", "random"),
    ("fixed replies", "random"),
    ("fixed replies in eight trees", "random"),
    ("resampled replies", "random"),
    ("resampled replies", "fixed replies"),
)


def matches(names: Sequence[str], simulations: int) -> Iterator[arena.Match]:
    """All pairings on some games."""
    search = Search(simulations=simulations, strategy="plain")
    players: dict[str, Agent] = {
        "random": Random(),
        "full tree": search.filled(method=PerfectInformation()),
        "fixed replies": search.filled(method=SinglePerspective()),
        "fixed replies in eight trees": search.filled(method=SinglePerspective(), trees=8),
        "resampled replies": search.filled(method=SinglePerspective(resample=True)),
    }
    for name in names:
        for first, second in PAIRINGS:
            yield arena.Match(f"{first} against {second}", GAMES[name], players[first], players[second])


def main() -> None:
    """Play the matches and print the table."""
    arguments = arena.parse_arguments(__doc__, list(GAMES), simulations=200)
    chosen = matches(arguments.only, arguments.simulations)
    played = arena.play_each(chosen, arguments.games, seed=arguments.seed, threads=arguments.threads)
    rows = ((match.title, f"`{match.game!r}`", f"{result.games:,}", result.score) for match, result in played)
    for line in arena.table(("match", "game", "games", "score of the first (95%)"), rows):
        print(line, flush=True)


if __name__ == "__main__":
    main()
