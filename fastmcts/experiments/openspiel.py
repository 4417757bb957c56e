"""A bridge to OpenSpiel: our search as one of its bots, its bots as agents, and its games for checking rules.

Both sides have to number actions alike, and chance has to be part of the history: a game of ours that shuffles when it
starts has no history that OpenSpiel could follow.
"""

import random
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.experiments.agents import Agent, Asked, Choices, as_agent
from fastmcts.experiments.extras import needed
from fastmcts.experiments.openings import starts_from_a_deal
from fastmcts.game import Game
from fastmcts.rng import spawn_seed
from fastmcts.state import State

MEMORY_MB = 1000
KEPT_POSITIONS = 4096  # of OpenSpiel's, by their history


def pyspiel() -> Any:
    """OpenSpiel's module."""
    return needed("pyspiel", "openspiel", "The bridge to OpenSpiel")


# ---- Our search as their bot


def make_bot(game: Game, agent: Any, seed: int = 0) -> Any:
    """An agent of ours as a `pyspiel.Bot`, for `pyspiel.evaluate_bots` and others.

    Args:
        game: Our game with the same actions as theirs, such as `games.ConnectFour()` for "connect_four".
        agent: An `Agent`, its text, or an object with `choose(state)`.
        seed: Decides what is random in all its moves.
    """
    module = pyspiel()
    if starts_from_a_deal(game):
        raise ValueError(f"{game!r} is dealt when it starts, and OpenSpiel's history cannot tell what")
    player = as_agent(agent)
    player.check(game)

    class FastBot(module.Bot):
        """Searches positions of OpenSpiel's as positions of ours."""

        def __init__(self) -> None:
            module.Bot.__init__(self)

        def step(self, state: Any) -> int:
            """The move to make."""
            ours = state_after(game, state.history())
            if ours.legal_actions() != state.legal_actions():
                raise ValueError(
                    f"{game!r} is not OpenSpiel's {state.get_game()}: after {state.history()} ours allows"
                    f" {ours.legal_actions()} and theirs {state.legal_actions()}"
                )
            return player.choose(ours, spawn_seed(seed, len(state.history())))

        def restart(self) -> None:
            """Nothing is kept from move to move."""

        def restart_at(self, state: Any) -> None:
            """Nothing is kept from move to move."""

        def inform_action(self, state: Any, player_id: int, action: int) -> None:
            """Each position brings its history."""

    return FastBot()


def state_after(game: Game, history: Sequence[int]) -> State:
    """Our position after some actions of both."""
    state = game.new_initial_state(0)
    for action in history:
        state.apply_action(action)
    return state


# ---- Their bots as agents


class BotAgent(Agent):
    """Base of agents that make a new bot of OpenSpiel's for every move."""

    game: str  # OpenSpiel's text of it

    @abstractmethod
    def bot(self, game: Any, player: int, seed: int) -> Any:
        """A bot for one move.

        Args:
            game: OpenSpiel's game.
            player: Who is to move.
            seed: Of 31 bits.
        """

    def check(self, game: Game) -> None:
        """Refuse a game that is another one to OpenSpiel."""
        refuse_other_rules(game, self.game)

    def choose(self, state: State, seed: int = 0) -> int:
        """Refused: a position alone has no history."""
        raise ValueError(f"{self!r} goes by the history of a game: let it play a match")

    def decide(self, asked: Asked) -> Choices:
        """The moves that a new bot makes after each history."""
        actions = []
        for history, seed in zip(asked.histories, asked.seeds, strict=True):
            theirs = theirs_after(self.game, history)
            actions.append(self.bot(loaded(self.game), theirs.current_player(), seed % 2**31).step(theirs))
        return Choices(actions)


@dataclass(frozen=True)
class OpenSpielMCTS(BotAgent):
    """OpenSpiel's C++ `MCTSBot` with random rollouts, as an agent.

    Args:
        game: OpenSpiel's text of the game, such as "connect_four"; its actions are those of ours.
        simulations: For each move.
        c: Its constant of UCT, for returns from -1 to 1; 2 is what OpenSpiel's examples use.
        seconds: The most wall-clock time for a move, as well as `simulations`; None for no limit.
        solve: Whether it keeps proofs.
        rollouts: How many from each leaf.
    """

    game: str
    simulations: int = 1000
    c: float = 2.0
    seconds: float | None = None
    solve: bool = False
    rollouts: int = 1

    def bot(self, game: Any, player: int, seed: int) -> Any:
        """A new `MCTSBot`."""
        module = pyspiel()
        evaluator = module.RandomRolloutEvaluator(self.rollouts, seed)
        clock = {} if self.seconds is None else {"max_wall_clock_time": self.seconds}
        return module.MCTSBot(game, evaluator, self.c, self.simulations, MEMORY_MB, self.solve, seed, False, **clock)

    def decide(self, asked: Asked) -> Choices:
        """The moves, and the simulations if no clock has ended them."""
        choices = super().decide(asked)
        return choices if self.seconds is not None else Choices(choices.actions, [self.simulations] * len(asked.seeds))


@dataclass(frozen=True)
class OpenSpielAgent(BotAgent):
    """Any bot of OpenSpiel's as an agent.

    Args:
        game: OpenSpiel's text of the game.
        make: Makes a bot from OpenSpiel's game, the number of the player, and a seed. A function at the top of a
            module, if the agent is to play in other processes.
        name: What it is called in tables.
    """

    game: str
    make: Callable[[Any, int, int], Any] = field(repr=False)
    name: str

    def bot(self, game: Any, player: int, seed: int) -> Any:
        """What `make` makes."""
        return self.make(game, player, seed)


@lru_cache(maxsize=64)
def loaded(text: str) -> Any:
    """A game of OpenSpiel's."""
    try:
        return pyspiel().load_game(text)
    except RuntimeError as error:  # SpielError
        raise ValueError(f"OpenSpiel has no game {text!r}: {str(error).splitlines()[0]}") from None


def theirs_after(text: str, history: Sequence[int]) -> Any:
    """OpenSpiel's position after some actions."""
    state = loaded(text).new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def refuse_other_rules(game: Game, text: str) -> None:
    """Raise ValueError if a game of ours cannot be that of OpenSpiel."""
    theirs = loaded(text)
    if starts_from_a_deal(game):
        raise ValueError(f"{game!r} is dealt when it starts, and OpenSpiel's history cannot tell what")
    ours = (game.num_players, game.num_actions)
    others = (theirs.num_players(), theirs.num_distinct_actions())
    if ours != others:
        raise ValueError(
            f"{game!r} is not OpenSpiel's {text}: ours has {ours[0]} players and {ours[1]} actions, theirs {others[0]}"
            f" and {others[1]}"
        )


# ---- Their games as slow games of ours


@dataclass(frozen=True)
class OpenSpielGame(Game):
    """A game of OpenSpiel's with perfect information, for checking rules; it cannot be compiled.

    A position is its history, `[length, actions ...]`, which is played through again whenever a rule is asked. So it is
    slow, and a search needs `NUMBA_DISABLE_JIT=1`. Positions, matches between `random` and other agents, and
    `same_rules` need no compiling.

    Args:
        text: OpenSpiel's text of the game, such as "go(board_size=5)".
    """

    text: str

    def __post_init__(self) -> None:
        kind = loaded(self.text).get_type()
        module = pyspiel()
        if kind.dynamics != module.GameType.Dynamics.SEQUENTIAL:
            raise ValueError(f"{self.text}: players do not move one after the other")
        if kind.information != module.GameType.Information.PERFECT_INFORMATION:
            raise ValueError(f"{self.text} hides something, and OpenSpiel does not tell us what worlds there are")

    @property
    def num_players(self) -> int:
        """How many players there are."""
        return loaded(self.text).num_players()

    @property
    def num_actions(self) -> int:
        """How many actions there are."""
        return loaded(self.text).num_distinct_actions()

    @property
    def num_chance_outcomes(self) -> int:
        """How many outcomes chance has."""
        return loaded(self.text).max_chance_outcomes()

    @property
    def max_game_length(self) -> int:
        """The most actions, with those of chance."""
        theirs = loaded(self.text)
        chance = theirs.max_chance_nodes_in_history() if self.num_chance_outcomes else 0
        return theirs.max_game_length() + chance

    @property
    def state_size(self) -> int:
        """A history and its length."""
        return 1 + self.max_game_length

    @property
    def min_utility(self) -> float:
        """The least utility."""
        return loaded(self.text).min_utility()

    @property
    def max_utility(self) -> float:
        """The most utility."""
        return loaded(self.text).max_utility()

    def initial(self, state: Position, rng: Rng) -> None:
        """No history."""
        state[:] = 0

    def current_player(self, state: Position) -> int:
        """Who is to move."""
        theirs = position(self.text, state)
        if theirs.is_terminal():
            return TERMINAL
        return CHANCE if theirs.is_chance_node() else theirs.current_player()

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """List the legal actions."""
        legal = position(self.text, state).legal_actions()
        actions[: len(legal)] = legal
        return len(legal)

    def chance_outcomes(self, state: Position, actions: Actions, probabilities: Utilities) -> int:
        """List the outcomes of chance."""
        known = position(self.text, state).chance_outcomes()
        for index, (outcome, probability) in enumerate(known):
            actions[index], probabilities[index] = outcome, probability
        return len(known)

    def apply(self, state: Position, action: int) -> None:
        """Add an action to the history."""
        state[0] += 1
        state[state[0]] = action

    def returns(self, state: Position, out: Utilities) -> None:
        """Each player's utility."""
        out[:] = position(self.text, state).returns()

    def render(self, state: Position) -> str:
        """As OpenSpiel draws it."""
        return str(position(self.text, state))

    def action_to_string(self, state: Position, action: int) -> str:
        """As OpenSpiel writes it."""
        return position(self.text, state).action_to_string(action)


def position(text: str, state: Position) -> Any:
    """OpenSpiel's position for one of ours; nobody changes it."""
    return kept_position(text, tuple(state[1 : 1 + int(state[0])].tolist()))


@lru_cache(maxsize=KEPT_POSITIONS)
def kept_position(text: str, history: tuple[int, ...]) -> Any:
    """OpenSpiel's position after a history, from the one before if that is known."""
    if not history:
        return loaded(text).new_initial_state()
    state = kept_position(text, history[:-1]).clone()
    state.apply_action(history[-1])
    return state


def same_rules(game: Game, text: str, games: int = 100, seed: int = 0) -> None:
    """Play random games by our rules and OpenSpiel's, and raise ValueError at the first difference, with its history.

    Args:
        game: Ours.
        text: OpenSpiel's text of the same game.
        games: How many to play.
        seed: Decides the moves.
    """
    games = whole_number("games", games, low=1)
    refuse_other_rules(game, text)
    draw = random.Random(seed)
    for _ in range(games):
        ours, theirs, history = game.new_initial_state(0), loaded(text).new_initial_state(), []
        while True:
            for what, one, other in compared(ours, theirs):
                if one != other:
                    raise ValueError(f"after {history} {what} of {game!r} is {one}, and of OpenSpiel's {text} {other}")
            if theirs.is_terminal():
                break
            history.append(draw.choice(theirs.legal_actions()))
            ours.apply_action(history[-1])
            theirs.apply_action(history[-1])


def compared(ours: State, theirs: Any) -> list[tuple[str, Any, Any]]:
    """What has to be alike in a position of ours and theirs, and what it is in each."""
    player = TERMINAL if theirs.is_terminal() else CHANCE if theirs.is_chance_node() else theirs.current_player()
    pairs = [("current_player", ours.current_player(), player)]
    if theirs.is_terminal():
        return [*pairs, ("returns", ours.returns(), theirs.returns())]
    return [*pairs, ("legal_actions", ours.legal_actions(), theirs.legal_actions())]
