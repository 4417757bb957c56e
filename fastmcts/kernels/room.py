"""Whether a tree has room for another simulation."""

from fastmcts.compiler.jit import compiled


@compiled
def last_with_room(strategy, tree, writers):
    """The most nodes that a tree can have, so that the next simulation of every writer surely finds room."""
    return tree.visits.size - writers * strategy.method.most_new_nodes(strategy.game)
