"""Is a search by an evaluator as strong as it should be? Matches of Connect Four.

    python benchmarks/evaluator_matches.py [--games 4000] [--simulations 800]
    python benchmarks/evaluator_matches.py --write      # also puts the table into docs/networks.md: some minutes

Two questions, each by games side by side from openings of two random moves, every opening played from both sides:
whether PUCT with an evaluator that plays a random rollout (and finds all moves as likely) is as good as UCT with the
same rollouts; and how much is lost by `batch_size=16`, which goes down to 16 leaves before it hears of
any. The score of the first is printed with an interval of 95% over pairs of games.
"""

import argparse
from collections.abc import Callable, Sequence

import numpy as np
import page_tables

import fastmcts
from fastmcts import Blend, RandomRollout, State, UniformEvaluator, games, spawn_seed

Side = Callable[[Sequence[State], int], list[int]]


def uniform(observations: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A network that knows nothing; the rollout tells the value."""
    return np.ones(legal.shape, np.float32), np.zeros(len(legal), np.float32)


def in_batches(**options: object) -> Side:
    """A player who searches all positions with `search_batch`."""
    return lambda states, seed: fastmcts.search_batch(states, seed=seed, **options).action.tolist()  # pyright: ignore


def one_by_one(**options: object) -> Side:
    """A player who searches one position after the other."""

    def moves(states: Sequence[State], seed: int) -> list[int]:
        found = [fastmcts.search(state, seed=spawn_seed(seed, i), **options) for i, state in enumerate(states)]  # pyright: ignore
        return [int(result.action or 0) for result in found]

    return moves


def scores(first: Side, second: Side, pairs: int, seed: int) -> np.ndarray:
    """The mean score of the first side in each pair of games, float64 [pairs]."""
    generator, sides = np.random.default_rng(seed), (first, second)
    states = []
    for _ in range(pairs):
        state = games.ConnectFour().new_initial_state()
        for _ in range(2):
            state.apply_action(int(generator.choice(state.legal_actions())))
        states += [state, state.clone()]
    seats = np.arange(2 * pairs) % 2  # which side moves first
    for ply in range(42):
        mover = ply % 2
        for side in range(2):
            rows = [i for i, s in enumerate(states) if not s.is_terminal() and (seats[i] + mover) % 2 == side]
            if rows:
                actions = sides[side]([states[i] for i in rows], spawn_seed(seed, 2 * ply + side))
                for row, action in zip(rows, actions, strict=True):
                    states[row].apply_action(int(action))
    wins = np.array([(1 + state.returns()[seat]) / 2 for state, seat in zip(states, seats, strict=True)])
    return wins.reshape(pairs, 2).mean(axis=1)


def row(title: str, found: np.ndarray) -> tuple[str, str, str]:
    """A match, how many games it had, and the score of the first with its interval."""
    margin = 1.96 * found.std(ddof=1) / len(found) ** 0.5
    return title, f"{2 * len(found):,}", f"{found.mean():.1%} ± {margin:.1%}"


def main() -> None:
    """Play, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--simulations", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the table into docs/networks.md")
    arguments = parser.parse_args()
    pairs, budget = arguments.games // 2, {"simulations": arguments.simulations}
    rollouts = Blend(UniformEvaluator(), RandomRollout(), weight=1.0)
    puct = in_batches(evaluator=rollouts, **budget)
    uct = in_batches(strategy="plain", **budget)
    rows = [row("PUCT with rollouts as an evaluator, against UCT", scores(puct, uct, pairs, arguments.seed))]
    asked = Blend(uniform, RandomRollout(), weight=1.0)
    under_loss = one_by_one(evaluator=asked, batch_size=16, **budget)
    plain = in_batches(evaluator=asked, **budget)
    rows.append(row("`batch_size=16` against `batch_size=1`", scores(under_loss, plain, pairs, arguments.seed + 1)))
    header = (f"Connect Four, {arguments.simulations:,} simulations each", "games", "score of the first (95%)")
    text = "\n".join(page_tables.table(header, rows))
    print(text)
    if arguments.write:
        page_tables.rewrite(page_tables.DOCS / "networks.md", page_tables.markers("matches"), text)


if __name__ == "__main__":
    main()
