"""Selection rules: which child a simulation goes down to."""

from fastmcts.strategies.selection.base import Selection
from fastmcts.strategies.selection.grave import GRAVE
from fastmcts.strategies.selection.gumbel import Gumbel
from fastmcts.strategies.selection.puct import PUCT
from fastmcts.strategies.selection.smooth import SmoothUCT
from fastmcts.strategies.selection.ucb import UCB1, UCT, UCB1Tuned

__all__ = ["GRAVE", "PUCT", "UCB1", "UCT", "Gumbel", "Selection", "SmoothUCT", "UCB1Tuned"]
