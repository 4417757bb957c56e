"""Play a game in plain Python before it is compiled for the first time.

Compiled code would not notice that a rule writes past the end of an array: it would give plausible answers, or end the
process. So a few hundred moves are played where everything is watched. A game that passes is remembered beside
Numba's cache, by the same fingerprint, so that the next process neither compiles nor tries it again.
"""

import hashlib
import time
from contextlib import suppress
from pathlib import Path

from fastmcts.compiler.component import hashable
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.engine.rule_checks import RuleCheck, check_declared
from fastmcts.game import Game
from fastmcts.kernels.loop import run

MOVES = 300  # about so many are played
SECONDS = 0.05  # of this thread at most, in games whose rules are slow in plain Python
CLOSE_LOOKS = 8  # in every 8th position everything is checked, another 8th in each game

#: The games that this process need not try any more, by `trial_key`.
PASSED: set[str] = set()


def try_out(game: Game) -> None:
    """Raise GameError, in words, if a game cannot be searched; nothing happens if it was tried before.

    Args:
        game: The game.
    """
    game.check_declaration()
    key = trial_key(game)
    if key in PASSED:
        return
    if not is_remembered(key):
        check_declared(game)
        play_some_games(game)
        remember(key)
    PASSED.add(key)


def trial_key(game: Game) -> str:
    """What decides how a trial ends: the rules with their constants, and the run-time values."""
    fingerprint = game.numba_type.fingerprint
    values = game._run_time_values
    known = [hashable(value) for value in values]
    return f"{fingerprint}{hashlib.sha256(repr(known).encode()).hexdigest()[:8]}" if values else fingerprint


def play_some_games(game: Game) -> None:
    """Play random games, whole ones if they are not too long."""
    end = time.thread_time() + SECONDS
    played = seed = 0
    while played < MOVES and time.thread_time() < end:
        played += Trial(game, seed, end).play()
        seed += 1


class Trial(RuleCheck):
    """One random game, until it ends or time is up."""

    most_asked = 32

    def __init__(self, game: Game, seed: int, end: float) -> None:
        super().__init__(game, seed)
        self.end = end

    def play(self) -> int:
        """Play and check; return how many positions were seen."""
        while (player := self.check_player()) != TERMINAL:
            if time.thread_time() > self.end:
                return len(self.moves) + 1
            actions = self.check_outcomes() if player == CHANCE else self.check_moves()
            if (len(self.moves) + self.seed) % CLOSE_LOOKS == 0:
                self.look_closely(player, actions)
            action = self.drawn(actions)
            after = self.after(action)
            self.check_payment(action, after)
            self.moves.append(action)
            self.state = after
            self.check_length()
        self.check_payments(self.check_utilities("returns"))
        return len(self.moves) + 1

    def look_closely(self, player: int, actions: list[int]) -> None:
        """Check what is not needed to play on, but in searches."""
        if player >= 0:
            self.check_policies(actions)
            if self.game.has_observation:
                self.check_observation(player)
            if self.game.overrides("observe"):
                self.check_world(player, player, len(self.moves))


def is_remembered(key: str) -> bool:
    """Whether another process has tried the same rules."""
    try:
        return (place := folder()) is not None and (place / key).exists()
    except OSError:
        return False


def remember(key: str) -> None:
    """Spare the next process the trial; where nothing can be written, it tries again."""
    if (place := folder()) is not None:
        with suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            (place / key).touch()


def folder() -> Path | None:
    """Where it is remembered which games have passed: beside compiled code; None where none is kept."""
    kept_in = run.stats.cache_path if JIT_ENABLED else None  # pyright: ignore[reportFunctionMemberAccess]
    return None if kept_in is None else Path(kept_in) / "tried_games"
