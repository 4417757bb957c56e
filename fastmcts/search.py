"""Search a position once."""

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from fastmcts.budget import Budget
from fastmcts.options import Options, SearchOptions, make_options
from fastmcts.result import SearchResult, best_index, root_statistics
from fastmcts.searcher import Searcher
from fastmcts.state import State


def search(state: State, **options: Unpack[SearchOptions]) -> SearchResult:
    """Search for the best move in a position.

    Args:
        state: The position; it is not modified.
        **options: `simulations=` or `seconds=`, and any others of `fastmcts.Options`.

    Returns:
        The statistics of the legal moves and the move to make, None if the game is over.
    """
    if not isinstance(state, State):
        raise TypeError(f"search takes a State, such as game.new_initial_state(), not {state!r}")
    checked = make_options(dict(options))
    state.game.check_declaration()
    actions = np.array(state.legal_actions(), np.int64)
    searcher = Searcher(state.game, checked)
    searcher.plant(state.array, checked.seed)
    if len(actions) == 0:
        return summarize(searcher, state, actions, checked, Budget(0, None), 0.0)
    compile_seconds = searcher.prepare()
    budget = Budget(checked.simulations, checked.seconds)
    while (chunk := budget.next_chunk()) > 0:
        searcher.simulate(chunk)
    return summarize(searcher, state, actions, checked, budget, compile_seconds)


def summarize(
    searcher: Searcher,
    state: State,
    actions: NDArray[np.int64],
    options: Options,
    budget: Budget,
    compile_seconds: float,
) -> SearchResult:
    """Read the result off a searched tree."""
    tree = searcher.tree
    visits, value_sums = root_statistics(tree, actions)
    values = np.divide(value_sums, visits, out=np.full(len(actions), np.nan), where=visits > 0)
    policy = np.zeros(state.game.num_actions)
    policy[actions] = visits / max(1, visits.sum())
    return SearchResult(
        state=state.clone(),
        tree=tree,
        action=int(actions[best_index(visits, values, actions)]) if len(actions) else None,
        actions=actions,
        visits=visits,
        values=values,
        policy=policy,
        value=float(value_sums.sum() / visits.sum()) if visits.any() else np.nan,
        simulations=budget.done,
        seconds=budget.elapsed,
        compile_seconds=compile_seconds,
        nodes=int(tree.size[0]),
        max_depth=int(tree.depth[0]),
        reused=0.0,
        seed=options.seed,
    )
