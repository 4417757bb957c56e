"""Expansion policies: which untried moves a simulation adds to the tree."""

from dataclasses import dataclass
from typing import Any

from fastmcts.compiler.component import Component
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Actions, Position, Rng
from fastmcts.core.validate import real_number, whole_number
from fastmcts.game import Game
from fastmcts.kernels.leaf import expand_all, is_expandable, roll_out
from fastmcts.rng import below, shuffle

__all__ = ["ExpandAll", "Expansion", "Lazy", "Prioritized"]

MOST_ASSUMED = 2**15 - 1  # visits, which are kept as int16


@dataclass(frozen=True)
class Expansion(Component):
    """Base of all expansion policies."""

    statistics = ()

    #: Whether a leaf is expanded into all its children in one simulation.
    at_once = False

    #: Whether an evaluator says what a leaf is worth, and how likely its moves are.
    evaluates = False

    #: Whether a rollout is played beside that.
    blends = False

    def ends_at(self, strategy: Any, tree: Tree, node: int, scratch: Scratch) -> bool:
        """Whether a node, at which a player is to move in `scratch.state`, is to be expanded at once."""
        return tree.first_child[node] == NONE

    def more_new_nodes(self, game: Game) -> int:
        """How many nodes a simulation can add besides those that its method adds."""
        return 0

    def check_room(self, game: Game, tree: Tree, size: int) -> None:
        """Raise GameError if a simulation has added more nodes than it may, to a tree that was of this size."""

    def arrange(self, game: Game, state: Position, actions: Actions, count: int, rng: Rng) -> None:
        """Put the first `count` actions of a new node into the order in which they wait."""

    def choose(self, waiting: int, rng: Rng) -> int:
        """Which of `waiting` untried moves to try next: 0 to waiting - 1."""
        return 0

    def start(self, game: Game, state: Position, tree: Tree, child: int) -> None:
        """Give a child, which is tried for the first time, statistics to start with."""

    def play(self, strategy: Any, tree: Tree, leaf: int, scratch: Scratch, rng: Rng) -> None:
        """Go on from a leaf, whose position is in `scratch.state`, to the end of the game, and back up."""
        roll_out(strategy, tree, leaf, scratch, rng)


@dataclass(frozen=True)
class Lazy(Expansion):
    """One new child a simulation, in random order."""

    def choose(self, waiting: int, rng: Rng) -> int:
        """Any of them, with equal chances."""
        return below(rng, waiting)


@dataclass(frozen=True)
class ExpandAll(Expansion):
    """All children at once, with one rollout beneath each; their sum and count are backed up together.

    Such a simulation adds as many visits as there are children.

    Args:
        visits: How many visits a leaf has before it is expanded; until then it gets plain rollouts. The root is
            expanded at once, since a search is about its children.
    """

    visits: int = 1

    at_once = True

    def __post_init__(self) -> None:
        whole_number("ExpandAll's visits", self.visits, low=0)

    def play(self, strategy: Any, tree: Tree, leaf: int, scratch: Scratch, rng: Rng) -> None:
        """Expand a leaf that has the visits it takes; roll out from any other."""
        is_due = leaf == ROOT or tree.visits[leaf] >= self.visits
        if is_due and is_expandable(strategy.game, tree, leaf, scratch.state):
            expand_all(strategy, tree, leaf, scratch, rng)
        else:
            roll_out(strategy, tree, leaf, scratch, rng)


@dataclass(frozen=True)
class Prioritized(Expansion):
    """One new child a simulation: moves that the game finds promising first, with initial optimism.

    The visits that a promising move starts with count in its mean and when the move to play is chosen. They do not
    count as exploration: if they did, they would take more from its bonus than their optimism adds to its mean.

    Args:
        value: The mean reward that a promising move starts with.
        visits: How many visits it starts with.
    """

    value: float = 0.8
    visits: int = 1

    statistics = ("assumed",)

    def __post_init__(self) -> None:
        real_number("Prioritized's value", self.value, low=0.0, high=1.0)
        whole_number("Prioritized's visits", self.visits, low=0, high=MOST_ASSUMED)

    def arrange(self, game: Game, state: Position, actions: Actions, count: int, rng: Rng) -> None:
        """Promising moves first, both groups in random order."""
        shuffle(rng, actions, count)
        promising = 0
        for index in range(count):
            if game.is_promising(state, actions[index]):
                actions[index], actions[promising] = actions[promising], actions[index]
                promising += 1

    def start(self, game: Game, state: Position, tree: Tree, child: int) -> None:
        """A promising move starts as if it had been visited before."""
        if game.is_promising(state, tree.action[child]):
            tree.assumed[child] = self.visits
            tree.visits[child] = self.visits
            tree.value_sum[child] = self.visits * self.value
            if tree.square_sum.size > 0:
                tree.square_sum[child] = self.visits * self.value**2
