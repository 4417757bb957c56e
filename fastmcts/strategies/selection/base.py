"""What all selection rules have in common.

A rule is a component that says how much a simulation wants to go on to each child of a node; the search takes the
child with the highest score, the first among equals. Unless a rule says otherwise, every child is tried once before any
is visited again. There are two ways to write a rule:

- `score(tree, node, child)` is about one tried child, with any branches that it takes.
- `scores(tree, children, exploration)` is one formula over lanes, for up to eight children at once
  (compiler/lanes.py): several times as fast. What depends on the node alone, such as a logarithm, `exploration` has
  computed before. Where a rule leaves untried children in the contest, they are among `children`, without visits.

The rules in this folder are formulas over lanes, but for GRAVE. What they are made of takes a block of children or one
child. So a rule that overrides some part of them for one child is asked about one child at a time. A rule that leaves
some choices to chance says so (`draws`) and has `drawn_child`; all others draw no random numbers.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.compiler.lanes import at, maximum, where
from fastmcts.core.constants import NONE
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Actions, Position, Rng
from fastmcts.core.validate import real_number
from fastmcts.game import Game

#: Parts of a rule that may be written for one child alone.
ONE_CHILD = frozenset({"score", "untried_score", "mean", "trials", "tries", "biased"})


class Roots(NamedTuple):
    """What searches by an evaluator have found about the A moves of B positions.

    Attributes:
        visits: int64 [B, A].
        value_sums: float64 [B, A], the rewards of the moves.
        priors: float64 [B, A], as the evaluator gave them.
        estimates: float64 [B], the rewards that the evaluator gave the positions.
        legal: bool [B, A], which moves there are.
    """

    visits: NDArray[np.int64]
    value_sums: NDArray[np.float64]
    priors: NDArray[np.float64]
    estimates: NDArray[np.float64]
    legal: NDArray[np.bool_]

    def only(self, rows: NDArray[np.bool_]) -> "Roots":
        """Some of the positions."""
        return Roots(
            self.visits[rows], self.value_sums[rows], self.priors[rows], self.estimates[rows], self.legal[rows]
        )


@dataclass(frozen=True, kw_only=True)
class Selection(Component):
    """Base of all selection rules: a rule of one's own overrides `score`, or `exploration` and `scores`.

    Args:
        first_play: First-play urgency: the score of an untried child. None tries all children first.
        bias: Progressive bias: adds bias * prior / (1 + visits), with the prior of the game.
        normalize: Stretch means to the range of rewards seen so far, so that `c` fits any game.
    """

    first_play: float | None = None
    bias: float = 0.0
    normalize: bool = False

    #: Whether children are scored eight at a time.
    in_lanes = False

    #: Whether the rule chooses among all children of a node by itself: `choice`.
    by_node = False

    #: Whether every search starts with a new tree.
    starts_anew = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        own = vars(cls).keys()
        if "scores" in own:
            cls.in_lanes = True
        elif not ONE_CHILD.isdisjoint(own):
            cls.in_lanes = False

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.first_play is not None:
            real_number(f"{name}'s first_play", self.first_play)
        real_number(f"{name}'s bias", self.bias)
        if hasattr(self, "c"):
            real_number(f"{name}'s c", self.c, low=0.0)  # pyright: ignore[reportAttributeAccessIssue]

    #: Whether somebody has to keep the moves of each simulation for `learn`.
    keeps_moves = False

    #: Whether `drawn_child` is asked before children are scored.
    draws = False

    @property
    def statistics(self) -> tuple[str, ...]:
        """The optional fields of the tree that the rule reads."""
        return ("prior",) if self.uses_prior else ()

    @property
    def is_biased(self) -> bool:
        """Whether there is a progressive bias."""
        return self.bias != 0.0

    @property
    def untried_first(self) -> bool:
        """Whether all children are tried before any is chosen by its score."""
        return self.first_play is None

    @property
    def uses_prior(self) -> bool:
        """Whether the rule reads the game's priors."""
        return self.is_biased

    @property
    def urgency(self) -> float:
        """`first_play` as a number."""
        return math.inf if self.first_play is None else float(self.first_play)

    def score(self, tree: Tree, node: int, child: int) -> float:
        """How much a simulation at `node` wants to go on to a tried child."""
        return self.scores(tree, child, self.exploration(self.trials(tree, node, child)))

    def untried_score(self, tree: Tree, node: int, child: int) -> float:
        """The same for an untried child, of which only action, prior and AMAF statistics are known."""
        return self.biased(self.urgency, tree, child, 0)

    def exploration(self, trials: int) -> float:
        """What depends on the node alone, given how often its children could have been chosen."""
        return 0.0

    def scores(self, tree: Tree, children: Any, exploration: Any) -> Any:
        """The scores of a block of children, or of one.

        Args:
            tree: The tree.
            children: Up to eight children, which `at` reads as lanes; or the index of one.
            exploration: What `exploration` returns: for the node, or, where moves differ from world to world, lanes.
        """
        raise NotImplementedError

    def mean(self, tree: Tree, child: Any) -> Any:
        """The mean reward of a child, or of each of a block, for the player who chooses; normalized if asked for."""
        mean = at(tree.value_sum, child) / self.averaged(tree, child)
        if self.normalize:
            low, high = tree.reward_range[0], tree.reward_range[1]
            if low == high:
                low, high = low - 0.5, low + 0.5
            return (mean - low) / (high - low)
        return mean

    def rewarded(self, tree: Tree, child: Any) -> Any:
        """How many visits of a child, or of each of a block, have brought a reward: all but those that wait."""
        if tree.pending.size > 0:
            return at(tree.visits, child) - at(tree.pending, child)
        return at(tree.visits, child)

    def averaged(self, tree: Tree, child: Any) -> Any:
        """How many visits a mean is taken over; a child that waits for its first reward looks like a loss."""
        visits = self.rewarded(tree, child)
        return maximum(visits, 1) if tree.pending.size > 0 else visits

    def trials(self, tree: Tree, node: int, child: int) -> int:
        """How often a child could have been chosen: the node's visits, unless its moves differ from world to world."""
        if tree.available.size > 0:
            return tree.available[child]
        return tree.visits[node]

    def tries(self, tree: Tree, child: Any) -> Any:
        """How often a child, or each of a block, was chosen: its visits, less those that it started with."""
        if tree.assumed.size > 0:
            return at(tree.visits, child) - at(tree.assumed, child)
        return at(tree.visits, child)

    def first_played(self, score: Any, visits: Any) -> Any:
        """A score, with the first-play urgency in place of that of untried children, if they compete."""
        if self.untried_first:
            return score
        return where(visits > 0, score, self.urgency)

    def biased(self, score: Any, tree: Tree, child: Any, visits: Any) -> Any:
        """A score plus the progressive bias, if there is one."""
        if self.is_biased:
            return score + self.bias * at(tree.prior, child) / (1 + visits)
        return score

    def choice(self, proofs: Any, tree: Tree, node: int, player: int, scratch: Scratch) -> int:
        """The child to go on to, for a rule that says `by_node`; NONE if there is none that `competes`."""
        raise NotImplementedError

    def begin(self, tree: Tree, root: int, rng: Rng) -> None:
        """Called when an evaluator has expanded a root."""

    def improved(self, roots: Roots) -> NDArray[np.float64]:
        """What a network should learn from searches by an evaluator: the shares of visits, unless overridden.

        Args:
            roots: What was found; each root has at least one move that was visited.

        Returns:
            float64 [B, A], which add up to one in each row, and are 0 for illegal moves.
        """
        return roots.visits / roots.visits.sum(axis=1, keepdims=True)

    def enter(self, tree: Tree, node: int) -> None:
        """Called at each node on the way down, before its children are scored."""

    def drawn_child(self, tree: Tree, node: int, rng: Rng) -> int:
        """A child that is drawn at random instead of being chosen by its score; NONE if the score is to decide.

        Asked only if `draws`, where all children that are to be tried first were tried.
        """
        return NONE

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
        if self.normalize and game.pays_rewards:
            tree.reward_range[0] = min(tree.reward_range[0], scratch.return_range[0])
            tree.reward_range[1] = max(tree.reward_range[1], scratch.return_range[1])
        elif self.normalize:
            for player in range(game.num_players):
                tree.reward_range[0] = min(tree.reward_range[0], scratch.rewards[player])
                tree.reward_range[1] = max(tree.reward_range[1], scratch.rewards[player])
