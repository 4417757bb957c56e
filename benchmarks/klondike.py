"""How often does each player win Klondike?  Draw three, hidden cards, unlimited passes; the same deals for all.

    python benchmarks/klondike.py                                  # everything, 500 deals each: hours on one core
    python benchmarks/klondike.py --players macro-win --deals 100  # some players, fewer deals
    python benchmarks/klondike.py --list                           # who there is, and with which options

A row is printed when a player has played all deals; Ctrl-C prints what was played until then and ends. The
interval is Wilson's for 95%; seconds are those of one core, without compilation. In the macro form (K+) each card
that dealing brings to the top of the waste is one move away: in it Bjarnason, Fern and Tadepalli report ("Lower
Bounding Klondike Solitaire with Monte-Carlo Planning", ICAPS 2009), whose numbers stand in the last column. "None
back" is without moves from foundations to columns, among which uniform play loses its way.

The best player that does not look at hidden cards is this:

    from fastmcts import MCTS, UCT, GameRollout, Prioritized, games

    game = games.Klondike(macro=True, idle_limit=10)
    player = MCTS(game, simulations=1000, seed=0, selection=UCT(c=0.1), expansion=Prioritized(visits=0),
                  rollout=GameRollout(discount=0.99))
    state = game.new_initial_state(seed=7)
    while (action := player.search(state).action) is not None:
        player.advance(action)
        state.apply_action(action)
"""

import argparse
import functools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import arena
import numpy as np

from fastmcts import MCTS, UCT, GameRollout, PerfectInformation, Prioritized, RandomRollout, Rollout, spawn_seed
from fastmcts.compiler.jit import entry
from fastmcts.engine.plan import make_plan
from fastmcts.engine.searcher import empty_tree, scratch_for
from fastmcts.experiments.bars import bars
from fastmcts.experiments.deals import mapping
from fastmcts.experiments.intervals import share, wilson
from fastmcts.games import Klondike
from fastmcts.kernels.rollout import play_out
from fastmcts.options import Options
from fastmcts.rng import make_rng

#: How far a game may go without progress: with less, rollouts are shorter. A pass through the stock takes up to
#: eight moves in the plain form and none in the macro form.
PLAIN, MACRO = Klondike(idle_limit=30), Klondike(macro=True, idle_limit=10)

#: Promising moves are tried first, as by the policy that plays the rollouts.
SEARCH: dict[str, Any] = {"selection": UCT(c=0.1), "expansion": Prioritized(visits=0)}


#: A plain tree that is kept from move to move and dropped when a card is revealed, as every tree of `MCTS` is; rollouts
#: of 20 random moves, which the heuristic values.
SOURCE: dict[str, Any] = {"strategy": "plain", "selection": UCT(c=1.4), "rollout": RandomRollout(max_length=20)}


def to_the_end(discount: float) -> dict[str, Any]:
    """Rollouts that end with a win or a loss; an earlier win is a little better, else it would have no hurry."""
    return {**SEARCH, "rollout": GameRollout(discount=discount)}


def cut_off(length: int) -> dict[str, Any]:
    """Rollouts of so many moves at most, which the heuristic values."""
    return {**SEARCH, "rollout": GameRollout(max_length=length)}


@dataclass(frozen=True)
class Player:
    """Somebody who plays Klondike.

    Args:
        title: Its name in the table.
        game: The form in which it plays.
        policy: Who moves, if nobody searches.
        options: How to search, those of `MCTS`.
        published: What the literature reports.
    """

    title: str
    game: Klondike
    policy: Rollout | None = None
    options: dict[str, Any] = field(default_factory=dict)
    published: str = ""


PLAYERS = {
    "plain-random": Player("random", Klondike(), policy=RandomRollout()),
    "plain-random-forward": Player("random, none back", Klondike(worry_back=False), policy=RandomRollout()),
    "macro-random": Player(
        "random, none back", Klondike(macro=True, worry_back=False), policy=RandomRollout(), published="7.1%"
    ),
    "plain-greedy": Player("greedy", Klondike(), policy=GameRollout()),
    "macro-greedy": Player("greedy", Klondike(macro=True), policy=GameRollout(), published="13.0%"),
    "macro-win": Player("ISMCTS, win or loss", MACRO, options=to_the_end(0.99), published="34.2% ± 4.5 in 1,043 s"),
    "macro-heuristic": Player("ISMCTS, heuristic", MACRO, options=cut_off(30)),
    "plain-heuristic": Player("ISMCTS, heuristic", PLAIN, options=cut_off(60)),
    "plain-win": Player("ISMCTS, win or loss", PLAIN, options=to_the_end(0.995)),
    "default": Player("as `Klondike()` recommends", Klondike()),
    "macro-default": Player("as `Klondike(macro=True)` recommends", Klondike(macro=True)),
    "source": Player("random rollouts of 20 moves, heuristic", Klondike(), options=SOURCE),
    "macro-open": Player(
        "sees hidden cards, win or loss", MACRO, options={**to_the_end(0.99), "method": PerfectInformation()}
    ),
}


@dataclass
class Wins:
    """How a player has done so far."""

    won: list[bool] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """The share of games won."""
        return sum(self.won) / len(self.won)

    def __str__(self) -> str:
        """The share with its interval."""
        return share(self.rate, wilson(self.rate, len(self.won))) if self.won else ""


@entry
def finish(game, rollout, tree, scratch, rng):
    """Let a rollout policy play a game to its end."""
    play_out(game, rollout, tree, scratch, rng)


@functools.cache
def search_of(name: str, simulations: int) -> MCTS:
    """The search of a player: one for all its deals in this process."""
    return MCTS(PLAYERS[name].game, simulations=simulations, seed=0, **PLAYERS[name].options)


@functools.cache
def warm_up(name: str) -> None:
    """Play a little, once in each process: this compiles, or loads what was compiled."""
    play(name, simulations=2, seed=0)


def play_deal(name: str, simulations: int, seed: int) -> tuple[bool, float]:
    """Play one deal; whether it was won, and the seconds of this process."""
    warm_up(name)
    start = time.process_time()
    return play(name, simulations, seed), time.process_time() - start


def play(name: str, simulations: int, seed: int) -> bool:
    """Let a player play a deal; whether it was won."""
    if PLAYERS[name].policy:
        return follow(PLAYERS[name], seed)
    return play_searching(search_of(name, simulations), seed)


def follow(player: Player, seed: int) -> bool:
    """Play a deal by a policy; whether it was won."""
    assert player.policy is not None
    plan = make_plan(player.game, Options(seconds=1.0, rollout=player.policy))
    scratch = scratch_for(plan)
    np.copyto(scratch.state, player.game.new_initial_state(seed).array)
    finish(player.game, player.policy, empty_tree(plan, 1), scratch, make_rng(spawn_seed(seed, 0)))
    return bool(scratch.rewards[0] == 1.0)


def play_searching(search: MCTS, seed: int) -> bool:
    """Play a deal with a tree that is kept through the game; whether it was won."""
    search.driver.start_over(seed)
    state = search.game.new_initial_state(seed)
    while (action := search.search(state).action) is not None:
        search.advance(action)
        state.apply_action(action)
    return state.returns() == [1.0]


def play_deals(name: str, simulations: int, seeds: Sequence[int], processes: int, wins: Wins) -> None:
    """Add deals to the score of a player, one after the other or over processes."""
    warm_up(name)  # before other processes look for what is compiled
    with mapping(processes) as run, bars() as add_bar:
        show = add_bar(name, len(seeds))
        for won, seconds in run(functools.partial(play_deal, name, simulations), seeds):
            wins.won.append(won)
            wins.seconds += seconds
            show(len(wins.won), wins)


def rows(names: Iterable[str], simulations: int, seeds: Sequence[int], processes: int) -> Iterator[Sequence[str]]:
    """A row for each player when it has played; Ctrl-C ends with the row of the one who was playing."""
    for name in names:
        wins = Wins()
        interrupted = False
        try:
            play_deals(name, simulations, seeds, processes, wins)
        except KeyboardInterrupt:
            interrupted = True
        if wins.won:
            yield row(PLAYERS[name], simulations, wins)
        if interrupted:
            return


def row(player: Player, simulations: int, wins: Wins) -> Sequence[str]:
    """What is known about a player."""
    return (
        player.title,
        "macro" if player.game.macro else "plain",
        f"{simulations:,}" if player.policy is None else "",
        f"{len(wins.won):,}",
        str(wins),
        f"{wins.seconds / len(wins.won):.2g}",
        player.published,
    )


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=positive, default=500, help="for each player (default: %(default)s)")
    parser.add_argument("--simulations", type=positive, default=1000, help="for each move (default: %(default)s)")
    parser.add_argument("--players", nargs="+", choices=list(PLAYERS), default=list(PLAYERS), metavar="PLAYER")
    parser.add_argument("--seed", type=int, default=0, help="of the deals and searches (default: %(default)s)")
    parser.add_argument("--processes", type=positive, default=1, help="that share the deals (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="list the players and their options, and end")
    arguments = parser.parse_args()
    if arguments.list:
        for name, player in PLAYERS.items():
            print(f"{name}: {player.title}; {player.game!r}; {player.policy or player.options}")
        return
    seeds = [spawn_seed(arguments.seed, deal) for deal in range(arguments.deals)]
    header = ("player", "form", "simulations", "deals", "won (95%)", "seconds a game", "published")
    for line in arena.table(header, rows(arguments.players, arguments.simulations, seeds, arguments.processes)):
        print(line, flush=True)


def positive(text: str) -> int:
    """Read a whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    main()
