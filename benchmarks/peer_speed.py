"""How fast is fastmcts beside OpenSpiel's C++ bots, and beside MCTS in plain Python?

    python benchmarks/peer_speed.py [--rounds 5] [--only hex oh_hell]

All run UCT with one random rollout from each leaf (our `strategy="plain"`), from the same position on one thread, in
turn, in one process. Only ratios count, of seconds of the processor; they compare the best round of each, since
whatever else the machine does only slows down.

OpenSpiel (`pip install "fastmcts-numba[peers]"`) builds the same kind of tree, but not the same tree: its `MCTSBot`
lists all children of a leaf on its second visit, and it draws other random numbers. Its `ISMCTSBot` plays Oh Hell with
the same cards. The Python MCTS is that of our tests, tests/naive, which builds the very same tree.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page_tables

import fastmcts
from fastmcts import ISMCTS, UCB1, UCT, Game, PerfectInformation, State, games

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests import naive

try:
    import pyspiel  # pyright: ignore[reportMissingImports]
except ImportError:
    pyspiel: Any = None

NOT_INSTALLED = 'OpenSpiel is not installed (pip install "fastmcts-numba[peers]")'

C = 1.4
MEMORY_MB = 1000
LEAST = 200  # simulations

#: A run adds so many simulations with a seed and returns the seconds of the processor.
Run = Callable[[int, int], float]


@dataclass(frozen=True)
class Contest:
    """Two that run as fast as they can.

    Args:
        title: Who the peer is, and on what game.
        ours: Makes the run of fastmcts.
        peer: Makes the run of the peer.
        simulations: Of ours and of the peer.
        goal: How many times as fast ours should be.
    """

    title: str
    ours: Callable[[], Run]
    peer: Callable[[], Run]
    simulations: tuple[int, int]
    goal: float

    def rates(self, rounds: int) -> tuple[float, float]:
        """Simulations per second of ours and the peer, which take turns."""
        runs = self.ours(), self.peer()
        best = [0.0, 0.0]
        for run in runs:
            run(LEAST, 0)  # compiles
        for seed in range(rounds):
            for index, run in enumerate(runs):
                best[index] = max(best[index], self.simulations[index] / run(self.simulations[index], seed))
        return best[0], best[1]


def ours(state: State, **options: Any) -> Run:
    """Runs fastmcts."""

    def run(simulations: int, seed: int) -> float:
        start = time.process_time()
        result = fastmcts.search(state, simulations=simulations, seed=seed, strategy="plain", **options)
        seconds = time.process_time() - start
        assert result.simulations == simulations
        return seconds

    return run


def peer_c(game: Game) -> float:
    """What explores as much as C where rewards are utilities, and not scaled to [0, 1]."""
    return C * (game.max_utility - game.min_utility)


def mcts_bot(name: str, c: float) -> Run:
    """Runs OpenSpiel's `MCTSBot::MCTSearch`, which is C++ altogether, from the start of a game."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def run(simulations: int, seed: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(game, evaluator, c, simulations, MEMORY_MB, False, seed, False)
        start = time.process_time()
        root = bot.mcts_search(state)
        seconds = time.process_time() - start
        assert root.explore_count == simulations
        return seconds

    return run


def ismcts_bot(name: str, actions: Sequence[int], c: float) -> Run:
    """Runs OpenSpiel's `ISMCTSBot`, which is C++ altogether, from where some actions of chance lead to."""
    state = pyspiel.load_game(name).new_initial_state()
    for action in actions:
        state.apply_action(action)
    assert not state.is_chance_node()

    def run(simulations: int, seed: int) -> float:
        bot = pyspiel.ISMCTSBot(seed, pyspiel.RandomRolloutEvaluator(1, seed), c, simulations)
        start = time.process_time()
        policy = bot.get_policy(state)
        seconds = time.process_time() - start
        assert abs(sum(share for _, share in policy) - 1.0) < 1e-9
        return seconds

    return run


def plain_python(state: State, score: naive.Score) -> Run:
    """Runs the MCTS of our tests."""

    def run(simulations: int, seed: int) -> float:
        start = time.process_time()
        root = naive.Search(state, seed, score).run(simulations)
        seconds = time.process_time() - start
        assert root.visits == simulations
        return seconds

    return run


def board(title: str, game: Game, name: str, simulations: int, goal: float) -> Contest:
    """A contest with `MCTSBot`; the name is OpenSpiel's."""
    return Contest(
        f"{title}: OpenSpiel's MCTSBot",
        lambda: ours(game.new_initial_state(), selection=UCT(c=C), method=PerfectInformation()),
        lambda: mcts_bot(name, peer_c(game)),
        (simulations, simulations),
        goal,
    )


def oh_hell(simulations: int, goal: float) -> Contest:
    """A contest with `ISMCTSBot`, on its variant of Oh Hell with four hands of ten cards."""
    game = games.OhHell(
        num_players=4,
        hand_size=10,
        trump_must_be_broken=False,
        last_bid_restricted=True,
        scoring="tricks",
        dealer=3,
    )
    state = game.new_initial_state(seed=0)
    return Contest(
        "Oh Hell: OpenSpiel's ISMCTSBot",
        lambda: ours(state, selection=UCT(c=C), method=ISMCTS()),
        lambda: ismcts_bot("oh_hell(players=4,num_tricks_fixed=10)", open_spiel_deal(game, state), peer_c(game)),
        (simulations, simulations),
        goal,
    )


def open_spiel_deal(game: games.OhHell, state: State) -> list[int]:
    """The actions of chance that deal the cards of a position in OpenSpiel: tricks, dealer, cards in turn, trump."""
    words = [int(state.array[game.hands + player]) for player in range(game.num_players)]
    hands = [[card for card in range(52) if word >> card & 1] for word in words]
    cards = [hand[number] for number in range(game.hand_size) for hand in hands]
    return [game.hand_size, game.dealer, *cards, int(state.array[game.turned])]


def sos(ours_for_each: int, simulations: int, goal: float) -> Contest:
    """A contest with plain Python; ours makes many simulations for each of its, so as to be more than a moment."""
    state = games.SOS().new_initial_state()
    return Contest(
        "SOS 8x8: plain Python",
        lambda: ours(state, selection=UCB1(c=C)),
        lambda: plain_python(state, naive.ucb1(C)),
        (ours_for_each * simulations, simulations),
        goal,
    )


OPEN_SPIEL = {
    "connect_four": board("Connect Four", games.ConnectFour(), "connect_four", 20_000, 15.0),
    "hex": board("Hex 11x11", games.Hex(size=11), "hex(board_size=11)", 5_000, 15.0),
    "othello": board("Othello", games.Othello(), "othello", 5_000, 15.0),
    "breakthrough": board("Breakthrough", games.Breakthrough(), "breakthrough", 5_000, 15.0),
    "tic_tac_toe": board("Tic-tac-toe", games.TicTacToe(), "tic_tac_toe", 20_000, 3.0),
    "oh_hell": oh_hell(5_000, 15.0),
}
CONTESTS = {**OPEN_SPIEL, "sos": sos(20, 300, 300.0)}


def row(contest: Contest, rounds: int) -> tuple[str, ...]:
    """A line of the table."""
    own, peer = contest.rates(rounds)
    simulations = " and ".join(f"{number:,}" for number in dict.fromkeys(contest.simulations))
    return contest.title, simulations, f"{own:,.0f}", f"{peer:,.0f}", f"{own / peer:.1f}", f"{contest.goal:g}"


def speed_table(rounds: int, names: Sequence[str] = tuple(CONTESTS)) -> Iterator[str]:
    """Simulations per second beside the peers, a line as soon as it is measured."""
    missing = [name for name in names if name in OPEN_SPIEL] if pyspiel is None else []
    if missing:
        print(f"{NOT_INSTALLED}: skipped {', '.join(missing)}", file=sys.stderr)
    header = ("peer", "simulations", "fastmcts, simulations/s", "peer, simulations/s", "ratio", "goal")
    return page_tables.table(header, (row(CONTESTS[name], rounds) for name in names if name not in missing))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs")
    parser.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS), help="the games")
    arguments = parser.parse_args()
    for line in speed_table(arguments.rounds, arguments.only):
        print(line, flush=True)


if __name__ == "__main__":
    main()
