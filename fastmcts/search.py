"""Search a position once."""

from typing import Unpack

from fastmcts.engine.driver import Driver
from fastmcts.engine.plan import plan_for
from fastmcts.options import Options, SearchOptions
from fastmcts.result import SearchResult
from fastmcts.state import State


def search(state: State, options: Options | None = None, **keywords: Unpack[SearchOptions]) -> SearchResult:
    """Search for the best move in a position.

    Args:
        state: The position, or what the player to move knows of it (`State.view`); it is not modified.
        options: How to search.
        **keywords: `simulations=` or `seconds=`, and any others of `fastmcts.Options`; they count more than `options`.

    Returns:
        The statistics of the legal moves and the move to make, None if the game is over.
    """
    if not isinstance(state, State):
        raise TypeError(f"search takes a State, such as game.new_initial_state(), not {state!r}")
    driver = Driver(*plan_for(state.game, options, dict(keywords)))
    return driver.search(driver.request(state))
