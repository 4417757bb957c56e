"""Let an evaluator play against itself, many games side by side, for what it learns from."""

import dataclasses
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastmcts.batch import BatchResult, BatchSnapshot, BatchWorker, batch_result, work_off, worker_for
from fastmcts.compiler.notice import Heeding
from fastmcts.core.validate import real_number, whole_number
from fastmcts.engine.batch_workers import BatchQueue, BatchTask
from fastmcts.engine.driver import reveals_something
from fastmcts.engine.kept import Kept, keeps_trees, most_together
from fastmcts.engine.plan import Plan, plan_for
from fastmcts.engine.progress import Bar, Progress
from fastmcts.engine.wave_worker import NoRoomError, WaveWorker
from fastmcts.evaluators import Blend, Evaluator, Network
from fastmcts.evaluators.network import Evaluate
from fastmcts.game import Game
from fastmcts.kernels.observation import write_observations
from fastmcts.options import LEAST_SEED, MOST_SEED, ProgressOption
from fastmcts.playing import Playing, SelfPlayGame
from fastmcts.result import Evaluation
from fastmcts.rng import spawn_seed
from fastmcts.state import LARGEST_EXACT

#: One for all moves, or a function of the number of the move, which is 0, 1, ...
Temperature: TypeAlias = float | Callable[[int], float] | None

MOST_SIDE_BY_SIDE = 2**20
MOST_GAMES = 2**48


@dataclass(frozen=True)
class SelfPlaySnapshot:
    """How far self-play has come, for progress callbacks.

    Attributes:
        games: How many games are finished.
        total: How many there will be.
        positions: How many positions were searched.
        simulations: How many simulations were run.
        seconds: How long it has taken, since the first game was asked for.
    """

    games: int
    total: int
    positions: int
    simulations: int
    seconds: float


def self_play(
    game: Game,
    evaluator: Evaluator | Network | Blend | Evaluate,
    *,
    games: int | Sequence[int],
    simulations: int,
    temperature: Temperature = None,
    seed: int | None = None,
    side_by_side: int = 256,
    keep_trees: bool = True,
    progress: ProgressOption = None,
    **keywords: Any,
) -> "SelfPlay":
    """Let an evaluator play against itself, and hand over each game as it ends.

    So many games are played side by side, as `search_batch` searches: a network is asked about one leaf of each at a
    time, and where a game ends, the next one begins before the network is asked again. (`evaluation_cache=` keeps
    answers for all games.) Also where there is only one legal move the position is searched, for its value; with
    `search_forced=False` it is not, and its value is what was known before, NaN if nothing was.

    Trees are kept from move to move, as `MCTS` keeps them. After a move, and what chance has brought, the search of the
    next position goes on from the statistics that its node has, and adds `simulations` of its own. Policies and values
    count all of them, the kept ones too. Noise at the root is drawn anew for each search. With `ISMCTS` each player has
    a tree of its own, which follows the moves of all. `Gumbel` and `PIMC` begin each search with a new tree. So does
    what only compiled evaluators allow: `trees=`, `stop=`, `final="robust_max"`, `normalize=True`, rollouts that learn.

    A game is what `MCTS(game, evaluator=evaluator, seed=spawn_seed(played.seed, 0), ...)` finds, if `advance` follows
    each move and each outcome of chance: the random numbers of a tree go on from search to search. Where every search
    begins anew, that of the move number i, from 0 on, has the seed `spawn_seed(played.seed, 2 * i)`. So has the tree
    of an `ISMCTS` player whose first move it is.

    Game i depends on nothing but i, the seed and the options, and not on `side_by_side`, `threads` or `batch_size`;
    only the order in which games end differs. That holds if what the evaluator says of a position does not depend on
    what else it is asked at the same time: matrix products may be rounded in another way in batches of another size.

    Chance is drawn from each game's own seed. Where something is hidden, the search knows what the player to move
    knows, and so do the observations.

    Ctrl-C ends the search that goes on. What was finished has been handed over, and to ask for the next game goes on
    with those that were begun.

    Args:
        game: The game; it must pay at the end only.
        evaluator: As the option `evaluator` of a search.
        games: How many games, or the numbers of those to play, as in `range(100, 200)`.
        simulations: How many for each move.
        temperature: Moves are drawn in proportion to visits ** (1 / temperature), with `Gumbel` to the improved policy
            instead of visits; 0 plays the move that the search chooses. A function is given the number of the move, 0
            for the first one of a game, and returns the temperature: `lambda move: 1.0 if move < 30 else 0.0`. None is
            0 with `Gumbel`, whose choice is random already, and 1 else.
        seed: The same seed gives the same games. None draws one, which `.seed` tells.
        side_by_side: How many games are played at a time; fewer if their trees do not fit into `memory_mb`.
        keep_trees: False has each move begin with a new tree.
        progress: True shows a bar; a function is called with a `SelfPlaySnapshot` about ten times a second.
        **keywords: Other options of a search, such as `selection=`, `root_noise=RootNoise(0.3, 0.25)`, `threads=2`.

    Returns:
        An iterator over the games, in the order in which they end.
    """
    if not isinstance(game, Game):
        raise TypeError(f"self_play takes a Game, such as games.ConnectFour(), not {game!r}")
    if evaluator is None:
        raise TypeError(
            "self_play needs an evaluator: a function of batches, or a compiled one;"
            " Blend(UniformEvaluator(), RandomRollout(), weight=1.0) judges by rollouts"
        )
    if keywords.get("seconds") is not None:
        raise ValueError("seconds: games that depend on the clock could not be played again: leave it out")
    if game.pays_rewards:
        raise ValueError(f"{game.name} pays rewards on the way, and self_play has one outcome for the whole game")
    if not isinstance(keep_trees, bool):
        raise TypeError(f"keep_trees must be True or False, not {keep_trees!r}")
    game.check_observation()
    keywords = {"search_forced": True, **keywords}
    asked = {**keywords, "simulations": simulations, "evaluator": evaluator, "progress": progress}
    plan, _ = plan_for(game, None, asked, "batch")
    return SelfPlay(
        plan,
        numbers_of(games),
        schedule(plan, temperature),
        secrets.randbits(63) if seed is None else whole_number("seed", seed, LEAST_SEED, MOST_SEED),
        whole_number("side_by_side", side_by_side, 1, MOST_SIDE_BY_SIDE),
        keep_trees,
    )


def numbers_of(games: int | Sequence[int]) -> Sequence[int]:
    """The numbers of the games to play, checked."""
    if not isinstance(games, Sequence | np.ndarray) or isinstance(games, str | bytes):
        return range(whole_number("games", games, 1, MOST_GAMES))
    if isinstance(games, range) and (len(games) == 0 or min(games) >= 0) and max(games, default=0) < MOST_GAMES:
        return games
    numbers = [whole_number("the number of a game", number, 0, MOST_GAMES - 1) for number in games]
    if len(set(numbers)) < len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise ValueError(f"the numbers of games must differ, but {twice} is there more than once")
    return numbers


def schedule(plan: Plan, temperature: Temperature) -> NDArray[np.float64]:
    """The temperature of each move of a game, float64 [max_game_length]; ValueError or TypeError if it is none."""
    moves = plan.game.max_game_length
    if temperature is None:
        temperature = 0.0 if plan.strategy.selection.starts_anew else 1.0
    if not callable(temperature):
        return np.full(moves, real_number("temperature", temperature, low=0.0))
    return np.array([real_number(f"temperature({move})", temperature(move), low=0.0) for move in range(moves)])


class SelfPlay(Iterator[SelfPlayGame]):
    """Games of `self_play`, as they end. If one is interrupted, the next call goes on where it was.

    Args:
        plan: How to search.
        numbers: Which games to play.
        temperatures: float64 [max_game_length], that of each move.
        seed: From which each game gets one of its own.
        side_by_side: How many are played at a time.
        keep_trees: Whether trees are kept from move to move, where they can be.
    """

    def __init__(
        self,
        plan: Plan,
        numbers: Sequence[int],
        temperatures: NDArray[np.float64],
        seed: int,
        side_by_side: int,
        keep_trees: bool = True,
    ) -> None:
        self.plan = plan
        self.numbers = numbers
        self.temperatures = temperatures
        self.seed = seed
        self.side_by_side = side_by_side
        self.keep_trees = keep_trees and keeps_trees(plan)
        self.most_together = side_by_side  # that were found to fit into the memory
        self.begun = 0  # how many of the numbers
        self.is_settled = False  # whether none of those that run is over, and none is missing
        self.running: dict[int, Playing] = {}  # by the place of their number
        self.ended: dict[int, SelfPlayGame] = {}  # those that nobody has yet
        self.found: tuple[list[tuple[int, Playing]], BatchResult] | None = None  # what is not played yet
        self.waves: WaveWorker | None = None
        self.progress = self_play_progress(plan.options.progress)
        self.start: float | None = None
        self.positions = 0
        self.simulations = 0

    @property
    def evaluation(self) -> Evaluation | None:
        """What the network was asked so far; None if the evaluator is a compiled one, or nothing was asked."""
        return None if self.waves is None or not self.plan.asks else self.waves.asking.report()

    def __next__(self) -> SelfPlayGame:
        """The next game that ends."""
        if self.start is None:
            self.start = time.perf_counter()
        if not self.is_settled:
            self.refill()
        if not self.ended:
            if not self.running:
                raise StopIteration
            with self.progress:
                while not self.ended:
                    self.step()
                    self.refill()
                self.progress.update(self.look(0, 0))
        return self.ended.pop(min(self.ended))

    # Ctrl-C may come between any two steps of these; done again from their beginning, they come to the same.

    def refill(self) -> None:
        """Set aside the games that are over, and begin others in their places."""
        while True:
            for place, playing in list(self.running.items()):
                if playing.state.is_terminal():
                    self.ended[place] = playing.record()
                    del self.running[place]
            if self.begun == len(self.numbers) or len(self.running) >= self.side_by_side:
                self.is_settled = True
                return
            while self.begun < len(self.numbers) and len(self.running) < self.side_by_side:
                self.running.setdefault(self.begun, self.first(self.numbers[self.begun]))
                self.begun += 1

    def first(self, number: int) -> Playing:
        """The beginning of a game."""
        seed = spawn_seed(self.seed, number)
        return Playing(number, seed, self.plan.game.new_initial_state(seed, draw_chance=True))

    def step(self) -> None:
        """Make one move in each game whose trees there is room for."""
        self.is_settled = False
        while self.found is None:
            asked = self.next_games()
            try:
                self.found = asked, self.search([playing for _, playing in asked])
            except NoRoomError:
                if not self.keep_trees or len(asked) == 1:
                    raise
                self.most_together = len(asked) // 2
        asked, found = self.found
        by_improved = self.plan.strategy.selection.starts_anew
        observations = self.observations([playing for _, playing in asked])
        moved = [
            playing.after(found, row, observations[row], by_improved, float(self.temperatures[playing.moves]))
            for row, (_, playing) in enumerate(asked)
        ]
        if self.keep_trees:
            moved = self.with_trees([playing for _, playing in asked], moved)
        for (place, playing), after in zip(asked, moved, strict=True):
            if self.running.get(place) is playing:
                self.running[place] = after
        self.found = None

    def observations(self, games: Sequence[Playing]) -> NDArray[np.float32]:
        """What the player to move sees in each game: as `State.observation_tensor`, by compiled code."""
        game = self.plan.game
        seen = np.zeros((len(games), game.observation_size), np.float32)
        positions = np.array([playing.state.array for playing in games])
        players = np.array([playing.state.current_player() for playing in games], np.int64)
        write_observations(game, positions, players, np.zeros(game.state_size, np.int64), seen)
        if not game.has_observation and np.abs(seen).max() >= LARGEST_EXACT:
            for playing in games:
                playing.state.observation_tensor()  # which refuses what is not exact
        return seen.reshape(len(games), *game.observation_shape)

    def next_games(self) -> list[tuple[int, Playing]]:
        """The games to go on with: those that began first, if there is no room for the trees of all."""
        games = list(self.running.items())
        if not self.keep_trees:
            return games
        trees = [self.kept_tree(playing) for _, playing in games]
        sizes = [0 if tree is None else tree.nodes for tree in trees]
        together = most_together(self.plan, sizes, sum(playing.nodes for _, playing in games))[: self.most_together]
        for place, playing in (games[index] for index in sorted({*range(len(games))}.difference(together))):
            # It waits, and must not hold on to arrays in which trees of others were kept as well.
            own = tuple(None if one is None else one.by_itself(self.plan) for one in playing.kept)
            self.running[place] = dataclasses.replace(playing, kept=own)
        return [games[index] for index in together]

    def seat(self, playing: Playing) -> int:
        """Whose tree is searched next: a tree for many worlds is about what one player knows."""
        return playing.state.current_player() if self.plan.method.draws_worlds else 0

    def kept_tree(self, playing: Playing) -> Kept | None:
        """What is kept for the next search of a game."""
        return playing.kept[self.seat(playing)] if playing.kept else None

    def with_trees(self, before: Sequence[Playing], after: Sequence[Playing]) -> list[Playing]:
        """Games after their moves, with what is kept of the trees that were searched before these."""
        assert self.waves is not None
        paths = [self.path_to_keep(*pair) for pair in zip(before, after, strict=True)]
        grown = self.waves.keep(paths)
        moved: list[Playing] = []
        seats = self.plan.game.num_players if self.plan.method.draws_worlds else 1
        for old, new, path, tree in zip(before, after, paths, grown, strict=True):
            kept = list(old.kept or (None,) * seats)
            for seat, one in enumerate(kept):
                if seat == self.seat(old):
                    kept[seat] = tree
                elif one is not None:
                    kept[seat] = one.without_nodes() if path is None else one.below(self.plan, path)
            moved.append(Playing(new.number, new.seed, new.state, new.moves, new.last, new.path, tuple(kept)))
        return moved

    def path_to_keep(self, before: Playing, after: Playing) -> tuple[int, ...] | None:
        """The moves from one position to the next; None if nothing is kept below them."""
        if after.state.is_terminal():
            return None
        hides = self.plan.game.has_hidden_information
        return None if hides and reveals_something(before.state, list(after.path)) else after.path

    def search(self, games: Sequence[Playing]) -> BatchResult:
        """Search the positions of games side by side."""
        seeds = [playing.search_seed for playing in games]
        roots = [self.plan.root(playing.state, seed) for playing, seed in zip(games, seeds, strict=True)]
        kept = [self.kept_tree(playing) for playing in games] if self.keep_trees else None
        task = BatchTask(self.plan, self.seed, roots, seeds=np.array(seeds, np.uint64), kept=kept)
        start = time.perf_counter()
        with Heeding(self.plan.options.progress):
            workers = self.workers(task)
            compile_seconds = sum(worker.prepare() for worker in workers)

        def show(look: BatchSnapshot) -> None:
            if self.progress.is_due:
                self.progress.update(self.look(look.positions, look.simulations))

        work_off(workers, BatchQueue(task.count), Progress(show), start)
        simulations = sum(worker.simulations for worker in workers)
        found = batch_result([task], simulations, time.perf_counter() - start, compile_seconds)
        self.positions += task.count
        self.simulations += simulations
        return found

    def workers(self, task: BatchTask) -> Sequence[BatchWorker]:
        """Who searches: with a network, or where trees are kept, always the same, who keeps its arrays and answers."""
        if not self.plan.asks and not self.keep_trees:
            threads = min(self.plan.options.threads, task.count)
            return [worker_for(task, threads) for _ in range(threads)]
        if self.waves is None:
            self.waves = WaveWorker(task)
        else:
            self.waves.turn_to(task)
        return [self.waves]

    def look(self, positions: int, simulations: int) -> SelfPlaySnapshot:
        """How far it has come, with what the search that goes on has done."""
        return SelfPlaySnapshot(
            self.begun - len(self.running),
            len(self.numbers),
            self.positions + positions,
            self.simulations + simulations,
            time.perf_counter() - (self.start or time.perf_counter()),
        )


def self_play_progress(option: ProgressOption) -> Progress:
    """What shows the progress of self-play."""
    if option is not True:
        return Progress(option or None)

    def describe(look: SelfPlaySnapshot) -> str:
        rate = look.simulations / max(look.seconds, 1e-9)
        return f"{look.games:,} of {look.total:,} games, {look.positions:,} positions, {rate:,.0f} simulations/s"

    return Bar(describe, lambda look: look.games / look.total)
