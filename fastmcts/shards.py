"""Write games of self-play to a few large files, and go on where that was interrupted.

A shard is a NumPy archive. Arrays of positions have those of all its games one after the other, and `lengths` says how
many each game has.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.validate import whole_number
from fastmcts.errors import LoadError
from fastmcts.evaluators import Blend, Evaluator, Network
from fastmcts.evaluators.network import Evaluate
from fastmcts.game import Game
from fastmcts.options import ProgressOption
from fastmcts.playing import SelfPlayGame
from fastmcts.self_play import SelfPlay, Temperature, self_play

FORMAT = "fastmcts self-play"
VERSION = 1
PATTERN = "shard-*.npz"
MOST_IN_SHARD = 2**20

#: What a shard has for each position, with the type and the number of dimensions (None: any).
OF_POSITIONS: dict[str, tuple[type, int | None]] = {
    "observations": (np.float32, None),
    "legal": (np.bool_, 2),
    "policies": (np.float32, 2),
    "values": (np.float32, 1),
    "outcomes": (np.float32, 1),
    "players": (np.int64, 1),
    "moves": (np.int64, 1),
}

#: And what for each game.
OF_GAMES: dict[str, tuple[type, int | None]] = {
    "lengths": (np.int64, 1),
    "returns": (np.float32, 2),
    "numbers": (np.int64, 1),
    "seeds": (np.int64, 1),
}

SETTINGS = "settings"


def write_shards(
    folder: str | PathLike[str],
    game: Game,
    evaluator: Evaluator | Network | Blend | Evaluate,
    *,
    games: int | Sequence[int],
    simulations: int,
    seed: int,
    temperature: Temperature = None,
    games_per_shard: int = 256,
    side_by_side: int = 256,
    keep_trees: bool = True,
    progress: ProgressOption = None,
    **keywords: Any,
) -> list[Path]:
    """Play games as `self_play` does, and write them to files; what the folder has already is not played again.

    A file is written beside its place and then put there, so that it is whole or not there. After Ctrl-C, or an
    exception, all games that were finished are in files; after a crash those are missing that were to come into the
    next one, and the same call plays them again. A folder is for one seed and one way to play: another game, seed,
    strategy, temperature, number of simulations or `keep_trees` is refused. That the evaluator is the same cannot be
    checked. One process at a time may write to a folder.

    Args:
        folder: Where to write; it is made if it is missing.
        game: The game.
        evaluator: As in `self_play`.
        games: How many games the folder shall have, or the numbers of those it shall have.
        simulations: How many for each move.
        seed: The same seed gives the same games.
        temperature: As in `self_play`.
        games_per_shard: How many games a file gets.
        side_by_side: How many games are played at a time.
        keep_trees: As in `self_play`.
        progress: As in `self_play`.
        **keywords: Other options of a search.

    Returns:
        All shards of the folder, in the order of their names.
    """
    from fastmcts.engine.archive.saving import write

    games_per_shard = whole_number("games_per_shard", games_per_shard, 1, MOST_IN_SHARD)
    if seed is None:
        raise TypeError("write_shards needs a seed: without one the same call could not go on with the same games")
    played = self_play(
        game,
        evaluator,
        games=games,
        simulations=simulations,
        temperature=temperature,
        seed=seed,
        side_by_side=side_by_side,
        keep_trees=keep_trees,
        progress=progress,
        **keywords,
    )
    settings = settings_of(played)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f".{PATTERN}.*"):  # by a crash
        left.unlink(missing_ok=True)
    there = numbers_in(folder, settings)
    played.numbers = [number for number in played.numbers if number not in there]

    kept: list[SelfPlayGame] = []

    def write_kept() -> None:
        # A game is in one shard alone, so that the least number names it; written twice, it is the same file.
        least = min(one.number for one in kept)
        write(folder / f"shard-{least:012d}.npz", packed(kept, settings))

    try:
        for one in played:
            kept.append(one)
            if len(kept) >= games_per_shard:
                write_kept()
                kept = []
    finally:
        if kept:
            write_kept()
    return sorted(folder.glob(PATTERN))


def read_shards(folder: str | PathLike[str]) -> Iterator[SelfPlayGame]:
    """The games in a folder that `write_shards` has written, shard by shard in the order of their names.

    Nothing in the files is run, and all of it is checked.

    Args:
        folder: The folder.

    Raises:
        LoadError: If a file is damaged, is none of self-play or was played in another way than the first, or if a game
            is there twice.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise LoadError(f"{folder} is no folder of shards: write_shards makes one")
    settings, seen = None, set[int]()
    for path in sorted(folder.glob(PATTERN)):
        arrays = checked_shard(path, settings, seen)
        settings = str(arrays[SETTINGS])
        ends = np.cumsum(arrays["lengths"])
        for index, (length, end) in enumerate(zip(arrays["lengths"].tolist(), ends.tolist(), strict=True)):
            parts = {name: arrays[name][end - length : end] for name in OF_POSITIONS}
            number, seed = int(arrays["numbers"][index]), int(arrays["seeds"][index])
            yield SelfPlayGame(**parts, returns=arrays["returns"][index], number=number, seed=seed)


def numbers_in(folder: Path, settings: str) -> set[int]:
    """The numbers of the games that a folder has; LoadError if one of them was not played in this way."""
    seen: set[int] = set()
    for path in sorted(folder.glob(PATTERN)):
        checked_shard(path, settings, seen)
    return seen


def settings_of(played: SelfPlay) -> str:
    """Everything on which games depend, but for the evaluator and their numbers, as JSON."""
    from fastmcts.engine.archive.saving import rules_digest

    plan = played.plan
    settings = {
        "format": FORMAT,
        "version": VERSION,
        "game": repr(plan.game),
        "rules": rules_digest(plan.game),
        "seed": played.seed,
        "simulations": plan.options.simulations,
        "strategy": plan.text,
        "search_forced": plan.options.search_forced,
        "keep_trees": played.keep_trees,
        "temperature": hashlib.sha256(played.temperatures.tobytes()).hexdigest(),
    }
    return json.dumps(settings)


def packed(games: Sequence[SelfPlayGame], settings: str) -> dict[str, NDArray[Any]]:
    """The arrays of a shard."""
    return {
        SETTINGS: np.array(settings),
        **{name: np.concatenate([getattr(one, name) for one in games]) for name in OF_POSITIONS},
        "lengths": np.array([len(one.moves) for one in games], np.int64),
        "returns": np.stack([one.returns for one in games]),
        "numbers": np.array([one.number for one in games], np.int64),
        "seeds": np.array([one.seed for one in games], np.int64),
    }


def checked_shard(path: Path, settings: str | None, seen: set[int]) -> dict[str, NDArray[Any]]:
    """The arrays of a shard.

    Args:
        path: The file.
        settings: How its games have to be played; None for any way.
        seen: The numbers of games in other shards, to which those of this one are added.

    Raises:
        LoadError: If something is wrong, with what.
    """
    from fastmcts.engine.archive.saving import UNREADABLE

    names = [SETTINGS, *OF_POSITIONS, *OF_GAMES]
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in names}
        found = json.loads(str(arrays[SETTINGS]))
    except UNREADABLE as error:
        raise LoadError(f"{path} is no whole shard of self-play: {error}; delete it to play its games again") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT or found.get("version") != VERSION:
        raise LoadError(f"{path} is no shard of self-play that this version can read")
    if settings is not None:
        for name, wanted in json.loads(settings).items():
            if found.get(name) != wanted:
                raise LoadError(
                    f"{path} was played with {name} {found.get(name)!r}, not {wanted!r}: use another folder for games"
                    " that are played in another way"
                )
    if (wrong := fault_of(arrays)) is not None:
        raise LoadError(f"{path} is damaged: {wrong}; delete it to play its games again")
    numbers = arrays["numbers"].tolist()
    for number in numbers:
        if number in seen:
            raise LoadError(f"{path} has game {number}, which another shard of the folder has too: delete one of them")
        seen.add(number)
    return arrays


def fault_of(arrays: dict[str, NDArray[Any]]) -> str | None:
    """What is wrong with the arrays of a shard; None if nothing is."""
    for name, (kind, dimensions) in (OF_POSITIONS | OF_GAMES).items():
        array = arrays[name]
        if array.dtype != kind or array.ndim == 0 or (dimensions is not None and array.ndim != dimensions):
            return f"{name} is {array.dtype} {list(array.shape)}"
    lengths, legal, policies = arrays["lengths"], arrays["legal"], arrays["policies"]
    games, positions = len(lengths), len(legal)
    for names, count in ((OF_POSITIONS, positions), (OF_GAMES, games)):
        if any(len(arrays[name]) != count for name in names):
            return "its arrays differ in length"
    if (lengths < 0).any() or int(lengths.sum()) != positions:
        return f"its games are said to have {lengths.sum()} positions, and it has {positions}"
    if legal.shape != policies.shape or not all(np.isfinite(arrays[n]).all() for n in ("observations", "policies")):
        return "a policy or an observation is not what it can be"
    if ((policies < 0.0) | (~legal & (policies != 0.0))).any() or (np.abs(policies.sum(axis=1) - 1.0) > 1e-3).any():
        return "a policy is negative, plays illegal moves or does not add up to one"
    players, moves, returns = arrays["players"], arrays["moves"], arrays["returns"]
    if ((players < 0) | (players >= returns.shape[1]) | (moves < 0) | (moves >= legal.shape[1])).any():
        return "a player or a move is not one of the game"
    if not legal[np.arange(positions), moves].all():
        return "a move is not legal"
    if not np.array_equal(arrays["outcomes"], returns[np.repeat(np.arange(games), lengths), players]):
        return "an outcome is not what the game returns"
    if len(set(arrays["numbers"].tolist())) < games or (arrays["numbers"] < 0).any():
        return "a game is there twice, or its number is below 0"
    return None
