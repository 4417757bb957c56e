"""Expand a leaf by what an evaluator says of it: what it is worth, and how likely each of its moves is.

All moves of a leaf become nodes at once, in ascending order and without visits, so that the selection rule goes by
their priors. In a tree for many worlds a node is a leaf once more where a world has a legal move that it has no child
for.
"""

import math

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import NONE, ROOT, TERMINAL
from fastmcts.errors import GameError
from fastmcts.kernels.backup import backup
from fastmcts.kernels.children import mark_tried
from fastmcts.kernels.copy import copy
from fastmcts.kernels.expand import add_child, start_nodes
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.rewards import reward_of
from fastmcts.kernels.rollout import play_out
from fastmcts.rng import unit

#: In `first_child`: somebody is asked about the leaf.
ASKED = -2

#: Outcomes of chance that may follow each other below one leaf, each with a block of children.
MOST_OUTCOMES_IN_A_ROW = 16


@entry
def renew_root(strategy, tree, scratch, rng):
    """Draw for a new search what begins at its root, if an earlier one has expanded it."""
    if tree.first_child[ROOT] >= 0:
        begin_at_root(strategy, tree, ROOT, scratch, rng)


@compiled
def is_unexpanded(strategy, tree, node, scratch):
    """Whether a node lacks a child for some legal move in `scratch.state`, where a player is to move."""
    first = tree.first_child[node]
    if not tree.spans_positions or first < 0:
        return first < 0
    count = legal_moves(strategy.game, scratch.state, scratch.actions)
    return mark_tried(tree, first, first + tree.num_tried[node], scratch, count) < count


@compiled
def refuse_long_chance(game, tree, size):
    """Raise GameError where outcomes of chance follow each other without end, since a tree was of this size."""
    if tree.size[0] - size > MOST_OUTCOMES_IN_A_ROW * game.num_chance_outcomes:
        raise GameError("too many outcomes of chance follow each other, without a move that an evaluator can judge")


@compiled
def evaluate_leaf(strategy, tree, leaf, scratch, rng):
    """Ask a compiled evaluator about a leaf, whose position is in `scratch.state`, expand it and back the value up."""
    game = strategy.game
    depth = scratch.length[0]
    if not is_finished(strategy, tree, leaf, scratch, rng):
        player = game.current_player(scratch.state)
        count = legal_moves(game, scratch.state, scratch.actions)
        strategy.evaluator.evaluate(
            game, scratch.state, player, scratch.actions, count, scratch.weights, scratch.rewards
        )
        for index in range(game.num_players):
            scratch.rewards[index] = clipped_reward(game, scratch.rewards[index])
        normalize(scratch.weights, count)
        expand(strategy, tree, leaf, player, count, scratch, rng)
        if strategy.expansion.blends:
            copy_rewards(scratch.rewards, scratch.reward_sums)
            play_out(game, strategy.rollout, tree, scratch, rng)
            strategy.rollout.learn(game, tree, scratch)
            blend(strategy.expansion.blend, scratch.reward_sums, scratch.rewards)
    backup(tree, leaf, scratch.rewards, 1)
    strategy.selection.learn(game, tree, leaf, depth, scratch)


@compiled
def is_finished(strategy, tree, leaf, scratch, rng):
    """Whether the rules alone tell what a leaf is worth: then `scratch.rewards` say it.

    The game is over there, or, where proofs are kept, a move wins at once: such a leaf is expanded without asking.
    """
    game, proofs = strategy.game, strategy.proofs
    proofs.settle(game, tree, leaf, scratch.state, scratch.weights)
    player = game.current_player(scratch.state)
    if player == TERMINAL:
        proofs.inspect(game, scratch.state, scratch.weights)
        read_rewards(game, scratch.state, scratch.rewards)
        return True
    count = legal_moves(game, scratch.state, scratch.actions)
    winning = proofs.winning_index(game, player, scratch, count)
    if winning == NONE:
        return False
    copy(scratch.state, scratch.trial)
    game.apply(scratch.trial, scratch.actions[winning])
    read_rewards(game, scratch.trial, scratch.rewards)
    for index in range(count):
        scratch.weights[index] = 1.0 / count
    expand(strategy, tree, leaf, player, count, scratch, rng)
    proofs.settle(game, tree, tree.first_child[leaf] + winning, scratch.trial, scratch.weights)
    return True


@compiled
def read_rewards(game, state, rewards):
    """Fill `rewards` with how a finished game ended."""
    game.returns(state, rewards)
    for index in range(game.num_players):
        rewards[index] = reward_of(game, rewards[index])


@compiled
def clipped_reward(game, utility):
    """A utility that somebody estimates as a reward: what is outside of the game's range counts as its end."""
    return min(1.0, max(0.0, reward_of(game, utility)))


@compiled
def normalize(weights, count):
    """Let the first `count` weights add up to one; all alike if they are all zero."""
    total = 0.0
    for index in range(count):
        total += weights[index]
    for index in range(count):
        weights[index] = weights[index] / total if total > 0.0 else 1.0 / count


@compiled
def copy_rewards(source, target):
    """Copy rewards into another array."""
    for index in range(source.size):
        target[index] = source[index]


@compiled
def blend(weight, estimated, rewards):
    """Mix what an evaluator has estimated into the `rewards` of a rollout, whose weight is given."""
    for index in range(rewards.size):
        rewards[index] = (1.0 - weight) * estimated[index] + weight * rewards[index]


@compiled
def expand(strategy, tree, leaf, player, count, scratch, rng):
    """Give a leaf, where `player` is to move, its children.

    It is `scratch.length` moves below its root. The first `count` of `scratch.actions` are the legal moves in
    ascending order, with their priors in `scratch.weights`; `scratch.rewards` are what the leaf is worth.
    """
    game = strategy.game
    if tree.estimate.size > 0:
        tree.estimate[leaf] = scratch.rewards[player]
    is_new = tree.num_tried[leaf] == 0
    tree.depth[0] = max(tree.depth[0], scratch.length[0] + 1)
    if tree.spans_positions:
        add_missing(game, tree, leaf, player, count, scratch)
    else:
        lay_out(game, tree, leaf, player, count, scratch)
    if is_new and tree.parent[leaf] == NONE:
        begin_at_root(strategy, tree, leaf, scratch, rng)


@compiled
def lay_out(game, tree, leaf, player, count, scratch):
    """Give a leaf all its children, side by side."""
    first = tree.size[0]
    start_nodes(game, tree, first, first + count, leaf, player)
    for index in range(count):
        tree.action[first + index] = scratch.actions[index]
        set_prior(tree, first + index, scratch.weights[index])
    tree.first_child[leaf] = first
    tree.num_children[leaf] = count
    tree.num_tried[leaf] = count
    tree.size[0] = first + count


@compiled
def add_missing(game, tree, leaf, player, count, scratch):
    """Give a node of a tree for many worlds a child for each move that it has none for."""
    first = tree.first_child[leaf]
    mark_tried(tree, first, first + tree.num_tried[leaf], scratch, count)
    tried = scratch.marks[-1]
    for index in range(count):
        action = scratch.actions[index]
        if scratch.marks[action] != tried:
            set_prior(tree, add_child(game, tree, leaf, action, player), scratch.weights[index])


@compiled
def set_prior(tree, child, prior):
    """Note how likely a move is, as far as anybody wants to know."""
    if tree.prior.size > 0:
        tree.prior[child] = prior
    if tree.own_prior.size > 0:
        tree.own_prior[child] = prior


@compiled
def begin_at_root(strategy, tree, root, scratch, rng):
    """Draw what a search needs at an expanded root: noise on the priors, whatever the selection rule wants."""
    if strategy.expansion.adds_noise:
        add_noise(tree, root, strategy.expansion.noise_alpha, strategy.expansion.noise_weight, scratch, rng)
    strategy.selection.begin(tree, root, rng)


@compiled
def add_noise(tree, root, alpha, weight, scratch, rng):
    """Mix a draw from a Dirichlet distribution into the priors of the root's moves."""
    first, count = tree.first_child[root], tree.num_tried[root]
    total = 0.0
    for index in range(count):
        scratch.weights[index] = draw_gamma(alpha, rng)
        total += scratch.weights[index]
    for index in range(count):
        share = scratch.weights[index] / total if total > 0.0 else 1.0 / count
        tree.prior[first + index] = (1.0 - weight) * tree.own_prior[first + index] + weight * share


@compiled
def draw_gamma(shape, rng):
    """Draw from a gamma distribution with scale 1 (Marsaglia and Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = math.pow(1.0 - unit(rng), 1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        normal = math.sqrt(-2.0 * math.log(1.0 - unit(rng))) * math.cos(2.0 * math.pi * unit(rng))
        v = 1.0 + c * normal
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - unit(rng)) < 0.5 * normal * normal + d - d * v + d * math.log(v):
                return boost * d * v
