"""The trees of one search: one, or several that grow side by side and are read as one."""

from collections.abc import Hashable
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import ROOT
from fastmcts.core.tree import MAX_VISITS, PADDING, Tree
from fastmcts.core.types import Position
from fastmcts.engine.aside import Crew, Flag
from fastmcts.engine.capacity import most_new_nodes
from fastmcts.engine.searcher import Searcher
from fastmcts.engine.shared_searcher import SharedSearcher
from fastmcts.game import Game
from fastmcts.options import Options
from fastmcts.result import root_bounds
from fastmcts.rng import spawn_seed
from fastmcts.strategies.final import root_statistics
from fastmcts.strategies.methods import PIMC


class Forest:
    """Grows `options.trees` independent trees from one position over `options.threads` threads.

    It is a context, in which its threads live. Which of them works on a tree makes no difference to it.

    Args:
        game: The game.
        options: How to search.
        sharers: How many forests share the memory that the options allow.
    """

    def __init__(self, game: Game, options: Options, sharers: int = 1) -> None:
        self.options = options
        self.worlds = options.method if isinstance(options.method, PIMC) else None
        trees = self.worlds.worlds if self.worlds else options.trees
        self.searchers = make_searchers(game, options, trees, sharers)
        self.asked: Position | None = None  # the position of which each tree searches a world
        self.viewer: int | None = None  # whose view the root is; None where everything is known
        self.seeds = tree_seeds(options.seed, len(self.searchers))
        self.crew: Crew | None = None
        self.rules: Hashable = None  # by which the trees were grown, once they are searched

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The arrays."""
        return tuple(searcher.tree for searcher in self.searchers)

    @property
    def root(self) -> Position:
        """The position at the root of every tree, or that of which each has another world at its root."""
        return self.searchers[0].root if self.asked is None else self.asked

    @property
    def observer(self) -> int | None:
        """The player to move where the trees were planted."""
        return self.searchers[0].observer

    @property
    def is_planted(self) -> bool:
        """Whether there is something to go on from; not so after a failure in the middle of a change."""
        if self.worlds is not None:
            return self.asked is not None and all(searcher.is_planted for searcher in self.searchers)
        return all(searcher.is_planted for searcher in self.searchers) and all(
            np.array_equal(searcher.root, self.root) for searcher in self.searchers
        )

    @property
    def root_visits(self) -> int:
        """How often the roots were visited."""
        return sum(int(tree.visits[ROOT]) for tree in self.trees)

    @property
    def most_visits_added(self) -> int:
        """The most visits that one simulation adds."""
        return self.searchers[0].game.num_actions if self.options.expansion.at_once else 1

    @property
    def visits_left(self) -> int:
        """How many more simulations can be counted: visits are int32."""
        fewest = min((MAX_VISITS - int(tree.visits[ROOT])) // self.most_visits_added for tree in self.trees)
        return fewest * len(self.trees)

    def plant(self, position: Position) -> None:
        """Start new trees at a position, or each in a world that looks the same to the player to move."""
        self.asked = None
        state = self.searchers[0].game.new_state(position)
        player = state.current_player()
        # A view tells nothing about the worlds of others; nobody searches it where they are to move.
        draws = self.worlds is not None and player >= 0 and self.viewer in (None, player)
        for searcher, seed in zip(self.searchers, self.seeds, strict=True):
            if draws:
                searcher.plant(state.determinize(player, spawn_seed(seed, 0)).array, seed)
            else:
                searcher.plant(position, seed)
        if self.worlds is not None:
            self.asked = position.copy()

    def stay(self, position: Position) -> None:
        """Keep the trees for a position that looks the same to the player to move."""
        if self.asked is not None:
            self.asked[:] = position
            return
        for searcher in self.searchers:
            searcher.root[:] = position

    def forget(self) -> None:
        """Have nothing to go on from."""
        for searcher in self.searchers:
            searcher.is_planted = False

    def notice_edits(self) -> None:
        """Forget trees that were grown by rules which were edited since."""
        rules = self.searchers[0].compiled_key
        if self.rules not in (None, rules):
            self.forget()
        self.rules = rules

    def start_over(self, options: Options) -> None:
        """Forget everything and take other seeds."""
        self.options = options
        self.seeds = tree_seeds(options.seed, len(self.searchers))
        self.forget()

    def advance(self, path: list[int], position: Position, keep: bool) -> None:
        """Move the roots along a path of actions; without `keep`, new trees start where it ends."""
        if self.worlds is not None:
            self.plant(position)
            return
        for searcher in self.searchers:
            if keep:
                searcher.advance(path, position)
            else:
                searcher.plant(position)
        for searcher in self.searchers:
            searcher.finish_change()

    def set_clock(self, seconds: float | None) -> None:
        """Let the next search have so many seconds, or any number."""
        for searcher in self.searchers:
            searcher.set_clock(seconds)

    def prepare(self, simulations: int | None) -> float:
        """Compile what a search of so many simulations needs, or load it from the cache; return the seconds."""
        seconds = sum(searcher.prepare(self.rules) for searcher in self.searchers)
        if self.may_fill(simulations):
            seconds += self.searchers[0].prepare_recycling()
        return seconds

    def may_fill(self, simulations: int | None) -> bool:
        """Whether a search of so many simulations, of any number if it is None, may come to the limit of its memory."""
        searcher = self.searchers[0]
        if simulations is None:
            return True
        new = (1 + simulations // len(self.searchers)) * most_new_nodes(searcher.strategy)
        return int(searcher.tree.size[0]) + new + PADDING > searcher.limit

    def simulate(self, done: int, simulations: int, deadline: float | None, stop: Flag) -> int:
        """Add simulations; of n trees, tree i has (done + n - i - 1) // n of them at any time.

        Args:
            done: How many were added before in this search.
            simulations: How many to add.
            deadline: As in `Searcher.simulate`; but a search that has not begun makes room at any price, or a full
                tree would never get on.
            stop: Set when nobody waits for the search any more; Ctrl-C sets it.

        Returns:
            How many were added.
        """
        count = len(self.searchers)
        shares = [(done + simulations + i) // count - (done + i) // count for i in reversed(range(count))]

        def grow(searcher: Searcher, share: int) -> int:
            return searcher.simulate(share, deadline if done > 0 else None, stop) if share > 0 else 0

        if self.crew is None:
            return sum(map(grow, self.searchers, shares))
        return self.crew.add_up(grow, zip(self.searchers, shares, strict=True), stop)

    def statistics(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Visits int64 [L] and reward sums float64 [L] of the legal actions, over all trees."""
        visits, value_sums = np.zeros(len(actions), np.int64), np.zeros(len(actions))
        for tree in self.trees:
            more_visits, more_value_sums = root_statistics(tree, actions)
            visits += more_visits
            value_sums += more_value_sums
        return visits, value_sums

    def bounds(self, actions: NDArray[np.int64], player: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the most reward, each float64 [L], that the legal actions are proven to bring in any tree."""
        lower, upper = np.zeros(len(actions)), np.ones(len(actions))
        for tree in self.trees if self.options.solver else ():
            tree_lower, tree_upper = root_bounds(tree, actions, player, self.searchers[0].game.num_players)
            lower, upper = np.maximum(lower, tree_lower), np.minimum(upper, tree_upper)
        return lower, upper

    @property
    def employer(self) -> "Forest | SharedSearcher":
        """Who deals out work to threads: this, or the one tree that they share."""
        first = self.searchers[0]
        return first if isinstance(first, SharedSearcher) else self

    def __enter__(self) -> "Forest":
        most = self.options.threads if self.options.parallel == "shared" else len(self.searchers)
        threads = min(self.options.threads, most)
        self.employer.crew = Crew(threads) if threads > 1 else None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        if self.employer.crew is not None:
            self.employer.crew.dismiss()
            self.employer.crew = None


def make_searchers(game: Game, options: Options, count: int, sharers: int) -> list[Searcher]:
    """A searcher for each tree, or one for a tree that all threads share."""
    if options.parallel == "shared":
        return [SharedSearcher(game, options)]
    return [Searcher(game, options, count * sharers, count) for _ in range(count)]


def tree_seeds(seed: int, count: int) -> list[int]:
    """The seed of each tree: of one, the seed itself."""
    return [seed] if count == 1 else [spawn_seed(seed, index) for index in range(count)]
