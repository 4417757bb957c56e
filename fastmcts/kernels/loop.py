"""Monte Carlo tree search."""

from fastmcts.compiler.jit import compiled, entry, part
from fastmcts.kernels.descend import descend


@entry
def run(strategy, tree, root, scratch, rng, simulations):
    """Add simulations to a tree; everything but the components is modified in place.

    Args:
        strategy: The components: game, selection, expansion, rollout, proofs, method.
        tree: The tree, planted at `root`.
        root: int64 [state_size], the position at the root; not modified.
        scratch: Buffers of this thread.
        rng: uint64 [2], the generator of this tree.
        simulations: How many to add.

    Returns:
        How many were added: fewer than asked for when the next might not find room in the tree, or
        when the value of the root is proven.
    """
    return search(strategy, tree, root, scratch, rng, simulations)


@part
def search(strategy, tree, root, scratch, rng, simulations):
    """Simulate until the budget, the room in the tree or the doubt about the root is used up."""
    last_with_room = tree.visits.size - strategy.method.most_new_nodes(strategy.game)
    for simulation in range(simulations):
        if tree.size[0] > last_with_room or strategy.proofs.root_is_decided(tree):
            return simulation
        strategy.method.begin(strategy.game, root, tree, scratch, rng)
        strategy.method.simulate(strategy, tree, scratch, rng)
    return simulations


@compiled
def simulate(strategy, tree, scratch, rng):
    """One simulation: down the tree, on to the end of a game, and back up."""
    leaf = descend(strategy, tree, scratch, rng)
    strategy.expansion.play(strategy, tree, leaf, scratch, rng)
    strategy.proofs.conclude(strategy.game, tree, leaf)
