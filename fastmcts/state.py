"""A position of a game, for people and scripts; the search itself works on the array inside."""

import numpy as np

from fastmcts.arrays import Position
from fastmcts.checks import whole_number
from fastmcts.component import same
from fastmcts.constants import CHANCE, TERMINAL
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.jit import wrapping_integers
from fastmcts.kernels.rng import make_rng


class State:
    """A game in progress, with OpenSpiel's names."""

    def __init__(self, game: Game, array: Position) -> None:
        self.game = game
        self.array = array  # int64 [state_size], the raw position

    def current_player(self) -> int:
        """The player to move: 0 to num_players - 1, or CHANCE, or TERMINAL."""
        return int(self.game.current_player(self.array))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        """Whether a die or a deck decides what comes next."""
        return self.current_player() == CHANCE

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order; none when the game is over."""
        if self.is_terminal():
            return []
        if self.is_chance_node():
            return [outcome for outcome, _ in self.chance_outcomes()]
        actions = np.zeros(self.game.num_actions, np.int64)
        try:
            count = int(self.game.legal_actions(self.array, actions))
        except IndexError as error:
            raise GameError(
                f"{self.game.name}: legal_actions wrote past the end of its buffer,"
                f" which has num_actions = {self.game.num_actions} entries"
            ) from error
        return sorted(actions[:count].tolist())

    def apply_action(self, action: int) -> None:
        """Play a legal action, in place."""
        if self.is_terminal():
            raise ValueError(f"the game is over: no action can be played, not even {action!r}")
        if not isinstance(action, int | np.integer):
            raise TypeError(f"an action is a whole number, not {action!r}")
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action {action!r} is not legal here; legal are {legal}")
        self.game.apply(self.array, int(action))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What may come next at a chance node, and how likely each outcome is."""
        if not self.is_chance_node():
            raise ValueError(f"no chance decides here: current_player() is {self.current_player()}")
        outcomes = np.zeros(self.game.num_chance_outcomes, np.int64)
        probabilities = np.zeros(self.game.num_chance_outcomes, np.float64)
        count = int(self.game.chance_outcomes(self.array, outcomes, probabilities))
        return list(zip(outcomes[:count].tolist(), probabilities[:count].tolist(), strict=True))

    def child(self, action: int) -> "State":
        """The position after a legal action; this one stays as it is."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> "State":
        """An independent copy."""
        return State(self.game, self.array.copy())

    def returns(self) -> list[float]:
        """Each player's utility; all zero while the game goes on."""
        utilities = np.zeros(self.game.num_players, np.float64)
        if self.is_terminal():
            self.game.returns(self.array, utilities)
        return utilities.tolist()

    def determinize(self, player: int, seed: int) -> "State":
        """Another world that `player` cannot tell from this one, drawn uniformly from all of them."""
        world = self.clone()
        with wrapping_integers():
            self.game.determinize(world.array, self.checked_player(player), make_rng(seed))
        return world

    def information_state_string(self, player: int) -> str:
        """What `player` knows: equal exactly for positions that it cannot tell apart."""
        known = np.zeros(self.game.state_size, np.int64)
        self.game.observe(self.array, self.checked_player(player), known)
        return " ".join(str(entry) for entry in known)

    def checked_player(self, player: int) -> int:
        """Return a player's number, or raise."""
        return whole_number("player", player, low=0, high=self.game.num_players - 1)

    def action_to_string(self, action: int | None) -> str:
        """Write an action in the game's notation; None, where there is no move to make, is "none"."""
        if action is None:
            return "none"
        if not isinstance(action, int | np.integer):
            raise TypeError(f"an action is a whole number, not {action!r}")
        return self.game.action_to_string(self.array, int(action))

    def string_to_action(self, text: str) -> int:
        """Read a legal action in the game's notation; ValueError names the legal ones."""
        return self.game.string_to_action(self.array, text)

    def __str__(self) -> str:
        """The position, drawn."""
        return self.game.render(self.array)

    def __repr__(self) -> str:
        """One line for debuggers."""
        return f"State({self.game!r}, {self.array.tolist()})"

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position of the same game."""
        if not isinstance(other, State):
            return NotImplemented
        return same(self.game, other.game) and np.array_equal(self.array, other.array)

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # a State changes in place
