"""Choose the child that a simulation goes on to.

Two kinds of trees: where a node always stands for the same position, its children are laid out at once; where
it stands for one of many (another world, other replies), a simulation finds its children by their actions
among those that are legal in its own position, and a child takes a place when it is first tried.
"""

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, NONE
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.contest import best_available_child, best_child, foreseen
from fastmcts.kernels.expand import add_child, lay_out_children, try_child
from fastmcts.kernels.moves import legal_moves


@compiled
def fixed_child(strategy, tree, node, player, scratch, rng):
    """The child to go on to from a node that always stands for the same position."""
    if tree.first_child[node] == NONE:
        lay_out_children(strategy, tree, node, player, scratch, rng)
    if strategy.game.has_chance and player == CHANCE:
        return drawn_child(strategy.game, tree, node, scratch, rng)
    return chosen_child(strategy, tree, node, player, scratch, rng)


@compiled
def chosen_child(strategy, tree, node, player, scratch, rng):
    """The child that a player goes on to: a certain win, an untried or a drawn one, or that with the highest score."""
    game, selection, expansion, proofs = strategy.game, strategy.selection, strategy.expansion, strategy.proofs
    waiting = tree.num_children[node] - tree.num_tried[node]
    chosen = proofs.winning_child(game, tree, node, player, scratch)
    if chosen == NONE and selection.untried_first and waiting > 0:
        chosen = tree.first_child[node] + tree.num_tried[node] + expansion.choose(waiting, rng)
    elif chosen == NONE:
        selection.enter(tree, node)
        if selection.draws:
            chosen = selection.drawn_child(tree, node, rng)
        if selection.by_node:
            chosen = selection.choice(proofs, tree, node, player, scratch)
        elif chosen == NONE:
            best = best_child(selection, proofs, tree, node, player, tree.num_tried[node])
            chosen = foreseen(scratch, node, best)
        if chosen == NONE:
            chosen = proofs.best_decided(tree, node, player)
    if chosen < tree.first_child[node] + tree.num_tried[node]:
        return chosen
    child = try_child(tree, node, chosen)
    expansion.start(game, scratch.state, tree, child)
    return child


@compiled
def drawn_child(game, tree, node, scratch, rng):
    """The child for a chance outcome, drawn by its probability."""
    outcome = draw_outcome(game, scratch.state, scratch.actions, scratch.weights, rng)
    child = tree.first_child[node]
    while tree.action[child] != outcome:
        child += 1
    if child < tree.first_child[node] + tree.num_tried[node]:
        return child
    return try_child(tree, node, child)


@compiled
def matched_child(strategy, tree, node, player, scratch, rng):
    """The child to go on to from a node that stands for many positions, one of which is in `scratch.state`.

    Untried legal moves come first. Of the tried ones those that are legal here compete, and each of them
    counts that it was available.
    """
    game, selection, expansion = strategy.game, strategy.selection, strategy.expansion
    if game.has_chance and player == CHANCE:
        return matched_outcome(game, tree, node, scratch, rng)
    count = legal_moves(game, scratch.state, scratch.actions)
    first, last = tree.first_child[node], tree.first_child[node] + tree.num_tried[node]
    untried = count - mark_tried(tree, first, last, scratch, count)
    here = scratch.marks[-1]
    best = NONE
    if untried == 0:
        selection.enter(tree, node)
        if selection.by_node:
            best = selection.choice(strategy.proofs, tree, node, player, scratch)
        else:
            best = best_available_child(selection, tree, node, scratch)
    for child in range(first, last):
        if scratch.marks[tree.action[child]] == here:
            tree.available[child] += 1
    if untried > 0:
        keep_untried(scratch, count)
        expansion.arrange(game, scratch.state, scratch.actions, untried, rng)
        action = scratch.actions[expansion.choose(untried, rng)]
        best = add_child(game, tree, node, action, player)
        expansion.start(game, scratch.state, tree, best)
    return best


@compiled
def mark_tried(tree, first, last, scratch, count):
    """Mark the first `count` of `scratch.actions`: with the last mark, those that have a child; return how many."""
    marks = scratch.marks
    legal = marks[-1] + 1
    marks[-1] += 2
    for index in range(count):
        marks[scratch.actions[index]] = legal
    tried = 0
    for child in range(first, last):
        if marks[tree.action[child]] == legal:
            marks[tree.action[child]] = legal + 1
            tried += 1
    return tried


@compiled
def keep_untried(scratch, count):
    """Move those of the first `count` actions that have no child to the front."""
    kept = 0
    for index in range(count):
        if scratch.marks[scratch.actions[index]] != scratch.marks[-1]:
            scratch.actions[kept] = scratch.actions[index]
            kept += 1


@compiled
def matched_outcome(game, tree, node, scratch, rng):
    """The child for a chance outcome, drawn by its probability in this position."""
    outcome = draw_outcome(game, scratch.state, scratch.actions, scratch.weights, rng)
    first = tree.first_child[node]
    for child in range(first, first + tree.num_tried[node]):
        if tree.action[child] == outcome:
            return child
    return add_child(game, tree, node, outcome, tree.player[node])
