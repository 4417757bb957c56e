"""What a search found."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastmcts.checks import real_number
from fastmcts.constants import ROOT
from fastmcts.final import best_index
from fastmcts.state import State
from fastmcts.tree import Tree, children

ROWS_SHOWN = 10


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The outcome of a search; `print` shows a table of the best moves.

    Attributes:
        state: The position that was searched.
        tree: The arrays of the search tree.
        action: The move to make, or None where there is none.
        actions: int64 [L], the legal actions in ascending order.
        visits: int64 [L], how often each was visited.
        values: float64 [L], the mean reward in [0, 1] after each, for the player to move; NaN without visits.
        policy: float64 [num_actions], the share of visits of every action.
        proven: float64 [L], the reward that each move is proven to bring; NaN where nothing is proven.
        value: The mean reward in [0, 1] of the position for the player to move.
        simulations: How many simulations this search ran.
        seconds: How long they took, without compilation.
        compile_seconds: How long compiling took, or loading what was compiled before.
        nodes: How many nodes the tree has.
        max_depth: How many moves below the root its deepest node is.
        reused: The share of the root's visits that came from an earlier search.
        seed: The seed; the same options and seed give the same tree.
    """

    state: State
    tree: Tree = field(repr=False)
    action: int | None
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    policy: NDArray[np.float64] = field(repr=False)
    proven: NDArray[np.float64] = field(repr=False)
    value: float
    simulations: int
    seconds: float
    compile_seconds: float
    nodes: int
    max_depth: int
    reused: float
    seed: int

    def principal_variation(self) -> list[int]:
        """The most visited moves from here on, as far as the tree goes."""
        line: list[int] = []
        node = ROOT
        while len(visited := children(self.tree, node)) > 0:
            visits = self.tree.visits[visited]
            means = self.tree.value_sum[visited] / visits
            node = visited[best_index("visits", self.tree.action[visited], visits, means)]
            line.append(int(self.tree.action[node]))
        return line

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
        rng = np.random.default_rng(seed)
        return int(rng.choice(self.actions, p=weights / weights.sum()))

    def __str__(self) -> str:
        """A table of the best moves and the line of best play."""
        if self.action is None:
            return "no move to make: the game is over"
        order = np.lexsort((self.actions, -np.nan_to_num(self.values, nan=-1.0), -self.visits))
        share = self.visits / max(1, self.visits.sum())
        rows = [("move", "visits", "share", "value")]
        for index in order[:ROWS_SHOWN]:
            value = "-" if self.visits[index] == 0 else f"{self.values[index]:.3f}"
            move = self.state.action_to_string(int(self.actions[index]))
            rows.append((move, f"{self.visits[index]:,}", f"{share[index]:.1%}", value))
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ["  ".join([row[0].ljust(widths[0]), *(row[k].rjust(widths[k]) for k in (1, 2, 3))]) for row in rows]
        if len(order) > ROWS_SHOWN:
            lines.append(f"... and {len(order) - ROWS_SHOWN} more")
        lines.append(f"best line: {' '.join(self.moves_of_best_line())}")
        return "\n".join(lines)

    def moves_of_best_line(self) -> list[str]:
        """The principal variation in the game's notation."""
        state = self.state.clone()
        moves: list[str] = []
        for action in self.principal_variation():
            moves.append(state.action_to_string(action))
            state.apply_action(action)
        return moves


def root_statistics(tree: Tree, actions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Visits and reward sums of the root's children, for each legal action.

    Args:
        tree: A tree.
        actions: int64 [L], the legal actions at its root, in ascending order.

    Returns:
        int64 [L] and float64 [L].
    """
    visits = np.zeros(len(actions), np.int64)
    value_sums = np.zeros(len(actions), np.float64)
    for child in children(tree, ROOT):
        index = np.searchsorted(actions, tree.action[child])
        visits[index] = tree.visits[child]
        value_sums[index] = tree.value_sum[child]
    return visits, value_sums


def root_bounds(
    tree: Tree, actions: NDArray[np.int64], player: int, num_players: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What is proven about the root's children: the least and the most reward of the player to move.

    Args:
        tree: A tree.
        actions: int64 [L], the legal actions at its root, in ascending order.
        player: The player to move.
        num_players: How many play.

    Returns:
        float64 [L] and float64 [L]: 0 and 1 where nothing is proven.
    """
    lower, upper = np.zeros(len(actions)), np.ones(len(actions))
    if tree.lower.size > 0:
        for child in children(tree, ROOT):
            index = np.searchsorted(actions, tree.action[child])
            lower[index] = tree.lower[child * num_players + player]
            upper[index] = tree.upper[child * num_players + player]
    return lower, upper
