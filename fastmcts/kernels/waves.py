"""Monte Carlo tree search in waves: to many leaves first, then a network judges all of them, then all are expanded.

`gather` goes down to leaves, in one tree or in many that stand side by side, and writes what the network is to see.
`scatter` expands the leaves by what it says, and backs up. In between the visits of a simulation that waits are
counted, and its reward is not. `retract` takes that back, if no answer comes.

Where several leaves of one tree may wait, they have to be sent to different places. `pending` tells how many visits of
a node have brought no reward yet: means leave them out (Liu et al. 2020: watch the unobserved), and exploration counts
them. A leaf that nothing is known of looks like a loss, unless the selection rule has something better. A simulation
that comes to a leaf that waits is counted in the same way until the wave is full, and goes down once more.

What needs no network has no place in a wave: where the game is over, where a move is proven to win, and where an answer
is kept from before, the simulation ends at once, and the tree goes on to the next one. Where a compiled evaluator
answers, no leaf has to wait at all.
"""

import math

import numpy as np

from fastmcts.compiler.jit import compiled, entry
from fastmcts.core.constants import DONE, FULL, NONE
from fastmcts.core.tree import PADDING
from fastmcts.core.wave import FOUND, LEAVES, ROWS
from fastmcts.kernels.answers import find_answer, hash_known, is_known, keep_answer
from fastmcts.kernels.backup import backup
from fastmcts.kernels.batch import read_bounds, read_evaluation, read_root
from fastmcts.kernels.copy import copy
from fastmcts.kernels.descend import descend
from fastmcts.kernels.evaluate import (
    ASKED,
    begin_at_root,
    blend,
    clipped_reward,
    copy_rewards,
    evaluate_leaf,
    expand,
    is_finished,
)
from fastmcts.kernels.expand import start_nodes
from fastmcts.kernels.forget import cut_back
from fastmcts.kernels.moves import legal_moves
from fastmcts.kernels.observation import write_observation
from fastmcts.kernels.rollout import play_out

#: What is wrong with an answer: not a number, or infinite, or below zero; or the value is none.
SOUND, BAD_POLICY, NEGATIVE, BAD_VALUE = 0, 1, 2, 3


@entry
def plant_grove(game, tree, grove, scratch):
    """Start a tree at each position of a grove."""
    trees = grove.done.size
    cut_back(tree, 0)
    tree.size[0] = trees
    tree.depth[0] = 0
    for root in range(trees):
        for index in range(game.state_size):
            scratch.state[index] = grove.positions[root * game.state_size + index]
        start_nodes(game, tree, root, root + 1, NONE, game.current_player(scratch.state))
        tree.action[root] = NONE
        grove.done[root] = 0
        grove.renews[root] = False
    grove.waiting[0] = 0


@entry
def mark_moves(game, positions, scratch, legal):
    """Mark the legal moves of positions, none where the game is over.

    Args:
        game: The game.
        positions: int64 [B, state_size].
        scratch: Buffers of this thread.
        legal: bool [B, num_actions], False before.
    """
    for row in range(legal.shape[0]):
        copy(positions[row], scratch.state)
        if game.current_player(scratch.state) >= 0:
            for index in range(legal_moves(game, scratch.state, scratch.actions)):
                legal[row, scratch.actions[index]] = True


@entry
def gather(strategy, tree, grove, wave, answers, scratch, most):
    """Go down to at most `most` leaves of each tree that has simulations left, and write down what to ask.

    Args:
        strategy: The components.
        tree: The arrays in which the trees stand. Modified.
        grove: The trees. Modified.
        wave: Filled anew.
        answers: Those that are kept. Modified.
        scratch: Buffers of this thread.
        most: How many leaves of a tree may wait; how many simulations it gets, if no leaf has to.

    Returns:
        Why no more simulations were begun: FULL, or DONE.
    """
    start_wave(wave)
    why = DONE
    for index in range(grove.done.size):
        why = gather_tree(strategy, tree, grove, index, wave, answers, scratch, most)
        if why == FULL:
            break
    return why


@compiled
def start_wave(wave):
    """Let a wave have no leaves."""
    mask = wave.slots.size - 1
    for index in range(wave.counts[ROWS]):
        row = wave.counts[ROWS] - 1 - index  # backwards, so that those before it stand where they were found
        slot = np.int64(wave.hashes[row] & np.uint64(mask))
        while wave.slots[slot] != row:
            slot = (slot + 1) & mask
        wave.slots[slot] = NONE
    for index in range(wave.counts.size):
        wave.counts[index] = 0


@compiled
def gather_tree(strategy, tree, grove, root, wave, answers, scratch, most):
    """Go down to leaves of one tree."""
    game, rng = strategy.game, wave.rng
    last = tree.visits.size - PADDING
    most_new = strategy.method.most_new_nodes(game) + strategy.expansion.more_new_nodes(game)
    for index in range(game.state_size):
        wave.position[index] = grove.positions[root * game.state_size + index]
    rng[0], rng[1] = grove.generators[2 * root], grove.generators[2 * root + 1]
    if grove.renews[root]:
        grove.renews[root] = False
        if tree.first_child[root] >= 0:
            begin_at_root(strategy, tree, root, scratch, rng)
    waiting, met = 0, 0
    why = DONE
    while waiting < most and wave.counts[LEAVES] < wave.leaves.size:
        if grove.done[root] >= grove.asked[root] or strategy.proofs.is_decided(tree, root):
            break
        if tree.size[0] + (grove.waiting[0] + 1) * most_new > last:
            why = FULL
            break
        counter = rng[0]
        strategy.method.begin(game, wave.position, tree, scratch, rng)
        leaf = descend(strategy, tree, root, scratch, rng)
        if tree.first_child[leaf] == ASKED:
            # It has to be pushed elsewhere, which fills a batch and costs little strength; but not too often
            # (benchmarks/evaluator_matches.py).
            if met == most:
                break
            wave.met[met] = leaf
            met += 1
            add_pending(tree, leaf, 1)
            continue
        at_once = strategy.evaluator.answers_at_once
        if leaf != root or (at_once and tree.first_child[root] >= 0):  # what is first said of the root is no simulation
            grove.done[root] += 1
        if at_once:
            evaluate_leaf(strategy, tree, leaf, scratch, rng)
            strategy.proofs.conclude(game, tree, leaf)
            waiting += 1
        elif is_finished(strategy, tree, leaf, scratch, rng) or is_answered(
            strategy, tree, leaf, wave, answers, scratch, rng
        ):
            backup(tree, leaf, scratch.rewards, 1)
            strategy.selection.learn(game, tree, leaf, scratch.length[0], scratch)
            strategy.proofs.conclude(game, tree, leaf)
        else:
            wait(strategy, tree, grove, root, leaf, wave, scratch, counter, rng)
            waiting += 1
    for index in range(met):
        add_pending(tree, wave.met[index], -1)
    grove.generators[2 * root] = rng[0]
    return why


@compiled
def add_pending(tree, leaf, count):
    """Count visits from a leaf up to its root, whose rewards are not known."""
    node = leaf
    while node != NONE:
        tree.visits[node] += count
        if tree.pending.size > 0:
            tree.pending[node] += count
        node = tree.parent[node]


@compiled
def is_answered(strategy, tree, leaf, wave, answers, scratch, rng):
    """Whether an answer is kept for a leaf: then it is expanded by it, and `scratch.rewards` say what it is worth.

    What is to be known of the position, which is in `scratch.state`, is left in `wave.known` and behind the rows.
    """
    game = strategy.game
    player = game.current_player(scratch.state)
    game.observe(scratch.state, player, wave.known)
    hashed = hash_known(wave.known, player)
    wave.hashes[wave.counts[ROWS]] = hashed
    if answers.heads.size == 0:
        return False
    place = find_answer(answers, hashed, player, wave.known)
    if place == NONE:
        return False
    wave.counts[FOUND] += 1
    count = legal_moves(game, scratch.state, scratch.actions)
    for index in range(count):
        scratch.weights[index] = answers.priors[place * game.num_actions + scratch.actions[index]]
    for index in range(game.num_players):
        scratch.rewards[index] = answers.rewards[place * game.num_players + index]
    depth = scratch.length[0]
    expand(strategy, tree, leaf, player, count, scratch, rng)
    if strategy.expansion.blends:
        copy_rewards(scratch.rewards, scratch.reward_sums)
        play_out(game, strategy.rollout, tree, scratch, rng)
        blend(strategy.expansion.blend, scratch.reward_sums, scratch.rewards)
        scratch.length[0] = depth
    return True


@compiled
def wait(strategy, tree, grove, root, leaf, wave, scratch, counter, rng):
    """Let a leaf, whose position is in `scratch.state`, wait for an answer."""
    game = strategy.game
    place = wave.counts[LEAVES]
    wave.leaves[place] = leaf
    wave.rows[place] = row_for(game, wave, scratch)
    wave.trees[place] = root
    wave.depths[place] = scratch.length[0]
    wave.before[place] = counter
    wave.counts[LEAVES] += 1
    grove.waiting[0] += 1
    if tree.first_child[leaf] == NONE:
        tree.first_child[leaf] = ASKED
    add_pending(tree, leaf, 1)
    if strategy.expansion.blends:
        play_out(game, strategy.rollout, tree, scratch, rng)
        for index in range(game.num_players):
            wave.rollouts[place * game.num_players + index] = scratch.rewards[index]


@compiled
def row_for(game, wave, scratch):
    """The row that answers for `scratch.state`: one that asks the same, or a new one."""
    row = wave.counts[ROWS]
    hashed = wave.hashes[row]
    player = game.current_player(scratch.state)
    mask = wave.slots.size - 1
    slot = np.int64(hashed & np.uint64(mask))
    while wave.slots[slot] != NONE:
        other = wave.slots[slot]
        if wave.hashes[other] == hashed and wave.players[other] == player and is_known(wave.keys, other, wave.known):
            return other
        slot = (slot + 1) & mask
    wave.slots[slot] = row
    wave.players[row] = player
    for index in range(game.state_size):
        wave.keys[row * game.state_size + index] = wave.known[index]
    for index in range(game.num_actions):
        wave.legal[row * game.num_actions + index] = False
    for index in range(legal_moves(game, scratch.state, scratch.actions)):
        wave.legal[row * game.num_actions + scratch.actions[index]] = True
    write_observation(game, scratch.state, player, wave.known, wave.observation)
    for index in range(wave.observation.size):
        wave.observations[row * wave.observation.size + index] = wave.observation[index]
    wave.counts[ROWS] += 1
    return row


@entry
def scatter(strategy, tree, grove, wave, answers, scratch, logits, per_player):
    """Expand the leaves of a wave by what a network says, and back up; nothing changes if it says what cannot be.

    Args:
        strategy: The components.
        tree: The arrays in which the trees stand. Modified.
        grove: The trees. Modified.
        wave: The leaves, with what the network says in `policy`, and in `values`: a number for each row, or for each
            row and player. Both are modified.
        answers: Those that are kept. Modified.
        scratch: Buffers of this thread.
        logits: Whether policies are logits, and not probabilities.
        per_player: Whether there is a value for each player, and not for the player to move.

    Returns:
        What is wrong with the answer, SOUND if nothing is, and in which row.
    """
    game = strategy.game
    for row in range(wave.counts[ROWS]):
        fault = fault_of(game, wave, row, logits, per_player)
        if fault != SOUND:
            return fault, row
    for index in range(wave.counts[ROWS]):
        row = wave.counts[ROWS] - 1 - index  # backwards, as one value becomes those of all players
        set_priors(game, wave, row, logits)
        set_rewards(game, wave, row, per_player)
        if answers.heads.size > 0:
            keep_answer(answers, wave, row, game.num_actions, game.num_players)
    for place in range(wave.counts[LEAVES]):
        answer_leaf(strategy, tree, grove, wave, place, scratch)
    wave.counts[LEAVES] = 0
    return SOUND, np.int64(NONE)


@compiled
def fault_of(game, wave, row, logits, per_player):
    """What is wrong with a row of an answer; what it says about illegal moves does not matter."""
    for action in range(row * game.num_actions, (row + 1) * game.num_actions):
        if wave.legal[action]:
            if not math.isfinite(wave.policy[action]):
                return BAD_POLICY
            if not logits and wave.policy[action] < 0.0:
                return NEGATIVE
    size = game.num_players if per_player else 1
    for index in range(row * size, (row + 1) * size):
        if not math.isfinite(wave.values[index]):
            return BAD_VALUE
    return SOUND


@compiled
def set_priors(game, wave, row, logits):
    """Let the policy of a row add up to one over the legal moves, all alike if it has none of them."""
    first = row * game.num_actions
    highest = -math.inf
    for action in range(first, first + game.num_actions):
        if wave.legal[action]:
            highest = max(highest, wave.policy[action])
    total, count = 0.0, 0
    for action in range(first, first + game.num_actions):
        if not wave.legal[action]:
            wave.policy[action] = 0.0
            continue
        if logits:
            wave.policy[action] = math.exp(wave.policy[action] - highest)
        total += wave.policy[action]
        count += 1
    for action in range(first, first + game.num_actions):
        if wave.legal[action]:
            wave.policy[action] = wave.policy[action] / total if total > 0.0 else 1.0 / count


@compiled
def set_rewards(game, wave, row, per_player):
    """Turn the value of a row into the rewards of all players."""
    first = row * game.num_players
    if per_player:
        for index in range(first, first + game.num_players):
            wave.values[index] = clipped_reward(game, wave.values[index])
        return
    reward = clipped_reward(game, wave.values[row])
    for player in range(game.num_players):
        wave.values[first + player] = reward if player == wave.players[row] else 1.0 - reward


@compiled
def answer_leaf(strategy, tree, grove, wave, place, scratch):
    """Expand one leaf that has waited, and back up what it is worth: its visits are counted already."""
    game = strategy.game
    leaf, row, root = wave.leaves[place], wave.rows[place], wave.trees[place]
    grove.waiting[0] -= 1
    count = 0
    for action in range(game.num_actions):
        if wave.legal[row * game.num_actions + action]:
            scratch.actions[count] = action
            scratch.weights[count] = wave.policy[row * game.num_actions + action]
            count += 1
    for index in range(game.num_players):
        scratch.rewards[index] = wave.values[row * game.num_players + index]
    scratch.length[0] = wave.depths[place]
    if tree.first_child[leaf] == ASKED:
        tree.first_child[leaf] = NONE
    wave.rng[0], wave.rng[1] = grove.generators[2 * root], grove.generators[2 * root + 1]
    expand(strategy, tree, leaf, wave.players[row], count, scratch, wave.rng)
    grove.generators[2 * root] = wave.rng[0]
    if strategy.expansion.blends:
        copy_rewards(scratch.rewards, scratch.reward_sums)
        for index in range(game.num_players):
            scratch.rewards[index] = wave.rollouts[place * game.num_players + index]
        blend(strategy.expansion.blend, scratch.reward_sums, scratch.rewards)
    node = leaf
    while node != NONE:
        tree.value_sum[node] += scratch.rewards[tree.player[node]]
        if tree.pending.size > 0:
            tree.pending[node] -= 1
        node = tree.parent[node]
    strategy.selection.learn(game, tree, leaf, wave.depths[place], scratch)
    strategy.proofs.conclude(game, tree, leaf)


@entry
def read_grove(game, tree, rows, batch):
    """Add what trees have found about their roots to rows of a batch.

    Args:
        game: The game.
        tree: The arrays in which the trees stand.
        rows: int64 [T], the row of each tree.
        batch: The batch. Modified.
    """
    for root in range(rows.size):
        read_root(tree, root, batch.visits[rows[root]], batch.value_sums[rows[root]])
        read_evaluation(tree, root, rows[root], batch)
        if batch.lower.size > 0:
            read_bounds(game, tree, root, batch.lower[rows[root]], batch.upper[rows[root]])


@entry
def retract(tree, grove, wave):
    """Take back the simulations of a wave that wait: nobody answers. Their random numbers will be drawn again."""
    for index in range(wave.counts[LEAVES]):
        place = wave.counts[LEAVES] - 1 - index
        leaf, root = wave.leaves[place], wave.trees[place]
        if tree.first_child[leaf] == ASKED:
            tree.first_child[leaf] = NONE
        add_pending(tree, leaf, -1)
        if leaf != root:
            grove.done[root] -= 1
        grove.generators[2 * root] = wave.before[place]
        grove.waiting[0] -= 1
    wave.counts[LEAVES] = 0
