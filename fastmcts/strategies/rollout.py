"""Rollout policies: how a simulation plays on where the tree ends."""

import math
from dataclasses import dataclass

from fastmcts.compiler.component import Component
from fastmcts.core.constants import NONE
from fastmcts.core.scratch import Scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Rng
from fastmcts.core.validate import real_number, whole_number
from fastmcts.game import Game
from fastmcts.kernels.moves import legal_moves, winning_move
from fastmcts.kernels.rewards import reward_of
from fastmcts.rng import below, unit

__all__ = ["MAST", "CarefulRollout", "Decisive", "GameRollout", "RandomRollout", "Rollout"]

UNLIMITED = 2**62


@dataclass(frozen=True, kw_only=True)
class Rollout(Component):
    """Base of all rollout policies: a policy of one's own overrides `choose`.

    Args:
        max_length: After so many moves the game's `evaluate` decides; None plays to the end.
        discount: How much of a utility remains with each move from the root, be it of a finished game or what
            `evaluate` says: below 1, it is drawn towards a utility of 0, so that early wins count more and late losses
            less. Where 0 is not from `min_utility` to `max_utility`, it is drawn towards the nearer of the two.
            In a game that pays rewards on the way it is the discount of a Markov decision process: what is paid k
            decisions later counts discount**k, in the tree and in rollouts, and each node has the discounted return
            from there on. (Chance takes no time.)
    """

    max_length: int | None = None
    discount: float = 1.0

    statistics = ()

    #: Whether somebody has to keep the moves of each simulation for `learn`.
    keeps_moves = False

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.max_length is not None:
            whole_number(f"{name}'s max_length", self.max_length, low=0)
        real_number(f"{name}'s discount", self.discount, above=0.0, high=1.0)

    @property
    def limit(self) -> int:
        """The number of moves after which a rollout is cut off."""
        return UNLIMITED if self.max_length is None else int(self.max_length)

    @property
    def discounts(self) -> bool:
        """Whether the length of a simulation matters."""
        return self.discount != 1.0

    def discounted(self, game: Game, reward: float, length: int) -> float:
        """A reward after a simulation of `length` moves, drawn towards that of a utility of 0."""
        if self.discounts:
            zero = min(1.0, max(0.0, reward_of(game, 0.0)))
            return zero + (reward - zero) * math.pow(self.discount, length)
        return reward

    def choose(self, game: Game, player: int, tree: Tree, scratch: Scratch, rng: Rng) -> int:
        """The move of `player` in `scratch.state`; `scratch.actions` is a buffer to list moves in."""
        raise NotImplementedError

    def learn(self, game: Game, tree: Tree, scratch: Scratch) -> None:
        """Called after each rollout."""


@dataclass(frozen=True, kw_only=True)
class RandomRollout(Rollout):
    """Every legal move with equal chances.

    Args:
        max_length: After so many moves the game's `evaluate` decides; None plays to the end.
        discount: How much of a utility remains with each move from the root: below 1, it is drawn towards 0.
    """

    def choose(self, game: Game, player: int, tree: Tree, scratch: Scratch, rng: Rng) -> int:
        """Any legal move, with equal chances."""
        return game.random_action(scratch.state, scratch.actions, rng)


@dataclass(frozen=True, kw_only=True)
class GameRollout(Rollout):
    """The game's own policy, its `rollout_action`."""

    def choose(self, game: Game, player: int, tree: Tree, scratch: Scratch, rng: Rng) -> int:
        """What the game plays."""
        return game.rollout_action(scratch.state, scratch.actions, rng)


@dataclass(frozen=True, kw_only=True)
class CarefulRollout(Rollout):
    """The game's second policy, its `careful_action`, where it has one that plays better than its `rollout_action`."""

    def choose(self, game: Game, player: int, tree: Tree, scratch: Scratch, rng: Rng) -> int:
        """What the game plays when it is careful."""
        return game.careful_action(scratch.state, scratch.actions, rng)


@dataclass(frozen=True, kw_only=True)
class Decisive(Rollout):
    """Take a win in one move; otherwise every legal move with equal chances (Teytaud and Teytaud 2010)."""

    def choose(self, game: Game, player: int, tree: Tree, scratch: Scratch, rng: Rng) -> int:
        """A move that ends the game with the highest utility, or any."""
        count = legal_moves(game, scratch.state, scratch.actions)
        index = winning_move(game, player, scratch, count)
        if index == NONE:
            index = below(rng, count)
        return scratch.actions[index]


@dataclass(frozen=True, kw_only=True)
class MAST(Rollout):
    """Moves that did well anywhere in the tree are played more often (Björnsson and Finnsson 2009).

    Args:
        epsilon: The chance of a random move; otherwise the move with the best record is played.
        temperature: Instead: play moves in proportion to exp(record / temperature).
        max_length: After so many moves the game's `evaluate` decides; None plays to the end.
        discount: How much of a utility remains with each move from the root: below 1, it is drawn towards 0.
    """

    epsilon: float = 0.4
    temperature: float | None = None

    statistics = ("action_visits", "action_sum")
    keeps_moves = True

    def __post_init__(self) -> None:
        Rollout.__post_init__(self)
        real_number("MAST's epsilon", self.epsilon, low=0.0, high=1.0)
        if self.temperature is not None:
            real_number("MAST's temperature", self.temperature, above=0.0)

    @property
    def samples(self) -> bool:
        """Whether moves are drawn in proportion instead of greedily."""
        return self.temperature is not None

    @property
    def heat(self) -> float:
        """`temperature` as a number."""
        return 1.0 if self.temperature is None else float(self.temperature)

    def record_of(self, game: Game, player: int, tree: Tree, action: int) -> float:
        """The mean reward of simulations in which the player made the move; a new move looks perfect."""
        index = player * game.num_actions + action
        if tree.action_visits[index] == 0:
            return 1.0
        return tree.action_sum[index] / tree.action_visits[index]

    def choose(self, game: Game, player: int, tree: Tree, scratch: Scratch, rng: Rng) -> int:
        """A move with a good record, most of the time."""
        if not self.samples and unit(rng) < self.epsilon:
            return game.random_action(scratch.state, scratch.actions, rng)
        count = legal_moves(game, scratch.state, scratch.actions)
        if self.samples:
            return self.sampled(game, player, tree, scratch, count, rng)
        best = scratch.actions[0]
        best_record = -1.0
        equals = 0
        for index in range(count):
            record = self.record_of(game, player, tree, scratch.actions[index])
            if record > best_record:
                best, best_record, equals = scratch.actions[index], record, 1
            elif record == best_record:
                equals += 1
                if below(rng, equals) == 0:
                    best = scratch.actions[index]
        return best

    def sampled(self, game: Game, player: int, tree: Tree, scratch: Scratch, count: int, rng: Rng) -> int:
        """Draw a move in proportion to exp(record / temperature)."""
        total = 0.0
        for index in range(count):
            record = self.record_of(game, player, tree, scratch.actions[index])
            total += math.exp((record - 1.0) / self.heat)
            scratch.weights[index] = total
        goal = unit(rng) * total
        for index in range(count - 1):
            if goal < scratch.weights[index]:
                return scratch.actions[index]
        return scratch.actions[count - 1]

    def learn(self, game: Game, tree: Tree, scratch: Scratch) -> None:
        """Every move of the simulation shares its player's reward."""
        for index in range(min(scratch.length[0], scratch.moves.size)):
            player = scratch.movers[index]
            if player >= 0:
                entry = player * game.num_actions + scratch.moves[index]
                tree.action_visits[entry] += 1
                tree.action_sum[entry] += scratch.rewards[player]
