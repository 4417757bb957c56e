"""Which selection rule and constant should be the default?  Each against one of them, over our games.

    python benchmarks/default_rule.py [--games 100] [--simulations 400] [--boards "Othello" "Hex 7x7"] [--seed 0]

Paired games, as in `strategy_matches.py`. The last column is the mean over the games, each with equal weight.
Ctrl-C prints what was played.
"""

import argparse
from collections.abc import Iterator, Sequence

import arena

from fastmcts import UCB1, UCT, Selection, UCB1Tuned, games
from fastmcts.experiments import MatchResult, Search
from fastmcts.experiments.intervals import DEVIATIONS

BOARDS = {
    "Connect Four": games.ConnectFour(),
    "Othello": games.Othello(),
    "Hex 7x7": games.Hex(size=7),
    "Breakthrough 6x6": games.Breakthrough(rows=6, columns=6),
    "dots and boxes 3x3": games.DotsAndBoxes(rows=3, columns=3),
    "5,5,4": games.MNK(5, 5, 4),
    "SOS 6x6": games.SOS(rows=6, columns=6),
}
#: The boards of strategy_matches.py, whose plain side gets the best constant.
MORE_BOARDS = {"Hex 9x9": games.Hex(size=9), "Breakthrough 8x8": games.Breakthrough()}
ALL_BOARDS = BOARDS | MORE_BOARDS

SIMULATIONS = 400
REFERENCE = UCT(c=1.4)
RULES: tuple[Selection, ...] = (
    *(UCT(c=c) for c in (0.2, 0.3, 0.5, 0.7, 1.0)),
    *(UCB1(c=c) for c in (0.3, 0.5, 0.7, 1.0, 1.4)),
    UCB1Tuned(),
)


def name_of(rule: Selection) -> str:
    """How one writes a rule."""
    return f"`{type(rule).__name__}(c={getattr(rule, 'c', None)})`"


def play_all(
    boards: Sequence[str], rules: Sequence[Selection], count: int, simulations: int, seed: int
) -> dict[tuple[Selection, str], MatchResult]:
    """The score of every rule against the reference on every board, until Ctrl-C."""
    search = Search(simulations=simulations, strategy="plain")
    pairings = [(rule, board) for board in boards for rule in rules]
    matches = [
        arena.Match(name_of(rule), ALL_BOARDS[board], search.filled(selection=rule), search.filled(selection=REFERENCE))
        for rule, board in pairings
    ]
    played = arena.play_each(matches, count, seed=seed, threads=arena.THREADS)
    return {pairing: result for pairing, (_, result) in zip(pairings, played, strict=False)}


def mean_over_boards(results: Sequence[MatchResult]) -> str:
    """The mean of scores with its 95% interval."""
    mean = sum(result.mean for result in results) / len(results)
    margin = DEVIATIONS * sum(result.error**2 for result in results) ** 0.5 / len(results)
    return f"{mean:.1%} ± {margin:.1%}"


def score_table(
    results: dict[tuple[Selection, str], MatchResult], boards: Sequence[str], rules: Sequence[Selection]
) -> Iterator[str]:
    """A line for each rule; a mean only where all boards were played."""
    rows = []
    for rule in rules:
        cells = [results.get((rule, board)) for board in boards]
        shown = [f"{cell.mean:.1%} ± {DEVIATIONS * cell.error:.1%}" if cell else "" for cell in cells]
        all_played = [cell for cell in cells if cell]
        rows.append((name_of(rule), *shown, mean_over_boards(all_played) if len(all_played) == len(cells) else ""))
    return arena.table((f"score against {name_of(REFERENCE)}", *boards, "mean"), rows)


def main() -> None:
    """Play the matches and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, help="for each rule and board")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="for each move")
    parser.add_argument("--boards", nargs="+", choices=list(ALL_BOARDS), default=list(BOARDS), metavar="BOARD")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    boards = list(dict.fromkeys(arguments.boards))
    scores = play_all(boards, RULES, arguments.games, arguments.simulations, arguments.seed)
    print("\n".join(score_table(scores, boards, RULES)))


if __name__ == "__main__":
    main()
