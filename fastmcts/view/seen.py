"""Positions as one player sees them."""

from fastmcts.state import State


def seen(state: State, player: int) -> State:
    """The position as a player knows it; as it is, where nothing is hidden or nobody is to move."""
    if player < 0 or not state.game.has_hidden_information:
        return state
    return state.view(player)
