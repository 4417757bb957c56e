"""Policies of searches: how likely each action is, as a function of what a player knows.

`fastmcts.testing.exploitability` tells how much can be won from one.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastmcts.batch import search_batch
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import ROOT
from fastmcts.core.scratch import make_scratch
from fastmcts.core.tree import Tree
from fastmcts.core.validate import whole_number
from fastmcts.kernels.observers import hash_known, nearest
from fastmcts.result import SearchResult
from fastmcts.rng import spawn_seed
from fastmcts.state import State
from fastmcts.strategies.methods import ISMCTS

Plays = Literal["visits", "action"]


class SearchPolicy:
    """What somebody plays who searches each position anew, on average over searches with different seeds.

    Args:
        searches: How many searches of each position.
        plays: "visits" for a player who draws its move in proportion to visits, "action" for one who makes the move
            that the search says.
        seed: Of all searches together.
        **options: Those of `search_batch`, such as `simulations` and `method`.
    """

    def __init__(self, searches: int = 1, plays: Plays = "visits", seed: int = 0, **options: Any) -> None:
        self.searches = whole_number("searches", searches, low=1)
        if plays not in get_args(Plays):
            raise ValueError(f"plays must be one of {', '.join(get_args(Plays))}, not {plays!r}")
        self.plays = plays
        self.seed = whole_number("seed", seed)
        self.options = options

    def __call__(self, state: State) -> NDArray[np.float64]:
        """The chances of all actions, float64 [num_actions], in a position or a view."""
        return self.many([state])[0]

    def many(self, states: Sequence[State]) -> NDArray[np.float64]:
        """The same for many at once, float64 [B, num_actions]."""
        total = np.zeros((len(states), states[0].game.num_actions)) if states else np.zeros((0, 0))
        for number in range(self.searches if states else 0):
            batch = search_batch(list(states), seed=spawn_seed(self.seed, number), **self.options)
            for row, found in enumerate(batch):
                if self.plays == "visits":
                    total[row] += found.policy
                else:
                    total[row, found.action] += 1.0
        return total / self.searches


class TreePolicy:
    """What the trees of all players say about every information set at once: the shares of visits.

    With `begins="deal"` these are trees of the whole game, so that one search is a policy for all of it. Where no
    simulation has been, all legal actions are alike.

    Args:
        *results: Searches by `ISMCTS(observers="all")` of the same position, with different seeds: their mean counts.
    """

    def __init__(self, *results: SearchResult) -> None:
        if not results:
            raise ValueError("a TreePolicy needs at least one result")
        for result in results:
            if not (isinstance(result.method, ISMCTS) and result.method.observers == "all"):
                raise ValueError(
                    "only the trees of ISMCTS(observers='all') are about information sets,"
                    f" not those of {result.method!r}"
                )
        self.results = results

    def __call__(self, state: State) -> NDArray[np.float64]:
        """The chances of all actions, float64 [num_actions], for the player to move."""
        policies = [self.read(result, tree, state) for result in self.results for tree in result.trees]
        return np.mean(policies, axis=0)

    def read(self, result: SearchResult, tree: Tree, state: State) -> NDArray[np.float64]:
        """The shares of visits in one tree."""
        chances = np.zeros(state.game.num_actions)
        node = self.node_of(result, tree, state)
        if node is not None and tree.visits[node] > 0:
            first, tried = int(tree.first_child[node]), int(tree.num_tried[node])
            chances[tree.action[first : first + tried]] = tree.visits[first : first + tried]
        if not chances.any():
            chances[state.legal_actions()] = 1.0
        return chances / chances.sum()

    def node_of(self, result: SearchResult, tree: Tree, state: State) -> int | None:
        """The information set of the player to move; None if no simulation has come to it."""
        known, at_root = known_hash(state), known_hash(result.state)
        if known == at_root:
            return ROOT
        if getattr(result.method, "from_deal", False):
            known ^= at_root
        node = int(nearest(tree, known))
        return node if tree.known[node] == known else None


def known_hash(state: State) -> np.uint64:
    """The hash by which kernels find what the player to move knows."""
    game = state.game
    scratch = make_scratch(game.state_size, game.num_actions, game.num_players)
    scratch.state[:] = state.array
    with wrapping_integers():
        return np.uint64(hash_known(game, state.current_player(), scratch))
