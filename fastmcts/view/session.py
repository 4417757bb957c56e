"""A game in the terminal, between people and agents."""

import difflib
import time
from collections.abc import Callable, Sequence

from fastmcts.core.constants import CHANCE
from fastmcts.experiments.agents import Agent, Search
from fastmcts.experiments.openings import roll_once
from fastmcts.game import Game
from fastmcts.result import SearchResult
from fastmcts.rng import make_rng, spawn_seed
from fastmcts.state import State
from fastmcts.strategies.snapshot import Snapshot
from fastmcts.view.screen import Screen
from fastmcts.view.seats import Seat
from fastmcts.view.seen import drawn, seen

COMPILING = "thinking (the first search of a game compiles it, which takes up to half a minute)"
CLOSE_MOVES = 3  # that are suggested for one that is not legal


class QuitError(Exception):
    """The person at the terminal wants to end the game."""


class Session:
    """A game in the terminal.

    The same seed deals the same cards and rolls the same dice, also after `undo`.

    Args:
        game: The game.
        agents: Who plays, a player each; None for a person.
        advisor: Who gives hints, and tables of moves.
        screen: Where it is shown.
        seed: What deals, dice and searches come from.
        reveal: Show what is hidden.
        pause: Seconds to wait after each move while nobody but agents play.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent | None],
        advisor: Search,
        screen: Screen,
        seed: int = 0,
        reveal: bool = False,
        pause: float = 0.0,
    ) -> None:
        self.game = game
        self.screen = screen
        self.seed = seed
        self.reveal = reveal
        self.pause = pause
        self.advisor = Seat(game, advisor, seed)
        self.seats = [Seat(game, agent, spawn_seed(seed, player)) for player, agent in enumerate(agents)]
        self.state = game.new_initial_state(seed)
        self.history: list[tuple[State, int]] = []  # positions, and what was played in each
        self.at_screen: int | None = None  # the person who moved last
        self.found: tuple[int, SearchResult] | None = None  # the last advice, and the number of the move it was for
        self.commands: dict[str, tuple[str, Callable[[str], None]]] = {
            "hint": ("the move that a search finds", self.hint),
            "table": ("what a search finds about all moves", self.table),
            "moves": ("the legal moves", self.list_moves),
            "undo": ("take back your last move, and what came after it", self.undo),
            "level": ("how many simulations a search does; `level 20000` changes it", self.level),
            "board": ("the position once more", self.show_board),
            "help": ("these lines", self.help),
            "quit": ("end the game", self.quit),
        }

    @property
    def humans(self) -> list[int]:
        """The players who are people."""
        return [player for player, seat in enumerate(self.seats) if seat.is_human]

    @property
    def hides(self) -> bool:
        """Whether something must not be seen by everybody."""
        return self.game.has_hidden_information and not self.reveal

    def run(self) -> State:
        """Play to the end of the game, or until a person quits or input ends; return the last position."""
        try:
            if self.humans:
                self.screen.say("a move, or: " + ", ".join(self.commands), style="dim")
                while not self.is_over:
                    self.take_turn()
                self.show_board()
            else:
                self.watch()
            self.say_outcome()
        except (QuitError, KeyboardInterrupt):
            self.screen.say("the game ends here")
        except EOFError:
            self.screen.say("end of input: the game ends here")
        if self.history and (self.is_over or not self.hides):
            self.screen.say(f"moves: {','.join(self.move_texts())} (seed {self.seed})", style="dim")
        return self.state

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.state.is_terminal()

    def say_outcome(self) -> None:
        """Tell who has won."""
        self.screen.say(outcome_text(self.state), style="bold")

    def watch(self) -> None:
        """Let agents play: in a pipe a line for each move, on a terminal the position as it changes."""
        self.show_board()
        with self.screen.moving_picture() as picture:
            while not self.is_over:
                if self.state.is_chance_node():
                    action = self.rolled()
                else:
                    action, _ = self.seats[self.state.current_player()].choose(self.state, self.move_seed)
                line = self.describe(action)
                self.play(action)
                picture(drawn(self.visible()), f"{self.title}: {line}")
                if not self.screen.console.is_terminal:
                    self.screen.say(line)
                elif self.pause:
                    time.sleep(self.pause)
        if not self.screen.console.is_terminal:
            self.show_board()

    def take_turn(self) -> None:
        """Let whoever is to move make a move, or chance decide."""
        player = self.state.current_player()
        if player == CHANCE:
            action = self.rolled()
            self.screen.say(self.describe(action))
            self.play(action)
        elif self.seats[player].is_human:
            self.ask_for_move(player)
        else:
            self.agent_turn(player)

    # ---- Positions

    @property
    def move_seed(self) -> int:
        """A seed for this move: the same after `undo`."""
        return spawn_seed(self.seed, len(self.history))

    @property
    def title(self) -> str:
        """What is played, and how far it has come."""
        return f"{self.game.name}, {'the end' if self.is_over else f'move {len(self.history) + 1}'}"

    def play(self, action: int) -> None:
        """Make a move and remember it."""
        self.found = None
        self.history.append((self.state.clone(), action))
        self.state.apply_action(action)

    def rolled(self) -> int:
        """What chance brings."""
        return roll_once(self.state, make_rng(self.move_seed))

    def visible(self) -> State:
        """The position as whoever is at the screen may see it."""
        if not self.hides:
            return self.state
        player = self.state.current_player()
        if len(self.humans) == 1:
            player = self.humans[0]
        elif player < 0:
            movers = [before.current_player() for before, _ in self.history]
            player = next((mover for mover in reversed(movers) if mover >= 0), 0)
        return seen(self.state, player)

    def show_board(self, argument: str = "") -> None:
        """Draw the position."""
        self.screen.draw(
            drawn(self.visible()), self.title if not self.state.is_terminal() else f"{self.game.name}, the end"
        )

    def describe(self, action: int, before: State | None = None) -> str:
        """Who does what in a position, by default this one; not what, where that may be hidden."""
        state = self.state if before is None else before
        player = state.current_player()
        move = state.action_to_string(action)
        if self.hides and self.game.hides_moves:
            return "chance decides" if player == CHANCE else f"player {player} has moved"
        if player == CHANCE:
            return f"chance: {move}"
        return move if self.game.num_players == 1 else f"player {player}: {move}"

    def move_texts(self) -> list[str]:
        """All moves so far, in the game's notation."""
        return [before.action_to_string(action) for before, action in self.history]

    # ---- Agents

    def agent_turn(self, player: int) -> None:
        """Let an agent move; what it thinks about hidden cards is not told."""
        seat = self.seats[player]
        action, result = self.think(seat)
        told = ""
        if result is not None and not self.hides:
            if result.stopped_by == "interrupted":
                self.screen.say(f"what was found so far:\n{result}")
            if result.visits.any():
                speed = f"{result.simulations:,} simulations in {result.seconds:.2f} s"
                told = f"  (expects {self.expectation(result)}; {speed})"
        self.screen.say(f"{self.describe(action)}{told}", style="bold")
        self.play(action)

    def think(self, seat: Seat) -> tuple[int, SearchResult | None]:
        """The move of an agent; on a terminal one sees that it thinks, but not what about hidden cards."""
        with self.screen.thinking(COMPILING) as show:

            def watch(look: Snapshot) -> None:
                best = "" if self.hides else f", best so far {self.state.action_to_string(look.action)}"
                show(f"thinking: {look.simulations:,} simulations{best}; Ctrl-C ends it")

            return seat.choose(self.state, self.move_seed, watch)

    def expectation(self, result: SearchResult) -> str:
        """What a search expects for the player to move: a share of a win, or points where there are more of them."""
        low, high = self.game.min_utility, self.game.max_utility
        if (low, high) in ((-1.0, 1.0), (0.0, 1.0)):
            return f"{result.mean_reward:.0%}"
        return f"{result.utility:.3g} points"

    def advice(self) -> SearchResult:
        """What a search finds in this position; asked again, it says the same."""
        if self.found is None or self.found[0] != len(self.history):
            _, result = self.think(self.advisor)
            assert result is not None
            self.found = len(self.history), result
        if self.found[1].stopped_by == "interrupted":
            self.screen.say("what was found so far:")
        return self.found[1]

    # ---- People

    def ask_for_move(self, player: int) -> None:
        """Show the position and read lines until one is a move, or takes moves back."""
        if self.hides and len(self.humans) > 1 and self.at_screen != player:
            self.screen.hand_over(player)
            if self.screen.is_terminal:
                self.recall(player)
        self.at_screen = player
        self.show_board()
        ply = len(self.history)
        moves = self.legal_texts()
        prompt = "your move> " if len(self.humans) == 1 else f"player {player}> "
        while len(self.history) == ply:
            line = self.screen.ask(prompt, [*moves, *self.commands]).strip()
            action = self.read_move(line)
            if action is not None:
                self.play(action)
            elif line:
                self.obey(line, moves)

    def recall(self, player: int) -> None:
        """Tell a person who comes to the screen what has happened since it moved."""
        own = [ply for ply, (before, _) in enumerate(self.history) if before.current_player() == player]
        for before, action in self.history[own[-1] + 1 if own else 0 :]:
            self.screen.say(self.describe(action, before))

    def legal_texts(self) -> list[str]:
        """The legal moves in the game's notation."""
        return [self.state.action_to_string(action) for action in self.state.legal_actions()]

    def read_move(self, line: str) -> int | None:
        """A legal move in the game's notation, in any case if that is clear; None if it is something else."""
        try:
            return self.state.string_to_action(line)
        except ValueError:
            alike = [text for text in self.legal_texts() if text.lower() == line.lower()]
            return self.state.string_to_action(alike[0]) if len(alike) == 1 else None

    def obey(self, line: str, moves: list[str]) -> None:
        """Follow a command; one that a move is called like is written with a slash before it."""
        name, _, argument = line.removeprefix("/").partition(" ")
        if name.lower() in self.commands:
            self.commands[name.lower()][1](argument.strip())
        else:
            self.refuse(line, moves)

    def refuse(self, line: str, moves: list[str]) -> None:
        """Say that something is no move."""
        close = difflib.get_close_matches(line, [*moves, *self.commands], n=CLOSE_MOVES)
        hint = f"did you mean {', '.join(close)}? " if close else ""
        self.screen.complain(f"{line!r} is neither a legal move nor a command; {hint}`moves` lists them, `help` helps")

    def hint(self, argument: str) -> None:
        """Tell the best move."""
        result = self.advice()
        assert result.action is not None
        expected = f" (expects {self.expectation(result)})" if result.visits.any() else ""
        self.screen.say(f"hint: {self.state.action_to_string(result.action)}{expected}")

    def table(self, argument: str) -> None:
        """Show the table of moves."""
        self.screen.say(str(self.advice()))

    def list_moves(self, argument: str) -> None:
        """Show the legal moves."""
        self.screen.list_moves(self.legal_texts())

    def undo(self, argument: str) -> None:
        """Go back to where a person was to move."""
        turns = [ply for ply, (before, _) in enumerate(self.history) if before.current_player() in self.humans]
        if not turns:
            self.screen.complain("there is no move of yours to take back")
            return
        self.go_back(turns[-1])

    def go_back(self, ply: int) -> None:
        """Return to the position before a move, given by its number from 0 on."""
        self.found = None
        self.state = self.history[ply][0]
        del self.history[ply:]

    def level(self, argument: str) -> None:
        """Tell how hard searches think, or change it."""
        if argument:
            try:
                simulations = int(argument.replace(",", "").replace("_", ""))
                for seat in (self.advisor, *self.seats):
                    seat.set_level(simulations)
                self.found = None
            except ValueError as error:
                self.screen.complain(f"a level is a number of simulations, such as `level 20000`: {error}")
                return
        agents = {f"player {player}": seat.agent for player, seat in enumerate(self.seats) if seat.agent}
        for name, agent in {**agents, "hints": self.advisor.agent}.items():
            self.screen.say(f"{name}: {agent!r}")

    def help(self, argument: str) -> None:
        """Explain the commands."""
        self.screen.say("Write a move as it is listed by `moves`; the tab key completes it. Or:")
        for name, (meaning, _) in self.commands.items():
            self.screen.say(f"  {name:6} {meaning}")

    def quit(self, argument: str) -> None:
        """End the game."""
        raise QuitError


def outcome_text(state: State) -> str:
    """Who has won."""
    utilities, game = state.returns(), state.game
    if len(utilities) == 1:
        words = {game.max_utility: "won", game.min_utility: "lost"}
        return f"the game is over: {words.get(utilities[0], f'score {utilities[0]:g}')}"
    winners = [f"player {player}" for player, utility in enumerate(utilities) if utility == max(utilities)]
    if len(winners) == len(utilities):
        return "the game is over: a draw"
    verb = "wins" if len(winners) == 1 else "win"
    points = "" if sorted(utilities) == [-1.0, 1.0] else f" (points: {', '.join(f'{u:g}' for u in utilities)})"
    return f"the game is over: {' and '.join(winners)} {verb}{points}"
