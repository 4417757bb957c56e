"""What a game is: a frozen dataclass whose methods are the rules.

The rules work on a position, an int64 array of fixed size, and are compiled into the search. The same
methods run as plain Python behind `State`, and everywhere when Numba's JIT is off.
"""

import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import CHANCE
from fastmcts.core.tree import MAX_CHILDREN
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.errors import GameError
from fastmcts.kernels.chance import draw_outcome
from fastmcts.kernels.moves import legal_moves
from fastmcts.rng import below, make_rng, spawn_seed

if TYPE_CHECKING:
    from fastmcts.state import State

MOST_OBSERVED = 2**31  # numbers that a network sees of one position
STARTS_TRIED = 16  # until two of them differ, where something is dealt
TEXTS_SHOWN = 10  # of legal moves, in a message
DEAL = 2**63  # the part of a seed that deals: a search with the same seed must not draw what was dealt


class Game(Component, ABC):
    """Base of all games; a subclass is a frozen dataclass that declares three sizes and five rules.

    Sizes, as class attributes, fields or properties:
        num_players: How many play.
        num_actions: Actions are numbered from 0 to num_actions - 1, and no position has more.
        state_size: The length of a position.

    What holds for the utilities of `returns`, where it is not what is declared below:
        min_utility, max_utility: Their range, -1 and 1 by default, which the search scales to rewards in [0, 1]. In a
            game with `rewards` it is the range of all that a player can be paid from any position up to any later one,
            with the utility at the end: 0 is in it.
        constant_sum: Whether the utilities of two players always add up to min_utility + max_utility, so that one's
            gain is the other's loss; True by default. Write `constant_sum = False` in a game in which both can win:
            `solver=True` relies on it, and raises GameError at a finished game in which it is not so.

    The rules must not allocate arrays or keep anything outside the position. Randomness comes from the
    `rng` they are given, through the functions of `fastmcts.rng`.

    Compiled code checks no bounds. So a game is tried for some hundred moves in plain Python before it is compiled for
    the first time, and refused in words if a rule breaks this contract; `fastmcts.testing.check_game` looks closer,
    and a search with `checked=True` finds an index that is out of bounds wherever it comes to one.

    A *view* is a position as one player knows it: what `observe` writes, and nothing else. A game with hidden
    information supports views if it has `possible_actions`, and `awaited` where moves show something. Then
    `observe`, `determinize`, `apply` and `reveals` work on a view too: `observe` leaves it as it is, `determinize`
    draws the world that it would draw from the real position, and `apply` leads to what the player knows after
    the move, but for what the move shows it. So `determinize` must not read hidden entries, not even to count them.
    """

    num_players: int
    num_actions: int
    state_size: int

    #: Chance outcomes are numbered from 0 to num_chance_outcomes - 1.
    num_chance_outcomes: int = 0
    #: A game that lasts longer is reported as a fault, since a search could not be interrupted in it.
    max_game_length: int = 10_000
    #: The range of `returns`, which the search scales to rewards in [0, 1].
    min_utility: float = -1.0
    max_utility: float = 1.0
    #: Whether a move, or an outcome of chance, may look like another to a player who sees it happen.
    hides_moves: bool = False
    #: Whether the utilities of two players always add up to min_utility + max_utility; proofs rely on it.
    constant_sum: bool = True

    # ---- The rules

    @abstractmethod
    def initial(self, state: Position, rng: Rng) -> None:
        """Fill `state` (all zeros) with the position at the start."""

    @abstractmethod
    def current_player(self, state: Position) -> int:
        """The player to move, CHANCE where a die or a deck decides, or TERMINAL when the game is over."""
        raise NotImplementedError

    @abstractmethod
    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Write the legal actions into `actions` in ascending order and return how many there are."""
        raise NotImplementedError

    @abstractmethod
    def apply(self, state: Position, action: int) -> None:
        """Play a legal action: change `state` in place."""

    @abstractmethod
    def returns(self, state: Position, out: Utilities) -> None:
        """Write each player's utility at the end of the game into `out`."""

    # ---- Optional rules that unlock more

    def chance_outcomes(
        self,
        state: Position,
        actions: Actions,
        probabilities: NDArray[np.float64],
    ) -> int:
        """Where `current_player` says CHANCE: write the outcomes in ascending order, and how likely each is.

        Outcomes are numbered from 0 to num_chance_outcomes - 1 and played by `apply`. Returns their count.
        """
        return 0

    def determinize(self, state: Position, player: int, rng: Rng) -> None:
        """Replace what `player` cannot see by a uniform draw from all worlds that fit what it knows.

        The draw must depend on nothing else: from two worlds that `player` cannot tell apart, the same random
        numbers lead to the same world.
        """

    def observe(self, state: Position, player: int, out: Position) -> None:
        """Write what `player` knows into `out` [state_size]: equal where it cannot tell worlds apart.

        That includes what it remembers: with `ISMCTS(observers="all")` a player moves alike wherever this is equal.
        """
        for index in range(self.state_size):
            out[index] = state[index]

    def reveals(self, state: Position, action: int) -> bool:
        """Whether playing a legal action shows its player something hidden, such as a face-down card."""
        return False

    def rewards(self, state: Position, action: int, after: Position, out: Utilities) -> None:
        """Write what each player is paid for an action, or an outcome of chance, into `out`.

        A game that has this method pays on the way: what a player gets is the sum of its rewards and of its utility at
        the end, each counted the less, the later it comes, if the rollout policy has a `discount`. `returns` is what
        comes on top when the game is over (often 0), and `evaluate` is about what is still to come.

        Args:
            state: The position before.
            action: What was played there.
            after: The position after `apply`.
            out: float64 [num_players].
        """
        for player in range(self.num_players):
            out[player] = 0.0

    def evaluate(self, state: Position, out: Utilities) -> None:
        """Write an estimate of each player's utility in an unfinished game; even, unless overridden.

        In a game with `rewards` it is what each is still to be paid, with the utility at the end: 0, unless overridden.
        """
        for player in range(self.num_players):
            if self.pays_rewards:
                out[player] = 0.0
            else:
                out[player] = 0.5 * (self.min_utility + self.max_utility)

    if TYPE_CHECKING:  # a size may be an attribute, a field or a property in a subclass, as type checkers are to know
        observation_shape: tuple[int, ...]
    else:

        @cached_property
        def observation_shape(self) -> tuple[int, ...]:
            """The shape of what a network sees; unless overridden, of the position: (state_size,)."""
            return (self.state_size,)

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Write what a network sees of a position with the eyes of `player`: only what that player may see.

        A game that has this says its `observation_shape` too, such as (planes, rows, columns). Without it a network
        sees the ints that `observe` writes, which in a game that hides nothing are the position. Numbers near 1 are
        best to learn from; `fastmcts.testing.check_game` refuses what is beyond -1000 to 1000.

        Args:
            state: A position; not modified. In a game that supports views, a view of `player` may be given as well.
            player: Whose eyes; it need not be to move.
            out: float32 [observation_size], all zeros: an array of `observation_shape`, row by row.
        """
        raise NotImplementedError

    def is_promising(self, state: Position, action: int) -> bool:
        """Whether a legal action should be tried before others."""
        return False

    def prior(self, state: Position, actions: Actions, count: int, out: NDArray[np.float64]) -> None:
        """Write how likely each of the first `count` actions is to be good into `out`; uniform, unless overridden."""
        for index in range(count):
            out[index] = 1.0 / count

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Draw a legal action uniformly; override where that is possible without listing them all."""
        return actions[below(rng, legal_moves(self, state, actions))]

    def rollout_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """The game's own rollout policy: a legal action; `actions` is a buffer to list moves in."""
        return self.random_action(state, actions, rng)

    def careful_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """A second rollout policy, for games whose first one is a simple rule that has to stay as it is."""
        return self.rollout_action(state, actions, rng)

    # ---- What may be dealt; plain Python, never compiled

    def deals(self) -> Iterable[tuple[Position, float]]:
        """List every position that `initial` may deal once, each with how likely it is.

        Exact walks over a game's tree start from it, such as `fastmcts.testing.exploitability`. A game that always
        starts from the same position need not override it.
        """
        starts = [self.new_initial_state(seed).array for seed in range(STARTS_TRIED)]
        if any(not np.array_equal(start, starts[0]) for start in starts):
            raise ValueError(
                f"{self.name} deals at random, and does not tell what: it needs the method deals, which lists every"
                " position that initial may deal, and how likely it is"
            )
        return [(starts[0], 1.0)]

    # ---- Advice; plain Python, never compiled

    @property
    def recommended(self) -> dict[str, Any]:
        """The search options that play this game best, as far as known; used for what a caller leaves out.

        Keys are among `selection`, `expansion`, `rollout`, `method`, `solver` and `final`.
        """
        return {}

    # ---- Positions as one player knows them; plain Python, never compiled

    def possible_actions(self, state: Position, player: int, actions: Actions) -> int:
        """List what may come next as far as `player` knows, whose view `state` is, as `legal_actions` does.

        These are the actions of the player to move, or the outcomes of chance, that are legal in at least one world
        that fits the view. Where `player` is to move, they are the legal ones.

        Args:
            state: A view; not modified.
            player: Whose.
            actions: A buffer, which is filled in ascending order.

        Returns:
            How many there are.
        """
        return self.legal_actions(state, actions)

    def awaited(self, state: Position, player: int, places: Position) -> int:
        """List the entries of a view that were shown to `player` by the last move, and are not told yet.

        The values of these entries in the real position are the facts that `reveal` is told, in this order. A full
        position awaits nothing. `player` awaits something after its own move exactly if the move `reveals` something.

        Args:
            state: A view, or a view after `apply`; not modified.
            player: Whose.
            places: A buffer [state_size], which is filled with indices.

        Returns:
            How many there are.
        """
        return 0

    def reveal(self, state: Position, player: int, facts: Position) -> None:
        """Fill in what was shown: change a view that waits in place, so that it is what `player` knows now.

        Override it where more follows from the facts than the entries that are `awaited`. What cannot be, judged by
        `check_view` afterwards, need not be refused here; but a ValueError can say more clearly why.

        Args:
            state: A view that waits.
            player: Whose.
            facts: The values of the entries that are `awaited`.
        """
        places = np.zeros(self.state_size, np.int64)
        count = self.awaited(state, player, places)
        state[places[:count]] = facts

    def awaited_text(self, state: Position, player: int) -> str:
        """Ask for what a view waits for, in a sentence that ends in an example."""
        return "tell first what was shown: state.reveal(...)"

    def fact_to_string(self, fact: int) -> str:
        """Write one of the facts that `reveal` is told, as one word."""
        return str(fact)

    def string_to_fact(self, text: str) -> int:
        """Read what `fact_to_string` writes."""
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"what was shown is told in whole numbers, not {text!r}") from None

    def impossible_text(self, state: Position, player: int, action: int) -> str:
        """Say why an action is not among the `possible_actions` of a view."""
        possible = self.new_state(state, player).legal_actions()
        return f"action {action} is not possible here, as far as player {player} knows; possible are {possible}"

    def string_to_possible_action(self, state: Position, player: int, text: str) -> int:
        """Read one of the `possible_actions` of a view."""
        wanted = move_text(text)
        texts = {
            self.action_to_string(state, action): action for action in self.new_state(state, player).legal_actions()
        }
        if wanted not in texts:
            raise ValueError(
                f"{text!r} is not possible here, as far as player {player} knows;"
                f" possible are: {', '.join(texts) or 'none'}"
            )
        return texts[wanted]

    def render_view(self, state: Position, player: int) -> str:
        """Draw a view, in which what is hidden from `player` is unknown."""
        return self.render(state)

    def check_view(self, state: Position, player: int) -> None:
        """Raise ValueError unless an array from outside is a view: a position in which some world looks like that."""
        world, known = state.copy(), np.zeros(self.state_size, np.int64)
        self.new_state(state, player).refuse_waiting()
        try:
            with wrapping_integers():
                self.determinize(world, player, make_rng(0))
            self.check_state(world)
            self.observe(world, player, known)
        except (GameError, IndexError, OverflowError) as error:
            raise ValueError(f"no world fits what player {player} knows: {error}") from error
        for index in np.flatnonzero(known != state):
            raise ValueError(
                f"entry {index} of what player {player} knows is {state[index]},"
                f" but the worlds that fit have {known[index]}"
            )

    # ---- Text; plain Python, never compiled

    def render(self, state: Position) -> str:
        """Draw a position."""
        return " ".join(str(entry) for entry in state)

    def action_to_string(self, state: Position, action: int) -> str:
        """Write an action in the game's notation."""
        return str(action)

    def string_to_action(self, state: Position, text: str) -> int:
        """Read a legal action in the game's notation."""
        wanted = move_text(text)
        for action in self.new_state(state).legal_actions():
            if self.action_to_string(state, action) == wanted:
                return action
        raise ValueError(f"{text!r} is not a legal move here; legal are: {self.legal_texts(state)}")

    def check_state(self, state: Position) -> None:
        """Raise ValueError if an array from outside, of the right size, is not a position."""

    # ---- What the search and the user ask

    @property
    def name(self) -> str:
        """The id of a registered game, which is its file's name; else the class's name."""
        package, _, file_name = type(self).__module__.rpartition(".")
        return file_name if package == "fastmcts.games" else type(self).__name__

    @cached_property
    def has_hidden_information(self) -> bool:
        """Whether players do not see everything."""
        return self.overrides("determinize")

    @cached_property
    def pays_rewards(self) -> bool:
        """Whether moves pay something, and not only the end of the game."""
        return self.overrides("rewards")

    @cached_property
    def accounted_moves(self) -> int:
        """How many moves a search has to account for: none where nothing is paid on the way."""
        return self.max_game_length if self.pays_rewards else 0

    @cached_property
    def supports_views(self) -> bool:
        """Whether a position can be cut down to what one player knows."""
        return not self.has_hidden_information or self.overrides("possible_actions")

    @cached_property
    def has_chance(self) -> bool:
        """Whether dice or cards decide in the middle of the game."""
        return self.num_chance_outcomes > 0

    @cached_property
    def has_observation(self) -> bool:
        """Whether the game says itself what a network sees."""
        return self.overrides("observation")

    @cached_property
    def observation_size(self) -> int:
        """How many numbers a network sees."""
        return math.prod(self.observation_shape)

    def new_initial_state(self, seed: int | None = None, draw_chance: bool = False) -> "State":
        """The position at the start.

        Args:
            seed: Matters where something is shuffled or dealt: the same seed deals the same. None draws one at random,
                which `state.seed` tells.
            draw_chance: Where chance decides first, as in 2048, let it, until a player is to move.
        """
        self.check_declaration()
        seed = secrets.randbits(63) if seed is None else whole_number("seed", seed)
        position = np.zeros(self.state_size, np.int64)
        rng = make_rng(spawn_seed(seed, DEAL))
        outcomes, probabilities = np.zeros(self.num_chance_outcomes, np.int64), np.zeros(self.num_chance_outcomes)
        with wrapping_integers():
            self.initial(position, rng)
            state = self.new_state(position)
            state.seed = seed
            while draw_chance and self.current_player(position) == CHANCE:
                state.make_move(int(draw_outcome(self, position, outcomes, probabilities, rng)))
        return state

    def state_from_array(self, array: Position, viewer: int | None = None) -> "State":
        """Check a raw position and wrap a copy of it.

        Args:
            array: int64 [state_size].
            viewer: Whose view it is; None if it is a full position.
        """
        self.check_declaration()
        if not isinstance(array, np.ndarray) or array.dtype != np.int64:
            kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(f"a position of {self.name} is a NumPy array of int64, not {kind}")
        if array.shape != (self.state_size,):
            raise ValueError(f"a position of {self.name} has shape ({self.state_size},), not {array.shape}")
        if viewer is None:
            self.check_state(array)
        else:
            viewer = whole_number("viewer", viewer, low=0, high=self.num_players - 1)
            self.check_view(array, viewer)
        return self.new_state(array.copy(), viewer)

    def new_state(self, position: Position, viewer: int | None = None) -> "State":
        """Wrap a position, or the view of a player, without copying or checking it."""
        from fastmcts.state import State

        return State(self, position, viewer)

    def overrides(self, method: str) -> bool:
        """Whether the game brings its own version of an optional rule."""
        return getattr(type(self), method) is not getattr(Game, method)

    def legal_texts(self, state: Position) -> str:
        """The legal moves in the game's notation, for messages: some of them, and how many there are."""
        legal = self.new_state(state).legal_actions()
        shown = ", ".join(self.action_to_string(state, action) for action in legal[:TEXTS_SHOWN]) or "none"
        return shown if len(legal) <= TEXTS_SHOWN else f"{shown}, ... ({len(legal)} moves)"

    def check_declaration(self) -> None:
        """Raise GameError, with what would be right, if a size is missing or impossible."""
        bounds = {
            "num_players": (1, 127),
            "num_actions": (1, MAX_CHILDREN),
            "num_chance_outcomes": (0, MAX_CHILDREN),
            "state_size": (1, 2**31),
            "max_game_length": (1, 2**31),
        }
        for name, (low, high) in bounds.items():
            size = getattr(self, name, None)
            if not isinstance(size, int) or isinstance(size, bool) or not low <= size <= high:
                raise GameError(f"{type(self).__name__}.{name} must be an int from {low} to {high}, not {size!r}")
        self.check_observation_shape()
        if not self.min_utility < self.max_utility:
            raise GameError(
                f"{type(self).__name__}.min_utility must be below max_utility,"
                f" not {self.min_utility!r} against {self.max_utility!r}"
            )
        if self.pays_rewards and not self.min_utility <= 0.0 <= self.max_utility:
            raise GameError(
                f"{type(self).__name__} pays rewards, and where nothing is left to be paid a player gets 0: min_utility"
                f" and max_utility must have 0 between them, not {self.min_utility!r} and {self.max_utility!r}"
            )

    def check_observation_shape(self) -> None:
        """Raise GameError, with what to write, if a network cannot see arrays of the declared shape."""
        shape, name = self.observation_shape, type(self).__name__
        if not isinstance(shape, tuple) or not shape or not all(type(size) is int and size > 0 for size in shape):
            raise GameError(
                f"{name}.observation_shape must be a tuple of ints above 0, such as (2, 6, 7), not {shape!r}"
            )
        if self.observation_size > MOST_OBSERVED:
            raise GameError(f"{name}.observation_shape is {shape}: more than {MOST_OBSERVED:,} numbers")
        if self.has_observation != self.overrides("observation_shape"):
            missing = "observation_shape" if self.has_observation else "observation"
            raise GameError(
                f"{name} must have both observation and observation_shape, or neither: {missing} is missing"
                " (observation writes what a network sees into a float32 array of observation_shape)"
            )

    def check_observation(self) -> None:
        """Raise GameError, with what to write, if nothing tells what a network may see."""
        self.check_observation_shape()
        if self.has_hidden_information and not (self.has_observation or self.overrides("observe")):
            raise GameError(
                f"{type(self).__name__} hides something, but does not say from whom: a network would see everything."
                " Write observe, which tells what a player knows, or observation with observation_shape"
            )


def move_text(text: str) -> str:
    """Return a move's text without the space around it, or raise TypeError if it is no text."""
    if not isinstance(text, str):
        raise TypeError(f"a move is a text, as action_to_string writes it, not {text!r}")
    return text.strip()


def drawn_text(drawing: str) -> str:
    """Return a drawing of a position, or raise TypeError if it is no text."""
    if not isinstance(drawing, str):
        raise TypeError(f"a position is drawn as a text, as str(state) writes it, not {drawing!r}")
    return drawing
