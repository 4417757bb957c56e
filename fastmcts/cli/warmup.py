"""`fastmcts warmup`: compile ahead."""

import time
from collections import defaultdict
from collections.abc import Hashable
from contextlib import closing
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fastmcts.cli.app import (
    Expansion,
    GameOption,
    Method,
    Rollout,
    Selection,
    Solver,
    Strategy,
    app,
    console,
    errors,
    read_game,
    refusing,
    search_options,
)
from fastmcts.cli.warmup_workers import Order, fulfilled
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.compiler.notice import Compilation
from fastmcts.core.validate import whole_number
from fastmcts.experiments.named_games import strategies_beside
from fastmcts.experiments.processes import cores
from fastmcts.mcts import MCTS
from fastmcts.testing.strategies import searchable_games
from fastmcts.warmup import (
    ANY_BUDGET,
    DEFAULT_KERNELS,
    KERNELS,
    KERNELS_OF_TREES,
    checked_kernels,
    compiled_text,
    with_shared_tree,
)


@app.command()
def warmup(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME",
            help="Ids of games (`fastmcts games` lists them), or your own as path/to/file.py:ClassName; all in the box"
            " if left out.",
        ),
    ] = None,
    option: GameOption = None,
    strategy: Strategy = None,
    selection: Selection = None,
    expansion: Expansion = None,
    rollout: Rollout = None,
    method: Method = None,
    solver: Solver = None,
    checked: Annotated[bool, typer.Option(help="Compile with bounds checks, as search --checked does.")] = False,
    kernels: Annotated[str, typer.Option(help=f"What for, by commas: {', '.join(KERNELS)}.")] = ",".join(
        DEFAULT_KERNELS
    ),
    processes: Annotated[int | None, typer.Option(help="How many processes compile; one for each core.")] = None,
) -> None:
    """Compile games ahead, on all cores, so that later searches start at once.

    What you leave out follows the game's recommended strategy. What is on disk already is not compiled again.

    For example:

    - `fastmcts warmup`
    - `fastmcts warmup connect_four whist`
    - `fastmcts warmup sos -o rows=6 --selection "UCB1(c=1.4)" --kernels search,batch`
    - `fastmcts warmup path/to/my_game.py:MyGame --solver`
    """
    with refusing():
        chosen = checked_kernels([name.strip() for name in kernels.split(",") if name.strip()])
        workers = cores() if processes is None else whole_number("--processes", processes, low=1)
        if option and not games:
            raise ValueError("an option of a game needs the game: fastmcts warmup GAME -o name=value")
        texts = {
            "strategy": strategy,
            "selection": selection,
            "expansion": expansion,
            "rollout": rollout,
            "method": method,
            "solver": solver,
            "checked": checked,
        }
        orders = all_orders(games, option or [], texts, chosen, workers)
        if not JIT_ENABLED:
            console.print("nothing to compile: NUMBA_DISABLE_JIT is set")
            return
        try:
            run(orders, workers)
        except KeyboardInterrupt:
            errors.print("stopped: what was compiled until now is kept on disk")
            raise


def all_orders(
    names: list[str] | None, options: list[str], texts: dict[str, Any], kernels: list[str], workers: int
) -> list[Order]:
    """What to compile; ValueError if a game that was named, or its options, cannot be searched."""
    searches: dict[str, MCTS] = {}
    for name in dict.fromkeys(names or searchable_games()):
        game = read_game(name, options)
        keywords = {"seconds": ANY_BUDGET, **search_options(strategies_beside(game), **texts)}
        try:
            searches[name] = MCTS(game, **keywords)
            if "shared" in kernels:
                with_shared_tree(searches[name], keywords)
        except ValueError as error:
            if names:
                raise
            searches.pop(name, None)
            console.print(f"{name}: left out: {error}", markup=False, soft_wrap=True)
    if not searches:
        raise ValueError("no game in the box can be searched so: name one, or leave some options out")
    # Games in which worlds are drawn take longest: at the end, one of them would keep one core busy for long.
    in_order = sorted(searches, key=lambda name: not searches[name].game.has_hidden_information)
    # What one process compiles for a game shares work; but with few games some cores would have none.
    split = len(searches) < workers
    known: set[Hashable] = set()
    orders: list[Order] = []
    for name in in_order:
        needed = needed_first(searches[name], kernels, known)
        shares = [[kernel] for kernel in needed] if split else [needed]
        orders += [Order(name, tuple(options), texts, tuple(share)) for share in shares if share]
    return orders


def needed_first(mcts: MCTS, kernels: list[str], known: set[Hashable]) -> list[str]:
    """The kernels that no game before needs as well, which `known` tells; two processes would compile them twice."""
    trees = mcts.driver.plan.statistics, mcts.options.method.keeps_below
    needed = [kernel for kernel in kernels if (kernel, trees) not in known]
    known.update((kernel, trees) for kernel in needed if kernel in KERNELS_OF_TREES)
    return needed


def run(orders: list[Order], workers: int) -> None:
    """Compile, show how it gets on, and print a line for each game that is ready."""
    start = time.perf_counter()
    compiled: dict[str, list[Compilation]] = defaultdict(list)
    columns = (
        TextColumn("compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    # On a terminal lines have to be printed above the bar; elsewhere they belong to standard output.
    both_seen = console.is_terminal and errors.is_terminal
    lines = errors if both_seen else console
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal, redirect_stdout=both_seen
    ) as bar:
        task = bar.add_task(under_way(orders, workers), total=sum(len(order.kernels) for order in orders))
        waiting = [*orders]
        with closing(fulfilled(orders, workers)) as steps:
            for order, done in steps:
                waiting.remove(order)
                compiled[order.game] += done
                bar.update(task, advance=len(order.kernels), description=under_way(waiting, workers))
                if order.game not in {other.game for other in waiting}:
                    lines.print(f"{order.game}: {compiled_text(compiled[order.game])}", markup=False, soft_wrap=True)
    total = sum(len(done) for done in compiled.values())
    console.print(f"{total} kernels compiled in {time.perf_counter() - start:.1f} s", soft_wrap=True)


def under_way(waiting: list[Order], workers: int) -> str:
    """The games that are being compiled: orders are begun one after the other."""
    return ", ".join(dict.fromkeys(order.game for order in waiting[:workers]))
