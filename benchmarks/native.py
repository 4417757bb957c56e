"""The C++ programs of benchmarks/native: how they are built, run and checked.

Each plays one game by the same UCT as `strategy="plain"` of fastmcts, on the same arrays and with the same random
numbers, with children scored one by one in float64 or eight at once in float32.
"""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fastmcts import Game, games

FOLDER = Path(__file__).parent / "native"
COMPILERS = ("g++", "clang++", "c++")

#: No fused multiplication and addition, which rounds once instead of twice: scores have the same bits everywhere.
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-Wno-psabi")

ONE_BY_ONE, EIGHT_AT_ONCE = "one_by_one", "eight_at_once"
SCORINGS = (ONE_BY_ONE, EIGHT_AT_ONCE)

#: The games that have a program, by its name.
GAMES: dict[str, Game] = {
    "connect_four": games.ConnectFour(rows=6, columns=7),
    "hex": games.Hex(size=11),
    "sos": games.SOS(rows=8, columns=8),
}


@dataclass(frozen=True)
class Run:
    """What a search took and found.

    Args:
        seconds: Of the processor, for the whole search with its allocations.
        value: The mean reward of the player to move at the root.
        visits: Of each action at the root.
    """

    seconds: float
    value: float
    visits: tuple[int, ...]


def compiler() -> str | None:
    """The C++ compiler, if there is one."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def build(name: str) -> Path:
    """Compile a game's program unless that was done since its sources changed.

    Raises:
        RuntimeError: If there is no compiler.
    """
    program = FOLDER / "build" / name
    newest = max(source.stat().st_mtime for source in (FOLDER / f"{name}.cpp", *FOLDER.glob("*.h")))
    if not program.exists() or program.stat().st_mtime < newest:
        found = compiler()
        if found is None:
            raise RuntimeError(f"no C++ compiler was found: none of {', '.join(COMPILERS)}")
        program.parent.mkdir(exist_ok=True)
        subprocess.run([found, *FLAGS, "-o", str(program), str(FOLDER / f"{name}.cpp")], check=True)
    return program


def output(name: str, *arguments: object) -> str:
    """What a game's program prints."""
    command = [str(build(name)), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def search(name: str, scoring: str, simulations: int, seed: int, c: float) -> Run:
    """Let a game's program search from the start, in a process of its own."""
    answer = json.loads(output(name, scoring, simulations, seed, c))
    return Run(answer["seconds"], answer["value"], tuple(answer["visits"]))


def replay(name: str, count: int, seed: int) -> list[list[int]]:
    """Play random games of a program again by our rules; AssertionError where they differ.

    Returns:
        The actions of each game.
    """
    lines = output(name, "games", count, seed).splitlines()
    return [replay_game(GAMES[name], **json.loads(line)) for line in lines]


def replay_game(game: Game, moves: list[tuple[int, int, int]], rewards: list[float]) -> list[int]:
    """Play one game again: who is to move, from how many moves, which one (it must be legal); then the rewards."""
    state = game.new_initial_state()
    for number, (player, choices, action) in enumerate(moves):
        ours, theirs = (state.current_player(), len(state.legal_actions())), (player, choices)
        assert ours == theirs, f"move {number}: player and choices are {ours} by our rules, {theirs} by the program"
        state.apply_action(action)
    scaled = (np.array(state.returns()) - game.min_utility) / (game.max_utility - game.min_utility)
    assert state.is_terminal(), f"the game goes on after {len(moves)} moves by our rules"
    assert scaled.tolist() == rewards, f"the rewards are {scaled.tolist()} by our rules, {rewards} by the program"
    return [action for _, _, action in moves]


def difference(one: Run, other: Run) -> float:
    """What share of its visits at the root one search would have to move to other actions to agree with another."""
    shares = [np.array(run.visits) / sum(run.visits) for run in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
