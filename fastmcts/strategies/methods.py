"""Methods: what a simulation knows, and what the nodes of the tree stand for."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import NONE, TERMINAL
from fastmcts.core.scratch import Scratch, make_scratch
from fastmcts.core.tree import Tree
from fastmcts.core.types import Actions, Position, Rng
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.kernels.children import fixed_child, matched_child
from fastmcts.kernels.copy import copy
from fastmcts.kernels.loop import simulate
from fastmcts.kernels.observers import begin_at_deal, simulate_together
from fastmcts.kernels.payments import make_move
from fastmcts.kernels.replies import play_others
from fastmcts.kernels.sequences import simulate_sequence
from fastmcts.rng import draw_seed, make_rng, reseed

__all__ = ["ISMCTS", "PIMC", "Method", "OpenLoop", "PerfectInformation", "SinglePerspective"]

Means = NDArray[np.float64]  # [L], of the legal actions; NaN without visits

Observers = Literal["self", "all"]
Begins = Literal["here", "deal"]
Vote = Literal["visits", "value", "majority"]
EVEN = 0.5  # the mean of the rewards


@dataclass(frozen=True)
class Method(Component):
    """Base of all methods; this one knows everything but what chance will bring."""

    #: Whether simulations take place in worlds that are drawn from what the player to move cannot tell apart.
    draws_worlds = False

    #: Whether what was learnt below a move still holds when the move was made.
    keeps_below = True

    #: Whether somebody has to keep the nodes of each simulation, which lead to no common root.
    keeps_path = False

    #: Whether what stands below a move in the tree are the moves that may follow it.
    has_line = True

    #: In how many worlds a tree of its own is grown; 0 where all trees start from one position.
    worlds = 0

    #: By what those worlds vote for a move.
    vote = "visits"

    @property
    def in_kernels(self) -> "Method":
        """The method that each tree is searched by, where that is another."""
        return self

    def fields(self, game: Game) -> tuple[str, ...]:
        """The optional fields of the tree that the method needs for a game."""
        return ()

    def start(self, game: Game, position: Position, seed: int) -> Position:
        """The position to search from, given the one that is asked about."""
        return position

    def begin(self, game: Game, root: Position, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Put the position in which a simulation starts into `scratch.state`."""
        copy(root, scratch.state)

    def simulate(self, strategy: Any, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Add a simulation, which starts in `scratch.state`, to the tree."""
        simulate(strategy, tree, scratch, rng)

    def most_new_nodes(self, game: Game) -> int:
        """The most nodes that a simulation can add: the children of one node."""
        return max(game.num_actions, game.num_chance_outcomes)

    def next_child(self, strategy: Any, tree: Tree, node: int, player: int, scratch: Scratch, rng: Rng) -> int:
        """The child to go on to from a node, whose position is in `scratch.state`; it may be added for that."""
        return fixed_child(strategy, tree, node, player, scratch, rng)  # pyright: ignore[reportReturnType]

    def reply(self, strategy: Any, tree: Tree, node: int, fresh: bool, scratch: Scratch, rng: Rng) -> None:
        """Called after the move to a node, which is fresh if it was never made before."""

    def played_index(self, game: Game, position: Position, actions: Actions, values: Means, best: int) -> int:
        """The index of the move to make, given that of the best one and the mean rewards of all."""
        return best


@dataclass(frozen=True)
class PerfectInformation(Method):
    """Every player sees everything, and chance is averaged over.

    In a game with hidden information this is a player who sees all cards: good for analysis, a cheat in play.
    """


@dataclass(frozen=True)
class OpenLoop(Method):
    """The nodes of the tree are sequences of decisions; what chance brings between them is drawn anew at each visit.

    It is meant for games in which chance may bring very much: a tree with a node for each outcome comes to each of them
    but a few times, while all outcomes share what is learnt here. It plans as if it did not see what chance brings, and
    that is the price: a decision below the first is the best on average. (On 2048, where a tile may come to any empty
    cell, the price is too high; benchmarks/open_loop.py.) Only whose turn it becomes is told apart. Moves compete where
    they are legal, and count how often they were available.

    The tree is dropped when a move is made (`result.reused` is 0): what chance has brought then is known.
    """

    keeps_below = False
    has_line = False

    def fields(self, game: Game) -> tuple[str, ...]:
        """How often each move was available."""
        return ("available",)

    def simulate(self, strategy: Any, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Add a simulation to a tree of sequences."""
        simulate_sequence(strategy, tree, scratch, rng)

    def most_new_nodes(self, game: Game) -> int:
        """A node for whose turn it is, and one for a decision, each with places for others beside it."""
        return 2 * max(game.num_actions, game.num_chance_outcomes)


@dataclass(frozen=True)
class SinglePerspective(Method):
    """The tree has nodes only where one player moves; everybody else, and chance, moves at random.

    A child stands for the position in which the player is to move again after its own move and the replies to
    it. Values are that player's throughout; where nothing is hidden, of good moves with equal values one that ends
    the game is played. Where another is to move at the root, or chance, a continuation up to the player's turn is
    drawn from the seed first, and the search and its result are about the position there: `result.state`. In a game
    with hidden information each simulation draws a world that the player cannot tell from the real one.

    Replies that stay are one draw for each child, dice and hidden moves among them, and the search counts on it:
    `resample=True` averages over what may happen.

    Args:
        player: Whose perspective; None is the player to move.
        resample: Draw the replies anew at each visit. Otherwise those drawn when a child was added stay.
    """

    player: int | None = None
    resample: bool = False

    draws_worlds = True
    keeps_below = False

    def __post_init__(self) -> None:
        if self.player is not None:
            whole_number("SinglePerspective's player", self.player, low=0)
        if not isinstance(self.resample, bool):
            raise TypeError(f"SinglePerspective's resample must be True or False, not {self.resample!r}")

    def fields(self, game: Game) -> tuple[str, ...]:
        """Seeds of replies that stay; availability where a node stands for many positions."""
        many = self.resample or game.has_hidden_information
        return (() if self.resample else ("seed",)) + (("available",) if many else ())

    def start(self, game: Game, position: Position, seed: int) -> Position:
        """The position in which the player is to move, or the game is over."""
        if self.player is None or game.current_player(position) == self.player:
            return position
        rng = make_rng(seed)
        sizes = game.state_size, game.num_actions, game.num_players, game.num_chance_outcomes
        scratch = make_scratch(*sizes, longest_line=game.accounted_moves)
        copy(position, scratch.state)
        with wrapping_integers():
            game.determinize(scratch.state, self.player, rng)
            play_others(game, 1.0, self.player, scratch, rng)
        return scratch.state

    def begin(self, game: Game, root: Position, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Start from the root, or in a world that looks the same."""
        copy(root, scratch.state)
        if game.has_hidden_information:
            game.determinize(scratch.state, game.current_player(scratch.state), rng)

    def next_child(self, strategy: Any, tree: Tree, node: int, player: int, scratch: Scratch, rng: Rng) -> int:
        """By action, where a node stands for many positions."""
        if self.resample or strategy.game.has_hidden_information:
            return matched_child(strategy, tree, node, player, scratch, rng)  # pyright: ignore[reportReturnType]
        return fixed_child(strategy, tree, node, player, scratch, rng)  # pyright: ignore[reportReturnType]

    def reply(self, strategy: Any, tree: Tree, node: int, fresh: bool, scratch: Scratch, rng: Rng) -> None:
        """Let the others move, as they did before if that is to stay.

        A single reply that stays is kept itself, instead of what it was drawn from: where moves are dear to list, as in
        Othello, that is a tenth faster. It is written as NONE - 1 - action, below all seeds. In another world the same
        seed may lead to another reply, so that seeds are kept where something is hidden.
        """
        game, discount, player = strategy.game, strategy.rollout.discount, tree.player[node]
        if self.resample:
            play_others(game, discount, player, scratch, rng)
        elif not fresh and tree.seed[node] < NONE:
            make_move(game, discount, scratch, NONE - 1 - tree.seed[node])
        else:
            if fresh:
                tree.seed[node] = draw_seed(rng)
            reseed(scratch.generator, tree.seed[node])
            only = play_others(game, discount, player, scratch, scratch.generator)
            if only != NONE and not game.has_hidden_information:
                tree.seed[node] = NONE - 1 - only

    def played_index(self, game: Game, position: Position, actions: Actions, values: Means, best: int) -> int:
        """A move that ends the game well owes nothing to lucky replies; if it does, the real world must not tell."""
        if not game.has_hidden_information and values[best] > EVEN:
            for index in np.flatnonzero(values >= values[best]):
                after = position.copy()
                with wrapping_integers():
                    game.apply(after, int(actions[index]))
                if game.current_player(after) == TERMINAL:
                    return int(index)
        return best


@dataclass(frozen=True)
class ISMCTS(Method):
    """Information-set search: each simulation draws a world that the player to move cannot tell from the real one.

    With one observer there is one tree, whose nodes are sequences of moves (Cowling, Powley and Whitehouse 2012).
    In each world the legal moves compete, and a selection rule counts how often a move was available in place
    of the node's visits. The others are taken to move by that tree, whatever they hold. A tree of moves tells apart
    what happens unseen, so that a game which `hides_moves` is for all observers.

    With all as observers each player has a tree of its own, in which it tells apart what it can tell apart: its
    own cards above all, and nothing else. A simulation goes down all trees together. The tree of the player to
    move chooses, and whoever has tried a move for the first time goes on by the rollout policy (as in Heinrich
    and Silver 2015), while others may still be in theirs. The player to move at the root thinks about opponents
    who know their cards; where they may hold very many hands it takes many simulations to learn what they do.
    The result is about the tree of the player to move. The trees are dropped when a move is made
    (`result.reused` is 0), and the principal variation ends after one move.

    Simulations that begin here are about worlds with the hand of the player to move: all others learn to play against
    that hand, as if they had seen it. Those that begin at the deal (all but the first one) play the whole game with
    all hands, and come to this position only at times, the less often the longer the game. So that is for small games,
    in which it is an equilibrium that counts: with `SmoothUCT` the visits of all information sets approach one.

    Args:
        observers: "self" grows one tree of what the player to move sees, "all" one of what each player sees.
        begins: Where simulations begin: "here", in worlds that look like the position; or, for all observers, with a
            new "deal".
    """

    observers: Observers = "self"
    begins: Begins = "here"

    draws_worlds = True

    def __post_init__(self) -> None:
        for name, kinds in (("observers", get_args(Observers)), ("begins", get_args(Begins))):
            if getattr(self, name) not in kinds:
                raise ValueError(f"ISMCTS's {name} must be one of {', '.join(kinds)}, not {getattr(self, name)!r}")
        if self.from_deal and self.observers != "all":
            raise ValueError('one tree is about the hand of the player to move: begins="deal" needs observers="all"')

    @property
    def from_deal(self) -> bool:
        """Whether each simulation begins with a new deal."""
        return self.begins == "deal"

    @property
    def keeps_below(self) -> bool:
        """Not in trees for all players, whose information sets are found from the root only."""
        return self.observers == "self"

    @property
    def in_kernels(self) -> Method:
        """With one observer, this one."""
        if self.observers == "self":
            return self
        return ALL_OBSERVERS_FROM_DEAL if self.from_deal else ALL_OBSERVERS

    def fields(self, game: Game) -> tuple[str, ...]:
        """How often each move was available."""
        return ("available",)

    def begin(self, game: Game, root: Position, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Start in a world that looks the same to the player to move."""
        copy(root, scratch.state)
        game.determinize(scratch.state, game.current_player(scratch.state), rng)

    def next_child(self, strategy: Any, tree: Tree, node: int, player: int, scratch: Scratch, rng: Rng) -> int:
        """By action, among those that are legal in this world."""
        return matched_child(strategy, tree, node, player, scratch, rng)  # pyright: ignore[reportReturnType]


@dataclass(frozen=True)
class AllObservers(ISMCTS):
    """`ISMCTS(observers="all")` as it is compiled: a tree of information sets for each player."""

    observers: Observers = "all"

    keeps_path = True

    def fields(self, game: Game) -> tuple[str, ...]:
        """What information sets are found by."""
        return ("known", "before", "after")

    def begin(self, game: Game, root: Position, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Start in a world that looks the same to the player to move, or with a new deal."""
        if self.from_deal:
            begin_at_deal(game, root, tree, scratch, rng)
        else:
            copy(root, scratch.state)
            game.determinize(scratch.state, game.current_player(scratch.state), rng)

    def simulate(self, strategy: Any, tree: Tree, scratch: Scratch, rng: Rng) -> None:
        """Add a simulation to the trees of all players."""
        simulate_together(strategy, tree, scratch, rng)

    def most_new_nodes(self, game: Game) -> int:
        """An information set with its moves for each player."""
        return game.num_players * (1 + game.num_actions)


@dataclass(frozen=True)
class PIMC(Method):
    """Perfect-information Monte Carlo: a search with open cards in each of several worlds, which then vote.

    The worlds are drawn from the seed, look the same to the player to move, and share the simulations.

    Args:
        worlds: How many worlds.
        vote: What decides: the "visits" of all worlds together, the mean of the moves' "value" over the worlds,
            or the "majority" of the worlds' most visited moves.
    """

    worlds: int = 32
    vote: Vote = "visits"

    draws_worlds = True
    keeps_below = False

    def __post_init__(self) -> None:
        whole_number("PIMC's worlds", self.worlds, low=1, high=4096)
        if self.vote not in get_args(Vote):
            raise ValueError(f"PIMC's vote must be one of {', '.join(get_args(Vote))}, not {self.vote!r}")

    @property
    def in_kernels(self) -> Method:
        """Open cards in each world."""
        return OPEN_CARDS


#: Made once: gathering what Numba has to know of a component takes 2 ms, and PIMC needs one for each world.
OPEN_CARDS = PerfectInformation()
ONE_OBSERVER = ISMCTS()
EACH_OBSERVER = ISMCTS(observers="all")
ALL_OBSERVERS = AllObservers()
ALL_OBSERVERS_FROM_DEAL = AllObservers(begins="deal")


def default_method(game: Game) -> Method:
    """The method that suits a game."""
    if not game.has_hidden_information:
        return OPEN_CARDS
    return EACH_OBSERVER if game.hides_moves else ONE_OBSERVER
