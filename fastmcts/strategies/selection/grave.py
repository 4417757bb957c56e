"""The mean, mixed with how well a move did whenever it was played."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Actions, Position
from fastmcts.core.validate import real_number, whole_number
from fastmcts.game import Game
from fastmcts.kernels.payments import reward_at
from fastmcts.strategies.selection.base import Selection


@dataclass(frozen=True)
class GRAVE(Selection):
    """The mean, mixed with how well the move did when it was played later (Cazenave 2015).

    A child's score is (1 - b) mean + b amaf, with b = m / (m + n + bias_factor * m * n) for n visits and m
    all-moves-as-first visits. These are taken from the nearest ancestor with enough visits of its own, since
    a young node has few. `GRAVE(reference=0)` is RAVE.

    Args:
        reference: How many visits make a node a reference for those below it.
        bias_factor: How fast the weight moves from amaf to mean.
        c: The weight of UCT's exploration bonus; the published rule has none.
        first_play: The score of a child about which nothing is known.
    """

    reference: int = 50
    bias_factor: float = 1e-5
    c: float = 0.0
    first_play: float | None = 1.0

    keeps_moves = True

    def __post_init__(self) -> None:
        Selection.__post_init__(self)
        whole_number("GRAVE's reference", self.reference, low=0)
        real_number("GRAVE's bias_factor", self.bias_factor, low=0.0)

    @property
    def statistics(self) -> tuple[str, ...]:
        """AMAF statistics and the tables to gather them."""
        return (*super().statistics, "amaf_visits", "amaf_sum", "reference", "played")

    @property
    def untried_first(self) -> bool:
        """Untried children have AMAF values to compare."""
        return False

    def enter(self, tree: Tree, node: int) -> None:
        """Take a node with enough visits as the reference: the last entry of the table tells which."""
        if node == ROOT or tree.visits[node] >= self.reference:
            tree.reference[-1] = node
            first = tree.first_child[node]
            for child in range(first, first + tree.num_children[node]):
                tree.reference[tree.action[child]] = child

    def referred(self, tree: Tree, child: int) -> int:
        """The child of the reference node for the same action, or NONE."""
        candidate = int(tree.reference[tree.action[child]])
        first = tree.first_child[tree.reference[-1]]
        is_there = first <= candidate < first + tree.num_children[tree.reference[-1]]
        if is_there and tree.action[candidate] == tree.action[child]:  # else it is from before the tree was compacted
            return candidate
        return NONE

    def score(self, tree: Tree, node: int, child: int) -> float:
        """Mean and AMAF value, mixed by how much each is known."""
        visits = self.tries(tree, child)
        score = self.mean(tree, child)
        referred = self.referred(tree, child)
        if referred != NONE and tree.amaf_visits[referred] > 0:
            others = tree.amaf_visits[referred]
            weight = others / (others + visits + self.bias_factor * others * visits)
            score = (1.0 - weight) * score + weight * tree.amaf_sum[referred] / others
        bonus = self.c * math.sqrt(math.log(self.trials(tree, node, child)) / visits)
        return self.biased(score + bonus, tree, child, visits)

    def untried_score(self, tree: Tree, node: int, child: int) -> float:
        """The AMAF value alone, if there is one."""
        referred = self.referred(tree, child)
        score = self.urgency
        if referred != NONE and tree.amaf_visits[referred] > 0:
            score = tree.amaf_sum[referred] / tree.amaf_visits[referred]
        return self.biased(score, tree, child, 0)

    def lay_out(
        self,
        game: Game,
        state: Position,
        tree: Tree,
        first: int,
        actions: Actions,
        count: int,
        weights: NDArray[np.float64],
    ) -> None:
        """Children start without AMAF visits."""
        self.set_priors(game, state, tree, first, actions, count, weights)
        for child in range(first, first + count):
            tree.amaf_visits[child] = 0
            tree.amaf_sum[child] = 0.0

    def learn(self, game: Game, tree: Tree, leaf: int, depth: int, scratch: Scratch) -> None:
        """From the leaf up: a child whose move its player made here or later shares the reward."""
        self.note_range(game, tree, scratch)
        length = min(scratch.length[0], scratch.moves.size)
        tree.played[-1] += 1
        for index in range(depth, length):
            self.mark(game, tree, scratch, index)
        node = leaf
        level = depth
        while node != ROOT:
            node = tree.parent[node]
            level -= 1
            self.mark(game, tree, scratch, level)
            player = scratch.movers[level]
            if player >= 0:
                first = tree.first_child[node]
                for child in range(first, first + tree.num_children[node]):
                    if tree.played[player * game.num_actions + tree.action[child]] == tree.played[-1]:
                        tree.amaf_visits[child] += 1
                        tree.amaf_sum[child] += reward_at(game, scratch, level, player)

    def mark(self, game: Game, tree: Tree, scratch: Scratch, index: int) -> None:
        """Note that a player has made a move in this simulation; the last entry counts simulations."""
        player = scratch.movers[index]
        if player >= 0:
            tree.played[player * game.num_actions + scratch.moves[index]] = tree.played[-1]
