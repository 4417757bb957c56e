"""Look for the best parameters of an agent, with Optuna.

Each trial plays pairs of games into the store. Optuna is seeded, and a game that is stored is not played again: so the
same command after an interruption goes through the same trials in no time, and on from there. Nothing but the games
has to be kept.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcts.experiments.extras import needed
from fastmcts.experiments.intervals import share
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plots import checked_place, drawing, make_panels, save
from fastmcts.experiments.running import own_files, run
from fastmcts.experiments.store import Store, texts_of
from fastmcts.experiments.tally import Tally
from fastmcts.experiments.tuning_space import TuningPlan, load_tuning
from fastmcts.experiments.worker_pools import WorkerPool, make_worker_pool
from fastmcts.rng import spawn_seed

STEPS = (0.25, 0.5, 1.0)  # the shares of its pairs after which a bad trial is given up
FIRST_TRIALS = 5  # that are not given up, since there is nothing to compare them with
FRESH = 1  # which part of the seed the openings of the last match come from


@dataclass(frozen=True)
class Trial:
    """Some values, and how they did.

    Attributes:
        number: Which trial it was.
        values: Those of the parameters.
        score: The mean share of points over all games and budgets.
        pairs: How many pairs it has played in each.
        is_pruned: Whether it was given up.
    """

    number: int
    values: dict[str, Any]
    score: float
    pairs: int
    is_pruned: bool

    def __str__(self) -> str:
        """One line."""
        values = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"trial {self.number}: {values}: {self.score:.1%} in {self.pairs:,} pairs{', given up' * self.is_pruned}"


@dataclass
class TuningResult:
    """What was found.

    Attributes:
        trials: All of them.
        best: The values with the highest score among those that were played whole.
        agent: The text of the agent with these values.
        rematch: The score in each game and at each budget from fresh openings, with its 95% interval: the one that
            counts, since the best of many scores is too high by luck.
        interrupted: Whether Ctrl-C ended it; the same call goes on.
    """

    trials: list[Trial] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)
    agent: str = ""
    rematch: dict[str, Tally] = field(default_factory=dict)
    interrupted: bool = False

    def __str__(self) -> str:
        """A few lines."""
        if not self.best:
            return f"{len(self.trials)} trials, none of them whole{'; interrupted' * self.interrupted}"
        given_up = sum(trial.is_pruned for trial in self.trials)
        lines = [f"{len(self.trials)} trials, {given_up} of them given up early", f"best: {self.agent}"]
        lines += [
            f"fresh openings: {title}: {share(tally.mean, tally.interval)} in {tally.games:,} games"
            for title, tally in self.rematch.items()
        ]
        if self.interrupted:
            lines.append("interrupted, the same command goes on")
        return "\n".join(lines)


def tune(
    plan: TuningPlan | str | Path,
    out: str | Path,
    *,
    picture: str | Path | None = None,
    workers: int | None = None,
    executor: str | Executor | None = None,
    dask: str | None = None,
    other_code: str = "refuse",
    progress: Callable[[Trial], object] | None = None,
) -> TuningResult:
    """Look for the values of an agent's parameters that score best against another agent.

    Args:
        plan: What to look for, or the path of a TOML file with a table `[tune]`.
        out: The store, a file; what was played before is not played again.
        picture: Where to draw the trials: a .png, .svg or .pdf file.
        workers: As in `run`.
        executor: As in `run`.
        dask: As in `run`.
        other_code: As in `run`.
        progress: Called after every trial.
    """
    optuna: Any = needed("optuna", "tuning", "Tuning")
    plan = plan if isinstance(plan, TuningPlan) else load_tuning(plan)
    place = None if picture is None else checked_place(picture)
    first = plan.plan({name: span.example for name, span in plan.parameters.items()})
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=plan.seed % 2**32),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=FIRST_TRIALS),
    )
    result = TuningResult()
    worker_pool = make_worker_pool(executor, workers, dask, own_files(first.cells))
    try:
        for _ in range(plan.trials):
            trial = try_values(study, plan, Player(out, worker_pool, other_code), optuna)
            result.trials.append(trial)
            if progress is not None:
                progress(trial)
        result.best = best_of(result.trials).values
        final = plan.plan(result.best, plan.rematch, spawn_seed(plan.seed, FRESH))
        result.agent = repr(final.cells[0].pairing.first)
        result.rematch = Player(out, worker_pool, other_code).play(final)
    except KeyboardInterrupt:
        result.interrupted = True
    finally:
        if worker_pool is not executor:
            worker_pool.close()
    if place is not None and result.trials:
        draw_trials(result, plan, place)
    return result


@dataclass(frozen=True)
class Player:
    """Plays plans into a store."""

    out: str | Path
    worker_pool: WorkerPool
    other_code: str

    def play(self, plan: Plan) -> dict[str, Tally]:
        """Play what is not stored; the score of each match by its title. KeyboardInterrupt if Ctrl-C came."""
        if run(plan, self.out, executor=self.worker_pool, other_code=self.other_code).interrupted:
            raise KeyboardInterrupt
        tallies = {}
        with Store(self.out, is_read_only=True) as store:
            stored = {match.key: match.id for match in store.matches()}
            for cell in plan.cells:
                tally = tallies[cell.title] = cell.tally
                records = store.records(stored[texts_of(cell.pairing)])
                tally.add(record for record in records if record.pair < cell.pairs)
        return tallies


def try_values(study: Any, plan: TuningPlan, player: Player, optuna: Any) -> Trial:
    """Play one trial, as far as it is worth it."""
    asked = study.ask()
    values = {name: span.suggest(asked, name) for name, span in plan.parameters.items()}
    score, pairs, is_pruned = 0.0, 0, False
    for step, part in enumerate(STEPS):
        pairs = max(1, round(part * plan.pairs))
        tallies = player.play(plan.plan(values, pairs)).values()
        score = sum(tally.mean for tally in tallies) / len(tallies)
        asked.report(score, step)
        is_pruned = part < 1.0 and asked.should_prune()
        if is_pruned:
            break
    if is_pruned:
        study.tell(asked, state=optuna.trial.TrialState.PRUNED)
    else:
        study.tell(asked, score)
    return Trial(asked.number, values, score, pairs, is_pruned)


def best_of(trials: list[Trial]) -> Trial:
    """The trial with the highest score among those that were played whole; the first of equal ones."""
    return max((trial for trial in trials if not trial.is_pruned), key=lambda trial: trial.score)


def draw_trials(result: TuningResult, plan: TuningPlan, out: Path) -> None:
    """Draw the scores of all trials against each parameter; those that were given up are hollow."""
    with drawing() as figure_class:
        figure, panels = make_panels(figure_class, len(plan.parameters))
        for panel, (name, span) in zip(panels, plan.parameters.items(), strict=True):
            for is_pruned, face in ((False, "black"), (True, "none")):
                chosen = [trial for trial in result.trials if trial.is_pruned == is_pruned]
                values = [str(trial.values[name]) if span.choices else trial.values[name] for trial in chosen]
                if chosen:
                    label = "given up" if is_pruned else "whole"
                    panel.scatter(
                        values, [trial.score for trial in chosen], s=18, label=label, facecolors=face, edgecolors="k"
                    )
            if result.best and not span.choices:
                panel.axvline(result.best[name], color="0.5", linestyle="--", linewidth=0.8)
            if span.log:
                panel.set_xscale("log")
            panel.axhline(0.5, color="0.6", linewidth=0.8)
            panel.set_xlabel(name)
            panel.set_ylabel("score")
        panels[0].legend(fontsize=7)
        save(figure, out)
