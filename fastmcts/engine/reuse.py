"""Find a position in a tree that was searched from an earlier one."""

import numpy as np

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import ROOT
from fastmcts.core.tree import Tree, children
from fastmcts.core.types import Position
from fastmcts.game import Game
from fastmcts.state import State

DEEPEST = 3  # moves; or a round, where more play
LEAST_SHARE = 1 / 1000  # of the visits: below it there is too little to reuse


def looks_equal(game: Game, position: Position, other: Position, player: int | None) -> bool:
    """Whether a player cannot tell two positions apart; None sees everything."""
    if player is None or np.array_equal(position, other):
        return np.array_equal(position, other)
    if game.current_player(position) != game.current_player(other):
        return False
    known, known_other = np.zeros((2, game.state_size), np.int64)
    game.observe(position, player, known)
    game.observe(other, player, known_other)
    return np.array_equal(known, known_other)


def told(view: State, source: Position) -> bool:
    """Tell a view that waits what a later position shows; False if that contradicts what is known."""
    if view.is_waiting():
        try:
            view.reveal(*view.shown_by(view.game.new_state(source)))
        except ValueError:
            return False
    return True


def find_below(tree: Tree, root: State, wanted: Position, player: int | None = None) -> list[int] | None:
    """The moves that lead from a tree's root to a position.

    The shortest way counts, and of several the most visited one.

    Args:
        tree: The tree.
        root: The position at its root; of a view, what its moves show is taken from the position that is wanted.
        wanted: int64 [state_size].
        player: Who looks for it, and need not tell it apart from others that look the same; None sees everything.

    Returns:
        The actions, or None if the position is not within reach.
    """
    fewest = LEAST_SHARE * int(tree.visits[ROOT])
    level: list[tuple[int, Position, list[int]]] = [(ROOT, root.array, [])]
    for _ in range(max(DEEPEST, root.game.num_players)):
        below: list[tuple[int, Position, list[int]]] = []
        for node, position, path in level:
            legal = None if player is None else root.game.new_state(position, root.viewer).legal_actions()
            for child in children(tree, node):
                action = int(tree.action[child])
                if tree.visits[child] < fewest or (legal is not None and action not in legal):
                    continue  # what is not legal here is in other worlds
                after = root.game.new_state(position.copy(), root.viewer)
                with wrapping_integers():
                    root.game.apply(after.array, action)
                if told(after, wanted):
                    below.append((child, after.array, [*path, action]))
        found = [(node, path) for node, after, path in below if looks_equal(root.game, after, wanted, player)]
        if found:
            return max(found, key=lambda pair: int(tree.visits[pair[0]]))[1]
        level = below
    return None
