"""Does a game keep the contract of `fastmcts.Game`?"""

import itertools
import random
from dataclasses import dataclass, field
from math import isclose
from typing import NamedTuple

import numpy as np

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.validate import whole_number
from fastmcts.engine.plan import checked_recommendation, filled, plain_options
from fastmcts.engine.rule_checks import CANARY, RuleCheck, check_declared
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.kernels.playthrough import play_randomly
from fastmcts.options import Options
from fastmcts.rng import make_rng
from fastmcts.state import State
from fastmcts.testing.deal_checks import check_deals
from fastmcts.testing.observation_checks import Sights, check_compiled_observation, check_range
from fastmcts.testing.view_checks import check_following, check_view_declaration, check_views
from fastmcts.testing.world_checks import RealWorlds

MARGIN = 64  # entries on each side of a buffer
TEXTS_TRIED = 16  # in one position; reading a text may list all moves
MOVES_TRIED = 16  # in one position, to see whether they look different
DRAWS_TRIED = 8  # in one position, until two worlds differ
DRAW = 0  # a seed of determinize


def check_game(game: Game, positions: int = 2000, seed: int = 0) -> None:
    """Play random games and raise GameError, in words, at the first breach of the contract.

    That goes further than the trial that every game has before it is first compiled: texts can be read back, the same
    position leads on to the same positions, rewards on the way stay within the declared range, the utilities of two
    players sum to what `constant_sum` claims, what is hidden stays hidden, worlds are drawn by nothing but what a
    player knows, the real world can be among them, `deals` lists what is dealt, a network sees numbers within -1000 to
    1000 and nothing that is hidden, and compiled rules do what they do in plain Python. What is a matter of chance is
    judged so that a right game passes. If a network sees the same in two positions that a player can tell apart, a
    warning names them, since that may be meant so.

    Args:
        game: The game to check.
        positions: About how many positions to visit.
        seed: Which random games.
    """
    refuse_anything_but_a_game(game)
    positions, seed = whole_number("positions", positions, low=1), whole_number("seed", seed)
    check_declared(game)
    check_recommendation(game)
    check_view_declaration(game)
    memory = Memory()
    visited = 0
    for number in itertools.count():
        visited += GameCheck(game, seed + number, memory).play()
        if visited >= positions:
            break
    if game.overrides("observe") and not memory.worlds_differ:
        raise GameError(
            f"{game.name}: determinize drew the same world with every seed, in all positions and for all players;"
            " either nothing is hidden, and the game needs neither determinize nor observe, or the draw is not uniform"
        )
    if game.overrides("observe"):
        memory.real_worlds.note_deals(game, seed)
        memory.real_worlds.check(game)
    check_deals(game, seed)
    for number in range(20):
        check_compiled(game, seed + number)
    if game.has_observation:
        check_compiled_observation(game, seed)
    memory.sights.advise()


def refuse_anything_but_a_game(game: Game) -> None:
    """Raise TypeError, with what to write, for a class or something else."""
    if isinstance(game, type):
        raise TypeError(f"check_game takes a game, not its class: write check_game({game.__name__}())")
    if not isinstance(game, Game):
        raise TypeError(f"check_game takes a Game, such as games.ConnectFour(), not {game!r}")


def check_recommendation(game: Game) -> None:
    """What a game recommends goes together; a search would use the plain strategy instead."""
    try:
        filled(game, Options(simulations=1), plain_options(game) | checked_recommendation(game))
    except (TypeError, ValueError) as error:
        raise GameError(f"{game.name}.recommended cannot be used: {error}") from error


class Sighting(NamedTuple):
    """What must be the same wherever a player knows the same."""

    where: str
    mover: int
    legal: list[int]  # of the player that knows it, if it is to move
    world: list[int]  # drawn from it with the seed DRAW


@dataclass
class Memory:
    """What the random games of one check have shown about hidden information."""

    sightings: dict[tuple[int, str], Sighting] = field(default_factory=dict)  # by player and what it knows
    worlds_differ: bool = False  # whether two seeds of determinize ever led to two worlds
    real_worlds: RealWorlds = field(default_factory=RealWorlds)
    sights: Sights = field(default_factory=Sights)


class GameCheck(RuleCheck):
    """One random game, with everything checked at each position."""

    def __init__(self, game: Game, seed: int, memory: Memory) -> None:
        super().__init__(game, seed)
        self.memory = memory
        self.chooser = random.Random(seed)

    def play(self) -> int:
        """Play to the end; return how many positions were checked."""
        if self.game.new_initial_state(self.seed) != self.state:
            self.fail("initial gives another position each time, though the seed is the same")
        self.memory.real_worlds.games += 1
        while (player := self.check_position()) != TERMINAL:
            actions = self.check_outcomes() if player == CHANCE else self.check_decision()
            if self.game.overrides("observe") and not self.game.hides_moves:
                self.check_moves_are_seen(actions)
            self.check_apply(self.drawn(actions))
            self.check_length()
        self.check_end()
        return len(self.moves) + 1

    def check_position(self) -> int:
        """Check what can be asked in any position; return the player to move."""
        game = self.game
        player = self.check_player()
        if not isinstance(self.untouched("render", str, self.state), str):
            self.fail("render does not return a string")
        self.untouched("check_state", self.check_acceptance)
        if game.overrides("observe"):
            self.check_hidden(player)
        if game.has_observation:
            self.check_sights()
        if game.overrides("possible_actions"):
            check_views(self.state, self.chooser, self.fail)
        return player

    def check_sights(self) -> None:
        """A network sees what each player knows, and nothing else."""
        for player in range(self.game.num_players):
            seen = self.check_observation(player)
            check_range(self.game, seen, self.fail)
            self.memory.sights.note(self.state, player, seen, self.where())

    def check_acceptance(self) -> None:
        """A position from a real game can be rebuilt from its array."""
        try:
            self.game.state_from_array(self.state.array)
        except ValueError as error:
            self.fail(f"check_state refuses a position from a real game: {error}")

    def check_decision(self) -> list[int]:
        """Check what can be asked where a player is to move; return the legal actions."""
        actions = self.check_moves()
        self.check_policies(actions)
        self.check_texts(actions)
        return actions

    def check_texts(self, actions: list[int]) -> None:
        """The text of a move reads back as the move; of many moves, a sample is tried."""
        for action in actions[:: 1 + len(actions) // TEXTS_TRIED]:
            text = self.untouched("action_to_string", self.state.action_to_string, action)
            read = self.untouched("string_to_action", self.state.string_to_action, text)
            if read != action:
                self.fail(f"action {action} is written {text!r}, which string_to_action reads as {read}")

    def check_apply(self, action: int) -> None:
        """Playing the same action in the same position leads to the same position."""
        after, again = self.after(action), self.after(action)
        if self.game.overrides("possible_actions"):
            for player in range(self.game.num_players):
                check_following(self.state, action, player, self.fail)
        self.check_payment(action, after)
        self.moves.append(action)
        self.state = after
        if after != again:
            self.fail("apply leads elsewhere when it is called again: it depends on more than the position")

    def check_end(self) -> None:
        """The returns of a finished game are complete and within the declared range."""
        if self.state.legal_actions():
            self.fail("there are legal actions although the game is over")
        utilities = self.check_utilities("returns")
        self.check_payments(utilities)
        if self.game.pays_rewards:
            return  # nothing is proven in it, so that nobody relies on constant_sum
        total = self.game.min_utility + self.game.max_utility
        if self.game.num_players == 2 and self.game.constant_sum and not isclose(sum(utilities), total, abs_tol=1e-9):
            self.fail(
                f"returns gives {utilities}, which does not sum to min_utility + max_utility = {total}, though the game"
                " has constant_sum = True, from which solver=True concludes what is proven: declare"
                " constant_sum = False, or mend returns"
            )

    def check_hidden(self, mover: int) -> None:
        """What a player knows, and may do, is the same in every world that it cannot tell apart."""
        for player in range(self.game.num_players):
            known = self.state.information_state_string(player)
            world, other = self.check_world(player, mover, len(self.moves)), self.state.determinize(player, self.seed)
            if world.determinize(player, self.seed) != other:
                self.fail(f"determinize draws for player {player} from more than what it knows: it sees the real world")
            self.memory.real_worlds.note(self.seed, player, self.state, (world, other))
            self.check_sighting(player, known, mover)
            self.compare_worlds(player)

    def check_sighting(self, player: int, known: str, mover: int) -> None:
        """Where a player knows no more and no less than in another game, it must fare alike."""
        legal = self.state.legal_actions() if mover == player else []
        world = self.state.determinize(player, DRAW).array.tolist()
        first = self.memory.sightings.setdefault((player, known), Sighting(self.where(), mover, legal, world))
        alike = f"player {player} knows the same here as {first.where}:"
        if mover != first.mover:
            self.fail(f"{alike} observe must tell it that the player to move is {mover} here and {first.mover} there")
        if legal != first.legal:
            self.fail(f"{alike} observe must tell it that its moves are {legal} here and {first.legal} there")
        if world != first.world:
            self.fail(
                f"{alike} determinize must draw the same world from both, not {world} here and {first.world} there"
            )

    def compare_worlds(self, player: int) -> None:
        """Remember whether two different worlds were ever drawn from one position."""
        if not self.memory.worlds_differ:
            first, *others = (self.state.determinize(player, draw) for draw in range(DRAWS_TRIED))
            self.memory.worlds_differ = any(other != first for other in others)

    def check_moves_are_seen(self, actions: list[int]) -> None:
        """Actions that lead to different positions look different to all but the player who chose."""
        mover = self.state.current_player()
        seen: dict[tuple[int, str], tuple[int, State]] = {}
        for action in self.chooser.sample(actions, min(MOVES_TRIED, len(actions))):
            after = self.after(action)
            for player in range(self.game.num_players):
                if player != mover:
                    look = (player, after.information_state_string(player))
                    other, position = seen.setdefault(look, (action, after))
                    if position != after:
                        what = "outcomes" if mover == CHANCE else "moves"
                        self.fail(
                            f"the {what} {other} and {action} lead to different positions that look the same to"
                            f" player {player}: declare hides_moves = True, or let observe tell them apart"
                        )


def check_compiled(game: Game, seed: int) -> None:
    """Play one random game in compiled code, between canaries, and compare it with plain Python."""
    sizes = (game.state_size, max(game.num_actions, game.num_chance_outcomes), game.max_game_length)
    guarded = [np.full(MARGIN + size + MARGIN, CANARY, np.int64) for size in sizes]
    position, actions, moves = (array[MARGIN:-MARGIN] for array in guarded)
    state = game.new_initial_state(seed)
    position[:] = state.array
    utilities = np.full(game.num_players, np.nan)
    probabilities = np.zeros(max(1, game.num_chance_outcomes))
    buffers = np.zeros(game.state_size, np.int64), actions, probabilities, moves, utilities
    count = play_randomly(game, position, *buffers, np.zeros((2, game.num_players)), make_rng(seed))
    for name, array in zip(("the position", "the buffer for actions"), guarded[:2], strict=True):
        if (array[:MARGIN] != CANARY).any() or (array[-MARGIN:] != CANARY).any():
            raise GameError(f"{game.name}: the compiled rules write past the end of {name}")
    with wrapping_integers():
        for action in moves[:count].tolist():
            if action not in state.legal_actions():
                raise GameError(
                    f"{game.name}: compiled, {action} is legal after {moves[:count].tolist()};"
                    " in plain Python it is not"
                )
            state.make_move(action)
    if state.array.tolist() != position.tolist() or state.returns() != utilities.tolist():
        raise GameError(
            f"{game.name}: the moves {moves[:count].tolist()} end in {position.tolist()} compiled,"
            f" but in {state.array.tolist()} in plain Python; does an integer overflow?"
        )
