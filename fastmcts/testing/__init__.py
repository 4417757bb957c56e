"""Tools that show whether a game, a tree or a change is right."""

from fastmcts.testing.game_checks import check_game
from fastmcts.testing.perft import perft
from fastmcts.testing.signature import signature
from fastmcts.testing.tree_checks import check_tree

__all__ = ["check_game", "check_tree", "perft", "signature"]
