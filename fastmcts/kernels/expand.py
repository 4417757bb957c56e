"""Add nodes to the tree."""

from fastmcts.constants import NONE
from fastmcts.jit import compiled
from fastmcts.kernels.moves import legal_moves


@compiled
def lay_out_children(game, tree, node, scratch):
    """Reserve a block of children for a node, one for each legal move, none of them tried."""
    count = legal_moves(game, scratch.state, scratch.actions)
    first = tree.size[0]
    for index in range(count):
        tree.action[first + index] = scratch.actions[index]
    tree.first_child[node] = first
    tree.num_children[node] = count
    tree.num_tried[node] = 0
    tree.size[0] = first + count


@compiled
def try_child(expansion, tree, node, player, rng):
    """Turn one of a node's waiting children into a node of its own and return it."""
    child = tree.first_child[node] + tree.num_tried[node]
    chosen = child + expansion.choose(tree.num_children[node] - tree.num_tried[node], rng)
    tree.action[child], tree.action[chosen] = tree.action[chosen], tree.action[child]
    tree.num_tried[node] += 1
    tree.visits[child] = 0
    tree.value_sum[child] = 0.0
    tree.parent[child] = node
    tree.first_child[child] = NONE
    tree.num_children[child] = 0
    tree.num_tried[child] = 0
    tree.player[child] = player
    return child
