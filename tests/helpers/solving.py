"""Exact minimax for two-player games of win, draw and loss: the judge of the search."""

from collections.abc import Iterator

import fastmcts

#: (game, position) -> utility for player 0 under perfect play.
SOLVED: dict[tuple[str, bytes], float] = {}


def solve(state: fastmcts.State) -> float:
    """The utility for player 0 when both play perfectly."""
    key = (repr(state.game), state.array.tobytes())
    if key not in SOLVED:
        if state.is_terminal():
            SOLVED[key] = state.returns()[0]
        else:
            values = [solve(state.child(action)) for action in state.legal_actions()]
            SOLVED[key] = max(values) if state.current_player() == 0 else min(values)
    return SOLVED[key]


def all_positions(game: fastmcts.Game) -> Iterator[fastmcts.State]:
    """Every position that can be reached, once."""
    start = game.new_initial_state()
    seen = {start.array.tobytes()}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        yield state
        for action in state.legal_actions():
            child = state.child(action)
            if child.array.tobytes() not in seen:
                seen.add(child.array.tobytes())
                waiting.append(child)


def some_moves_lose_value(state: fastmcts.State) -> bool:
    """Whether there is a move to get wrong."""
    return any(solve(state.child(action)) != solve(state) for action in state.legal_actions())


def keeps_value(state: fastmcts.State, simulations: int) -> bool:
    """Whether the search plays a move after which the position is worth as much as before."""
    result = fastmcts.search(state, simulations=simulations, seed=0)
    assert result.action is not None
    return solve(state.child(result.action)) == solve(state)
