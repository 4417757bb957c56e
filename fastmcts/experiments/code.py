"""Fingerprints of the code by which games are played, so that results of different code are told apart."""

import hashlib
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from fastmcts.compiler.fingerprint import fingerprint
from fastmcts.engine.plan import plan_for
from fastmcts.experiments.agents import Agent, Search, UserAgent
from fastmcts.experiments.tables import Pairing
from fastmcts.game import Game

PACKAGE = Path(__file__).parent.parent

#: What decides how a game goes, besides its rules and the agents: rooms, and files of rooms that do more than play.
PLAYING = ("*.py", "core/**/*.py", "compiler/**/*.py", "kernels/**/*.py", "strategies/**/*.py", "engine/**/*.py")
PLAYING_EXPERIMENTS = ("agents", "openings", "records", "seeded", "tables")


def code_of(pairing: Pairing) -> str:
    """Sixteen hexadecimal digits, the same until something is edited that may change a game of a pairing."""
    digest = hashlib.sha256(package_digest())
    digest.update(pairing.game.numba_type.fingerprint.encode())
    for agent in pairing.sides:
        digest.update(agent_code(agent, pairing.game).encode())
    return digest.hexdigest()[:16]


@cache
def package_digest() -> bytes:
    """Hash the sources of this package that let agents play."""
    digest = hashlib.sha256()
    files = {path for pattern in PLAYING for path in PACKAGE.glob(pattern)}
    files |= {PACKAGE / "experiments" / f"{name}.py" for name in PLAYING_EXPERIMENTS}
    for path in sorted(files):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.digest()


def agent_code(agent: Agent, game: Game) -> str:
    """A hash of what an agent does, as far as it is not the package's own code."""
    if isinstance(agent, Search):
        plan, _ = plan_for(game, None, agent.options, "batch")
        stoppers = [class_code(type(stopper)) for stopper in plan.options.stop]
        return " ".join([component.numba_type.fingerprint for component in plan.strategy] + stoppers)
    return class_code(type(agent.player if isinstance(agent, UserAgent) else agent))


def class_code(cls: type[Any]) -> str:
    """A hash of the methods of a class and what they reach; of one of this package, its name."""
    if cls.__module__.partition(".")[0] == PACKAGE.name:
        return cls.__qualname__
    functions = [value for name in sorted(dir(cls)) if isinstance(value := getattr(cls, name), FunctionType)]
    return fingerprint(functions, {}, framework=False)
