"""A game that takes place elsewhere: the user tells what happens at a real table and gets advice for one player."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from fastmcts.core.constants import CHANCE
from fastmcts.experiments.agents import Search
from fastmcts.game import Game
from fastmcts.state import State
from fastmcts.view.screen import Screen
from fastmcts.view.session import Session

#: What is asked for before the game, by the names that `state_from_knowledge` has for it.
QUESTIONS = {
    "trump": "the trump suit (C, D, S, H or none)",
    "hand": "your cards, such as QC TD 5S",
    "card": "your card",
    "turned": "the card turned up for trump, such as 5S",
    "leader": "who leads first",
    "dealer": "who deals",
}
HISTORY = ("bids", "tricks", "betting")  # told move by move
TRUMPS = {"c": 0, "d": 1, "s": 2, "h": 3, "none": -1}


def can_assist(game: Game) -> bool:
    """Whether a game can be followed from what one player knows."""
    return hasattr(game, "state_from_knowledge")


def start_at_a_table(game: Game, player: int, screen: Screen) -> State:
    """Ask for what a player knows when the cards are dealt, until it fits; return the view.

    Args:
        game: A game with `state_from_knowledge`.
        player: Whom to advise.
        screen: Where to ask.
    """
    if any(field.name == "trump" for field in dataclasses.fields(game)):  # pyright: ignore[reportArgumentType]
        trump = asked(screen, QUESTIONS["trump"], read_trump, game.trump)  # pyright: ignore[reportAttributeAccessIssue]
        game = dataclasses.replace(game, trump=trump)  # pyright: ignore[reportArgumentType, reportCallIssue, reportArgumentType]
    from_knowledge: Callable[..., State] = game.state_from_knowledge  # pyright: ignore[reportAttributeAccessIssue]
    parameters = inspect.signature(from_knowledge).parameters
    while True:
        told: dict[str, Any] = {}
        for name, parameter in parameters.items():
            if name != "player" and name not in HISTORY:
                told[name] = ask_one(screen, game, name, parameter)
        try:
            return from_knowledge(player, **told)
        except (TypeError, ValueError) as error:
            screen.complain(f"that cannot be: {error}")


def ask_one(screen: Screen, game: Game, name: str, parameter: inspect.Parameter) -> Any:
    """Ask for one thing that a player knows."""
    question = QUESTIONS.get(name, name)
    if parameter.default is inspect.Parameter.empty:
        return asked(screen, question, str)
    seats = f"{question} (0 to {game.num_players - 1})"
    default = game.num_players - 1 if parameter.default is None else parameter.default
    return asked(screen, seats, int, default)


def asked(screen: Screen, question: str, read: Callable[[str], Any], default: Any = None) -> Any:
    """Ask until the answer can be read; an empty one is the default, if there is one."""
    shown = "" if default is None else f" [{trump_text(default) if read is read_trump else default}]"
    while True:
        line = screen.ask(f"{question}{shown}> ", ()).strip()
        if not line and default is not None:
            return default
        try:
            if line:
                return read(line)
        except ValueError as error:
            screen.complain(f"{line!r} cannot be read: {error}")


def read_trump(text: str) -> int:
    """The number of a suit."""
    if text.lower() not in TRUMPS:
        raise ValueError(f"a trump suit is one of {', '.join(TRUMPS)}")
    return TRUMPS[text.lower()]


def trump_text(trump: int) -> str:
    """The letter of a suit."""
    return next(text.upper() if len(text) == 1 else text for text, number in TRUMPS.items() if number == trump)


class Assistant(Session):
    """Follows a game from what one player knows, and advises that player.

    Args:
        start: The view of the player.
        advisor: The search that advises.
        screen: Where it is shown.
        seed: What searches come from.
    """

    def __init__(self, start: State, advisor: Search, screen: Screen, seed: int = 0) -> None:
        assert start.viewer is not None
        super().__init__(start.game, [None] * start.game.num_players, advisor, screen, seed)
        self.state = start
        self.viewer = start.viewer
        self.commands["undo"] = ("take back what was told last", self.undo)
        self.commands["moves"] = ("what may be played, as far as you know", self.list_moves)

    @property
    def is_over(self) -> bool:
        """Whether the game is over and everything was told."""
        return not self.state.is_waiting() and self.state.is_terminal()

    def visible(self) -> State:
        """What the player knows."""
        return self.state

    def take_turn(self) -> None:
        """Ask for what happens next; where the player is to move, advise first."""
        if self.state.is_waiting():
            self.ask_for_what_was_shown()
            return
        player = self.state.current_player()
        if player != self.viewer:
            self.ask_until_told("chance> " if player == CHANCE else f"player {player} plays> ")
            return
        self.show_board()
        self.table("")
        action = self.advice().action
        assert action is not None
        move = self.state.action_to_string(action)
        self.screen.say(f"advice: {move}", style="bold")
        self.ask_until_told(f"you play [{move}]> ", move)

    def ask_until_told(self, prompt: str, default: str = "") -> None:
        """Read lines until one tells a move, or takes one back; an empty one is the default."""
        ply, moves = len(self.history), self.legal_texts()
        while len(self.history) == ply:
            line = self.screen.ask(prompt, [*moves, *self.commands]).strip() or default
            action = self.read_move(line)
            if action is not None:
                self.play(action)
            elif line:
                self.obey(line, moves)

    def ask_for_what_was_shown(self) -> None:
        """Read lines until one tells what the last move has shown."""
        ply = len(self.history)
        while self.state.is_waiting() and len(self.history) == ply:
            line = self.screen.ask("what was shown> ", list(self.commands)).strip()
            try:
                self.state.reveal(line)
            except ValueError as error:
                if line.removeprefix("/").partition(" ")[0].lower() in ("undo", "help", "quit"):
                    self.obey(line, [])
                else:
                    self.screen.complain(str(error))

    def refuse(self, line: str, moves: list[str]) -> None:
        """Say why something cannot have been played."""
        try:
            self.state.string_to_action(line)
        except ValueError as error:
            self.screen.complain(f"{error}; `help` lists the commands")

    def hint(self, argument: str) -> None:
        """Tell the best move, if the player is to move."""
        if self.may_ask():
            super().hint(argument)

    def table(self, argument: str) -> None:
        """Show the table of moves, if the player is to move."""
        if self.may_ask():
            super().table(argument)

    def may_ask(self) -> bool:
        """Whether there is something to advise."""
        player = self.state.current_player()
        if player != self.viewer:
            self.screen.complain(f"player {player} is to move: tell first what it plays")
        return player == self.viewer

    def undo(self, argument: str) -> None:
        """Take back what was told last."""
        if not self.history:
            self.screen.complain("nothing was told yet")
            return
        self.go_back(len(self.history) - 1)

    def say_outcome(self) -> None:
        """Tell how it ended, as far as the player knows."""
        try:
            super().say_outcome()
        except ValueError:
            self.screen.say("the game is over", style="bold")
