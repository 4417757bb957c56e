"""What a search found."""

import copy
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.tree import Tree, child_for, children, grown
from fastmcts.core.validate import real_number
from fastmcts.kernels.rewards import utility_of, value_of
from fastmcts.rng import make_rng, unit
from fastmcts.state import State
from fastmcts.strategies.final import final_index, means
from fastmcts.strategies.methods import Method

if TYPE_CHECKING:
    from fastmcts.strategies.snapshot import Trace

ROWS_SHOWN = 10

DETACHED = "it was detached, or came from another process: read what you need of result.tree before"
GONE_ON = "the MCTS has gone on from there: read it before, or keep copy.deepcopy(result), or use fastmcts.search"


@dataclass(frozen=True)
class Evaluation:
    """What a search has asked a network.

    Attributes:
        calls: How often it was called.
        positions: About how many positions, all calls together.
        seconds: How long it took to answer, all calls together.
        found: How many leaves were answered from those that `evaluation_cache` keeps.
        leaves: How many leaves were expanded by an answer, new or kept; the same position is asked about once.
    """

    calls: int
    positions: int
    seconds: float
    found: int
    leaves: int

    @property
    def batch_size(self) -> float:
        """The mean number of positions in a call."""
        return self.positions / max(1, self.calls)

    @property
    def hit_rate(self) -> float:
        """The share of leaves that were answered from those that are kept."""
        return self.found / max(1, self.leaves)


@dataclass(frozen=True, eq=False, kw_only=True)
class PositionResult:
    """What was found about one position with L legal actions; `print` shows a table of the best moves.

    Arrays have an entry for each legal action, in the order of `actions`, unless their shape says otherwise; where
    there is no move to make, `action` is None and they are empty. (A `BatchResult` has an entry for every action of the
    game, and -1 for no move.)

    Attributes:
        state: The position that was searched. `SinglePerspective` of a player who is not to move searches one in which
            that player is, after a continuation drawn from the seed; the rest is about that one.
        strategy: The components that were used, as one would write them.
        action: The move to make, or None where there is none.
        actions: int64 [L], the legal actions in ascending order.
        visits: int64 [L], how often each was visited.
        value_sums: float64 [L], the rewards in [0, 1] after each for the player to move, summed.
        lower: float64 [L], the least reward that each is proven to bring; None if the search kept no proofs.
        upper: float64 [L], the most reward that each is proven to bring; None if the search kept no proofs.
        seed: The seed; the same options and seed give the same tree.
        improved: float64 [L], what an evaluator should learn for each; None if the search had none.
    """

    state: State
    action: int | None
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    value_sums: NDArray[np.float64] = field(repr=False)
    lower: NDArray[np.float64] | None = field(repr=False)
    upper: NDArray[np.float64] | None = field(repr=False)
    seed: int
    strategy: str
    improved: NDArray[np.float64] | None = field(repr=False, default=None)

    @cached_property
    def mean_rewards(self) -> NDArray[np.float64]:
        """float64 [L], the mean reward in [0, 1] after each move, for the player to move; NaN without visits."""
        return means(self.value_sums, self.visits)

    @cached_property
    def mean_reward(self) -> float:
        """The mean reward in [0, 1] of the position for the player to move; NaN without visits."""
        total = int(self.visits.sum())
        return float(self.value_sums.sum()) / total if total > 0 else np.nan

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64 [L], the mean reward in [0, 1] after each move, for the player to move; NaN without visits.

        In a game that pays rewards on the way it is the mean discounted return, what the move itself pays included, in
        the units of the game: the same as `utilities`.
        """
        return value_of(self.state.game, self.mean_rewards)

    @cached_property
    def value(self) -> float:
        """The mean reward in [0, 1] of the position for the player to move; NaN without visits.

        In a game that pays rewards on the way it is the mean discounted return in the units of the game.
        """
        return float(value_of(self.state.game, self.mean_reward))

    @cached_property
    def utilities(self) -> NDArray[np.float64]:
        """float64 [L], `values` in the units of the game: from its `min_utility` to its `max_utility`."""
        return utility_of(self.state.game, self.mean_rewards)

    @cached_property
    def utility(self) -> float:
        """`value` in the units of the game."""
        return float(utility_of(self.state.game, self.mean_reward))

    @cached_property
    def policy(self) -> NDArray[np.float64]:
        """float64 [num_actions], the share of visits of every action; an only move that was not searched has all."""
        policy = np.zeros(self.state.game.num_actions)
        total = int(self.visits.sum())
        policy[self.actions] = self.visits / total if total > 0 else len(self.actions) == 1
        return policy

    @cached_property
    def improved_policy(self) -> NDArray[np.float64]:
        """float64 [num_actions], what a network should learn: what the selection rule has made of its policy.

        With `Gumbel` it is the softmax of prior and values, with forced playouts the shares of visits without those
        that were only forced, and else `policy`.
        """
        if self.improved is None:
            return self.policy
        policy = np.zeros(self.state.game.num_actions)
        policy[self.actions] = self.improved
        return policy

    @property
    def solver(self) -> bool:
        """Whether the search kept proofs."""
        return self.lower is not None

    @cached_property
    def proven(self) -> NDArray[np.float64]:
        """float64 [L], the reward that each move is proven to bring; NaN where nothing is proven."""
        if self.lower is None or self.upper is None:
            return np.full(len(self.actions), np.nan)
        return np.where(self.lower == self.upper, self.lower, np.nan)

    @cached_property
    def proven_value(self) -> float:
        """The reward that the position is proven to be worth to the player to move; NaN if that is open."""
        if self.lower is None or self.upper is None:
            return np.nan
        return proven_value(self.lower, self.upper)

    def sample(self, temperature: float = 1.0, seed: int | None = None) -> int:
        """Draw a move in proportion to visits ** (1 / temperature), to generate varied games.

        Args:
            temperature: 1 follows the visit shares; towards 0 the most visited move is played.
            seed: The same seed draws the same move; None draws one at random.
        """
        real_number("temperature", temperature, low=0.0)
        if self.action is None:
            raise ValueError("the game is over: there is no move to draw")
        if temperature == 0.0 or not self.visits.any():
            return self.action
        weights = (self.visits / self.visits.max()) ** (1.0 / temperature)
        chances = np.cumsum(weights / weights.sum())
        with wrapping_integers():
            drawn = unit(make_rng(int.from_bytes(os.urandom(8)) if seed is None else seed))
        return int(self.actions[min(np.searchsorted(chances, drawn, side="right"), np.flatnonzero(weights)[-1])])

    def __str__(self) -> str:
        """A table of the best moves, the one to make first."""
        return "\n".join(self.table())

    def table(self) -> list[str]:
        """The lines of a table of the best moves, and the strategy."""
        if self.action is None:
            return ["no move to make: the game is over"]
        is_other = self.actions != self.action
        order = np.lexsort((self.actions, -np.nan_to_num(self.mean_rewards, nan=-1.0), -self.visits, is_other))
        share = self.visits / max(1, self.visits.sum())
        rows = [("move", "visits", "share", "value", "proven")]
        for index in order[:ROWS_SHOWN]:
            value = "-" if self.visits[index] == 0 else f"{self.values[index]:.3f}"
            proven = "-" if np.isnan(self.proven[index]) else f"{self.proven[index]:.3f}"
            move = self.state.action_to_string(int(self.actions[index]))
            rows.append((move, f"{self.visits[index]:,}", f"{share[index]:.1%}", value, proven))
        columns = range(5 if self.solver else 4)
        widths = [max(len(row[column]) for row in rows) for column in columns]
        lines = ["  ".join([row[0].ljust(widths[0]), *(row[k].rjust(widths[k]) for k in columns[1:])]) for row in rows]
        if len(order) > ROWS_SHOWN:
            lines.append(f"... and {len(order) - ROWS_SHOWN} more")
        lines.append(f"strategy: {self.strategy}")
        return lines


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchResult(PositionResult):
    """The outcome of a search; `print` shows a table of the best moves.

    It stays as it is, but for its tree: that of an `MCTS` object is there until it searches on, advances or is reset.
    Pickling leaves the tree out (it may have megabytes), and so does `detach`; `copy.deepcopy` copies it.

    It has everything that a `PositionResult` has, and:

    Attributes:
        method: How it was searched.
        simulations: How many simulations this search ran.
        seconds: How long they took, without compilation.
        compile_seconds: How long compiling took, or loading what was compiled before.
        nodes: How many nodes all trees have together, children that wait to be tried among them: those have no visits.
            Of one tree it is `tree.size[0]`, and `tree.visits[:result.nodes]` are the visits of all of them.
        max_depth: How many moves below the root its deepest node is.
        reused: The share of the root's visits that came from an earlier search.
        stopped_by: What ended the search: "simulations", "seconds", "single move", "game over", "proven",
            "interrupted", or what a stopper says.
        memory_mb: How much memory its nodes took at most, in megabytes.
        recycled: How many nodes were dropped to make room for others, since the tree was started.
        arrays: Those of the trees; empty where the result has lost them. Ask `tree` or `trees`, which say why.
        trace: The root at 1, 2, 4, ... simulations, if the option `trace` asks for it.
        evaluation: What a network was asked; None if the search had none.
    """

    simulations: int
    seconds: float
    compile_seconds: float
    nodes: int
    max_depth: int
    reused: float
    stopped_by: str
    memory_mb: float
    recycled: int
    arrays: tuple[Tree, ...] = field(repr=False)
    method: Method = field(repr=False)
    trace: "Trace | None" = field(repr=False)
    evaluation: Evaluation | None = None

    #: Why there are no trees, where there are none.
    loss = DETACHED

    @property
    def tree(self) -> Tree:
        """The arrays of the search tree; with several trees, of the first."""
        return self.trees[0]

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The arrays of all trees; ValueError if the result has lost them."""
        if not self.arrays:
            raise ValueError(f"this result has no tree any more: {self.loss}")
        return self.arrays

    def detach(self) -> "SearchResult":
        """The same result without its trees: small to keep, and nothing holds on to their memory."""
        detached = object.__new__(type(self))
        detached.__dict__.update(self.__getstate__())
        return detached

    def leave_trees(self) -> None:
        """Lose the trees, which are about to change; an `MCTS` object says so before it goes on."""
        _ = self.line
        self.__dict__.update(arrays=(), loss=GONE_ON)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the trees."""
        return {**self.__dict__, "line": self.line, "arrays": ()}

    def __deepcopy__(self, memo: dict[int, Any]) -> "SearchResult":
        """A copy with trees of its own, as large as they have nodes."""
        copied = object.__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__.update(copy.deepcopy(self.__getstate__(), memo))
        copied.__dict__["arrays"] = tuple(grown(tree, int(tree.size[0])) for tree in self.arrays)
        return copied

    @cached_property
    def line(self) -> tuple[int, ...]:
        """The best moves from here on; an `MCTS` object has it read before it changes the trees."""
        line = best_line(self.arrays, self.action, self.state.game.num_players)
        return tuple(line if self.method.has_line else line[:1])

    def principal_variation(self) -> list[int]:
        """The line of best play, as far as the tree goes: `action`, and then the most visited moves.

        Where something is proven, it is kept: moves that are proven to be worse are not in the line, and from where
        the value is proven the line leads to a finished game with that value. (Unless that was recycled.)

        Below the root the moves are those of a tree for many worlds, or of one player alone, with those methods.
        """
        return list(self.line)

    def __str__(self) -> str:
        """A table of the best moves, the one to make first, and the line of best play."""
        lines = self.table()
        if self.action is not None:
            lines.insert(-1, f"best line: {' '.join(self.moves_of_best_line())}")
        return "\n".join(lines)

    def moves_of_best_line(self) -> list[str]:
        """The principal variation in the game's notation."""
        state = self.state.clone()
        if self.method.draws_worlds:  # where the line goes on in another world, nobody shall see that from the real one
            state = state.determinize(state.current_player(), self.seed)
        moves: list[str] = []
        for action in self.principal_variation()[: None if self.method.keeps_below else 1]:
            if action not in state.legal_actions():
                break
            moves.append(state.action_to_string(action))
            state.apply_action(action)
        return moves


def best_line(trees: Sequence[Tree], action: int | None, num_players: int) -> list[int]:
    """The line of best play that starts with an action, in several trees from one root, taken together.

    Args:
        trees: The trees.
        action: The first move; None if there is none, and so no line.
        num_players: How many play.
    """
    line: list[int] = []
    nodes = [(tree, ROOT) for tree in trees]
    while action is not None:
        line.append(action)
        nodes = [(tree, child) for tree, node in nodes if (child := child_for(tree, node, action)) != NONE]
        action = next_action(nodes, num_players)
    return line


def next_action(nodes: Sequence[tuple[Tree, int]], num_players: int) -> int | None:
    """The best move at a node, or at those of several trees that stand for the same; None where the trees end.

    Where the value is proven, it is the most visited move that keeps it, for every player; else the most visited of
    those that are not certainly worse than another.
    """
    below = [(tree, child) for tree, node in nodes for child in children(tree, node) if tree.visits[child] > 0]
    if not below:
        return None
    actions = np.unique([tree.action[child] for tree, child in below]).astype(np.int64)
    visits, value_sums = np.zeros(len(actions), np.int64), np.zeros(len(actions))
    lower, upper = np.zeros((len(actions), num_players)), np.ones((len(actions), num_players))
    for tree, child in below:
        index = np.searchsorted(actions, tree.action[child])
        visits[index] += tree.visits[child]
        value_sums[index] += tree.value_sum[child]
        if tree.has_proofs:
            lower[index], upper[index] = node_bounds(tree, child, num_players)
    tree, child = below[0]
    mover = max(0, int(tree.player[child]))
    if tree.has_proofs:  # then it is the only tree
        low, high = node_bounds(tree, nodes[0][1], num_players)
        keeping = (lower == low).all(axis=1) & (upper == high).all(axis=1)
        if low[mover] == high[mover] and keeping.any():
            return int(actions[np.where(keeping, visits, -1).argmax()])
    best = final_index("visits", actions, visits, value_sums / visits, lower[:, mover], upper[:, mover])
    return int(actions[best])


def node_bounds(tree: Tree, node: int, num_players: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the most reward, each float64 [num_players], that a node is proven to lead to."""
    own = slice(node * num_players, (node + 1) * num_players)
    return tree.lower[own], tree.upper[own]


def proven_value(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> float:
    """What the best move is proven to bring, given the bounds of all moves, each float64 [L]; NaN if that is open."""
    is_proven = len(lower) > 0 and lower.max() == upper.max()
    return float(lower.max()) if is_proven else np.nan
