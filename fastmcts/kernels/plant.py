"""Start a tree."""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE, ROOT
from fastmcts.kernels.expand import start_nodes
from fastmcts.kernels.forget import cut_back


@compiled
def plant(game, tree, player):
    """Forget all nodes and start with a root at which `player` is to move."""
    cut_back(tree, 0)
    tree.size[0] = 1
    tree.depth[0] = 0
    tree.reward_range[0], tree.reward_range[1] = np.inf, -np.inf
    start_nodes(game, tree, ROOT, ROOT + 1, NONE, player)
    tree.action[ROOT] = NONE
    clear_tables(tree)


@compiled
def clear_tables(tree):
    """Forget what is known of moves wherever they are made."""
    tree.action_visits[:] = 0
    tree.action_sum[:] = 0.0
    tree.reference[:] = 0
    tree.played[:] = 0
