"""How a game starts: what is dealt, what the dice show, and random moves, so that no two pairs of games are alike.

Everything is drawn from `fastmcts.rng`, so that a seed means the same opening with every version of NumPy.
"""

import numpy as np

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.types import Rng
from fastmcts.game import Game
from fastmcts.rng import below, unit
from fastmcts.state import State

OPENING_MOVES = 2
MOST_OPENINGS = 1000  # that are tried until one is found in which the game is not over
DEALS_COMPARED = 8


def usual_opening_moves(game: Game) -> int:
    """How many random moves games start with unless somebody says: none after a deal."""
    return 0 if starts_from_a_deal(game) else OPENING_MOVES


def starts_from_a_deal(game: Game) -> bool:
    """Whether the first position depends on the seed."""
    starts = [game.new_initial_state(seed).array for seed in range(DEALS_COMPARED)]
    return any(not np.array_equal(start, starts[0]) for start in starts)


def opening(game: Game, moves: int, rng: Rng, deal: int) -> tuple[State, list[int]]:
    """A position in which somebody is to move, after some random moves, and all actions that led there.

    Without random moves it is what was dealt, even if that is over at once: such a deal is lost, not left out.

    Args:
        game: The game.
        moves: How many moves, besides what chance does.
        rng: Draws them, and the dice; modified in place.
        deal: The seed that decides what is dealt.
    """
    for _ in range(MOST_OPENINGS):
        state = game.new_initial_state(deal)
        actions = roll(state, rng)
        for _ in range(moves):
            if not state.is_terminal():
                legal = state.legal_actions()
                with wrapping_integers():
                    actions.append(legal[below(rng, len(legal))])
                state.apply_action(actions[-1])
                actions += roll(state, rng)
        if moves == 0 or not state.is_terminal():
            return state, actions
    raise ValueError(f"{game!r} is always over after {moves} random moves: use fewer opening_moves")


def roll(state: State, rng: Rng) -> list[int]:
    """Let chance decide until somebody is to move or the game is over, in place; what it brought."""
    brought = []
    while state.is_chance_node():
        brought.append(roll_once(state, rng))
        state.apply_action(brought[-1])
    return brought


def roll_once(state: State, rng: Rng) -> int:
    """Draw what chance brings next."""
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    with wrapping_integers():
        drawn = unit(rng)
    index = np.searchsorted(np.cumsum(probabilities), drawn, side="right")
    return outcomes[min(int(index), len(outcomes) - 1)]
