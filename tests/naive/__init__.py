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
    Smooth,
    Solver,
)
from tests.naive.worlds import (
    AllObservers,
    FromDeal,
    InformationSets,
    OpenLoop,
    Resampled,
    SinglePerspective,
    SmoothFromDeal,
)

__all__ = [
    "AllObservers",
    "CarefulPolicy",
    "Decisive",
    "ExpandAll",
    "FromDeal",
    "GamePolicy",
    "Generator",
    "Grave",
    "InformationSets",
    "Mast",
    "Node",
    "OpenLoop",
    "Prioritized",
    "PrioritizedPuct",
    "Puct",
    "Resampled",
    "Score",
    "Search",
    "SinglePerspective",
    "Smooth",
    "SmoothFromDeal",
    "Solver",
    "assert_same_tree",
    "ucb1",
    "ucb1_tuned",
    "uct",
]
