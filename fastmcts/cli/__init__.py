"""The command line: one command, one file."""

from fastmcts.cli import experiment, games, match, play, search, warmup
from fastmcts.cli.app import app

__all__ = ["app", "experiment", "games", "match", "play", "search", "warmup"]
