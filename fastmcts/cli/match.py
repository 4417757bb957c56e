"""`fastmcts match`: who plays better."""

import json
from typing import Annotated

import typer

from fastmcts.cli.app import AsJson, GameName, GameOption, app, console, explaining, read_game, refusing
from fastmcts.experiments.match import play_match
from fastmcts.experiments.named_games import find_agent, strategies_beside
from fastmcts.experiments.sprt import SPRT

SIMULATIONS = 1000

AgentText = (
    "An agent: mcts(simulations=1000, selection=UCB1(c=1.4), ...), random, greedy, or your own as"
    " path/to/file.py:ClassName(...)."
)


@app.command()
def match(
    game: GameName,
    first: Annotated[str, typer.Argument(metavar="AGENT", help=AgentText)],
    second: Annotated[str, typer.Argument(metavar="AGENT", help="The other agent.")],
    games: Annotated[int, typer.Option(help="How many games, in pairs with changed seats.")] = 100,
    option: GameOption = None,
    simulations: Annotated[
        int, typer.Option(help="For each move, of an agent that names neither simulations nor seconds.")
    ] = SIMULATIONS,
    opening_moves: Annotated[
        int | None, typer.Option(help="Random moves at the start of each pair; 2, or none after a deal.")
    ] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="ELO0 ELO1", help="End as soon as it is decided which of two differences in Elo it is."),
    ] = None,
    threads: Annotated[int, typer.Option(help="How many threads share the searches.")] = 1,
    processes: Annotated[int, typer.Option(help="How many processes share the games.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed plays the same games.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Let two agents play each other and print the score of the first, with its 95% interval.

    Every opening or deal is played twice, with changed seats. Ctrl-C prints what was played.

    For example:

    - `fastmcts match tic_tac_toe "mcts(simulations=200)" random --games 100`
    - `fastmcts match sos "mcts(selection=UCB1(c=1.4), expansion=Prioritized())" "mcts(strategy='plain')"`
    - `fastmcts match whist mcts greedy --simulations 500 --games 40`
    - `fastmcts match hex "mcts(simulations=400)" "mcts(simulations=200)" --games 2000 --sprt 0 50`
    """
    with refusing(), explaining():
        played = read_game(game, option)
        extra = strategies_beside(played)
        agents = [find_agent(text, extra=extra, simulations=simulations) for text in (first, second)]
        result = play_match(
            played,
            *agents,
            games=games,
            seed=seed,
            opening_moves=opening_moves,
            stop=None if sprt is None else SPRT(*sprt),
            threads=threads,
            processes=processes,
            progress=True,
        )
    if as_json:
        typer.echo(json.dumps(result.as_dictionary()))
    else:
        console.print(str(result), markup=False, soft_wrap=True)
