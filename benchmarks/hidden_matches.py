"""Who plays better without seeing the cards?  Oh Hell and Whist, every deal twice with changed seats.

    python benchmarks/hidden_matches.py [--games 400] [--simulations 1000] [--only whist] [--seed 0]

Players 0 and 2 are one side and players 1 and 3 the other; in Oh Hell each of them plays for himself all the same.
Each deal is played twice, with changed sides, and won by the side whose players score more in both games together:
so both sides have had the same cards. The score is the share of deals won, a tie counting half, with its 95%
interval; the margin is how many points (tricks, in Whist) a player of the first side won more than one of the
second, a game. Both ways to search get the same number of simulations for a move in all, and play on with the
game's rollout policy. A line is printed as soon as a match is over; Ctrl-C prints what was played.
"""

from collections.abc import Iterator, Sequence

import arena

from fastmcts import ISMCTS, PIMC, UCT, Game, GameRollout, games
from fastmcts.experiments import Agent, Greedy, Random, Search

#: Points are scaled to [0, 1] by the most that a game can bring: a trick of 13 is little, so the constant is small.
GAMES: dict[str, tuple[Game, UCT]] = {
    "oh_hell": (games.OhHell(hand_size=7), UCT(c=0.2)),
    "whist": (games.Whist(), UCT(c=0.1)),
}
WORLDS = 10  # a hundred simulations each: 8, 20 and 50 play alike

PAIRINGS = (
    ("ISMCTS", "random"),
    ("PIMC", "random"),
    ("ISMCTS", "rollout policy"),
    ("PIMC", "rollout policy"),
    ("ISMCTS", "PIMC"),
)


def matches(names: Sequence[str], simulations: int) -> Iterator[arena.Match]:
    """All pairings on some games."""
    for name in names:
        game, selection = GAMES[name]
        search = Search(simulations=simulations, selection=selection, rollout=GameRollout())
        players: dict[str, Agent] = {
            "random": Random(),
            "rollout policy": Greedy(),
            "ISMCTS": search.filled(method=ISMCTS()),
            "PIMC": search.filled(method=PIMC(worlds=WORLDS)),
        }
        for first, second in PAIRINGS:
            yield arena.Match(f"{first} against {second}", game, players[first], players[second])


def main() -> None:
    """Play the matches and print the table."""
    arguments = arena.parse_arguments(__doc__, list(GAMES), simulations=1000)
    chosen = matches(arguments.only, arguments.simulations)
    played = arena.play_each(chosen, arguments.games, seed=arguments.seed, threads=arguments.threads)
    rows = (
        (match.title, f"`{match.game.name}`", f"{len(result.pairs):,}", result.score, f"{result.margin:+.2f}")
        for match, result in played
    )
    for line in arena.table(("match", "game", "deals", "deals won by the first (95%)", "margin"), rows):
        print(line, flush=True)


if __name__ == "__main__":
    main()
