"""Evaluators: networks and other functions of whole batches, and what is compiled into the search."""

from fastmcts.evaluators.blend import Blend
from fastmcts.evaluators.heuristics import GameEvaluator, UniformEvaluator
from fastmcts.evaluators.network import Network
from fastmcts.strategies.evaluation import Evaluator, RootNoise

__all__ = ["Blend", "Evaluator", "GameEvaluator", "Network", "RootNoise", "UniformEvaluator"]
