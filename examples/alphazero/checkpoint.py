"""Checkpoints: all that an interrupted run needs to go on, in a NumPy archive that appears whole or not at all.

Nothing in the file is run, and every array is compared with what the settings call for before it is used.
"""

import json
import os
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from examples.alphazero.network import Params, Trained, first_trained
from examples.alphazero.settings import Settings

NAME = "checkpoint.npz"
#: Settings that may change from run to run.
FREE = ("iterations", "measured_simulations", "uct_simulations", "curve_games", "evaluate_every")
#: The numbers of a point of the curve.
OF_POINTS = ("iteration", "games", "minutes", "score", "low", "high")
ELSEWHERE = "choose another folder with --out"


class Progress(NamedTuple):
    """How far a run has come.

    Attributes:
        trained: What is trained.
        best: The parameters that play, which passed the last gate.
        iteration: How many iterations are done.
        seconds: How long they took, without measuring the curve.
        curve: The points of the curve so far.
    """

    trained: Trained
    best: Params
    iteration: int = 0
    seconds: float = 0.0
    curve: tuple[dict[str, Any], ...] = ()

    @property
    def minutes(self) -> float:
        """The same in minutes."""
        return self.seconds / 60


def first_progress(settings: Settings, seed: int) -> Progress:
    """Before the first iteration."""
    trained = first_trained(settings, seed)
    return Progress(trained, trained.average)


def save(folder: Path, settings: Settings, seed: int, progress: Progress) -> None:
    """Write a checkpoint beside its place, then put it there."""
    about = {
        "settings": asdict(settings),
        "seed": seed,
        "iteration": progress.iteration,
        "seconds": progress.seconds,
        "curve": progress.curve,
    }
    temporary = folder / f".{NAME}.new"
    with temporary.open("wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays_of(progress))  # pyright: ignore[reportArgumentType]
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / NAME)


def load(folder: Path, settings: Settings, seed: int) -> Progress:
    """Read the checkpoint of a folder; ValueError if it is damaged, or of another run."""
    path = folder / NAME
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays.pop("about")))
        its_settings = {**about["settings"], "seed": about["seed"]}
        iteration, seconds = int(about["iteration"]), float(about["seconds"])
        curve = tuple({**point, **{name: float(point[name]) for name in OF_POINTS}} for point in about["curve"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged, or no checkpoint: {error}; {ELSEWHERE}") from None
    for name, value in {**asdict(settings), "seed": seed}.items():
        if name not in FREE and its_settings.get(name) != value:
            raise ValueError(f"{path} is of a run with {name}={its_settings.get(name)!r}, not {value!r}; {ELSEWHERE}")
    empty = first_progress(settings, seed)
    wanted = arrays_of(empty)
    for name, array in wanted.items():
        found = arrays.get(name)
        if found is None or (found.shape, found.dtype) != (array.shape, array.dtype):
            text = "nothing" if found is None else f"{found.dtype} {list(found.shape)}"
            raise ValueError(f"{path}: {name} must be {array.dtype} {list(array.shape)}, not {text}; {ELSEWHERE}")
        if not np.all(np.isfinite(found)):
            raise ValueError(f"{path}: {name} has numbers that are not finite; {ELSEWHERE}")
    tree = jax.tree.unflatten(jax.tree.structure(parts_of(empty)), [jnp.asarray(arrays[name]) for name in wanted])
    return Progress(tree["trained"], tree["best"], iteration, seconds, curve)


def parts_of(progress: Progress) -> dict[str, Any]:
    """What a checkpoint has as arrays: the network that is trained, and the one that plays."""
    return {"best": progress.best, "trained": progress.trained}


def arrays_of(progress: Progress) -> dict[str, np.ndarray]:
    """Every array of them, by its place in the tree."""
    leaves = jax.tree_util.tree_leaves_with_path(parts_of(progress))
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}
