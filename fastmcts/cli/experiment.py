"""`fastmcts experiment`: plans of many matches, in a store that can be gone on with."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from fastmcts.cli.app import app, console, explaining, refusing
from fastmcts.experiments.convergence import POSITIONS
from fastmcts.experiments.plan_file import load_plan
from fastmcts.experiments.plots import AXES, KINDS, plot
from fastmcts.experiments.reports import FORMATS, report
from fastmcts.experiments.running import run
from fastmcts.experiments.standing import status
from fastmcts.experiments.tuning import tune
from fastmcts.experiments.tuning_space import load_tuning

INTERRUPTED = 130

experiment = typer.Typer(no_args_is_help=True, help="Play plans of many matches, and report what came of them.")
app.add_typer(experiment, name="experiment")

PlanPath = Annotated[Path, typer.Argument(metavar="PLAN", help="A plan, a TOML file.")]
StorePath = Annotated[Path, typer.Argument(metavar="STORE", help="What `run --out` has written.")]
OwnPlan = Annotated[
    Path | None, typer.Option("--plan", metavar="PLAN", help="Only the matches of this plan, under its names.")
]
Out = Annotated[Path, typer.Option(help="The file for the results; it is made, or gone on with.")]


@experiment.command("run")
def run_plan(
    plan: PlanPath,
    out: Out,
    workers: Annotated[int | None, typer.Option(help="How many processes or threads; one for every core.")] = None,
    threads: Annotated[bool, typer.Option("--threads", help="Threads of this process instead of processes.")] = False,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, or its .json file, whose workers play.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds after which a task of some seconds is taken from its worker.")
    ] = None,
    other_code: Annotated[
        str, typer.Option(help="What to do about games that other code has played: refuse, again or keep.")
    ] = "refuse",
) -> None:
    """Play all games of a plan that are not in the results yet.

    Nothing is played before the whole plan is checked. Ctrl-C, or anything else that ends it, loses no game that is
    over: the same command goes on, and ends with the same rows.
    """
    with refusing(), explaining():
        result = run(
            load_plan(plan),
            out,
            workers=workers,
            executor="threads" if threads else None,
            dask=dask,
            timeout=timeout,
            other_code=other_code,
            progress=True,
        )
    console.print(str(result), markup=False, soft_wrap=True)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


@experiment.command("status")
def show_status(plan: PlanPath, out: Out) -> None:
    """Show how many games of a plan are in the results."""
    with refusing(), explaining():
        text = status(load_plan(plan), out)
    console.print(text, markup=False, soft_wrap=True)


@experiment.command("report")
def show_report(
    store: StorePath,
    as_csv: Annotated[bool, typer.Option("--csv", help="All digits, for programs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All digits, and ratings.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="A table for a page.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="A table for a paper.")] = False,
    plan: OwnPlan = None,
) -> None:
    """Print the scores with their 95% intervals."""
    chosen = [name for name, is_on in zip(FORMATS[1:], (as_csv, as_json, markdown, latex), strict=True) if is_on]
    with refusing(), explaining():
        if len(chosen) > 1:
            raise ValueError(f"--{chosen[0]} and --{chosen[1]} are two formats: choose one")
        text = report(store, chosen[0] if chosen else "text", None if plan is None else load_plan(plan))
    typer.echo(text)


@experiment.command("plot")
def draw_plot(
    store: StorePath,
    out: Annotated[Path, typer.Option(help="The picture: a .png, .svg or .pdf file.")],
    kind: Annotated[
        str | None, typer.Option(help=f"What to draw: {', '.join(KINDS)}; by default what the results have.")
    ] = None,
    parameter: Annotated[str | None, typer.Option(help="Which parameter of the grid, if there are several.")] = None,
    x: Annotated[str, typer.Option(help=f"What to draw scores against: {', '.join(AXES)}.")] = "budget",
    plan: OwnPlan = None,
    positions: Annotated[
        int, typer.Option(help="How many positions of each match to search again, for a picture of convergence.")
    ] = POSITIONS,
) -> None:
    """Draw scores with their 95% bands, a rating ladder, a matrix of scores, or how searches converge."""
    with refusing(), explaining():
        chosen = None if plan is None else load_plan(plan)
        drawn = plot(store, out, kind, parameter, x, chosen, positions)
        console.print(f"{drawn} is drawn", markup=False, soft_wrap=True)


@experiment.command("tune")
def tune_plan(
    plan: PlanPath,
    out: Out,
    picture: Annotated[Path | None, typer.Option(help="Where to draw the trials: a .png, .svg or .pdf file.")] = None,
    trials: Annotated[int | None, typer.Option(help="How many, in place of what the plan says.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many processes or threads; one for every core.")] = None,
    threads: Annotated[bool, typer.Option("--threads", help="Threads of this process instead of processes.")] = False,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, or its .json file, whose workers play.")
    ] = None,
    other_code: Annotated[
        str, typer.Option(help="What to do about games that other code has played: refuse, again or keep.")
    ] = "refuse",
) -> None:
    """Look for the best values of an agent's parameters, and play a match with them from fresh openings.

    The plan has a table `[tune]`. Ctrl-C, or anything else that ends it, loses no game that is over: the same command
    goes on.
    """
    with refusing(), explaining():
        tuning = load_tuning(plan)
        result = tune(
            tuning if trials is None else dataclasses.replace(tuning, trials=trials),
            out,
            picture=picture,
            workers=workers,
            executor="threads" if threads else None,
            dask=dask,
            other_code=other_code,
            progress=lambda trial: console.print(str(trial), markup=False, soft_wrap=True),
        )
    console.print(str(result), markup=False, soft_wrap=True)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
