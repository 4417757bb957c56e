"""Monte Carlo tree search."""

from fastmcts.compiler.jit import compiled, entry, part
from fastmcts.core.constants import DECIDED, DONE, FULL, NONE, ROOT
from fastmcts.kernels.descend import descend
from fastmcts.kernels.room import last_with_room


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
        How many were added, and why no more: DONE, DECIDED or FULL.
    """
    return search(strategy, tree, root, scratch, rng, simulations)


@part
def search(strategy, tree, root, scratch, rng, simulations):
    """Simulate until the budget, the room in the tree or the doubt about the root is used up."""
    last = last_with_room(strategy, tree, 1)
    if strategy.expansion.evaluates and simulations > 0 and tree.first_child[ROOT] == NONE and tree.size[0] <= last:
        # What is said about the root itself is no simulation.
        strategy.method.begin(strategy.game, root, tree, scratch, rng)
        strategy.method.simulate(strategy, tree, scratch, rng)
    for simulation in range(simulations):
        if tree.size[0] > last:
            return simulation, FULL
        if strategy.proofs.is_decided(tree, ROOT):
            return simulation, DECIDED
        strategy.method.begin(strategy.game, root, tree, scratch, rng)
        strategy.method.simulate(strategy, tree, scratch, rng)
    return simulations, DONE


@compiled
def simulate(strategy, tree, scratch, rng):
    """One simulation: down the tree, on to the end of a game, and back up."""
    leaf = descend(strategy, tree, ROOT, scratch, rng)
    strategy.expansion.play(strategy, tree, leaf, scratch, rng)
    strategy.proofs.conclude(strategy.game, tree, leaf)
