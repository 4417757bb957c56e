"""Forget nodes at the end of a tree."""

from fastmcts.compiler.jit import compiled


@compiled
def cut_back(tree, size):
    """Keep the first `size` nodes; places behind them have no visits, so that new nodes need not be told."""
    forget_visits(tree, size, tree.size[0])
    tree.size[0] = size


@compiled
def forget_visits(tree, first, end):
    """Let the places from `first` to `end` - 1 have no visits."""
    for place in range(first, end):
        tree.visits[place] = 0
    for place in range(first, end):
        tree.value_sum[place] = 0.0
