"""Record how a simulation ended in every node that it passed."""

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE


@compiled
def backup(tree, leaf, rewards, count):
    """Count `count` visits from the leaf up to the root, with the rewards of each node's own player.

    Args:
        tree: The tree.
        leaf: Where the simulation left it.
        rewards: float64 [num_players], summed over the `count` rollouts.
        count: How many rollouts.
    """
    node = leaf
    while node != NONE:
        tree.visits[node] += count
        tree.value_sum[node] += rewards[tree.player[node]]
        node = tree.parent[node]
