"""Experiments: agents as values, matches between them, and many deals of games for one."""

from fastmcts.experiments.agents import Agent, Greedy, Random, Search, as_agent, parse_agent
from fastmcts.experiments.deals import DealsResult, play_deals
from fastmcts.experiments.match import MatchResult, play_match
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plan_file import load_plan
from fastmcts.experiments.plan_parts import PlanError
from fastmcts.experiments.plots import plot, plot_trace
from fastmcts.experiments.ratings import Ratings, rate
from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.reports import load_results, report, summarise
from fastmcts.experiments.round_robin import RoundRobinResult, play_round_robin
from fastmcts.experiments.running import RunResult, run
from fastmcts.experiments.sprt import SPRT
from fastmcts.experiments.standing import status
from fastmcts.experiments.store import Store, StoreError
from fastmcts.experiments.text import parse_component
from fastmcts.experiments.tuning import Trial, TuningResult, tune
from fastmcts.experiments.tuning_space import Span, TuningPlan, load_tuning
from fastmcts.experiments.work import RunError

__all__ = [
    "SPRT",
    "Agent",
    "DealsResult",
    "GameRecord",
    "Greedy",
    "MatchResult",
    "Plan",
    "PlanError",
    "Random",
    "Ratings",
    "RoundRobinResult",
    "RunError",
    "RunResult",
    "Search",
    "Span",
    "Store",
    "StoreError",
    "Trial",
    "TuningPlan",
    "TuningResult",
    "as_agent",
    "load_plan",
    "load_results",
    "load_tuning",
    "parse_agent",
    "parse_component",
    "play_deals",
    "play_match",
    "play_round_robin",
    "plot",
    "plot_trace",
    "rate",
    "report",
    "run",
    "status",
    "summarise",
    "tune",
]
