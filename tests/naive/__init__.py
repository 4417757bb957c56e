"""The slow, obvious MCTS, with which the kernels must agree to the last bit."""

from tests.naive.search import Generator, Node, Score, Search, assert_same_tree, ucb1, ucb1_tuned, uct
from tests.naive.strategies import (
    CarefulPolicy,
    Decisive,
    ExpandAll,
    GamePolicy,
    Grave,
    Mast,
    Prioritized,
    PrioritizedPuct,
    Puct,
    Solver,
)
from tests.naive.worlds import AllObservers, InformationSets, Resampled, SinglePerspective

__all__ = [
    "AllObservers",
    "CarefulPolicy",
    "Decisive",
    "ExpandAll",
    "GamePolicy",
    "Generator",
    "Grave",
    "InformationSets",
    "Mast",
    "Node",
    "Prioritized",
    "PrioritizedPuct",
    "Puct",
    "Resampled",
    "Score",
    "Search",
    "SinglePerspective",
    "Solver",
    "assert_same_tree",
    "ucb1",
    "ucb1_tuned",
    "uct",
]
