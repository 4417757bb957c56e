"""How many visits a node must have to keep its children, when a tree has to shrink.

Nodes are counted by the visits of what they hang on: exactly up to `EXACT` visits, and above in steps of less than
half a percent. So one walk through a tree is enough, however often its nodes were visited.
"""

from fastmcts.compiler.jit import compiled
from fastmcts.core.tree import MAX_VISITS

FINE_BITS = 8  # of the visits that are told apart, behind the first
EXACT = 2 << FINE_BITS
NUM_STEPS = (MAX_VISITS.bit_length() - FINE_BITS + 1) << FINE_BITS


@compiled
def step_of(visits):
    """The step in which visits are counted; more visits, higher step."""
    shift = 0
    while visits >> shift >= EXACT:
        shift += 1
    return (shift << FINE_BITS) + (visits >> shift)


@compiled
def least_of(step):
    """The fewest visits that are counted in a step."""
    shift = max(0, (step >> FINE_BITS) - 1)
    return (step - (shift << FINE_BITS)) << shift


@compiled
def fitting_threshold(hanging, most):
    """The fewest visits with which nodes can keep their children, such that these are at most `most`.

    Args:
        hanging: int64 [NUM_STEPS], how many children the nodes of each step have.
        most: How many children there may be.
    """
    step = hanging.size
    left = most
    while step > 1 and hanging[step - 1] <= left:
        step -= 1
        left -= hanging[step]
    return least_of(step)
