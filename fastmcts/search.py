"""Search a position once."""

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from fastmcts.budget import Budget
from fastmcts.errors import GameError
from fastmcts.final import final_index
from fastmcts.game import Game
from fastmcts.options import Options, SearchOptions, make_options
from fastmcts.result import SearchResult, root_bounds, root_statistics
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
    check_openness(state.game)
    actions = np.array(state.legal_actions(), np.int64)
    searcher = Searcher(state.game, checked)
    searcher.plant(state.array, checked.seed)
    if len(actions) == 0:
        return summarize(searcher, state, actions, checked, Budget(0, None), 0.0)
    compile_seconds = searcher.prepare()
    budget = Budget(checked.simulations, checked.seconds)
    while (chunk := budget.next_chunk()) > 0:
        budget.record(searcher.simulate(chunk))
    return summarize(searcher, state, actions, checked, budget, compile_seconds)


def check_openness(game: Game) -> None:
    """Refuse a game in which a search that sees and foresees everything would cheat."""
    if game.has_hidden_information or game.has_chance:
        what = "hidden information" if game.has_hidden_information else "chance"
        raise GameError(f"this search knows and foresees everything: it would cheat in {game.name}, a game with {what}")


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
    lower, upper = root_bounds(tree, actions, state.current_player(), state.game.num_players)
    values = np.divide(value_sums, visits, out=np.full(len(actions), np.nan), where=visits > 0)
    policy = np.zeros(state.game.num_actions)
    policy[actions] = visits / max(1, visits.sum())
    return SearchResult(
        state=state.clone(),
        tree=tree,
        action=int(actions[final_index(options.final, actions, visits, values, lower, upper)])
        if len(actions)
        else None,
        actions=actions,
        visits=visits,
        values=values,
        policy=policy,
        proven=np.where(lower == upper, lower, np.nan),
        value=float(value_sums.sum() / visits.sum()) if visits.any() else np.nan,
        simulations=budget.done,
        seconds=budget.elapsed,
        compile_seconds=compile_seconds,
        nodes=int(tree.size[0]),
        max_depth=int(tree.depth[0]),
        reused=0.0,
        seed=options.seed,
    )
