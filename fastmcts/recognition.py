"""Find a position in a tree that was searched from an earlier one."""

import numpy as np

from fastmcts.arrays import Position
from fastmcts.constants import ROOT
from fastmcts.jit import wrapping_integers
from fastmcts.state import State
from fastmcts.tree import Tree, children

DEEPEST = 3  # moves
MOST_TRIED = 4000  # positions: then it is one of the hardly visited ones, with little to reuse


def find_below(tree: Tree, root: State, wanted: Position) -> list[int] | None:
    """The moves that lead from a tree's root to a position.

    The shortest way counts, and of several the most visited one.

    Args:
        tree: The tree.
        root: The position at its root.
        wanted: int64 [state_size].

    Returns:
        The actions, or None if the position is not within reach.
    """
    tried = 0
    level: list[tuple[int, Position, list[int]]] = [(ROOT, root.array, [])]
    for _ in range(DEEPEST):
        below: list[tuple[int, Position, list[int]]] = []
        for node, position, path in level:
            for child in sorted(children(tree, node), key=lambda child: -int(tree.visits[child])):
                if tried == MOST_TRIED:
                    return None
                tried += 1
                action = int(tree.action[child])
                after = position.copy()
                with wrapping_integers():
                    root.game.apply(after, action)
                if np.array_equal(after, wanted):
                    return [*path, action]
                below.append((child, after, [*path, action]))
        level = below
    return None
