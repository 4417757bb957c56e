"""fastmcts: Monte Carlo tree search over flat arrays, compiled for any game and any strategy."""

from fastmcts import games
from fastmcts.batch import BatchResult, search_batch
from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.errors import CompileError, GameError, LoadError
from fastmcts.game import Game
from fastmcts.games import load_game, registered_games
from fastmcts.mcts import MCTS
from fastmcts.options import Options
from fastmcts.result import PositionResult, SearchResult
from fastmcts.rng import spawn_seed
from fastmcts.search import search
from fastmcts.state import State
from fastmcts.strategies.expansion import ExpandAll, Expansion, Lazy, Prioritized
from fastmcts.strategies.methods import ISMCTS, PIMC, Method, PerfectInformation, SinglePerspective
from fastmcts.strategies.rollout import MAST, CarefulRollout, Decisive, GameRollout, RandomRollout, Rollout
from fastmcts.strategies.selection import GRAVE, PUCT, UCB1, UCT, Selection, UCB1Tuned
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
    "CarefulRollout",
    "CompileError",
    "Converged",
    "Decided",
    "Decisive",
    "ExpandAll",
    "Expansion",
    "Game",
    "GameError",
    "GameRollout",
    "Lazy",
    "LoadError",
    "Method",
    "Options",
    "PerfectInformation",
    "PositionResult",
    "Prioritized",
    "RandomRollout",
    "Rollout",
    "SearchResult",
    "Selection",
    "SinglePerspective",
    "Snapshot",
    "State",
    "Stopper",
    "Trace",
    "UCB1Tuned",
    "WarmupResult",
    "compiled",
    "games",
    "load_game",
    "registered_games",
    "search",
    "search_batch",
    "spawn_seed",
    "warmup",
]


def __dir__() -> list[str]:
    """The public names, without the modules that Python adds as they are imported."""
    return sorted([*__all__, "__version__"])
