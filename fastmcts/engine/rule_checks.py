"""Do the rules of a game keep to what a search relies on?

Compiled code checks no bounds: a rule that writes past the end of an array, or names a player that does not exist,
would corrupt the memory of the process. In plain Python the same rules are watched: buffers have exactly the size
that was declared, so that NumPy refuses what lies outside, and are filled with canaries, so that what a rule leaves
out is seen.
"""

import linecache
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from fastmcts.compiler.run_time import marked_names
from fastmcts.core.answers import number_from, refuse_answer
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.tree import MAX_CHILDREN
from fastmcts.core.types import Observation, Position, Rng
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.rng import below, make_rng
from fastmcts.state import State

CANARY = -0x5EED
ROUNDING = 1e-6  # of the range of utilities, by which one may miss it: a game may compute them in float32
#: What arrays are dimensioned by.
SIZES = frozenset({"num_players", "num_actions", "num_chance_outcomes", "state_size"})
POLICIES = ("random_action", "rollout_action", "careful_action")
PACKAGE = Path(__file__).parent.parent


class RuleCheck:
    """One random game in plain Python, in which what a search relies on is checked.

    Args:
        game: The game.
        seed: Which random game.
    """

    most_asked = MAX_CHILDREN  # actions in one position, about which rules are asked one by one

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = seed
        self.rng: Rng = make_rng(seed)
        self.moves: list[int] = []
        self.payments: list[list[float]] = []  # what each move has paid, where moves do
        self.state = game.new_state(np.zeros(game.state_size, np.int64))
        self.state = self.guarded("initial", game.new_initial_state, seed)

    def fail(self, what: str) -> NoReturn:
        """Raise GameError with how to get to the position."""
        raise GameError(f"{self.game.name}: {what}{self.position()}")

    def position(self) -> str:
        """The position, for a message."""
        return f"\n  in the position {self.where()}\n  {self.state.array.tolist()}"

    def where(self) -> str:
        """How to get to the position."""
        return f"after the moves {self.moves} from new_initial_state(seed={self.seed})"

    # ---- Calling a rule

    def guarded(self, rule: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call something of the game's; an exception becomes a GameError that shows the author's line."""
        try:
            with np.errstate(all="ignore"):
                return call(*arguments)
        except GameError:
            raise
        except IndexError as error:
            self.fail(f"{rule} reads or writes past the end of an array: {error}{self.sizes(rule)}{author_line(error)}")
        except Exception as error:
            self.fail(f"{rule} raises {type(error).__name__}: {error}{author_line(error)}")

    def sizes(self, rule: str) -> str:
        """What was declared about the arrays that a rule is given."""
        names = ["state_size"]
        if rule in ("legal_actions", *POLICIES):
            names.append("num_actions")
        elif rule == "chance_outcomes":
            names.append("num_chance_outcomes")
        elif rule in ("returns", "evaluate", "rewards"):
            names.append("num_players")
        elif rule == "observation":
            names += ["num_players", "observation_shape"]
        return f" ({', '.join(f'{name} is {getattr(self.game, name)}' for name in names)})"

    def untouched(self, rule: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call something that must leave the position alone."""
        before = self.state.array.copy()
        answer = self.guarded(rule, call, *arguments)
        if not np.array_equal(before, self.state.array):
            self.fail(f"{rule} changes the position; only apply and determinize may")
        return answer

    def number(self, rule: str, *arguments: Any) -> int:
        """Call a rule that returns a whole number and leaves the position alone."""
        answer = self.untouched(rule, getattr(self.game, rule), *arguments)
        return self.explained(number_from, rule, answer)

    def in_place(self, rule: str, *arguments: Any) -> None:
        """Call a rule that changes one of its arguments and returns nothing."""
        self.refuse_answer(rule, self.guarded(rule, getattr(self.game, rule), *arguments))

    def refuse_answer(self, rule: str, answer: Any) -> None:
        """Fail if a rule that changes an argument returns something."""
        self.explained(refuse_answer, rule, answer)

    def explained(self, check: Callable[[Game, str, Any], Any], rule: str, answer: Any) -> Any:
        """Check what a rule has returned, and say where if it is not right."""
        try:
            return check(self.game, rule, answer)
        except GameError as error:
            raise GameError(f"{error}{self.position()}") from None

    # ---- What must be true in a position

    def check_player(self) -> int:
        """The player to move is one that exists."""
        game = self.game
        player = self.number("current_player", self.state.array)
        if player not in (CHANCE, TERMINAL) and not 0 <= player < game.num_players:
            self.fail(f"current_player says {player}, not 0 to {game.num_players - 1}, CHANCE or TERMINAL")
        if player == CHANCE and not game.has_chance:
            self.fail(
                "current_player says CHANCE, but num_chance_outcomes is 0: declare how many outcomes there can be,"
                " and list them in chance_outcomes"
            )
        return player

    def check_moves(self) -> list[int]:
        """Legal actions are sorted, distinct and in range."""
        game = self.game
        buffer = np.full(game.num_actions, CANARY, np.int64)
        count = self.number("legal_actions", self.state.array, buffer)
        if not 1 <= count <= game.num_actions:
            self.fail(f"legal_actions returns {count} in an unfinished game; 1 to {game.num_actions} can be")
        return self.listed("legal_actions", buffer[:count].tolist(), game.num_actions)

    def listed(self, rule: str, actions: list[int], end: int) -> list[int]:
        """Return actions that are in ascending order, distinct and below `end`, or fail."""
        if CANARY in actions:
            self.fail(f"{rule} returns {len(actions)} without writing so many entries of `actions`")
        if actions != sorted(set(actions)):
            self.fail(f"{rule} are not in ascending order without repetition: {actions}")
        if not 0 <= actions[0] <= actions[-1] < end:
            self.fail(f"{rule} are not all from 0 to {end - 1}: {actions}")
        return actions

    def check_policies(self, actions: list[int]) -> None:
        """What the game says about its legal actions can be used."""
        game, array = self.game, self.state.array
        for policy in POLICIES:
            choice = self.number(policy, array, np.zeros(game.num_actions, np.int64), self.rng)
            if choice not in actions:
                self.fail(f"{policy} plays {choice}, which is not legal; legal are {actions}")
        for action in actions[:: 1 + len(actions) // self.most_asked]:
            self.untouched("is_promising", game.is_promising, array, action)
            self.untouched("reveals", game.reveals, array, action)
        if game.overrides("prior"):
            self.check_prior(actions)
        self.check_utilities("evaluate")

    def check_prior(self, actions: list[int]) -> None:
        """Every action gets a weight that is a number and not negative."""
        weights = np.full(len(actions), np.nan)
        listed = np.array(actions, np.int64)
        answer = self.untouched("prior", self.game.prior, self.state.array, listed, len(actions), weights)
        self.refuse_answer("prior", answer)
        if not (np.isfinite(weights).all() and weights.min() >= 0.0):
            self.fail(f"prior gives {weights.tolist()}; every action needs a number of at least 0")

    def check_outcomes(self) -> list[int]:
        """Chance outcomes are sorted, distinct and in range; their probabilities add up to one."""
        size = self.game.num_chance_outcomes
        buffer, weights = np.full(size, CANARY, np.int64), np.full(size, np.nan)
        count = self.number("chance_outcomes", self.state.array, buffer, weights)
        if not 1 <= count <= size:
            self.fail(f"chance_outcomes returns {count} where chance decides; 1 to {size} can be")
        outcomes = self.listed("chance_outcomes", buffer[:count].tolist(), size)
        probabilities = weights[:count].tolist()
        if not (min(probabilities) > 0.0 and abs(sum(probabilities) - 1.0) <= 1e-9):
            self.fail(f"the probabilities of chance_outcomes must be positive and sum to 1: {probabilities}")
        return outcomes

    def check_utilities(self, rule: str) -> list[float]:
        """Every player gets a finite utility within the declared range."""
        game = self.game
        out = np.full(game.num_players, np.nan)
        self.refuse_answer(rule, self.untouched(rule, getattr(game, rule), self.state.array, out))
        if np.isnan(out).any():
            player = int(np.flatnonzero(np.isnan(out))[0])
            self.fail(f"{rule} leaves out player {player}, or gives it NaN: {out.tolist()}")
        slack = ROUNDING * (game.max_utility - game.min_utility)
        if out.min() < game.min_utility - slack or out.max() > game.max_utility + slack:
            self.fail(f"{rule} gives {out.tolist()}, outside of {game.min_utility} to {game.max_utility}")
        return out.tolist()

    def check_payment(self, action: int, after: State) -> None:
        """Every player is paid a number, and what it is asked about stays as it is."""
        if not self.game.pays_rewards:
            return
        out, later = np.full(self.game.num_players, np.nan), after.array.copy()
        answer = self.untouched("rewards", self.game.rewards, self.state.array, action, after.array, out)
        self.refuse_answer("rewards", answer)
        if not np.array_equal(later, after.array):
            self.fail("rewards changes the position after the move; only apply and determinize may")
        if not np.isfinite(out).all():
            player = int(np.flatnonzero(~np.isfinite(out))[0])
            self.fail(f"rewards leaves out player {player} for action {action}, or gives it no number: {out.tolist()}")
        self.payments.append(out.tolist())

    def check_payments(self, utilities: list[float]) -> None:
        """What each player gets between any two positions of a finished game is within the declared range."""
        if not self.game.pays_rewards:
            return
        low, high = self.game.min_utility, self.game.max_utility
        slack = ROUNDING * (high - low)
        for player, paid in enumerate(zip(*self.payments, utilities, strict=True)):
            least = most = lowest = highest = 0.0
            for reward in paid:
                least, most = min(0.0, least + reward), max(0.0, most + reward)
                lowest, highest = min(lowest, least), max(highest, most)
            if lowest < low - slack or highest > high + slack:
                worst = lowest if lowest < low - slack else highest
                self.fail(
                    f"player {player} is paid {worst:g} between two positions of this game, the end included, outside"
                    f" of min_utility = {low} to max_utility = {high}: declare a range that holds all that can be paid"
                )

    def check_world(self, player: int, mover: int, seed: int) -> State:
        """A world that is drawn for a player looks the same to it, with the same player to move and its same moves."""
        known, world = self.known(self.state, player), self.state.clone()
        self.in_place("determinize", world.array, player, make_rng(seed))
        if self.known(world, player) != known:
            self.fail(f"determinize changes what player {player} knows")
        if world.current_player() != mover:
            self.fail(f"determinize changes the player to move from {mover} to {world.current_player()}")
        if mover == player and world.legal_actions() != self.state.legal_actions():
            self.fail(f"player {player}, to move, has other moves in a world it cannot tell apart")
        if self.game.has_observation and not np.array_equal(self.seen(world, player), self.seen(self.state, player)):
            self.fail(
                f"observation shows player {player} what is hidden from it: something else than in a world that it"
                f" cannot tell apart,\n  {world.array.tolist()}"
            )
        return world

    def check_observation(self, player: int) -> Observation:
        """What a network sees with the eyes of a player are finite numbers that depend on the position alone."""
        seen = self.seen(self.state, player)
        if not np.isfinite(seen).all():
            index = np.flatnonzero(~np.isfinite(seen))[0]
            self.fail(f"observation writes {seen[index]} into entry {index} of `out`; networks need finite numbers")
        if not np.array_equal(seen, self.seen(self.state, player)):
            self.fail("observation writes something else when it is called again: it depends on more than the position")
        return seen

    def seen(self, state: State, player: int) -> Observation:
        """What a network sees of a position with the eyes of a player."""
        out = np.zeros(self.game.observation_size, np.float32)
        before = state.array.copy()
        self.in_place("observation", state.array, player, out)
        if not np.array_equal(before, state.array):
            self.fail("observation changes the position; only apply and determinize may")
        return out

    def known(self, state: State, player: int) -> list[int]:
        """What a player knows of a position."""
        out = np.zeros(self.game.state_size, np.int64)
        before = state.array.copy()
        self.in_place("observe", state.array, player, out)
        if not np.array_equal(before, state.array):
            self.fail("observe changes the position; only apply and determinize may")
        return out.tolist()

    def after(self, action: int) -> State:
        """The position after an action."""
        after = self.state.clone()
        answer = self.guarded(f"apply({action})", self.game.apply, after.array, action)
        self.refuse_answer("apply", answer)
        return after

    def drawn(self, actions: list[int]) -> int:
        """One of several actions, at random."""
        with np.errstate(over="ignore"):
            return actions[int(below(self.rng, len(actions)))]

    def check_length(self) -> None:
        """The game is not longer than it may be."""
        if len(self.moves) > self.game.max_game_length:
            self.fail(f"the game is longer than max_game_length = {self.game.max_game_length}")


class Remains(NamedTuple):
    """What is left of a simulation that broke off."""

    root: Position
    moves: list[int]  # from there, and after its last one those of earlier simulations; none if the start was drawn
    state: Position  # where it was; a rule may have changed some of it before it failed


class Inquest(RuleCheck):
    """Looks in plain Python for the rule that a simulation failed at."""

    def __init__(self, game: Game, remains: Remains) -> None:
        super().__init__(game, seed=0)
        self.remains = remains

    def where(self) -> str:
        """How to get to the position."""
        return f"after the moves {self.moves} from a position that was searched"

    def hold(self) -> None:
        """Raise GameError if a rule fails: along the moves that were made, or where they had led."""
        self.state = self.game.new_state(self.remains.root.copy())
        for action in self.remains.moves:
            if action not in self.check_all():
                break
            after = self.after(action)
            self.check_payment(action, after)
            self.state = after
            self.moves.append(action)
        self.state = self.game.new_state(self.remains.state.copy())
        for action in self.check_all():
            self.check_payment(action, self.after(action))

    def check_all(self) -> list[int]:
        """Ask everything that a search asks in a position; return what may be played."""
        player = self.check_player()
        if player == TERMINAL:
            self.check_utilities("returns")
            return []
        if player == CHANCE:
            return self.check_outcomes()
        actions = self.check_moves()
        self.check_policies(actions)
        if self.game.has_observation:
            self.check_observation(player)
        if self.game.overrides("observe"):
            self.check_world(player, player, seed=0)
        return actions


def out_of_bounds(game: Game, simulations: Iterable[Remains], error: IndexError) -> GameError:
    """Say which rule of a game had an index out of bounds, as far as that can be found out.

    Args:
        game: The game.
        simulations: What is left of those that ran.
        error: What was raised; compiled code does not say where.
    """
    if line := author_line(error):
        return GameError(f"{game.name}: a rule reads or writes past the end of an array: {error}{line}")
    simulations = list(simulations)
    for remains in simulations:
        try:
            Inquest(game, remains).hold()
        except GameError as fault:
            return fault
    places = " or ".join(str(remains.state.tolist()) for remains in simulations)
    return GameError(
        f"{game.name}: a rule of the game, or of a strategy, reads or writes past the end of an array\n"
        f"  near the position {places}; in plain Python all rules of the game seem right there"
    )


def check_declared(game: Game) -> None:
    """What a game declares goes together."""
    game.check_declaration()
    for name in sorted(SIZES.intersection(marked_names(type(game)))):
        raise GameError(f"{game.name}.{name} cannot be RunTime: arrays have that size, and it decides what is compiled")
    if game.overrides("determinize") != game.overrides("observe"):
        missing = "observe" if game.overrides("determinize") else "determinize"
        raise GameError(
            f"{game.name} must have both determinize and observe, or neither: {missing} is missing"
            " (observe writes what a player knows, determinize draws a world that fits it)"
        )
    if game.has_chance and not game.overrides("chance_outcomes"):
        raise GameError(
            f"{game.name} has num_chance_outcomes = {game.num_chance_outcomes}, but no method chance_outcomes"
            " that lists them"
        )


def author_line(error: Exception) -> str:
    """The line of the author's, or of a game in the box, in which an exception was raised; empty if there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_of_a_game(Path(frame.filename))]
    if not frames or frames[-1].lineno is None:
        return ""
    frame = frames[-1]
    source = linecache.getline(frame.filename, frame.lineno or 0).strip()
    return f"\n  {Path(frame.filename).name}, line {frame.lineno}:  {source}"


def is_of_a_game(path: Path) -> bool:
    """Whether a file holds rules, and not the machinery that calls them."""
    return PACKAGE not in path.parents or PACKAGE / "games" in path.parents
