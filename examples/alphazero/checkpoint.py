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
import numpy as np

from examples.alphazero.network import Params, Trained, first_trained
from examples.alphazero.settings import Settings

NAME = "checkpoint.npz"
#: Settings that may change from run to run.
FREE = ("iterations",)


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
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(str(arrays.pop("about")))
        its_settings, its_seed = about["settings"], about["seed"]
        iteration, seconds, curve = int(about["iteration"]), float(about["seconds"]), tuple(about["curve"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged or no checkpoint: {error}; choose another folder with --out") from None
    for name, value in {**asdict(settings), "seed": seed}.items():
        its_value = {**its_settings, "seed": its_seed}.get(name)
        if name not in FREE and its_value != value:
            raise ValueError(f"{path} has {name} {its_value!r}, not {value!r}: choose another folder with --out")
    empty = first_progress(settings, seed)
    for name, array in arrays_of(empty).items():
        given = arrays.get(name)
        if given is None or given.shape != array.shape or given.dtype != array.dtype:
            found = "nothing" if given is None else f"{given.dtype} {list(given.shape)}"
            raise ValueError(f"{path}: {name} must be {array.dtype} {list(array.shape)}, not {found}")
        if not np.all(np.isfinite(given)):
            raise ValueError(f"{path}: {name} has numbers that are not finite")
    leaves = [arrays[name] for name in arrays_of(empty)]
    tree = jax.tree.unflatten(jax.tree.structure({"best": empty.best, "trained": empty.trained}), leaves)
    return Progress(tree["trained"], tree["best"], iteration, seconds, curve)


def arrays_of(progress: Progress) -> dict[str, np.ndarray]:
    """Every array of what is trained and of what plays, by its place in the tree."""
    leaves = jax.tree_util.tree_leaves_with_path({"best": progress.best, "trained": progress.trained})
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}
