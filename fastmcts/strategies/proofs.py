"""Proofs: what is certain about a node, because every line below it was played to the end.

With `solver=True` each node keeps, for every player, the least and the most reward that it is proven to
lead to. Finished games are exact; a player who chooses gets at least the best lower bound and at most the
best upper bound of its moves (score-bounded MCTS, Cazenave and Saffidine 2010). Where the bounds meet the
node is decided: it is not searched again, and a decided root ends the search.

Where one player's gain is not the other's loss (`constant_sum = False`, or more than two players), one who is
indifferent between moves is taken to play the one that was tried first: the outcome is then one of those of
backward induction, which need not be unique.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.compiler.jit import never_inlined
from fastmcts.compiler.lanes import EVERYBODY, Block
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Position
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.kernels.moves import winning_move
from fastmcts.kernels.rewards import reward_of

__all__ = ["NoProofs", "Proofs", "ScoreBounds"]

TOLERANCE = 1e-6  # by which rewards may miss a sum or a bound: a game may compute its utilities in float32


@dataclass(frozen=True)
class Proofs(Component):
    """Base of the ways to keep proofs; this one keeps none."""

    statistics = ()

    def is_open(self, tree: Tree, node: int, child: int, player: int) -> bool:
        """Whether it makes sense for `player` at `node` to search a tried child."""
        return True

    def open_children(self, tree: Tree, node: int, children: Block, player: int) -> int:
        """A bit for each of a block of children that is open."""
        return EVERYBODY

    def best_decided(self, tree: Tree, node: int, player: int) -> int:
        """The child to go to where none is open."""
        return tree.first_child[node]

    def winning_child(self, game: Game, tree: Tree, node: int, player: int, scratch: Scratch) -> int:
        """The child to go to without asking the selection rule, or NONE; new children's moves are in `scratch`."""
        return NONE

    def settle(self, game: Game, tree: Tree, node: int, state: Position, buffer: NDArray[np.float64]) -> None:
        """Note the outcome in a node where the game is over; `buffer` is scratch."""

    def inspect(self, game: Game, state: Position, buffer: NDArray[np.float64]) -> None:
        """Look at the position in which a simulation has ended, for what would make proofs false."""

    def conclude(self, game: Game, tree: Tree, leaf: int) -> None:
        """Draw conclusions from a leaf, and what was settled in or below it, up to the root."""

    def is_decided(self, tree: Tree, root: int) -> bool:
        """Whether nothing is left to find out about a root."""
        return False

    def winning_index(self, game: Game, player: int, scratch: Scratch, count: int) -> int:
        """Which of the first `count` of `scratch.actions` decides a new node for `player`, to move; NONE if unknown."""
        return NONE


@dataclass(frozen=True)
class NoProofs(Proofs):
    """Keep no proofs."""


@dataclass(frozen=True)
class ScoreBounds(Proofs):
    """Keep a lower and an upper bound of every player's reward in each node.

    All bounds are copies of rewards of finished games, or 0 or 1, and never computed: where they meet they are equal.

    Args:
        num_players: How many play.
        constant_sum: Whether two players' rewards add up to one, so that a bound for one bounds the other.
    """

    num_players: int = 2
    constant_sum: bool = True

    statistics = ("lower", "upper")

    def is_open(self, tree: Tree, node: int, child: int, player: int) -> bool:
        """Neither decided nor certainly no better than something else."""
        lower = tree.lower[child * self.num_players + player]
        upper = tree.upper[child * self.num_players + player]
        return lower < upper and upper > tree.lower[node * self.num_players + player]

    def open_children(self, tree: Tree, node: int, children: Block, player: int) -> int:
        """A bit for each of a block of children that is open."""
        bits = 0
        for lane in range(children.size):
            if self.is_open(tree, node, children.first + lane, player):
                bits |= 1 << lane
        return bits

    @never_inlined
    def best_decided(self, tree: Tree, node: int, player: int) -> int:
        """The child that is certainly best for the player to move."""
        first = tree.first_child[node]
        best = first
        for child in range(first, first + tree.num_tried[node]):
            if tree.lower[child * self.num_players + player] > tree.lower[best * self.num_players + player]:
                best = child
        return best

    def winning_child(self, game: Game, tree: Tree, node: int, player: int, scratch: Scratch) -> int:
        """In a new node, a child that wins at once and so decides the node (Winands et al. 2008)."""
        if tree.num_tried[node] > 0:
            return NONE
        index = self.winning_index(game, player, scratch, tree.num_children[node])
        return NONE if index == NONE else tree.first_child[node] + index

    @never_inlined
    def settle(self, game: Game, tree: Tree, node: int, state: Position, buffer: NDArray[np.float64]) -> None:
        """A finished game is exact."""
        if game.current_player(state) == TERMINAL:
            game.returns(state, buffer)
            for player in range(self.num_players):
                reward = reward_of(game, buffer[player])
                tree.lower[node * self.num_players + player] = reward
                tree.upper[node * self.num_players + player] = reward

    @never_inlined
    def inspect(self, game: Game, state: Position, buffer: NDArray[np.float64]) -> None:
        """Raise GameError at a finished game whose utilities are not what the game says of them."""
        if game.current_player(state) == TERMINAL:
            game.returns(state, buffer)
            total = 0.0
            for player in range(self.num_players):
                reward = reward_of(game, buffer[player])
                if not -TOLERANCE <= reward <= 1.0 + TOLERANCE:
                    raise GameError("a finished game has a utility that is not from min_utility to max_utility")
                total += reward
            if self.num_players == 2 and self.constant_sum and not abs(total - 1.0) <= TOLERANCE:
                raise GameError(
                    "the utilities of a finished game do not add up to min_utility + max_utility,"
                    " so that solver=True would prove what is false: write constant_sum = False in its class"
                )

    @never_inlined
    def conclude(self, game: Game, tree: Tree, leaf: int) -> None:
        """Tighten the bounds of one ancestor after the other, as long as something changes."""
        node = leaf
        changed = tree.num_tried[leaf] == 0 and self.is_bounded(tree, leaf)
        while node != NONE and (changed or node == leaf):
            changed = self.tighten(tree, node) or (changed and node == leaf)
            node = tree.parent[node]

    def is_bounded(self, tree: Tree, node: int) -> bool:
        """Whether anything is known about a node."""
        for index in range(node * self.num_players, (node + 1) * self.num_players):
            if tree.lower[index] > 0.0 or tree.upper[index] < 1.0:
                return True
        return False

    def tighten(self, tree: Tree, node: int) -> bool:
        """Compute the bounds of a node from its children; whether they changed."""
        first = tree.first_child[node]
        tried = tree.num_tried[node]
        if tried == 0:
            return False
        mover = int(tree.player[first])
        complete = tried == tree.num_children[node]
        lowest, highest = 0.0, 0.0 if complete else 1.0
        for child in range(first, first + tried):
            lowest = max(lowest, tree.lower[child * self.num_players + mover])
            highest = max(highest, tree.upper[child * self.num_players + mover])
        changed = self.bound(tree, node, mover, lowest, highest)
        for player in range(self.num_players):
            if player != mover:
                if self.num_players == 2 and self.constant_sum:
                    low, high = self.least(tree, first, tried, player, complete)
                elif lowest == highest:
                    chosen = self.best_decided(tree, node, mover) * self.num_players + player
                    low, high = tree.lower[chosen], tree.upper[chosen]
                else:
                    low, high = self.envelope(tree, first, tried, mover, lowest, player, complete)
                changed = self.bound(tree, node, player, low, high) or changed
        return changed

    def least(self, tree: Tree, first: int, tried: int, player: int, complete: bool) -> tuple[float, float]:
        """What a player gets whose opponent is to move: the least of the children's bounds."""
        low, high = 1.0 if complete else 0.0, 1.0
        for child in range(first, first + tried):
            low = min(low, tree.lower[child * self.num_players + player])
            high = min(high, tree.upper[child * self.num_players + player])
        return low, high

    def envelope(
        self, tree: Tree, first: int, tried: int, mover: int, lowest: float, player: int, complete: bool
    ) -> tuple[float, float]:
        """What another player may get, over all children that the mover might choose."""
        low, high = (1.0, 0.0) if complete else (0.0, 1.0)
        for child in range(first, first + tried):
            if tree.upper[child * self.num_players + mover] >= lowest:
                low = min(low, tree.lower[child * self.num_players + player])
                high = max(high, tree.upper[child * self.num_players + player])
        return low, high

    def bound(self, tree: Tree, node: int, player: int, low: float, high: float) -> bool:
        """Set a player's bounds in a node; whether they changed."""
        index = node * self.num_players + player
        changed = tree.lower[index] != low or tree.upper[index] != high
        tree.lower[index] = low
        tree.upper[index] = high
        return changed

    def is_decided(self, tree: Tree, root: int) -> bool:
        """Whether the bounds of the player to move meet at a root."""
        if tree.num_tried[root] == 0:
            return False
        index = root * self.num_players + int(tree.player[tree.first_child[root]])
        return tree.lower[index] == tree.upper[index]

    @never_inlined
    def winning_index(self, game: Game, player: int, scratch: Scratch, count: int) -> int:
        """One that wins at once."""
        return winning_move(game, player, scratch, count)  # pyright: ignore[reportReturnType]
