"""The loop: self-play, training, a gate, a checkpoint, and now and then a point of the learning curve."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import fastmcts
from examples.alphazero import checkpoint
from examples.alphazero.curve import write_curve
from examples.alphazero.evaluate import Player, Score, is_exact, measure
from examples.alphazero.network import Params, evaluator, train
from examples.alphazero.replay import Batch, batches, random_moves, read_iteration
from examples.alphazero.settings import Settings
from fastmcts import Gumbel
from fastmcts.experiments import play_match

SIDE_BY_SIDE = 512
CACHED_POSITIONS = 300_000
AT_RANDOM = 1e6  # a temperature at which all legal moves are as likely
GATE_OPENING_MOVES = 4  # networks play without noise: openings have to differ
PASS_MARK = 0.5


class Run:
    """A run in a folder: a new one, or one that goes on where it was interrupted.

    Args:
        settings: How to learn.
        folder: Where to keep everything; it is made if it is missing.
        seed: The same seed gives the same run.
        tell: What to do with a line about how it goes.
        show: What to do with a look at the self-play that goes on, a `SelfPlaySnapshot`.

    Raises:
        ValueError: If the folder has another run, or a damaged one.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        seed: int,
        tell: Callable[[str], object] = print,
        show: Callable[[fastmcts.SelfPlaySnapshot], object] | None = None,
    ) -> None:
        self.settings, self.folder, self.seed, self.tell, self.show = settings, folder, seed, tell, show
        self.game = settings.load_game()
        if (folder / checkpoint.NAME).exists():
            self.progress = checkpoint.load(folder, settings, seed)
            tell(f"going on after iteration {self.progress.iteration} and {self.progress.minutes:.1f} minutes")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            self.progress = checkpoint.first_progress(settings, seed)
        first = max(0, self.progress.iteration - settings.window)
        self.window = [self.read(iteration) for iteration in range(first, self.progress.iteration)]

    def learn(self, iterations: int | None, minutes: float | None) -> None:
        """Go on until so many iterations are done, or so many minutes of learning are spent, whichever is first."""
        while True:
            progress = self.progress
            if progress.iteration % self.settings.evaluate_every == 0 and not self.is_measured(progress.iteration):
                self.measure(self.settings.curve_games)
            if iterations is not None and progress.iteration >= iterations:
                return
            if minutes is not None and progress.minutes >= minutes:
                return
            self.iterate()

    def iterate(self) -> None:
        """One iteration. If it is interrupted, the next call goes on; games that are over are not played again."""
        settings, iteration, start = self.settings, self.progress.iteration, time.perf_counter()
        self.play(iteration)
        window = [*self.window, self.read(iteration)][-settings.window :]
        drawn = batches(window, settings, [self.seed, iteration])
        trained, policy_loss, value_loss = train(settings, self.progress.trained, drawn)
        points = self.gate(trained.average, iteration)
        passed = points >= PASS_MARK
        seconds = time.perf_counter() - start
        self.keep(
            self.progress._replace(
                trained=trained,
                best=trained.average if passed else self.progress.best,
                iteration=iteration + 1,
                seconds=self.progress.seconds + seconds,
            )
        )
        self.window = window
        shutil.rmtree(self.games_of(iteration - settings.window), ignore_errors=True)
        self.tell(
            f"iteration {iteration + 1}: {len(window[-1].values):,} positions, {seconds:.0f} s,"
            f" losses {policy_loss:.3f} (policy) and {value_loss:.3f} (value);"
            f" {points:.0%} against the best so far, {'which it replaces' if passed else 'which stays'}"
        )

    def play(self, iteration: int) -> None:
        """Self-play by the best network so far; what is in files already is not played again."""
        settings, opening = self.settings, random_moves(self.settings, iteration)
        fastmcts.write_shards(
            self.games_of(iteration),
            self.game,
            evaluator(self.progress.best),
            games=settings.games,
            simulations=settings.simulations,
            seed=self.seed_of(iteration, 0),
            temperature=lambda move: AT_RANDOM if move < opening else 0.0,
            side_by_side=SIDE_BY_SIDE,
            progress=self.show,
            selection=Gumbel(considered=self.game.num_actions),
            threads=2,
            evaluation_cache=CACHED_POSITIONS,
        )

    def gate(self, params: Params, iteration: int) -> float:
        """The share of points that a network wins against the best one so far."""
        new, best = (Player(side, self.settings.simulations) for side in (params, self.progress.best))
        seed = self.seed_of(iteration, 1)
        match = play_match(self.game, new, best, self.settings.gate_games, seed, opening_moves=GATE_OPENING_MOVES)
        if match.interrupted:
            raise KeyboardInterrupt
        return match.mean

    def measure(self, number_of_games: int) -> Score:
        """Measure the best network so far, and keep that as a point of the curve; it costs no minutes of learning."""
        progress = self.progress
        score = measure(self.settings, progress.best, number_of_games, self.seed_of(progress.iteration, 2))
        point = {
            "iteration": progress.iteration,
            "games": progress.iteration * self.settings.games,
            "minutes": round(progress.minutes, 3),
            **score._asdict(),
        }
        others = [other for other in progress.curve if other["iteration"] != progress.iteration]
        self.keep(progress._replace(curve=(*others, point)))
        if is_exact(self.game):
            write_curve(self.folder, self.progress.curve, "positions that keep their value")
        else:
            write_curve(self.folder, self.progress.curve, "points against UCT", even=0.5)
        self.tell(f"after {progress.minutes:.1f} minutes: {score.text}")
        return score

    def finish(self, number_of_games: int) -> None:
        """Measure the end of the curve: in many games, unless it is known exactly."""
        if not (is_exact(self.game) and self.is_measured(self.progress.iteration)):
            self.measure(number_of_games)

    def is_measured(self, iteration: int) -> bool:
        """Whether the curve has a point for an iteration."""
        return any(point["iteration"] == iteration for point in self.progress.curve)

    def keep(self, progress: checkpoint.Progress) -> None:
        """Write a checkpoint; from then on this is how far the run has come."""
        checkpoint.save(self.folder, self.settings, self.seed, progress)
        self.progress = progress

    def games_of(self, iteration: int) -> Path:
        """Where the games of an iteration are."""
        return self.folder / "games" / f"{iteration:06d}"

    def read(self, iteration: int) -> Batch:
        """The positions of an iteration."""
        return read_iteration(self.games_of(iteration), self.settings, iteration)

    def seed_of(self, iteration: int, part: int) -> int:
        """A seed for one part of an iteration's work."""
        return fastmcts.spawn_seed(fastmcts.spawn_seed(self.seed, iteration), part)
