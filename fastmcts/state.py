"""A position of a game, for people and scripts; the search itself works on the array inside."""

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import same
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.answers import number_from, refuse_answer
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.types import Observation, Position
from fastmcts.core.validate import whole_number
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.kernels.observation import write_observation
from fastmcts.rng import make_rng

LARGEST_EXACT = 2**24  # all integers up to this one are float32 numbers


class State:
    """A game in progress, with OpenSpiel's names.

    With a viewer it is a view: the position as that player knows it, which does not contain what is hidden from it.
    Then `legal_actions` are those that may be legal as far as the viewer knows, and after a move that shows something
    the view waits: it is to be told by `reveal` what was shown, before anything else.

    Attributes:
        game: The game.
        array: int64 [state_size], the raw position.
        viewer: The player whose view it is; None if everything is known.
        seed: From which `Game.new_initial_state` dealt the game that led here; None for a position from elsewhere,
            and for views and worlds, which must not tell what was dealt.
        paid: Where moves pay rewards: what each player was paid since the position was made by `new_initial_state` or
            `state_from_array`, with nothing discounted; all 0 in other games.
        last_paid: The part of it that the last move has paid.
    """

    def __init__(self, game: Game, array: Position, viewer: int | None = None) -> None:
        self.game = game
        self.array = array
        self.viewer = viewer
        self.seed: int | None = None
        self.paid = self.last_paid = (0.0,) * game.num_players

    def current_player(self) -> int:
        """The player to move: 0 to num_players - 1, or CHANCE, or TERMINAL."""
        self.refuse_waiting()
        return number_from(self.game, "current_player", self.game.current_player(self.array))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        """Whether a die or a deck decides what comes next."""
        return self.current_player() == CHANCE

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order, of a view the possible ones; none when the game is over."""
        game, player = self.game, self.current_player()
        if player == TERMINAL:
            return []
        if self.viewer is None and player == CHANCE:
            return [outcome for outcome, _ in self.chance_outcomes()]
        actions = np.zeros(max(game.num_actions, game.num_chance_outcomes), np.int64)
        rule = "legal_actions" if self.viewer is None else "possible_actions"
        try:
            if self.viewer is None:
                answer = game.legal_actions(self.array, actions[: game.num_actions])
            else:
                answer = game.possible_actions(self.array, self.viewer, actions)
        except IndexError as error:
            raise GameError(
                f"{game.name}: {rule} wrote past the end of its buffer,"
                f" which has num_actions = {game.num_actions} entries"
            ) from error
        return sorted(actions[: number_from(game, rule, answer)].tolist())

    def legal_actions_mask(self) -> NDArray[np.bool_]:
        """Which actions are legal: bool [num_actions], at a chance node [num_chance_outcomes]; of a view, possible."""
        size = self.game.num_chance_outcomes if self.is_chance_node() else self.game.num_actions
        mask = np.zeros(size, np.bool_)
        mask[self.legal_actions()] = True
        return mask

    def apply_action(self, action: int) -> None:
        """Play a legal action, in place; on a view one that is possible, after which it may wait for `reveal`."""
        if self.is_terminal():
            raise ValueError(f"the game is over: no action can be played, not even {action!r}")
        action = whole_number("an action", action)
        legal = self.legal_actions()
        if action not in legal:
            if self.viewer is not None:
                raise ValueError(self.game.impossible_text(self.array, self.viewer, action))
            raise ValueError(f"action {action} is not legal here; legal are {legal}")
        self.make_move(action)

    def make_move(self, action: int) -> None:
        """Play an action that is surely legal, and keep account of what it pays."""
        game = self.game
        before = self.array.copy() if game.pays_rewards and self.viewer is None else None
        refuse_answer(game, "apply", game.apply(self.array, action))
        if before is not None:
            payment = np.zeros(game.num_players)
            refuse_answer(game, "rewards", game.rewards(before, action, self.array, payment))
            self.last_paid = tuple(payment.tolist())
            self.paid = tuple(np.add(self.paid, payment).tolist())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What may come next at a chance node, and how likely each outcome is."""
        if not self.is_chance_node():
            raise ValueError(f"no chance decides here: current_player() is {self.current_player()}")
        if self.viewer is not None:
            raise ValueError(
                f"how likely an outcome is may depend on what is hidden from player {self.viewer}, whose view this is:"
                f" legal_actions() lists what may come, and determinize({self.viewer}, seed) draws a full position"
            )
        outcomes = np.zeros(self.game.num_chance_outcomes, np.int64)
        probabilities = np.zeros(self.game.num_chance_outcomes, np.float64)
        answer = self.game.chance_outcomes(self.array, outcomes, probabilities)
        count = number_from(self.game, "chance_outcomes", answer)
        return list(zip(outcomes[:count].tolist(), probabilities[:count].tolist(), strict=True))

    def child(self, action: int) -> "State":
        """The position after a legal action; this one stays as it is."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> "State":
        """An independent copy."""
        copy = self.game.new_state(self.array.copy(), self.viewer)
        copy.seed, copy.paid, copy.last_paid = self.seed, self.paid, self.last_paid
        return copy

    def returns(self) -> list[float]:
        """Each player's utility; all zero while the game goes on.

        In a game that pays rewards, what each was paid so far, with the utility at the end on top: see `paid`.
        """
        self.refuse_unseen_payments()
        utilities = np.zeros(self.game.num_players, np.float64)
        if self.is_terminal():
            refuse_answer(self.game, "returns", self.game.returns(self.array, utilities))
        return (utilities + self.paid).tolist() if self.game.pays_rewards else utilities.tolist()

    def rewards(self) -> list[float]:
        """What the last move has paid each player; all zero before the first, and in games that pay at the end."""
        self.refuse_unseen_payments()
        return list(self.last_paid)

    def refuse_unseen_payments(self) -> None:
        """Raise ValueError for a view of a game that pays rewards, which may depend on what is hidden."""
        if self.viewer is not None and self.game.pays_rewards:
            raise ValueError(
                f"{self.game.name} pays rewards, and what moves pay may depend on what is hidden from player"
                f" {self.viewer}, whose view this is: ask the full position"
            )

    # ---- What a player knows

    def view(self, player: int) -> "State":
        """The position as `player` knows it, without what is hidden from it; all of it, where nothing is hidden."""
        player = self.checked_player(player)
        if not self.game.has_hidden_information:
            return self.game.new_state(self.array.copy())
        if not self.game.supports_views:
            raise ValueError(
                f"{self.game.name} has no views: it needs the method possible_actions, which tells what may be"
                " played as far as a player knows"
            )
        known = np.zeros(self.game.state_size, np.int64)
        self.game.observe(self.array, player, known)
        return self.game.new_state(known, player)

    def determinize(self, player: int, seed: int) -> "State":
        """Another world that `player` cannot tell from this one, drawn uniformly from all of them."""
        self.refuse_waiting()
        world = self.game.new_state(self.array.copy())
        with wrapping_integers():
            self.game.determinize(world.array, self.checked_player(player), make_rng(seed))
        return world

    def information_state_string(self, player: int) -> str:
        """What `player` knows: equal exactly for positions that it cannot tell apart."""
        known = np.zeros(self.game.state_size, np.int64)
        self.game.observe(self.array, self.checked_player(player), known)
        return " ".join(str(entry) for entry in known)

    def observation_tensor(self, player: int | None = None) -> Observation:
        """What a network sees with the eyes of `player`: float32, of the game's `observation_shape`.

        Args:
            player: Whose eyes; None for the player to move.
        """
        game = self.game
        game.check_observation()
        if player is None and (player := self.current_player()) < 0:
            whose = ", ".join(f"observation_tensor({number})" for number in range(min(2, game.num_players)))
            raise ValueError(f"no player is to move here: say with whose eyes to look, as in {whose}")
        player = self.checked_player(player)
        self.refuse_waiting()
        out, known = np.zeros(game.observation_size, np.float32), np.zeros(game.state_size, np.int64)
        with wrapping_integers():
            write_observation(game, self.array, player, known, out)
        if not game.has_observation and np.abs(known).max() > LARGEST_EXACT:
            raise GameError(
                f"{game.name}: a network would see the ints of a position, but entry {np.abs(known).argmax()} is too"
                " large to be exact in float32, as sets of bits are: write observation and observation_shape"
            )
        return out.reshape(game.observation_shape)

    def checked_player(self, player: int) -> int:
        """Return a player's number, or raise; of a view, only the viewer may be asked for what it knows."""
        player = self.player_number(player)
        if self.viewer is not None and player != self.viewer:
            raise ValueError(
                f"this is the view of player {self.viewer}, which does not contain what player {player} knows"
            )
        return player

    def player_number(self, player: int) -> int:
        """Return the number of a player that exists, or raise."""
        return whole_number("player", player, low=0, high=self.game.num_players - 1)

    # ---- What a move has shown

    def is_waiting(self) -> bool:
        """Whether a view is to be told what the last move has shown, by `reveal`, before anything else."""
        return self.viewer is not None and len(self.awaited_places(self.viewer)) > 0

    def reveal(self, *facts: int | str) -> None:
        """Tell a view that waits what was shown, all at once: `state.reveal("QC")`, `state.reveal("4D 9H AS")`.

        Args:
            *facts: Words in the game's notation, several in one text or in several; or the numbers they stand for.
        """
        if self.viewer is None or not self.is_waiting():
            raise ValueError(f"nothing was shown that is still to be told, but {' '.join(map(str, facts))!r} is told")
        game, viewer = self.game, self.viewer
        numbers: list[int] = []
        for fact in facts:
            words = fact.replace(",", " ").split() if isinstance(fact, str) else [fact]
            numbers += [game.string_to_fact(word) if isinstance(word, str) else word for word in words]
        awaited = len(self.awaited_places(viewer))
        if len(numbers) != awaited:
            raise ValueError(f"shown {awaited}, told {len(numbers)}: {game.awaited_text(self.array, viewer)}")
        checked = np.array([whole_number("what was shown", number, low=-(2**63), high=2**63 - 1) for number in numbers])
        told = self.array.copy()
        game.reveal(told, viewer, checked)
        game.check_view(told, viewer)
        self.array[:] = told

    def shown_by(self, world: "State") -> list[int]:
        """What a view that waits is to be told, read off a full position after the same moves."""
        return [] if self.viewer is None else world.array[self.awaited_places(self.viewer)].tolist()

    def awaited_places(self, viewer: int) -> Position:
        """Where the entries stand that were shown to the viewer and are not told yet."""
        places = np.zeros(self.game.state_size, np.int64)
        return places[: int(self.game.awaited(self.array, viewer, places))]

    def refuse_waiting(self) -> None:
        """Raise ValueError if a view is to be told something first."""
        if self.viewer is not None and self.is_waiting():
            raise ValueError(self.game.awaited_text(self.array, self.viewer))

    # ---- Text

    def action_to_string(self, action: int | None) -> str:
        """Write an action in the game's notation; None, where there is no move to make, is "none"."""
        if action is None:
            return "none"
        return self.game.action_to_string(self.array, whole_number("an action", action))

    def string_to_action(self, text: str) -> int:
        """Read a legal action in the game's notation; ValueError names the legal ones."""
        self.refuse_waiting()
        if self.viewer is None or self.current_player() == self.viewer:
            return self.game.string_to_action(self.array, text)
        return self.game.string_to_possible_action(self.array, self.viewer, text)

    def __str__(self) -> str:
        """The position, drawn."""
        if self.viewer is None:
            return self.game.render(self.array)
        return self.game.render_view(self.array, self.viewer)

    def __repr__(self) -> str:
        """One line for debuggers."""
        viewer = "" if self.viewer is None else f", viewer={self.viewer}"
        return f"State({self.game!r}, {self.array.tolist()}{viewer})"

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position of the same game, or what the same player knows of it."""
        if not isinstance(other, State):
            return NotImplemented
        return self.viewer == other.viewer and same(self.game, other.game) and np.array_equal(self.array, other.array)

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # a State changes in place
