"""Whether a tree has room for another simulation."""

from fastmcts.compiler.jit import compiled
from fastmcts.core.tree import PADDING


@compiled
def last_with_room(strategy, tree, writers):
    """The most nodes that a tree can have, so that the next simulation of every writer surely finds room."""
    most_new = strategy.method.most_new_nodes(strategy.game) + strategy.expansion.more_new_nodes(strategy.game)
    return tree.visits.size - PADDING - writers * most_new
