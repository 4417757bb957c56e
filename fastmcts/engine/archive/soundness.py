"""Check a tree that comes from outside: kernels follow its links and play its moves without asking."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import JIT_ENABLED, bounds_checked, wrapping_integers
from fastmcts.core.constants import CHANCE, NONE, ROOT
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import MAX_NODES, Tree, information_sets
from fastmcts.core.types import Position
from fastmcts.errors import LoadError
from fastmcts.game import Game
from fastmcts.kernels import soundness
from fastmcts.kernels.replay import find_misfit
from fastmcts.rng import ONE, below, make_rng
from fastmcts.state import State
from fastmcts.strategies.methods import SinglePerspective
from fastmcts.strategies.strategy import Strategy

MOST_COUNTED = 2**62  # simulations that a table can have counted, with room for more
MOVES_TRIED = 300  # from a root that only the rules can judge
PLAYED_IN_PYTHON = 2000  # nodes with children: fewer are played through before the rules are compiled

FAULTS = {
    soundness.SIZE: "the tree says that it has {size:,} nodes",
    soundness.COUNTS: "node {node} says that it has {num_children} children, {num_tried} of them tried",
    soundness.BLOCK: "the children of node {node} stand at {first_child}, outside of the tree or out of order",
    soundness.OVERLAP: "the children of node {node} belong to another node too",
    soundness.PARENT: "the parent of node {node}, or of one of its children, is another node",
    soundness.ACTION: "a child of node {node} has an action that does not exist",
    soundness.TWICE: "two children of node {node} have the same action",
    soundness.PLAYER: "node {node} or one of its children belongs to the wrong player",
    soundness.VISITS: "the visits of node {node}, {visits:,}, do not fit those of its children",
    soundness.SUMS: "the sums of rewards at node {node} do not fit its visits",
    soundness.AVAILABLE: "a child of node {node} was available more often than it, or never",
    soundness.SEED: "a child of node {node} has replies that cannot be",
    soundness.BOUNDS: "the bounds of node {node} are not within 0 and 1",
    soundness.ORPHAN: "node {node} belongs to no other node",
    soundness.DEPTH: "the tree says that it is {depth:,} moves deep",
    soundness.SETS: "the information sets do not fill the tree",
    soundness.HASHES: "the search by hashes does not find all information sets",
    soundness.TOP: "node {node} has an action, and no move leads to it",
}


def check_links(tree: Tree, num_players: int, most_moves: int, longest: int, only_player: int = NONE) -> None:
    """Raise LoadError, saying what is wrong, unless every invariant of a tree holds; clear what nobody has written.

    Args:
        tree: The tree.
        num_players: How many play.
        most_moves: The most children of a node: actions, or outcomes of chance.
        longest: The most moves of a game.
        only_player: The only player who moves in the tree; NONE if all do.
    """
    size = min(max(1, int(tree.size[0])), tree.visits.size)
    hashes = size if tree.has_information_sets else 0
    limits = soundness.Limits(num_players, most_moves, longest, only_player)
    walk = soundness.Walk(
        owners=np.zeros(size, np.int32),
        order=np.zeros(size, np.int32),
        levels=np.zeros(size, np.int32),
        marks=np.zeros(most_moves, np.int64),
        joined=np.zeros(hashes, np.int32),
        lows=np.zeros(hashes, np.uint64),
        highs=np.zeros(hashes, np.uint64),
    )
    fault, node = soundness.find_fault(tree, limits, walk)
    if fault != soundness.SOUND:
        values = {name: int(getattr(tree, name)[node]) for name in ("num_children", "num_tried", "first_child")}
        counters = {"size": int(tree.size[0]), "depth": int(tree.depth[0]), "visits": int(tree.visits[node])}
        raise LoadError(FAULTS[fault].format(node=node, **values, **counters))
    check_tables(tree, longest)


def check_tables(tree: Tree, longest: int) -> None:
    """Raise LoadError unless the tables beside the nodes hold what they can hold."""
    counts, sums = tree.action_visits, tree.action_sum
    slack = soundness.SLACK * (1.0 + counts)
    if not ((counts >= 0) & (counts <= MOST_COUNTED) & (-slack <= sums) & (sums <= counts + slack)).all():
        raise LoadError("the records of moves are not sums of rewards")
    if tree.reference.size > 0 and not 0 <= tree.reference.min() <= tree.reference.max() <= MAX_NODES:
        raise LoadError("the table of references has nodes that cannot be")
    if tree.played.size > 0 and not 0 <= tree.played.min() <= tree.played.max() == tree.played[-1] <= MOST_COUNTED:
        raise LoadError("the table of moves played is from another simulation than the last")
    low, high = tree.reward_range
    if not (low == np.inf and high == -np.inf) and not 0.0 <= low <= high <= 1.0:
        raise LoadError(f"the rewards seen are said to be from {low} to {high}")
    if not 0 <= tree.depth[0] <= longest:
        raise LoadError(f"the tree says that it is {int(tree.depth[0]):,} moves deep")


def check_planted(
    strategy: Strategy, tree: Tree, root: Position, viewer: int | None, scratch: Scratch, checked: bool = False
) -> None:
    """Raise LoadError unless a tree is one that a search of a position, which is sound, can have grown.

    Args:
        strategy: The components of the search.
        tree: The tree. Information sets are marked, so that simulations compare their moves with the rules.
        root: int64 [state_size], the position at its root.
        viewer: Whose view that is; None if everything is known.
        scratch: Buffers.
        checked: Whether compiled rules check bounds.
    """
    game = strategy.game
    state = game.new_state(root, viewer)
    is_waiting = state.is_waiting()
    player = NONE if is_waiting else state.current_player()
    is_single = isinstance(strategy.method, SinglePerspective)
    only = player if is_single and player >= 0 else NONE
    most_moves = max(game.num_actions, game.num_chance_outcomes)
    check_links(tree, game.num_players, most_moves, game.max_game_length, only)
    if is_waiting:
        return  # nobody searches from here: the next search drops the tree
    if tree.player[ROOT] != player and (tree.player[ROOT] < 0 or is_single):
        raise LoadError(f"player {tree.player[ROOT]} is said to be to move, but it is {player}")
    if tree.has_information_sets:
        check_sets(tree, state.legal_actions() if player >= 0 else [], player)
    elif not tree.spans_positions:
        play_through(game, tree, root, scratch, checked)


def check_sets(tree: Tree, legal: list[int], player: int) -> None:
    """Compare the moves at the root with the rules, and have simulations compare all others."""
    first, count = int(tree.first_child[ROOT]), int(tree.num_children[ROOT])
    if count > 0 and (sorted(tree.action[first : first + count].tolist()) != legal or tree.player[ROOT] != player):
        raise LoadError("the moves at the root are not those of its position")
    if not tree.player[ROOT] >= 0 and tree.size[0] > 1:
        raise LoadError("there are information sets of a game that is over")
    sets = np.fromiter(information_sets(tree), np.int64)
    tree.action[sets[1:]] = soundness.UNCONFIRMED


def play_through(game: Game, tree: Tree, root: Position, scratch: Scratch, checked: bool = False) -> None:
    """Raise LoadError unless the moves of every node are those of its position."""
    levels = int(tree.depth[0]) + 1
    positions = np.zeros((levels, game.state_size), np.int64)
    path, following = np.zeros((2, levels), np.int64)
    walk: Any = bounds_checked(find_misfit) if checked else find_misfit
    expanded = int(np.count_nonzero(tree.first_child[: int(tree.size[0])] != NONE))
    if JIT_ENABLED and expanded < PLAYED_IN_PYTHON:
        walk = walk.py_func
    try:
        with wrapping_integers():
            node = walk(game, tree, root, positions, path, following, scratch)
    except IndexError as error:
        raise LoadError(f"its moves lead a rule of {game.name} past the end of an array: {error}") from error
    if node != NONE:
        raise LoadError(f"the moves at node {node} are not those of its position")


def play_from(game: Game, root: Position) -> None:
    """Play some random games from a position in plain Python, which notices what compiled rules would not.

    A game that has no `check_state` cannot say whether an array is a position. One that is not leads its rules outside
    of their arrays, mostly at once. Raises LoadError then.
    """
    rng = make_rng(0)
    state = game.new_state(root.copy())
    left = game.max_game_length
    try:
        with wrapping_integers():
            for _ in range(MOVES_TRIED):
                if left == 0 or state.is_terminal():
                    state, left = game.new_state(root.copy()), game.max_game_length
                if not state.is_terminal():
                    legal = legal_or_raise(state)
                    state.apply_action(legal[below(rng, len(legal))])
                    left -= 1
    except Exception as error:  # the rules may do anything with what is no position
        raise LoadError(f"its root is no position of {game.name}: {error}") from error


def legal_or_raise(state: State) -> list[int]:
    """The moves or outcomes of a position in which somebody moves; ValueError if there are none, or others."""
    game, player, legal = state.game, state.current_player(), state.legal_actions()
    if not CHANCE <= player < game.num_players:
        raise ValueError(f"player {player} is to move")
    most = game.num_actions if player >= 0 else game.num_chance_outcomes
    if not legal or not 0 <= legal[0] <= legal[-1] < most:
        raise ValueError(f"the legal actions are {legal}")
    return legal


def check_generators(rng: NDArray[np.uint64]) -> None:
    """Raise LoadError unless the steps of random generators are odd, as those of all cycles are."""
    if (rng[..., 1] & ONE != ONE).any():
        raise LoadError("its random numbers are in a state in which none come")
