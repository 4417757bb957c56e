"""Tools that show whether a game, a tree, a policy or a change is right."""

from fastmcts.testing.game_checks import check_game
from fastmcts.testing.perft import perft
from fastmcts.testing.policies import SearchPolicy, TreePolicy
from fastmcts.testing.responses import BestResponse, GameTree, best_response, exploitability, uniform_policy
from fastmcts.testing.signature import signature
from fastmcts.testing.tree_checks import check_tree

__all__ = [
    "BestResponse",
    "GameTree",
    "SearchPolicy",
    "TreePolicy",
    "best_response",
    "check_game",
    "check_tree",
    "exploitability",
    "perft",
    "signature",
    "uniform_policy",
]
