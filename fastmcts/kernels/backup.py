"""Record how a simulation ended in every node that it passed."""

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE
from fastmcts.core.tree import MAX_NODES


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


@compiled
def backup_line(tree, leaf, depth, scratch):
    """Count a visit in the nodes of `scratch.line`, with what `scratch.rewards` says.

    To look up the parent of each node takes longer, since one has to be known before the next can be read: 5% on
    Connect Four with 100,000 simulations, 7% with a million.

    Args:
        tree: The tree.
        leaf: Where the simulation left it.
        depth: How many moves below the root that is.
        scratch: Buffers.
    """
    if depth >= scratch.line.size:
        backup(tree, leaf, scratch.rewards, 1)
    else:
        for level in range(depth + 1):
            # So that compiled code knows that no index is negative, which would count from the end.
            node = scratch.line[level] & MAX_NODES
            tree.visits[node] += 1
            tree.value_sum[node] += scratch.rewards[tree.player[node]]
