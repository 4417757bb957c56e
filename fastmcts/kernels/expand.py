"""Add nodes to the tree."""

from fastmcts.constants import CHANCE, NONE
from fastmcts.jit import compiled
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.rng import shuffle


@compiled
def lay_out_children(game, selection, expansion, tree, node, player, scratch, rng):
    """Reserve a block of children for a node, one for each move or outcome, none of them tried."""
    first = tree.size[0]
    if game.has_chance and player == CHANCE:
        count = game.chance_outcomes(scratch.state, scratch.actions, scratch.weights)
    else:
        count = legal_moves(game, scratch.state, scratch.actions)
        if not selection.untried_first:
            shuffle(rng, scratch.actions, count)
        expansion.arrange(game, scratch.state, scratch.actions, count, rng)
        selection.lay_out(game, scratch.state, tree, first, scratch.actions, count, scratch.weights)
    for index in range(count):
        tree.action[first + index] = scratch.actions[index]
    tree.first_child[node] = first
    tree.num_children[node] = count
    tree.num_tried[node] = 0
    tree.size[0] = first + count


@compiled
def try_child(game, tree, node, waiting, player):
    """Turn one of a node's waiting children into a node of its own and return it.

    The tried children stand first, so it changes places with the first that waits.
    """
    child = tree.first_child[node] + tree.num_tried[node]
    exchange(tree, child, waiting)
    tree.num_tried[node] += 1
    tree.visits[child] = 0
    tree.value_sum[child] = 0.0
    tree.parent[child] = node
    tree.first_child[child] = NONE
    tree.num_children[child] = 0
    tree.num_tried[child] = 0
    tree.player[child] = player
    if tree.square_sum.size > 0:
        tree.square_sum[child] = 0.0
    if tree.lower.size > 0:
        for index in range(child * game.num_players, (child + 1) * game.num_players):
            tree.lower[index] = 0.0
            tree.upper[index] = 1.0
    return child


@compiled
def exchange(tree, child, other):
    """Let two waiting children change places."""
    tree.action[child], tree.action[other] = tree.action[other], tree.action[child]
    if tree.prior.size > 0:
        tree.prior[child], tree.prior[other] = tree.prior[other], tree.prior[child]
    if tree.amaf_visits.size > 0:
        tree.amaf_visits[child], tree.amaf_visits[other] = tree.amaf_visits[other], tree.amaf_visits[child]
        tree.amaf_sum[child], tree.amaf_sum[other] = tree.amaf_sum[other], tree.amaf_sum[child]
