"""Selection rules: which child a simulation goes down to.

A rule is a component whose method `score` says how much a simulation wants to go on to a child; the
search takes the child with the highest score. Unless a rule says otherwise, every child is tried once
before any is visited again, and `score` is asked about tried children only.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Actions, Position
from fastmcts.core.validate import real_number, whole_number
from fastmcts.game import Game

__all__ = ["GRAVE", "PUCT", "UCB1", "UCT", "Selection", "UCB1Tuned"]


@dataclass(frozen=True, kw_only=True)
class Selection(Component):
    """Base of all selection rules: a rule of one's own overrides `score`.

    Args:
        first_play: First-play urgency: the score of an untried child. None tries all children first.
        bias: Progressive bias: adds bias * prior / (1 + visits), with the prior of the game.
        normalize: Stretch means to the range of rewards seen so far, so that `c` fits any game.
    """

    first_play: float | None = None
    bias: float = 0.0
    normalize: bool = False

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.first_play is not None:
            real_number(f"{name}'s first_play", self.first_play)
        real_number(f"{name}'s bias", self.bias)
        if hasattr(self, "c"):
            real_number(f"{name}'s c", self.c, low=0.0)  # pyright: ignore[reportAttributeAccessIssue]

    #: Whether somebody has to keep the moves of each simulation for `learn`.
    keeps_moves = False

    @property
    def statistics(self) -> tuple[str, ...]:
        """The optional fields of the tree that the rule reads."""
        return ("prior",) if self.uses_prior else ()

    @property
    def untried_first(self) -> bool:
        """Whether all children are tried before any is chosen by its score."""
        return self.first_play is None

    @property
    def uses_prior(self) -> bool:
        """Whether the rule reads the game's priors."""
        return self.bias != 0.0

    @property
    def urgency(self) -> float:
        """`first_play` as a number."""
        return math.inf if self.first_play is None else float(self.first_play)

    def score(self, tree: Tree, node: int, child: int) -> float:
        """How much a simulation at `node` wants to go on to a tried child."""
        raise NotImplementedError

    def untried_score(self, tree: Tree, node: int, child: int) -> float:
        """The same for an untried child, of which only action, prior and AMAF statistics are known."""
        return self.biased(self.urgency, tree, child, 0)

    def mean(self, tree: Tree, child: int) -> float:
        """The mean reward of a child for the player who chooses it, normalized if asked for."""
        mean = tree.value_sum[child] / tree.visits[child]
        if self.normalize:
            low, high = tree.reward_range[0], tree.reward_range[1]
            return (mean - low) / (high - low) if high > low else 0.5
        return mean

    def trials(self, tree: Tree, node: int, child: int) -> int:
        """How often a child could have been chosen: the node's visits, unless its moves differ from world to world."""
        if tree.available.size > 0:
            return tree.available[child]
        return tree.visits[node]

    def tries(self, tree: Tree, child: int) -> int:
        """How often a child was chosen: its visits, less those that it started with."""
        if tree.assumed.size > 0:
            return tree.visits[child] - tree.assumed[child]
        return tree.visits[child]

    def biased(self, score: float, tree: Tree, child: int, visits: int) -> float:
        """The score of a child plus its progressive bias, if there is one."""
        if self.uses_prior:
            return score + self.bias * tree.prior[child] / (1 + visits)
        return score

    def enter(self, tree: Tree, node: int) -> None:
        """Called at each node on the way down, before its children are scored."""

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
        """Prepare a new block of children: they get `actions` in their order from `first` on."""
        self.set_priors(game, state, tree, first, actions, count, weights)

    def set_priors(
        self,
        game: Game,
        state: Position,
        tree: Tree,
        first: int,
        actions: Actions,
        count: int,
        weights: NDArray[np.float64],
    ) -> None:
        """Ask the game for the priors of a block of children, if anybody wants them."""
        if self.uses_prior:
            game.prior(state, actions, count, weights)
            for index in range(count):
                tree.prior[first + index] = weights[index]

    def learn(self, game: Game, tree: Tree, leaf: int, depth: int, scratch: Scratch) -> None:
        """Called after each rollout, which began `depth` moves below the root, at `leaf`."""
        self.note_range(game, tree, scratch)

    def note_range(self, game: Game, tree: Tree, scratch: Scratch) -> None:
        """Keep the range of rewards, if anybody wants means normalized."""
        if self.normalize:
            for player in range(game.num_players):
                tree.reward_range[0] = min(tree.reward_range[0], scratch.rewards[player])
                tree.reward_range[1] = max(tree.reward_range[1], scratch.rewards[player])


@dataclass(frozen=True)
class UCB1(Selection):
    """Mean + c sqrt(2 ln N / n), with N visits of the node and n of the child.

    Args:
        c: The weight of exploration.
    """

    c: float = 1.4

    def score(self, tree: Tree, node: int, child: int) -> float:
        """The child's mean reward plus its exploration bonus."""
        visits = self.tries(tree, child)
        bonus = self.c * math.sqrt(2.0 * math.log(self.trials(tree, node, child)) / visits)
        return self.biased(self.mean(tree, child) + bonus, tree, child, visits)


@dataclass(frozen=True)
class UCT(Selection):
    """Mean + c sqrt(ln N / n), with N visits of the node and n of the child.

    Args:
        c: The weight of exploration.
    """

    c: float = 1.4

    def score(self, tree: Tree, node: int, child: int) -> float:
        """The child's mean reward plus its exploration bonus."""
        visits = self.tries(tree, child)
        bonus = self.c * math.sqrt(math.log(self.trials(tree, node, child)) / visits)
        return self.biased(self.mean(tree, child) + bonus, tree, child, visits)


@dataclass(frozen=True)
class UCB1Tuned(Selection):
    """Mean + c sqrt(ln N / n * min(1/4, variance + sqrt(2 ln N / n))) (Auer et al. 2002).

    Args:
        c: The weight of exploration; 1 is the published rule.
    """

    c: float = 1.0

    @property
    def statistics(self) -> tuple[str, ...]:
        """The squares of rewards, for the variance."""
        return (*super().statistics, "square_sum")

    def score(self, tree: Tree, node: int, child: int) -> float:
        """The child's mean reward plus a bonus that is small where rewards vary little."""
        visits = self.tries(tree, child)
        mean = tree.value_sum[child] / tree.visits[child]
        share = math.log(self.trials(tree, node, child)) / visits
        variance = max(0.0, tree.square_sum[child] / tree.visits[child] - mean * mean) + math.sqrt(2.0 * share)
        bonus = self.c * math.sqrt(share * min(0.25, variance))
        return self.biased(self.mean(tree, child) + bonus, tree, child, visits)

    def learn(self, game: Game, tree: Tree, leaf: int, depth: int, scratch: Scratch) -> None:
        """Add the squared reward to every node that the simulation passed."""
        self.note_range(game, tree, scratch)
        node = leaf
        while node != NONE:
            reward = scratch.rewards[tree.player[node]]
            tree.square_sum[node] += reward * reward
            node = tree.parent[node]


@dataclass(frozen=True)
class PUCT(Selection):
    """Mean + c P sqrt(N) / (1 + n), with the prior P of the game: uniform unless it has its own.

    Args:
        c: The weight of exploration.
        first_play: What an untried child is taken to be worth.
    """

    c: float = 1.4
    first_play: float | None = 0.5

    @property
    def uses_prior(self) -> bool:
        """Always."""
        return True

    def score(self, tree: Tree, node: int, child: int) -> float:
        """The child's mean reward plus a bonus in proportion to its prior."""
        visits = self.tries(tree, child)
        bonus = self.c * tree.prior[child] * math.sqrt(tree.visits[node]) / (1 + visits)
        return self.biased(self.mean(tree, child) + bonus, tree, child, visits)

    def untried_score(self, tree: Tree, node: int, child: int) -> float:
        """The first-play urgency plus the bonus for no visits."""
        bonus = self.c * tree.prior[child] * math.sqrt(tree.visits[node])
        return self.biased(self.urgency + bonus, tree, child, 0)


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
                        tree.amaf_sum[child] += scratch.rewards[player]

    def mark(self, game: Game, tree: Tree, scratch: Scratch, index: int) -> None:
        """Note that a player has made a move in this simulation; the last entry counts simulations."""
        player = scratch.movers[index]
        if player >= 0:
            tree.played[player * game.num_actions + scratch.moves[index]] = tree.played[-1]
