"""Find a position in a tree that was searched from an earlier one."""

import numpy as np

from fastmcts.arrays import Position
from fastmcts.constants import ROOT
from fastmcts.game import Game
from fastmcts.jit import wrapping_integers
from fastmcts.state import State
from fastmcts.tree import Tree, children

DEEPEST = 3  # moves; or a round, where more play
MOST_TRIED = 4000  # positions: then it is one of the hardly visited ones, with little to reuse


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


def find_below(tree: Tree, root: State, wanted: Position, player: int | None = None) -> list[int] | None:
    """The moves that lead from a tree's root to a position.

    The shortest way counts, and of several the most visited one.

    Args:
        tree: The tree.
        root: The position at its root.
        wanted: int64 [state_size].
        player: Who looks for it, and need not tell it apart from others that look the same; None sees everything.

    Returns:
        The actions, or None if the position is not within reach.
    """
    tried = 0
    level: list[tuple[int, Position, list[int]]] = [(ROOT, root.array, [])]
    for _ in range(max(DEEPEST, root.game.num_players)):
        below: list[tuple[int, Position, list[int]]] = []
        for node, position, path in level:
            legal = None if player is None else root.game.new_state(position).legal_actions()
            for child in sorted(children(tree, node), key=lambda child: -int(tree.visits[child])):
                if tried == MOST_TRIED:
                    return None
                tried += 1
                action = int(tree.action[child])
                if legal is not None and action not in legal:
                    continue  # in other worlds it is
                after = position.copy()
                with wrapping_integers():
                    root.game.apply(after, action)
                if looks_equal(root.game, after, wanted, player):
                    return [*path, action]
                below.append((child, after, [*path, action]))
        level = below
    return None
