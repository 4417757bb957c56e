"""Keep the moves of a simulation, for those who learn from them, and the nodes that it has passed."""

from fastmcts.compiler.jit import compiled


@compiled
def record(scratch, length, player, action):
    """Note the move number `length`, if anybody asked for the moves."""
    if scratch.moves.size > 0 and length < scratch.moves.size:
        scratch.moves[length] = action
        scratch.movers[length] = player


@compiled
def record_node(scratch, depth, node):
    """Note the node `depth` moves below the root, if there is room."""
    if depth < scratch.line.size:
        scratch.line[depth] = node
