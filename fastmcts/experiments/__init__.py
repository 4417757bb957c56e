"""Experiments: agents as values, matches between them, and many deals of games for one."""

from fastmcts.experiments.agents import Agent, Greedy, Random, Search, as_agent, parse_agent
from fastmcts.experiments.deals import DealsResult, play_deals
from fastmcts.experiments.match import MatchResult, play_match
from fastmcts.experiments.ratings import Ratings, rate
from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.round_robin import RoundRobinResult, play_round_robin
from fastmcts.experiments.sprt import SPRT
from fastmcts.experiments.text import parse_component

__all__ = [
    "SPRT",
    "Agent",
    "DealsResult",
    "GameRecord",
    "Greedy",
    "MatchResult",
    "Random",
    "Ratings",
    "RoundRobinResult",
    "Search",
    "as_agent",
    "parse_agent",
    "parse_component",
    "play_deals",
    "play_match",
    "play_round_robin",
    "rate",
]
