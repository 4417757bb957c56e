"""What a saved tree may hold, written slowly and obviously: node by node, with positions as objects.

`fastmcts.engine.archive` must refuse a file exactly if this finds something wrong with one of its trees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastmcts import Game, Method, SinglePerspective, State
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.scratch import make_scratch
from fastmcts.kernels.replies import play_others
from fastmcts.rng import make_rng, reseed

CLOSE = 1e-9  # by which a sum of rewards may miss its bounds, for each reward
MOST_COUNTED = 2**62

Arrays = Mapping[str, np.ndarray]


class Wrong(Exception):  # noqa: N818  # it is no error of the program's
    """What is wrong with a saved tree."""


def require(condition: Any, what: str) -> None:
    """Raise Wrong unless a condition holds."""
    if not condition:
        raise Wrong(what)


def whats_wrong(game: Game, method: Method, arrays: Arrays, like: Arrays) -> str | None:
    """What is wrong with a tree; None if nothing is.

    Args:
        game: The game.
        method: The method of the search.
        arrays: The arrays of one tree, as the file names them behind its number.
        like: The same of a tree that a search has saved: types and shapes, but for the number of nodes.
    """
    try:
        for name, known in like.items():
            require(name in arrays, f"{name} is missing")
            require(arrays[name].dtype == known.dtype, f"{name} is of another type")
            require(arrays[name].shape == known.shape, f"{name} has another shape")
        require(arrays["tree/size"][0] == len(arrays["tree/visits"]), "its size is another than that of its arrays")
        require((arrays["rng"][..., 1] & np.uint64(1) == 1).all(), "the generator has a step that is even")
        try:
            root = game.state_from_array(arrays["root"])
        except ValueError as error:
            raise Wrong(f"its root is no position: {error}") from error
        fields = {name.removeprefix("tree/"): array for name, array in arrays.items() if name.startswith("tree/")}
        only_player = root.current_player() if isinstance(method, SinglePerspective) else None
        SavedTree(game, fields, only_player).check(root)
    except Wrong as wrong:
        return str(wrong)
    return None


def whats_wrong_with_worlds(game: Game, asked: np.ndarray | None, roots: Sequence[np.ndarray]) -> str | None:
    """What is wrong with the position that a search of worlds was asked about; None if all roots are worlds of it."""
    if asked is None or asked.dtype != np.int64 or asked.shape != (game.state_size,):
        return "the position is missing, or no array of that kind"
    try:
        state = game.state_from_array(asked)
    except ValueError as error:
        return str(error)
    player = state.current_player()
    known = state.information_state_string(player)
    looks_the_same = all(game.state_from_array(root).information_state_string(player) == known for root in roots)
    return None if looks_the_same else "the root of a tree is no world of the position"


@dataclass
class SavedTree:
    """The fields of a tree, and what was found in it so far.

    Args:
        game: The game.
        fields: The arrays by name.
        only_player: The only one who moves in it; None if all do.
    """

    game: Game
    fields: Mapping[str, np.ndarray]
    only_player: int | None
    claimed: set[int] = field(default_factory=set)
    deepest: int = 0

    def __getattr__(self, name: str) -> np.ndarray:
        return self.fields[name]

    def keeps(self, name: str) -> bool:
        """Whether an optional field is there."""
        return self.fields[name].size > 0

    def number(self, name: str, node: int) -> int:
        """An entry of a field as a number that does not overflow."""
        return int(self.fields[name][node])

    def own_visits(self, node: int) -> int:
        """The visits that took place."""
        return self.number("visits", node) - (self.number("assumed", node) if self.keeps("assumed") else 0)

    def block(self, node: int) -> range:
        """The places of a node's children."""
        return range(
            self.number("first_child", node), self.number("first_child", node) + self.number("num_children", node)
        )

    def tried(self, node: int) -> range:
        """The children that were tried."""
        return self.block(node)[: self.number("num_tried", node)]

    # ---- The whole tree

    def check(self, root: State) -> None:
        """Raise Wrong unless a search from `root` can have grown the tree."""
        self.check_tables()
        mover = root.current_player()
        require(self.number("player", ROOT) >= 0 or self.number("player", ROOT) == mover, "the root has another player")
        if self.keeps("known"):
            self.check_sets(root)
            return
        self.check_top(ROOT)
        self.check_below(ROOT, None if self.keeps("available") else root, 0)
        require(self.number("depth", 0) == self.deepest, "it is said to be deeper, or less deep, than it is")
        everything = {ROOT, *self.claimed} == set(range(len(self.visits)))
        require(everything or self.keeps("available"), "a node belongs to no other")

    def check_tables(self) -> None:
        """What is kept once for all nodes."""
        for count, total in zip(self.action_visits.tolist(), self.action_sum.tolist(), strict=True):
            require(0 <= count <= MOST_COUNTED and self.is_sum(total, count), "records of moves are no sums of rewards")
        require(all(0 <= node < 2**31 for node in self.reference.tolist()), "a reference is no node")
        played = self.played.tolist()
        require(all(0 <= number <= played[-1] <= MOST_COUNTED for number in played), "a move was played in the future")
        low, high = self.reward_range.tolist()
        nothing_seen = (low, high) == (np.inf, -np.inf)
        require(nothing_seen or 0.0 <= low <= high <= 1.0, "rewards were seen that are none")
        require(0 <= self.number("depth", 0) <= self.game.max_game_length, "it is deeper than a game can be")

    def check_top(self, node: int) -> None:
        """A node that no other leads to."""
        require(self.number("parent", node) == NONE, "a parent leads to a root")
        require(self.number("action", node) in (NONE, NONE - 1), "a move leads to a root")  # NONE - 1: from a file
        self.check_numbers(node)

    def check_sets(self, root: State) -> None:
        """Information sets, which stand one behind the other with their moves, and are found by their hashes."""
        sets = []
        node = ROOT
        while node < len(self.visits):
            sets.append(node)
            require(self.number("num_children", node) >= 0, "a block has a negative length")
            node += 1 + self.number("num_children", node)
        require(node == len(self.visits), "the sets do not fill the tree")
        for one in sets:
            self.check_top(one)
            require(one == ROOT or self.number("num_children", one) > 0, "a set has no moves")
            self.check_children(one)
            moves = self.tried(one)
            require(not len(self.block(one)) or self.block(one).start == one + 1, "moves do not stand behind their set")
            require(all(self.number("player", move) == self.number("player", one) for move in moves), "another moves")
            for move in moves:
                require(self.number("num_children", move) == 0, "a move has moves")
                self.check_children(move)
            below = sum(self.own_visits(move) for move in moves)
            require(one == ROOT or below == self.own_visits(one), "visits of a set are not those of its moves")
        block = self.block(ROOT)
        if len(block):
            require(sorted(self.action[block].tolist()) == root.legal_actions(), "the moves at the root are others")
            require(self.number("player", ROOT) == root.current_player(), "another is to move at the root")
        require(self.number("known", ROOT) == 0 and self.number("before", ROOT) == ROOT, "the root is not on top")
        found = [ROOT]
        self.check_hashes(self.number("after", ROOT), 0, 2**64, ROOT, found, set(sets))
        require(sorted(found) == sets, "a set is not found by its hash")

    def check_hashes(self, node: int, low: int, high: int, above: int, found: list[int], sets: set[int]) -> None:
        """A set and those below it in the search tree: their hashes are between two others."""
        if node == ROOT:
            return
        require(node in sets and node > above and node not in found, "the search by hashes goes astray")
        found.append(node)
        known = self.number("known", node)
        require(low < known < high, "a hash is not where it is searched for")
        self.check_hashes(self.number("before", node), low, known, node, found, sets)
        self.check_hashes(self.number("after", node), known, high, node, found, sets)

    # ---- A node

    def check_below(self, node: int, state: State | None, level: int) -> None:
        """A node and all below it; `state` is its position, None where it stands for many."""
        self.deepest = max(self.deepest, level)
        self.check_children(node)
        if state is not None and len(self.block(node)):
            self.check_moves(node, state)
        for child in self.tried(node):
            position = None if state is None else self.position_after(child, state)
            self.check_below(child, position, level + 1)

    def check_children(self, node: int) -> None:
        """The block of a node's children, and the numbers of those that were tried."""
        count, tried = self.number("num_children", node), self.number("num_tried", node)
        first = self.number("first_child", node)
        if count == 0:
            require(first == NONE and tried == 0, "there are children where there is no room")
            return
        most = max(self.game.num_actions, self.game.num_chance_outcomes)
        require(1 <= tried <= count <= most, "more children than there may be")
        require(first >= 1 and first + count <= len(self.visits), "children are outside of the tree")
        require(first > node or self.keeps("available"), "children stand in front of their parent")
        require(self.claimed.isdisjoint(self.block(node)) and ROOT not in self.block(node), "children of two nodes")
        self.claimed.update(self.block(node))
        listed = self.tried(node) if self.keeps("available") else self.block(node)
        actions = self.action[listed].tolist()
        require(all(0 <= action < most for action in actions), "an action does not exist")
        require(len({*actions}) == len(actions), "an action is there twice")
        require(len({self.number("player", child) for child in self.tried(node)}) == 1, "children of two players")
        for child in self.tried(node):
            require(self.number("parent", child) == node, "the parent of a child is another")
            self.check_numbers(child)
            if self.keeps("available"):
                require(
                    1 <= self.number("available", child) <= self.number("visits", node), "it was not there so often"
                )
                require(not self.keeps("seed") or self.number("seed", child) >= 0, "replies come from no seed")
        below = sum(self.own_visits(child) for child in self.tried(node))
        require(below <= self.own_visits(node), "children have more visits than their parent")

    def check_numbers(self, node: int) -> None:
        """The statistics of a node that was tried, or of a root."""
        player, visits, game = self.number("player", node), self.number("visits", node), self.game
        is_untouched = node == ROOT and visits == 0 and len(self.visits) == 1
        require(player < game.num_players and (player >= 0 or is_untouched), "a player does not exist")
        require(self.only_player in (None, player), "somebody else than the only player moves")
        require(visits >= 0 and (self.own_visits(node) >= 1 or node == ROOT), "a node was never visited")
        require(self.own_visits(node) >= 0, "more visits are assumed than there are")
        require(
            not self.keeps("assumed") or self.number("assumed", node) >= 0, "a negative number of visits is assumed"
        )
        require(self.is_sum(float(self.value_sum[node]), visits), "rewards do not fit the visits")
        if self.keeps("square_sum"):
            require(self.is_sum(float(self.square_sum[node]), visits), "squares of rewards do not fit the visits")
        if self.keeps("lower"):
            for index in range(node * game.num_players, (node + 1) * game.num_players):
                require(0.0 <= self.lower[index] <= self.upper[index] <= 1.0, "bounds are not within 0 and 1")

    def is_sum(self, total: float, count: int) -> bool:
        """Whether something may be the sum of so many rewards."""
        return -CLOSE * (1 + count) <= total <= count + CLOSE * (1 + count)

    # ---- The rules of the game

    def check_moves(self, node: int, state: State) -> None:
        """The children of a node are the moves of its position, or what chance may bring there."""
        mover = self.number("player", node) if state.is_chance_node() else state.current_player()
        require(sorted(self.action[self.block(node)].tolist()) == state.legal_actions(), "the moves are others")
        require(all(self.number("player", child) == mover for child in self.tried(node)), "another is to move")
        if not state.is_chance_node():
            self.check_knowledge(node)

    def check_knowledge(self, node: int) -> None:
        """What is known of moves, tried or not."""
        for child in self.block(node):
            require(not self.keeps("prior") or np.isfinite(self.prior[child]), "a prior is no number")
            if self.keeps("amaf_visits"):
                counted = self.number("amaf_visits", child)
                require(0 <= counted <= self.number("visits", node), "a move was played more often than possible")
                require(self.is_sum(float(self.amaf_sum[child]), counted), "AMAF rewards do not fit the visits")

    def position_after(self, child: int, state: State) -> State:
        """The position that a tried child stands for: after the move, and the replies to it if they are kept."""
        position = state.child(self.number("action", child))
        if not self.keeps("seed"):
            return position
        seed, player = self.number("seed", child), self.number("player", child)
        require(seed != NONE, "no replies are kept")
        if seed < NONE:
            reply = NONE - 1 - seed
            others = not position.is_terminal() and position.current_player() != player
            require(others and reply in position.legal_actions(), "a reply is not legal")
            position = position.child(reply)
            require(position.is_terminal() or position.current_player() == player, "the only reply leaves more to do")
            return position
        rng = make_rng(0)
        game = self.game
        sizes = game.state_size, game.num_actions, game.num_players, game.num_chance_outcomes
        scratch = make_scratch(*sizes, longest_line=game.accounted_moves)
        scratch.state[:] = position.array
        with wrapping_integers():
            reseed(rng, seed)
            play_others(game, 1.0, player, scratch, rng)
        return game.new_state(scratch.state)
