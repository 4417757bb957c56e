"""How much should `UCT` explore, with small and large budgets?  Constants against the default's, over our games.

    python benchmarks/exploration.py --results exploration.jsonl            # about 20 minutes of one core
    python benchmarks/exploration.py --results exploration.jsonl --write    # and put the table into docs/benchmarks.md
    python benchmarks/exploration.py --results exploration.jsonl --rounds 6 # go on from there: more games
    python benchmarks/exploration.py --results more.jsonl --budgets 100 1000 --rounds 10

Paired games of the plain search, as in `default_rule.py`. A round plays some games of every budget, constant and board.
What was played is added to the file of results, match by match: after Ctrl-C, or anything else, the same command goes
on where it stopped. Intervals are those of 95%, over the pairs of all boards together.
"""

import argparse
import itertools
import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import arena
from default_rule import BOARDS

from fastmcts import UCT
from fastmcts.experiments import Search, play_match
from fastmcts.experiments.intervals import DEVIATIONS
from fastmcts.rng import spawn_seed

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
MARKERS = ("<!-- exploration -->", "<!-- end of exploration -->")

REFERENCE = 0.5
CONSTANTS = (0.3, 0.7, 1.0, 1.4)
#: How many games a round plays on each board, by the simulations for each move: large budgets take nearly all the time.
GAMES = {100: 60, 1_000: 40, 10_000: 16, 100_000: 4}
ROUNDS = 3


@dataclass(frozen=True)
class Pairing:
    """One constant against the reference, on one board at one budget, in one round."""

    round: int
    budget: int
    board: str
    c: float

    @property
    def seed(self) -> int:
        """The same for all constants: they start from the same openings."""
        return spawn_seed(spawn_seed(self.round, self.budget), list(BOARDS).index(self.board))


#: For each pairing the points in its pairs of games: 1 for two wins, 0.5 for one.
Results = dict[Pairing, list[float]]


def read_results(path: Path) -> Results:
    """What was played before; a line that was not written to its end is cut off."""
    if not path.exists():
        return {}
    whole, _, torn = path.read_text().rpartition("\n")
    if torn:
        path.write_text(f"{whole}\n" if whole else "")
    lines = [json.loads(line) for line in whole.splitlines()]
    return {Pairing(**line["pairing"]): line["pairs"] for line in lines}


def play(pairing: Pairing, threads: int) -> list[float] | None:
    """The points in each pair of games; None if Ctrl-C came before the end."""
    search = Search(simulations=pairing.budget, strategy="plain")
    result = play_match(
        BOARDS[pairing.board],
        search.filled(selection=UCT(c=pairing.c)),
        search.filled(selection=UCT(c=REFERENCE)),
        GAMES[pairing.budget],
        seed=pairing.seed,
        threads=threads,
        progress=True,
    )
    return None if result.interrupted else result.pairs


def play_all(wanted: Sequence[Pairing], path: Path, threads: int) -> Results:
    """Play what is not in the file yet, until Ctrl-C; return what it then has of all that was wanted."""
    results = read_results(path)
    missing = [pairing for pairing in wanted if pairing not in results]
    for number, pairing in enumerate(missing, start=1):
        print(f"{number} of {len(missing)}: {pairing}", flush=True)
        pairs = play(pairing, threads)
        if pairs is None:
            break
        results[pairing] = pairs
        with path.open("a") as file:
            file.write(json.dumps({"pairing": asdict(pairing), "pairs": pairs}) + "\n")
    return {pairing: results[pairing] for pairing in wanted if pairing in results}


def score_text(pairs: Sequence[float]) -> str:
    """The mean with its 95% interval."""
    if len(pairs) < 2:
        return ""
    margin = DEVIATIONS * statistics.stdev(pairs) / len(pairs) ** 0.5
    return f"{statistics.mean(pairs):.1%} ± {margin:.1%}"


def score_table(results: Results) -> Iterator[str]:
    """A line for each budget, a column for each constant; of rounds that were played on all boards by all constants."""
    header = (f"score against `UCT(c={REFERENCE})`", "games each", *(f"`c={c}`" for c in CONSTANTS))
    rows = []
    for budget in GAMES:
        rounds = whole_rounds(results, budget)
        scores = [points(results, budget, c, rounds) for c in CONSTANTS]
        if rounds:
            rows.append((f"{budget:,} simulations", f"{2 * len(scores[0]):,}", *map(score_text, scores)))
    return arena.table(header, rows)


def points(results: Results, budget: int, c: float, rounds: Sequence[int]) -> list[float]:
    """The pairs of a constant on all boards."""
    played = [results[Pairing(number, budget, board, c)] for number in rounds for board in BOARDS]
    return list(itertools.chain.from_iterable(played))


def whole_rounds(results: Results, budget: int) -> list[int]:
    """The rounds in which every constant has played on every board."""
    return [
        number
        for number in sorted({pairing.round for pairing in results})
        if all(Pairing(number, budget, board, c) in results for board in BOARDS for c in CONSTANTS)
    ]


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="the file of what was played; made if missing")
    parser.add_argument("--budgets", nargs="+", type=int, choices=list(GAMES), default=list(GAMES), metavar="N")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.parent.name}/{PAGE.name}")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {arguments.rounds}")
    return arguments


def main() -> None:
    """Play, print the table, and write it if asked to."""
    arguments = parse()
    wanted = [
        Pairing(number, budget, board, c)
        for number in range(arguments.rounds)
        for budget in sorted(set(arguments.budgets))
        for board in BOARDS
        for c in CONSTANTS
    ]
    table = "\n".join(score_table(play_all(wanted, arguments.results, arguments.threads)))
    print(table)
    if arguments.write:
        arena.rewrite(PAGE, MARKERS, table)


if __name__ == "__main__":
    main()
