"""Monte Carlo tree search."""

from fastmcts.jit import compiled, entry
from fastmcts.kernels.backup import backup
from fastmcts.kernels.descend import descend
from fastmcts.kernels.rollout import play_out


@entry
def run(strategy, tree, root, scratch, rng, simulations):
    """Add simulations to a tree; everything but the components is modified in place.

    Args:
        strategy: The components.
        tree: The tree, planted at `root`.
        root: int64 [state_size], the position at the root; not modified.
        scratch: Buffers of this thread.
        rng: uint64 [2], the generator of this tree.
        simulations: How many to add.

    Returns:
        How many were added: fewer than asked for when the next might not find room in the tree.
    """
    return search(strategy, tree, root, scratch, rng, simulations)


@compiled
def search(strategy, tree, root, scratch, rng, simulations):
    """Simulate until the budget or the room in the tree is used up."""
    game, selection, expansion, rollout = strategy
    last_with_room = tree.visits.size - game.num_actions
    for simulation in range(simulations):
        if tree.size[0] > last_with_room:
            return simulation
        for index in range(root.size):
            scratch.state[index] = root[index]
        leaf = descend(game, selection, expansion, tree, scratch, rng)
        play_out(game, rollout, scratch, rng)
        backup(tree, leaf, scratch.rewards)
    return simulations
