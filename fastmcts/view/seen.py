"""Positions as one player sees them."""

import numpy as np

from fastmcts.state import State


def seen(state: State, player: int) -> State:
    """The position as a player knows it; as it is, where nothing is hidden or nobody is to move."""
    if player < 0 or not state.game.has_hidden_information:
        return state
    if state.game.supports_views:
        return state.view(player)
    return state.game.new_state(np.array(state.information_state_string(player).split(), np.int64))


def drawn(state: State) -> str:
    """A position, drawn; a game of a user's own that cannot draw what one player knows is shown as numbers."""
    try:
        return str(state)
    except Exception:
        if state.game.supports_views:
            raise
        return " ".join(map(str, state.array))
