"""Search a position once."""

from typing import Unpack

from fastmcts.mcts import MCTS
from fastmcts.options import SearchOptions
from fastmcts.result import SearchResult
from fastmcts.state import State


def search(state: State, **options: Unpack[SearchOptions]) -> SearchResult:
    """Search for the best move in a position.

    Args:
        state: The position, or what the player to move knows of it (`State.view`); it is not modified.
        **options: `simulations=` or `seconds=`, and any others of `fastmcts.Options`.

    Returns:
        The statistics of the legal moves and the move to make, None if the game is over.
    """
    if not isinstance(state, State):
        raise TypeError(f"search takes a State, such as game.new_initial_state(), not {state!r}")
    return MCTS(state.game, **options).search(state)
