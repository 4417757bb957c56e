"""Add nodes to the tree."""

from fastmcts.compiler.jit import compiled
from fastmcts.compiler.prefetch import prefetch
from fastmcts.core.constants import CHANCE, NONE, ROOT
from fastmcts.core.tree import MAX_NODES
from fastmcts.kernels.forget import forget_visits
from fastmcts.kernels.moves import legal_moves
from fastmcts.rng import shuffle

FEWEST_PLACES = 2  # for the children of a node whose moves are not known at once


@compiled
def lay_out_children(strategy, tree, node, player, scratch, rng):
    """Reserve a block of children for a node, one for each move or outcome, none of them tried."""
    game, selection = strategy.game, strategy.selection
    # So that compiled code knows that no index is negative, which would count from the end.
    first = tree.size[0] & MAX_NODES
    if game.has_chance and player == CHANCE:
        count = game.chance_outcomes(scratch.state, scratch.actions, scratch.weights)
        start_nodes(game, tree, first, first + count, node, tree.player[node])
    else:
        count = legal_moves(game, scratch.state, scratch.actions)
        start_nodes(game, tree, first, first + count, node, player)
        if not selection.untried_first:
            shuffle(rng, scratch.actions, count)
        strategy.expansion.arrange(game, scratch.state, scratch.actions, count, rng)
        selection.lay_out(game, scratch.state, tree, first, scratch.actions, count, scratch.weights)
    for index in range(count):
        tree.action[first + index] = scratch.actions[index]
    tree.first_child[node] = first
    tree.num_children[node] = count
    tree.num_tried[node] = 0
    tree.size[0] = first + count


@compiled
def try_child(tree, node, waiting):
    """Turn one of a node's waiting children into a node of its own and return it.

    The tried children stand first, so it changes places with the first that waits.
    """
    child = tree.first_child[node] + tree.num_tried[node]
    exchange(tree, child, waiting)
    # The simulation comes back to it: what is kept of it is fetched while the game is played to its end.
    prefetch(tree.visits, child)
    prefetch(tree.value_sum, child)
    prefetch(tree.player, child)
    tree.num_tried[node] += 1
    if tree.available.size > 0:
        tree.available[child] = 1
    return child


@compiled
def start_nodes(game, tree, first, end, parent, player):
    """Let nodes that nobody has used, from `first` to `end` - 1, start without children, in all fields but `action`.

    They have no visits, as nothing behind the last node has. Field by field, but for those that stand side by side: so
    most loops are compiled to one call that fills memory. That is done for children that wait too, though few of many
    are ever tried.
    """
    for node in range(first, end):
        tree.first_child[node] = NONE
        tree.num_children[node] = 0
        tree.num_tried[node] = 0
        tree.parent[node] = parent
    for node in range(first, end):
        tree.player[node] = player
    start_optional_fields(game, tree, first, end)


@compiled
def start_optional_fields(game, tree, first, end):
    """The same for the fields that only some trees keep."""
    if tree.prior.size > 0:
        for node in range(first, end):
            tree.prior[node] = 0.0
    if tree.square_sum.size > 0:
        for node in range(first, end):
            tree.square_sum[node] = 0.0
    if tree.amaf_visits.size > 0:
        for node in range(first, end):
            tree.amaf_visits[node] = 0
            tree.amaf_sum[node] = 0.0
    if tree.available.size > 0:
        for node in range(first, end):
            tree.available[node] = 0
    if tree.seed.size > 0:
        for node in range(first, end):
            tree.seed[node] = 0
    if tree.assumed.size > 0:
        for node in range(first, end):
            tree.assumed[node] = 0
    if tree.own_prior.size > 0:
        for node in range(first, end):
            tree.own_prior[node] = 0.0
    if tree.estimate.size > 0:
        for node in range(first, end):
            tree.estimate[node] = 0.0
    if tree.pending.size > 0:
        for node in range(first, end):
            tree.pending[node] = 0
    if tree.gumbel.size > 0:
        for node in range(first, end):
            tree.gumbel[node] = 0.0
    if tree.known.size > 0:
        for node in range(first, end):
            tree.known[node] = 0
            tree.before[node] = ROOT
            tree.after[node] = ROOT
    if tree.lower.size > 0:
        for index in range(first * game.num_players, end * game.num_players):
            tree.lower[index] = 0.0
            tree.upper[index] = 1.0


@compiled
def exchange(tree, child, other):
    """Let two waiting children change places."""
    tree.action[child], tree.action[other] = tree.action[other], tree.action[child]
    if tree.prior.size > 0:
        tree.prior[child], tree.prior[other] = tree.prior[other], tree.prior[child]
    if tree.amaf_visits.size > 0:
        tree.amaf_visits[child], tree.amaf_visits[other] = tree.amaf_visits[other], tree.amaf_visits[child]
        tree.amaf_sum[child], tree.amaf_sum[other] = tree.amaf_sum[other], tree.amaf_sum[child]


@compiled
def add_child(game, tree, node, action, player):
    """Try a move for which the node has no child yet, in a block that grows as needed; return the new child."""
    if tree.num_tried[node] == tree.num_children[node]:
        widen(game, tree, node, player)
    child = tree.first_child[node] + tree.num_tried[node]
    tree.action[child] = action
    return try_child(tree, node, child)


@compiled
def widen(game, tree, node, player):
    """Double the places for a node's children: at the end of the tree; what was left behind belongs to nobody."""
    count, first = tree.num_children[node], tree.first_child[node]
    end = tree.size[0]
    places = min(max(FEWEST_PLACES, 2 * count), max(game.num_actions, game.num_chance_outcomes))
    if count == 0 or first + count != end:
        for index in range(count):
            move_child(tree, first + index, end + index)
        forget_visits(tree, first, first + count)
        clear_places(game, tree, first, first + count, NONE, player)
        first = end
    clear_places(game, tree, first + count, first + places, node, player)
    tree.first_child[node] = first
    tree.num_children[node] = places
    tree.size[0] = first + places


@compiled
def clear_places(game, tree, first, end, parent, player):
    """Let the places from `first` to `end` - 1 have no move."""
    start_nodes(game, tree, first, end, parent, player)
    for place in range(first, end):
        tree.action[place] = NONE


@compiled
def move_child(tree, child, place):
    """Copy a tried child to another place, and tell its own children."""
    tree.visits[place] = tree.visits[child]
    tree.value_sum[place] = tree.value_sum[child]
    tree.parent[place] = tree.parent[child]
    tree.first_child[place] = tree.first_child[child]
    tree.num_children[place] = tree.num_children[child]
    tree.num_tried[place] = tree.num_tried[child]
    tree.action[place] = tree.action[child]
    tree.player[place] = tree.player[child]
    tree.available[place] = tree.available[child]
    if tree.square_sum.size > 0:
        tree.square_sum[place] = tree.square_sum[child]
    if tree.seed.size > 0:
        tree.seed[place] = tree.seed[child]
    if tree.assumed.size > 0:
        tree.assumed[place] = tree.assumed[child]
    if tree.prior.size > 0:
        tree.prior[place] = tree.prior[child]
    if tree.own_prior.size > 0:
        tree.own_prior[place] = tree.own_prior[child]
    if tree.estimate.size > 0:
        tree.estimate[place] = tree.estimate[child]
    first = tree.first_child[child]
    for below in range(first, first + tree.num_children[child]):
        tree.parent[below] = place
