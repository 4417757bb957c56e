"""`fastmcts play`: a game in the terminal."""

import json
import secrets
from typing import Annotated, Any

import typer

from fastmcts.cli.app import (
    AsJson,
    Expansion,
    Final,
    GameName,
    GameOption,
    Method,
    Reveal,
    Rollout,
    Seconds,
    Selection,
    Solver,
    Strategy,
    app,
    console,
    read_game,
    refuse_open_cards,
    refusing,
    search_options,
)
from fastmcts.core.validate import whole_number
from fastmcts.experiments.agents import Agent, Search, parse_agent
from fastmcts.experiments.deals import play_deals
from fastmcts.experiments.named_games import strategies_beside
from fastmcts.experiments.text import split_outside_brackets
from fastmcts.game import Game
from fastmcts.view.assistant import Assistant, can_assist, start_at_a_table
from fastmcts.view.screen import Screen
from fastmcts.view.session import Session

LEVEL = 5000  # simulations a move
HUMAN = "human"
LARGEST_SEED = 10**6  # of those that are drawn: short enough to write down
PAUSE = 0.3


@app.command()
def play(
    game: GameName,
    players: Annotated[
        str | None,
        typer.Option(
            help="Who plays, by commas: human, mcts(simulations=2000), random, greedy. The last one takes the seats"
            " that are left. By default human,mcts."
        ),
    ] = None,
    option: GameOption = None,
    seed: Annotated[int | None, typer.Option(help="The same seed deals the same cards; drawn if left out.")] = None,
    simulations: Annotated[int | None, typer.Option(help="How many simulations a move; 5,000 if no --seconds.")] = None,
    seconds: Seconds = None,
    strategy: Strategy = None,
    selection: Selection = None,
    expansion: Expansion = None,
    rollout: Rollout = None,
    method: Method = None,
    solver: Solver = None,
    final: Final = None,
    watch: Annotated[bool, typer.Option("--watch", help="Let the engine play all players and look on.")] = False,
    pause: Annotated[float, typer.Option(help="Seconds between moves that you watch on a terminal.")] = PAUSE,
    odds: Annotated[
        int | None, typer.Option(help="A game for one: let the engine play so many deals; how many does it win?")
    ] = None,
    processes: Annotated[int, typer.Option(help="How many processes share the deals of --odds.")] = 1,
    assist: Annotated[
        int | None,
        typer.Option(
            metavar="PLAYER",
            help="Advise this player (0, 1, ...) of a game of cards at a real table: you tell what happens there.",
        ),
    ] = None,
    reveal: Reveal = False,
    as_json: AsJson = False,
) -> None:
    """Play a game in the terminal, against the engine or each other.

    You see what your player may see. Type a move (the tab key completes it), or hint, table, moves, undo, level, help,
    quit. Ctrl-C while the engine thinks makes it move at once.

    For example:

    - `fastmcts play connect_four`
    - `fastmcts play whist --players "human,mcts(simulations=2000)" --seed 7`
    - `fastmcts play klondike --watch`
    - `fastmcts play klondike --odds 100 --simulations 1000`
    - `fastmcts play oh_hell -o hand_size=7 --assist 0`
    """
    with refusing():
        played = read_game(game, option)
        extra = strategies_beside(played)
        budget = {"simulations": LEVEL if simulations is None and seconds is None else simulations, "seconds": seconds}
        engine = Search(
            **search_options(
                extra,
                **budget,
                strategy=strategy,
                selection=selection,
                expansion=expansion,
                rollout=rollout,
                method=method,
                solver=solver,
                final=final,
            )
        )
        refuse_open_cards(played, engine.options, reveal and assist is None)
        check_modes(played, {"--players": players, "--watch": watch or None, "--odds": odds, "--assist": assist})
        if as_json and odds is None:
            raise ValueError("--json goes with --odds: a game is played in words")
        seed = secrets.randbelow(LARGEST_SEED) if seed is None else seed
        if odds is not None:
            show_odds(played, engine, odds, seed, processes, as_json)
            return
        if assist is not None:
            advise(played, assist, engine, seed)
            return
        agents = seated(played, "mcts" if watch else players or "human,mcts", engine, extra)
        Session(played, agents, engine, Screen(), seed, reveal, pause).run()


def check_modes(game: Game, modes: dict[str, Any]) -> None:
    """Raise if ways to play are asked for that do not go together."""
    asked = [name for name, value in modes.items() if value is not None]
    if len(asked) > 1:
        raise ValueError(f"{' and '.join(asked)} do not go together: leave one of them out")
    if "--odds" in asked and game.num_players != 1:
        raise ValueError(
            f"--odds is for games for one, and {game.name} has {game.num_players} players:"
            f" `fastmcts match {game.name} mcts random` tells who wins how often"
        )


def seated(game: Game, players: str, engine: Search, extra: list[type]) -> list[Agent | None]:
    """Who plays, a player each; None for a person."""
    texts = split_outside_brackets(players)
    if not texts:
        raise ValueError("--players names nobody: write, for example, human,mcts(simulations=2000)")
    if players_too_many := texts[game.num_players :]:
        # The default names an opponent, whom a game for one has not.
        if players != "human,mcts":
            raise ValueError(
                f"{game.name} has {game.num_players} player(s): leave {', '.join(players_too_many)} out of --players"
            )
        texts = texts[: game.num_players]
    texts += [texts[-1]] * (game.num_players - len(texts))
    defaults: dict[str, Any] = engine.options
    return [None if text.lower() == HUMAN else parse_agent(text, extra, **defaults) for text in texts]


def advise(game: Game, player: int, engine: Search, seed: int) -> None:
    """Follow a game at a real table and advise one player."""
    if not can_assist(game):
        raise ValueError(f"{game.name} cannot be followed from what one player knows: --assist is for card games")
    whole_number("--assist", player, low=0, high=game.num_players - 1)
    engine.check(game)
    screen = Screen()
    try:
        start = start_at_a_table(game, player, screen)
    except (EOFError, KeyboardInterrupt):
        screen.say("end of input: nothing was told")
        return
    Assistant(start, engine, screen, seed).run()


def show_odds(game: Game, engine: Search, deals: int, seed: int, processes: int, as_json: bool) -> None:
    """Let the engine play deals and print how it did."""
    result = play_deals(game, engine, deals, seed, processes=processes, progress=True)
    if as_json:
        typer.echo(json.dumps({**result.as_dictionary(), "seed": seed}))
        return
    seconds = sum(result.seconds) / max(1, len(result.seconds))
    console.print(f"{game!r}: {engine!r}", markup=False, soft_wrap=True)
    console.print(
        f"{result or 'no deal was played to the end'}{' (interrupted)' if result.interrupted else ''};"
        f" {seconds:.2g} s a deal (seed {seed})",
        markup=False,
        soft_wrap=True,
    )
