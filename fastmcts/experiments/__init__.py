"""Experiments: agents as values, matches between them, and many deals of games for one."""

from fastmcts.experiments.agents import Agent, Greedy, Random, Search, as_agent, parse_agent
from fastmcts.experiments.deals import DealsResult, play_deals
from fastmcts.experiments.match import MatchResult, play_match
from fastmcts.experiments.text import parse_component

__all__ = [
    "Agent",
    "DealsResult",
    "Greedy",
    "MatchResult",
    "Random",
    "Search",
    "as_agent",
    "parse_agent",
    "parse_component",
    "play_deals",
    "play_match",
]
