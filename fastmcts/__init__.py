"""fastmcts: Monte Carlo tree search over flat arrays, compiled for any game and any strategy."""

from importlib import import_module
from types import ModuleType

from fastmcts.compiler.collecting import collecting_nothing

with collecting_nothing():
    from fastmcts import games, rng
    from fastmcts.batch import BatchResult, BatchSnapshot, search_batch
    from fastmcts.compiler.component import Component
    from fastmcts.compiler.jit import compiled
    from fastmcts.compiler.run_time import RunTime
    from fastmcts.core.constants import CHANCE, TERMINAL
    from fastmcts.core.tree import Tree
    from fastmcts.errors import CompileError, GameError, LoadError
    from fastmcts.evaluators import Blend, Evaluator, GameEvaluator, Network, RootNoise, UniformEvaluator
    from fastmcts.game import Game
    from fastmcts.games import load_game, registered_games
    from fastmcts.mcts import MCTS
    from fastmcts.options import Options
    from fastmcts.playing import SelfPlayGame
    from fastmcts.result import PositionResult, SearchResult
    from fastmcts.rng import spawn_seed
    from fastmcts.search import search
    from fastmcts.self_play import SelfPlay, SelfPlaySnapshot, self_play
    from fastmcts.shards import read_shards, write_shards
    from fastmcts.state import State
    from fastmcts.strategies.expansion import ExpandAll, Expansion, Lazy, Prioritized
    from fastmcts.strategies.methods import ISMCTS, PIMC, Method, OpenLoop, PerfectInformation, SinglePerspective
    from fastmcts.strategies.rollout import MAST, CarefulRollout, Decisive, GameRollout, RandomRollout, Rollout
    from fastmcts.strategies.selection import GRAVE, PUCT, UCB1, UCT, Gumbel, Selection, SmoothUCT, UCB1Tuned
    from fastmcts.strategies.snapshot import Snapshot, Trace
    from fastmcts.strategies.stoppers import Agreed, Converged, Decided, Stopper
    from fastmcts.warmup import WarmupResult, warmup

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "GRAVE",
    "ISMCTS",
    "MAST",
    "MCTS",
    "PIMC",
    "PUCT",
    "TERMINAL",
    "UCB1",
    "UCT",
    "Agreed",
    "BatchResult",
    "BatchSnapshot",
    "Blend",
    "CarefulRollout",
    "CompileError",
    "Component",
    "Converged",
    "Decided",
    "Decisive",
    "Evaluator",
    "ExpandAll",
    "Expansion",
    "Game",
    "GameError",
    "GameEvaluator",
    "GameRollout",
    "Gumbel",
    "Lazy",
    "LoadError",
    "Method",
    "Network",
    "OpenLoop",
    "Options",
    "PerfectInformation",
    "PositionResult",
    "Prioritized",
    "RandomRollout",
    "Rollout",
    "RootNoise",
    "RunTime",
    "SearchResult",
    "Selection",
    "SelfPlay",
    "SelfPlayGame",
    "SelfPlaySnapshot",
    "SinglePerspective",
    "SmoothUCT",
    "Snapshot",
    "State",
    "Stopper",
    "Trace",
    "Tree",
    "UCB1Tuned",
    "UniformEvaluator",
    "WarmupResult",
    "compiled",
    "games",
    "load_game",
    "read_shards",
    "registered_games",
    "rng",
    "search",
    "search_batch",
    "self_play",
    "spawn_seed",
    "warmup",
    "write_shards",
]


#: Modules that are there after `import fastmcts`, and imported when they are asked for.
LATER = ("testing",)


def __getattr__(name: str) -> ModuleType:
    if name in LATER:
        return import_module(f"fastmcts.{name}")
    raise AttributeError(f"module 'fastmcts' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, without the modules that Python adds as they are imported."""
    return sorted([*__all__, *LATER, "__version__"])
