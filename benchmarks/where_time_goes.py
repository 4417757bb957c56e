"""Where the time of a simulation goes, game by game.

    python benchmarks/where_time_goes.py                    # prints the table: a minute or two
    python benchmarks/where_time_goes.py --write            # also puts it into docs/speed.md
    python benchmarks/where_time_goes.py --only hex sos --rounds 9

The plain search from the start. Its components are those of fastmcts, but for hooks that read the processor's clock
before and after each part; so it builds the very same tree. What reading the clock takes is measured and left out, and
so are times in which the processor did something else. Parts cannot overlap here as they do otherwise. The best round
counts.
"""

import argparse
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import page_tables
from llvmlite import ir
from numba import types
from numba.core import cgutils

import fastmcts
from fastmcts import ISMCTS, UCT, Game, Lazy, PerfectInformation, RandomRollout, games
from fastmcts.compiler.jit import compiled, entry
from fastmcts.compiler.vectors import declare
from fastmcts.core.constants import TERMINAL
from fastmcts.kernels.backup import backup
from fastmcts.kernels.children import fixed_child, matched_child
from fastmcts.kernels.copy import copy
from fastmcts.kernels.loop import simulate
from fastmcts.kernels.rollout import play_out

PAGE = Path(__file__).parent.parent / "docs" / "speed.md"
MARKERS = ("<!-- table -->", "<!-- end of table -->")
MACHINES = ("x86_64", "AMD64")  # whose clock a program may read

C = 1.4
SIMULATIONS = 50_000
MEMORY_MB = 2_000  # nothing is recycled
LONGEST = 2_000_000  # ticks, most of a millisecond: a part that took longer was interrupted

#: The parts of a simulation that are measured; the moves in the tree are what is left of the whole.
BEGIN, CHOOSE, ADD, PLAY, BACK, WHOLE = range(6)
PARTS = 6

#: What is searched, by a name for `--only`: the title, and the game.
GAMES: dict[str, tuple[str, Game]] = {
    "tic_tac_toe": ("Tic-tac-toe", games.TicTacToe()),
    "connect_four": ("Connect Four 7x6", games.ConnectFour()),
    "dots_and_boxes": ("Dots and boxes 4x4", games.DotsAndBoxes(rows=4, columns=4)),
    "breakthrough": ("Breakthrough 8x8", games.Breakthrough()),
    "othello": ("Othello", games.Othello()),
    "mnk": ("MNK 15,15,5", games.MNK(m=15, n=15, k=5)),
    "sos": ("SOS 8x8", games.SOS()),
    "hex": ("Hex 11x11", games.Hex(size=11)),
    "oh_hell": ("Oh Hell, 4 x 10 cards", games.OhHell()),
    "whist": ("Whist", games.Whist()),
}


def ticks() -> int:
    """What the processor's clock shows; with the JIT off, nanoseconds."""
    return time.perf_counter_ns()


def emit_ticks(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Two instructions: the first waits for all that is under way, or it would count as part of what comes next."""
    for name, result in (("llvm.x86.sse2.lfence", ir.VoidType()), ("llvm.readcyclecounter", ir.IntType(64))):
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, []), name)
        found = builder.call(function, [])
    return found


declare(ticks, lambda: types.int64(), emit_ticks)


@compiled
def note(tree, part, start, end):
    """Add what a part took to the times of this search, and count it.

    They are kept in the table of a rollout policy that this search does not have.
    """
    if end - start < LONGEST:
        tree.action_visits[part] += end - start
        tree.action_visits[PARTS + part] += 1


@entry
def read_clock(times):
    """Fill `times` with what passes between two looks at the clock."""
    for index in range(times.size):
        start = ticks()
        times[index] = ticks() - start


@entry
def play_games(game, start, state, actions, rng, count):
    """Play random games from a position; return how many moves they had."""
    moves = 0
    for _ in range(count):
        copy(start, state)
        while game.current_player(state) != TERMINAL:
            game.apply(state, game.random_action(state, actions, rng))
            moves += 1
    return moves


@dataclass(frozen=True)
class TimedLazy(Lazy):
    """`Lazy`, with the time of the rollout and of the way back."""

    def play(self, strategy: Any, tree: Any, leaf: int, scratch: Any, rng: Any) -> None:
        """What a plain search does at a leaf."""
        start = ticks()
        play_out(strategy.game, strategy.rollout, tree, scratch, rng)
        end = ticks()
        backup(tree, leaf, scratch.rewards, 1)
        finish = ticks()
        note(tree, PLAY, start, end)
        note(tree, BACK, end, finish)


class Timed:
    """A method, with the times of its parts."""

    def begin(self, game: Any, root: Any, tree: Any, scratch: Any, rng: Any) -> None:
        """Copy the position, and draw a world where cards are hidden."""
        start = ticks()
        copy(root, scratch.state)
        if game.has_hidden_information:
            game.determinize(scratch.state, game.current_player(scratch.state), rng)
        note(tree, BEGIN, start, ticks())

    def simulate(self, strategy: Any, tree: Any, scratch: Any, rng: Any) -> None:
        """The rest of a simulation."""
        start = ticks()
        simulate(strategy, tree, scratch, rng)
        note(tree, WHOLE, start, ticks())

    def next_child(self, strategy: Any, tree: Any, node: int, player: int, scratch: Any, rng: Any) -> int:
        """One that was visited before, or a new one."""
        start = ticks()
        tried = tree.num_tried[node]
        if strategy.game.has_hidden_information:
            child = matched_child(strategy, tree, node, player, scratch, rng)
        else:
            child = fixed_child(strategy, tree, node, player, scratch, rng)
        note(tree, ADD if tree.num_tried[node] > tried else CHOOSE, start, ticks())
        return child  # pyright: ignore[reportReturnType]


@dataclass(frozen=True)
class TimedPerfectInformation(Timed, PerfectInformation):
    """`PerfectInformation` with times."""

    def fields(self, game: Game) -> tuple[str, ...]:
        """Where times are kept."""
        return ("action_visits",)


@dataclass(frozen=True)
class TimedISMCTS(Timed, ISMCTS):
    """`ISMCTS` with times."""

    def fields(self, game: Game) -> tuple[str, ...]:
        """Where times are kept, besides what the method needs."""
        return (*super().fields(game), "action_visits")


@dataclass(frozen=True)
class Profile:
    """Where the time goes.

    Args:
        all: Nanoseconds for a simulation, without the clock.
        memory: The share of them that is saved in memory which was used before.
        parts: [PARTS], nanoseconds for each, with the clock; what is left of the whole are the moves in the tree.
        move: Nanoseconds for a move of a random game from the start.
        length: How many moves such a game has.
    """

    all: float
    memory: float
    parts: np.ndarray
    move: float
    length: float

    @property
    def shares(self) -> list[float]:
        """Of the time: begin, choose, add, moves in the tree, rollout, back."""
        begin, choose, add, play, back, whole = np.maximum(0.0, self.parts / (self.parts[BEGIN] + self.parts[WHOLE]))
        return [begin, choose, add, max(0.0, whole - choose - add - play - back), play, back]


def ticks_for_looking() -> float:
    """What it takes to look at the clock."""
    times = np.zeros(100_000, np.int64)
    read_clock(times)
    return float(np.median(times))


def ticks_per_nanosecond() -> float:
    """How fast the clock runs."""
    times = np.zeros(1, np.int64)
    points = []
    for wait in (0.0, 0.2):
        time.sleep(wait)
        before = time.perf_counter_ns()
        start = clock_now(times)
        points.append((start, (before + time.perf_counter_ns()) / 2))
    return (points[1][0] - points[0][0]) / (points[1][1] - points[0][1])


@entry
def clock_now(times):
    """What the clock shows, for Python."""
    times[0] = ticks()
    return times[0]


def make_search(game: Game, seed: int, **components: Any) -> fastmcts.MCTS:
    """A plain search, but for some components."""
    strategy: dict[str, Any] = {"selection": UCT(c=C), "expansion": Lazy(), "rollout": RandomRollout()}
    strategy |= {"method": ISMCTS() if game.has_hidden_information else PerfectInformation(), **components}
    return fastmcts.MCTS(game, simulations=SIMULATIONS, seed=seed, memory_mb=MEMORY_MB, **strategy)


def run(mcts: fastmcts.MCTS, game: Game) -> tuple[float, fastmcts.SearchResult]:
    """Search from the start; return the nanoseconds of the processor for a simulation, with the result."""
    state = game.new_initial_state(seed=0)
    start = time.process_time()
    result = mcts.search(state)
    return 1e9 * (time.process_time() - start) / SIMULATIONS, result


def measure(game: Game, rounds: int) -> Profile:
    """Search by turns in new memory, again in the same memory, and with the clock; the trees must be the same."""
    timed = TimedISMCTS() if game.has_hidden_information else TimedPerfectInformation()
    rate, look = ticks_per_nanosecond(), ticks_for_looking()
    new, same, parts = [], [], []
    for seed in range(rounds + 1):
        mcts = make_search(game, seed)
        first, plain = run(mcts, game)
        visits = plain.visits.tolist()
        del plain  # or the memory would stay with it
        mcts.reset()
        again, _ = run(mcts, game)
        _, result = run(make_search(game, seed, expansion=TimedLazy(), method=timed), game)
        assert visits == result.visits.tolist()
        assert result.recycled == 0
        if seed > 0:  # the first one compiles
            new.append(first)
            same.append(again)
            parts.append(time_of_parts(np.asarray(result.tree.action_visits), look) / rate)
    best = min(parts, key=lambda part: part[WHOLE])
    return Profile(min(new), max(0.0, 1.0 - min(same) / min(new)), best, *random_games(game, rounds))


def time_of_parts(noted: np.ndarray, look: float) -> np.ndarray:
    """The ticks of each part for a simulation, without those for looking at the clock.

    Args:
        noted: What `note` has kept: times, then counts.
        look: The ticks for a look.
    """
    times, counts = noted[:PARTS].astype(float), noted[PARTS : 2 * PARTS]
    looks = counts.copy()
    # Between the two looks of a simulation there are those of its parts. The rollout ends where the way back begins.
    looks[WHOLE] += 2 * (counts[CHOOSE] + counts[ADD]) + 2 * counts[PLAY] + counts[BACK]
    return (times - look * looks) / counts[WHOLE]


def random_games(game: Game, rounds: int, count: int = 2_000) -> tuple[float, float]:
    """Nanoseconds for a move of random games, and how many moves such a game has."""
    start = game.new_initial_state(seed=0).array
    buffer = np.zeros(game.num_actions, np.int64)
    best, moves = np.inf, 0
    for seed in range(rounds + 1):
        rng = fastmcts.rng.make_rng(seed)
        before = time.process_time()
        moves = play_games(game, start, start.copy(), buffer, rng, count)
        best = min(best, (time.process_time() - before) / moves)
    return 1e9 * best, moves / count


def share_table(names: Sequence[str], rounds: int) -> Iterator[str]:
    """A line for each game, as soon as it is measured."""
    header = ("from the start", "ns", "begin", "choose", "add", "move", "rollout", "back", "memory")
    header += ("moves of a game", "ns for each")

    def row(name: str) -> tuple[str, ...]:
        title, game = GAMES[name]
        found = measure(game, rounds)
        shares = (f"{100 * share:.0f}%" for share in (*found.shares, found.memory))
        return title, f"{found.all:,.0f}", *shares, f"{found.length:.0f}", f"{found.move:.1f}"

    return page_tables.table(header, map(row, names))


def main() -> None:
    """Measure and print; write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each game is searched")
    parser.add_argument("--only", nargs="+", choices=GAMES, default=list(GAMES), metavar="NAME", help=", ".join(GAMES))
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    if platform.machine() not in MACHINES:
        sys.exit(f"programs may not read the clock of this processor, {platform.machine()}")
    lines = []
    for line in share_table(arguments.only, arguments.rounds):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        page_tables.rewrite(PAGE, MARKERS, "\n".join(lines))


if __name__ == "__main__":
    main()
