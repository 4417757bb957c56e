"""How well the network plays: against exact play where the game is small enough, else against rollouts."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import fastmcts
from examples.alphazero.network import Params, evaluator
from examples.alphazero.settings import Settings
from fastmcts import PUCT, games
from fastmcts.experiments import Search, play_match


class Player:
    """Plays by a search with the network; for matches.

    Args:
        params: The network's parameters.
        simulations: How many for each move.
    """

    def __init__(self, params: Params, simulations: int) -> None:
        self.evaluate = evaluator(params)
        self.simulations = simulations

    def choose(self, state: fastmcts.State) -> int:
        """The move to make in a position."""
        return self.choose_many([state])[0]

    def choose_many(self, states: Sequence[fastmcts.State]) -> list[int]:
        """The moves to make in many positions, whose leaves the network judges in the same batches."""
        found = fastmcts.search_batch(
            states, simulations=self.simulations, seed=0, evaluator=self.evaluate, selection=PUCT(), threads=2
        )
        return found.action.tolist()

    def without_search(self, states: Sequence[fastmcts.State]) -> list[int]:
        """The moves that the network finds most likely."""
        seen = np.stack([state.observation_tensor() for state in states])
        policy, _ = self.evaluate(seen, np.stack([state.legal_actions_mask() for state in states]))
        return policy.argmax(axis=1).tolist()

    def __repr__(self) -> str:
        return f"the network with {self.simulations} simulations"


class Score(NamedTuple):
    """A point of the curve: a share from 0 to 1, its 95% interval, and what it says in words."""

    score: float
    low: float
    high: float
    text: str


def is_exact(game: fastmcts.Game) -> bool:
    """Whether strength is measured in all positions, and not by a match."""
    return isinstance(game, games.TicTacToe)


def measure(settings: Settings, params: Params, number_of_games: int, seed: int) -> Score:
    """The strength of a network: exactly in tic-tac-toe, elsewhere by a match against UCT with rollouts."""
    game, player = settings.load_game(), Player(params, settings.measured_simulations)
    if is_exact(game):
        return against_exact_play(game, player)
    match = play_match(game, player, Search(simulations=settings.uct_simulations), number_of_games, seed, threads=2)
    if match.interrupted:
        raise KeyboardInterrupt
    low, high = match.interval
    opponent = f"UCT with {settings.uct_simulations:,} simulations"
    text = f"{match.mean:.1%} ({low:.1%} to {high:.1%}) of the points in {match.games} games against {opponent}"
    return Score(match.mean, low, high, text)


def against_exact_play(game: fastmcts.Game, player: Player) -> Score:
    """In how many positions the move keeps the value, and how often the player can be beaten from the start."""
    positions = [state for state in reachable(game) if not state.is_terminal()]
    moves = player.choose_many(positions)
    kept, alone = keeping(positions, moves), keeping(positions, player.without_search(positions))
    plan = dict(zip(map(key_of, positions), moves, strict=True))
    lost = sum(losses(game.new_initial_state(), plan, seat) for seat in range(2))
    text = (
        f"{kept:,} of {len(positions):,} positions keep their value with {player.simulations} simulations,"
        f" {alone:,} without a search; {lost} ways to beat it from the start"
    )
    share = kept / len(positions)
    return Score(share, share, share, text)  # all positions, and no sample of them


def keeping(positions: Sequence[fastmcts.State], moves: Sequence[int]) -> int:
    """In how many positions a move leaves the other player what perfect play would."""
    return sum(solve(state.child(move)) == solve(state) for state, move in zip(positions, moves, strict=True))


def key_of(state: fastmcts.State) -> bytes:
    """What tells positions apart."""
    return state.array.tobytes()


@cache
def reachable(game: fastmcts.Game) -> list[fastmcts.State]:
    """Every position that can be reached, once."""
    found = {key_of(start := game.new_initial_state()): start}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        for child in map(state.child, state.legal_actions()):
            if key_of(child) not in found:
                found[key_of(child)] = child
                waiting.append(child)
    return list(found.values())


SOLVED: dict[bytes, float] = {}


def solve(state: fastmcts.State) -> float:
    """The utility of player 0 when both play perfectly."""
    if state.is_terminal():
        return state.returns()[0]
    key = key_of(state)
    if key not in SOLVED:
        best = max if state.current_player() == 0 else min
        SOLVED[key] = best(solve(state.child(action)) for action in state.legal_actions())
    return SOLVED[key]


def losses(state: fastmcts.State, moves: dict[bytes, int], seat: int) -> int:
    """How many of the games end lost for a seat that plays these moves, whatever the other one replies."""
    if state.is_terminal():
        return int(state.returns()[seat] < 0)
    replies: Any = [moves[key_of(state)]] if state.current_player() == seat else state.legal_actions()
    return sum(losses(state.child(action), moves, seat) for action in replies)
