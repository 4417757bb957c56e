"""Write a search to a file, and read it back.

The file is a NumPy archive: the arrays of the trees, and a header in JSON that says what they belong to. It is
written beside its place and then put there, so that a crash leaves the old file or the new one.
"""

import dataclasses
import hashlib
import importlib
import json
import os
import platform
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastmcts import memory
from fastmcts import tree as trees
from fastmcts.arrays import Position
from fastmcts.checks import whole_number
from fastmcts.component import Component
from fastmcts.errors import LoadError
from fastmcts.fingerprint import fingerprint
from fastmcts.game import Game
from fastmcts.options import Options
from fastmcts.searcher import Searcher
from fastmcts.stoppers import Stopper

if TYPE_CHECKING:
    from fastmcts.mcts import MCTS

FORMAT = "fastmcts search"
VERSION = 1
HEADER, CHECKSUM, ASKED = "header", "checksum", "asked"

#: What reading a damaged archive may raise; a flipped bit can say that it is encrypted, or packed in some odd way.
UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    TypeError,
    AttributeError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)

Arrays = dict[str, NDArray[Any]]


def save(mcts: "MCTS", path: Path) -> None:
    """Write a search to a file, atomically."""
    options = {field.name: getattr(mcts.options, field.name) for field in dataclasses.fields(mcts.options)}
    options["progress"] = mcts.options.progress is True
    header = {
        "format": FORMAT,
        "version": VERSION,
        "python": platform.python_version_tuple()[:2],
        "rules": rules_digest(mcts.game),
        "game": encode(mcts.game),
        "options": {name: encode(value) for name, value in options.items()},
        "viewer": mcts.forest.viewer,
        "searchers": [searcher_header(searcher) for searcher in mcts.forest.searchers],
    }
    arrays: Arrays = {HEADER: np.frombuffer(json.dumps(header).encode(), np.uint8)}
    for index, searcher in enumerate(mcts.forest.searchers):
        arrays |= {f"{index}/{name}": array for name, array in searcher_arrays(searcher).items()}
    if mcts.forest.asked is not None:
        arrays[ASKED] = mcts.forest.asked
    arrays[CHECKSUM] = checksum(arrays)
    write(path, arrays)


def write(path: Path, arrays: Arrays) -> None:
    """Write an archive beside its place, then put it there."""
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        Path(temporary).chmod(usual_mode())
        with os.fdopen(descriptor, "wb") as file:
            np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
        temporary = None
    except OSError as error:
        raise type(error)(error.errno, f"cannot save to {path}: {error.strerror}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def usual_mode() -> int:
    """The permissions that `open` would give to a new file; temporary files are for their owner alone."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def load(cls: "type[MCTS]", path: Path) -> "MCTS":
    """Read a search from a file."""
    arrays = read(path)
    header = read_header(path, arrays)
    game = decode(path, header["game"], Component)
    if header["python"] == list(platform.python_version_tuple()[:2]) and header["rules"] != rules_digest(game):
        raise LoadError(f"{path} holds a search of {game!r}, whose rules have been edited since")
    known = {field.name for field in dataclasses.fields(Options)}
    if unknown := sorted(header["options"].keys() - known):
        raise LoadError(f"{path} uses options that this version does not know: {', '.join(unknown)}")
    try:
        options = Options(**{name: decode(path, value) for name, value in header["options"].items()})
        mcts = cls.__new__(cls)
        mcts.set_up(game, options)
        if len(header["searchers"]) != len(mcts.forest.searchers):
            raise LoadError(f"{path} holds {len(header['searchers'])} trees, not {len(mcts.forest.searchers)}")
        for index, searcher in enumerate(mcts.forest.searchers):
            prefix = f"{index}/"
            own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            restore(path, searcher, header["searchers"][index], own, header.get("viewer"))
        mcts.forest.viewer = header.get("viewer")
        mcts.forest.asked = arrays.get(ASKED)
    except LoadError:
        raise
    except (TypeError, ValueError, KeyError) as error:
        raise LoadError(f"{path} does not fit this version: {error}") from error
    return mcts


def read(path: Path) -> Arrays:
    """Read all arrays of an archive."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise LoadError(f"there is no file {path}") from None
    except UNREADABLE as error:
        raise LoadError(f"{path} is damaged or not a saved search: {error}") from error


def read_header(path: Path, arrays: Arrays) -> dict[str, Any]:
    """Check that an archive is a search of ours, complete and not from the future; return its header."""
    try:
        header = json.loads(arrays[HEADER].tobytes())
    except (KeyError, ValueError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise LoadError(f"{path} is not a saved search of fastmcts")
    if header["version"] > VERSION:
        raise LoadError(f"{path} has format {header['version']}; this version of fastmcts reads up to {VERSION}")
    if not np.array_equal(arrays.pop(CHECKSUM, None), checksum(arrays)):  # pyright: ignore[reportArgumentType]
        raise LoadError(f"{path} is damaged: its checksum does not fit its content")
    return header


def checksum(arrays: Arrays) -> NDArray[np.uint8]:
    """A hash of names, types, shapes and content."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(array.data)
    return np.frombuffer(digest.digest(), np.uint8)


# ---- One tree


def searcher_header(searcher: Searcher) -> dict[str, Any]:
    """What is to be known about a tree besides its arrays."""
    searcher.finish_change()
    return {
        "is_planted": searcher.is_planted,
        "observer": searcher.observer,
        "recycled": searcher.recycled,
        "most_used": searcher.most_used,
    }


def searcher_arrays(searcher: Searcher) -> Arrays:
    """The generator, the root, and the arrays of the tree, those with entries for each node as far as used."""
    per_node = memory.node_fields(searcher.tree)
    arrays: Arrays = {"rng": searcher.rng, "root": searcher.root}
    for name, array in searcher.tree._asdict().items():
        entries = array.size // searcher.tree.visits.size
        arrays[f"tree/{name}"] = array[: int(searcher.tree.size[0]) * entries] if name in per_node else array
    return arrays


def restore(path: Path, searcher: Searcher, header: dict[str, Any], arrays: Arrays, viewer: int | None) -> None:
    """Put saved arrays into a fresh tree."""
    size = int(arrays["tree/size"][0])
    capacity = max(searcher.tree.visits.size, min(searcher.room, size + memory.most_new_nodes(searcher.strategy)))
    tree = trees.grown(searcher.tree, capacity)
    per_node = memory.node_fields(tree)
    for name, array in tree._asdict().items():
        saved = arrays[f"tree/{name}"]
        entries = size * (array.size // capacity) if name in per_node else array.size
        if saved.dtype != array.dtype or saved.shape != (entries,) or entries > array.size:
            raise LoadError(f"{path} does not fit this version: its tree/{name} is {saved.dtype} {saved.shape}")
        array[:entries] = saved
    if header["is_planted"]:
        check_root(searcher.game, arrays["root"], viewer)
    searcher.tree = memory.set_apart(tree) if searcher.is_apart else tree
    searcher.root[:] = arrays["root"]
    searcher.rng[:] = arrays["rng"]
    searcher.is_planted = header["is_planted"]
    searcher.observer = header["observer"]
    searcher.recycled = header["recycled"]
    searcher.most_used = header["most_used"]


def check_root(game: Game, root: Position, viewer: int | None) -> None:
    """Raise unless a root is a position, or with a viewer that player's view or a world drawn from it."""
    if viewer is None:
        game.check_state(root)
        return
    state = game.new_state(root, whole_number("viewer", viewer, low=0, high=game.num_players - 1))
    if state.is_waiting():
        return  # the next search replaces it
    if state == state.view(viewer):
        game.check_view(root, viewer)
    else:
        game.check_state(root)


# ---- Components and other values


def rules_digest(game: Component) -> str:
    """A hash of a game's rules and constants, without the package's own kernels."""
    declaration = game.numba_type.declaration
    functions = [declaration.functions[name] for name in sorted(declaration.functions)]
    return fingerprint(functions, declaration.constants, framework=False)


def encode(value: Any) -> Any:
    """A value as JSON can hold it; components and stoppers by class and fields."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, list | tuple):
        return {"items": [encode(item) for item in value]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":  # numbers
        return {"bytes": value.tobytes().hex(), "shape": value.shape, "dtype": value.dtype.str}
    cls = type(value)
    if not dataclasses.is_dataclass(cls) or not isinstance(value, Component | Stopper):
        raise TypeError(f"{value!r} cannot be saved: components and stoppers can if they are dataclasses")
    if "<locals>" in cls.__qualname__:
        raise TypeError(f"{cls.__qualname__} cannot be saved: move the class to the top of its module")
    fields = {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(cls) if field.init}
    return {"class": [cls.__module__, cls.__qualname__], "fields": fields}


def decode(path: Path, value: Any, kind: type | tuple[type, ...] = (Component, Stopper)) -> Any:
    """Turn what `encode` gave back into the value."""
    if not isinstance(value, dict):
        return value
    if "items" in value:
        return tuple(decode(path, item) for item in value["items"])
    if "bytes" in value:
        return np.frombuffer(bytes.fromhex(value["bytes"]), value["dtype"]).reshape(value["shape"]).copy()
    module, name = value["class"]
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise LoadError(f"{path} needs the class {module}.{name}, which cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, kind)):
        raise LoadError(f"{path} names {module}.{name} as a class to load, which it is not")
    try:
        return found(**{name: decode(path, field) for name, field in value["fields"].items()})
    except (TypeError, ValueError) as error:
        raise LoadError(f"{path} does not fit {module}.{name} as it is now: {error}") from error
