"""fastmcts: Monte Carlo tree search over flat arrays, compiled for any game and any strategy."""

from fastmcts import games
from fastmcts.batch import BatchResult, search_batch
from fastmcts.constants import CHANCE, TERMINAL
from fastmcts.errors import CompileError, GameError, LoadError
from fastmcts.expansion import *
from fastmcts.game import Game
from fastmcts.games import load_game, registered_games
from fastmcts.jit import compiled
from fastmcts.kernels.rng import spawn_seed
from fastmcts.mcts import MCTS
from fastmcts.method import *
from fastmcts.options import Options
from fastmcts.result import PositionResult, SearchResult
from fastmcts.rollout import *
from fastmcts.search import search
from fastmcts.selection import *
from fastmcts.snapshot import Snapshot, Trace
from fastmcts.state import State
from fastmcts.stoppers import *
from fastmcts.warmup import WarmupResult, warmup
