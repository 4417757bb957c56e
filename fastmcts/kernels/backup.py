"""Record how a simulation ended in every node that it passed."""

from fastmcts.constants import NONE
from fastmcts.jit import compiled


@compiled
def backup(tree, leaf, rewards):
    """Count one visit from the leaf up to the root, with the reward of each node's own player."""
    node = leaf
    while node != NONE:
        tree.visits[node] += 1
        tree.value_sum[node] += rewards[tree.player[node]]
        node = tree.parent[node]
