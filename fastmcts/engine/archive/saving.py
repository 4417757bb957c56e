"""Write a search to a file, and read it back.

The file is a NumPy archive: the arrays of the trees, and a header in JSON that says what they belong to. It is
written beside its place and then put there, so that a crash leaves the old file or the new one.
"""

import dataclasses
import hashlib
import io
import json
import math
import os
import platform
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.component import Component
from fastmcts.compiler.fingerprint import fingerprint
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.compiler.notice import Heeding
from fastmcts.core import tree as trees
from fastmcts.core.constants import TERMINAL
from fastmcts.core.tree import MAX_NODES, PADDING, Tree
from fastmcts.core.types import Position
from fastmcts.core.validate import whole_number
from fastmcts.engine import capacity
from fastmcts.engine.archive.soundness import check_generators, check_planted, play_from
from fastmcts.engine.archive.values import NUMBERS, Decoder, encode, shortened
from fastmcts.engine.forest import Forest
from fastmcts.engine.reuse import looks_equal
from fastmcts.engine.searcher import Searcher
from fastmcts.errors import LoadError
from fastmcts.game import Game
from fastmcts.options import STRATEGIES, Options, without_callback
from fastmcts.strategies.stoppers import Stopper

FORMAT = "fastmcts search"
VERSION = 2
HEADER, CHECKSUM, ASKED = "header", "checksum", "asked"

#: What reading a damaged archive may raise; a flipped bit can say that it is encrypted, or packed in some odd way.
UNREADABLE = (OSError, ValueError, EOFError, KeyError, TypeError, AttributeError, RuntimeError, SyntaxError)
UNREADABLE += (MemoryError, OverflowError, zipfile.BadZipFile, zlib.error)

#: What the options of a search always say. Left open, it would be filled in by what is recommended today, or by chance.
ALWAYS_SAID = (*STRATEGIES, "solver", "final", "seed")

MOST_RECYCLED = 2**62  # nodes

Arrays = dict[str, NDArray[Any]]


class Saved(Protocol):
    """What is saved: a search, with these parts."""

    @property
    def game(self) -> Game:
        """The game."""
        ...

    @property
    def options(self) -> Options:
        """The options, complete."""
        ...

    @property
    def forest(self) -> Forest:
        """The trees."""
        ...


Loaded = TypeVar("Loaded", bound=Saved)


def save(search: Saved, path: Path) -> None:
    """Write a search to a file, atomically."""
    if search.options.evaluator is not None:
        raise ValueError(
            "a search by an evaluator is not written to a file, as a network has no name there: pickle it"
            " (with an evaluator that can be pickled), or keep what its results say"
        )
    options = {field.name: getattr(search.options, field.name) for field in dataclasses.fields(search.options)}
    options["progress"] = without_callback(search.options.progress)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "python": platform.python_version_tuple()[:2],
        "rules": rules_digest(search.game),
        "game": encode(search.game),
        "options": {name: encode(value) for name, value in options.items()},
        **forest_header(search.forest),
    }
    arrays: Arrays = {HEADER: np.frombuffer(json.dumps(header).encode(), np.uint8), **forest_arrays(search.forest)}
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


def load(
    make: Callable[[Game, Options], Loaded], path: Path, game: Game | None = None, classes: Iterable[type] = ()
) -> Loaded:
    """Read a search from a file; it is `MCTS.load`, to which `make` gives an empty search."""
    if game is not None and not isinstance(game, Game):
        raise TypeError(f"game must be a Game, such as games.ConnectFour(), not {game!r}")
    decoder = Decoder([*classes, *([] if game is None else [type(game)])])
    arrays = read(path)
    header = read_header(path, arrays)
    try:
        game = chosen_game(header, decoder, game)
        search = make(game, decoded_options(header, decoder))
        with Heeding(search.options.progress):
            restore_forest(search.forest, header, arrays, trusted=False)
    except LoadError as error:
        raise LoadError(f"{path} cannot be loaded: {error}") from error.__cause__
    except Exception as error:  # what is wrong in a file may lead anywhere
        raise LoadError(f"{path} does not fit this version: {error or type(error).__name__}") from error
    return search


def chosen_game(header: dict[str, Any], decoder: Decoder, given: Game | None) -> Game:
    """The game of a file, or the one that is handed over if it is the same; with the rules it had."""
    saved = checked(header, "game", dict)
    if given is not None and not is_same_game(saved, given):
        raise LoadError(f"it holds a search of {describe(saved)}, and the game handed over is {given!r}")
    game: Game = decoder.decode(saved, Game) if given is None else given
    comparable = checked(header, "python", list) == list(platform.python_version_tuple()[:2])
    if comparable and checked(header, "rules", str) != rules_digest(game):
        raise LoadError(f"it holds a search of {game!r}, whose rules have been edited since")
    return game


def is_same_game(saved: dict[str, Any], given: Game) -> bool:
    """Whether a game has the fields that were saved; its class may have moved to another module."""
    written = encode(given)
    named = saved.get("class")
    same_class = isinstance(named, list) and named[1:] == written["class"][1:]
    return same_class and saved.get("fields") == json.loads(json.dumps(written["fields"]))


def describe(saved: dict[str, Any]) -> str:
    """What a header says about a game, for a message."""
    named, fields = saved.get("class"), saved.get("fields")
    name = named[-1] if isinstance(named, list) and named else "something else"
    settings = ", ".join(f"{key}={value!r}" for key, value in fields.items()) if isinstance(fields, dict) else ""
    return shortened(f"{name}({settings})").strip("'\"")


def decoded_options(header: dict[str, Any], decoder: Decoder) -> Options:
    """The options of a file, checked as those of a caller are."""
    saved = checked(header, "options", dict)
    known = {field.name for field in dataclasses.fields(Options)}
    if unknown := sorted(saved.keys() - known):
        raise LoadError(f"it uses options that this version does not know: {', '.join(unknown)}")
    kinds: dict[str, type] = {**STRATEGIES, "stop": Stopper}
    if unsaid := [name for name in ALWAYS_SAID if saved.get(name) is None]:
        raise LoadError(f"it does not say what its search had for {', '.join(unsaid)}")
    options = {name: decoder.decode(value, kinds.get(name, ())) for name, value in saved.items()}
    if not isinstance(options.get("progress"), bool | None):
        raise LoadError(f"its option progress is {shortened(options['progress'])}")
    return Options(**options)


def checked(header: dict[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    """An entry of a header, which must be of a kind."""
    value = header.get(name)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if type(value) not in kinds:
        raise LoadError(f"it says {shortened(value)} where its {name} should be")
    return value


def read(path: Path) -> Arrays:
    """Read all arrays of an archive. What it is instead, NumPy would guess wrongly and say in its own words."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            return {entry.filename.removesuffix(".npy"): read_array(archive, entry) for entry in archive.infolist()}
    except FileNotFoundError:
        raise LoadError(f"there is no file {path}") from None
    except (IsADirectoryError, PermissionError) as error:
        raise LoadError(f"{path} is not a saved search: {error.strerror}") from None
    except UNREADABLE:
        raise LoadError(f"{path} is damaged or not a saved search of fastmcts") from None


def read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    """One array of numbers, which takes no more room in memory than it does in the file."""
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
        raise ValueError("saved searches are not compressed")
    content = archive.read(entry)
    with io.BytesIO(content) as file:
        version = np.lib.format.read_magic(file)
        reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, is_fortran, dtype = reader(file)
        start = file.tell()
    if dtype.kind not in NUMBERS or is_fortran:
        raise ValueError("saved searches hold numbers")
    if math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError("an array is cut off")
    return np.frombuffer(content, dtype, offset=start).reshape(shape)


def read_header(path: Path, arrays: Arrays) -> dict[str, Any]:
    """Check that an archive is a search of ours, complete and not from the future; return its header."""
    try:
        header = json.loads(arrays[HEADER].tobytes())
    except (KeyError, ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise LoadError(f"{path} is not a saved search of fastmcts")
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise LoadError(f"{path} says {shortened(version)} where its version should be")
    if version > VERSION:
        raise LoadError(f"{path} has format {version}; this version of fastmcts reads up to {VERSION}")
    if not np.array_equal(arrays.pop(CHECKSUM, None), checksum(arrays)):  # pyright: ignore[reportArgumentType]
        raise LoadError(f"{path} is damaged: its checksum does not fit its content")
    if version == 1:
        widen_bounds(arrays)
    return header


def widen_bounds(arrays: Arrays) -> None:
    """Turn what format 1 has proven, which is in float32, into float64."""
    for name, array in arrays.items():
        if name.endswith(("/tree/lower", "/tree/upper")) and array.dtype == np.float32:
            arrays[name] = array.astype(np.float64)


def checksum(arrays: Arrays) -> NDArray[np.uint8]:
    """A hash of names, types, shapes and content."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(array.data)
    return np.frombuffer(digest.digest(), np.uint8)


# ---- Trees


def forest_header(forest: Forest) -> dict[str, Any]:
    """What is to be known about the trees of a search besides their arrays."""
    whole = forest.is_planted  # not so after a failure in the middle of a change: then nobody goes on from any tree
    return {"viewer": forest.viewer, "searchers": [searcher_header(searcher, whole) for searcher in forest.searchers]}


def forest_arrays(forest: Forest) -> Arrays:
    """The arrays of all trees, by number and name, and the position of which they search worlds."""
    arrays: Arrays = {}
    for index, searcher in enumerate(forest.searchers):
        arrays |= {f"{index}/{name}": array for name, array in searcher_arrays(searcher).items()}
    if forest.asked is not None:
        arrays[ASKED] = forest.asked
    return arrays


def searcher_header(searcher: Searcher, is_planted: bool) -> dict[str, Any]:
    """What is to be known about a tree besides its arrays."""
    searcher.finish_change()
    return {
        "is_planted": is_planted,
        "observer": searcher.observer,
        "recycled": searcher.recycled,
        "most_used": searcher.most_used,
    }


def searcher_arrays(searcher: Searcher) -> Arrays:
    """The generator, the root, and the arrays of the tree, those with entries for each node as far as used."""
    per_node = capacity.node_fields(searcher.tree)
    arrays: Arrays = {"rng": searcher.rng, "root": searcher.root}
    for name, array in searcher.tree._asdict().items():
        if is_left_out(name, array):
            continue
        entries = array.size // searcher.tree.visits.size
        arrays[f"tree/{name}"] = array[: int(searcher.tree.size[0]) * entries] if name in per_node else array
    return arrays


def restore_forest(forest: Forest, header: dict[str, Any], arrays: Arrays, trusted: bool) -> None:
    """Put saved arrays into fresh trees.

    Args:
        forest: The trees.
        header: What is known besides the arrays, at least as `forest_header` gives it.
        arrays: As `forest_arrays` gives them.
        trusted: Whether they come from this program itself; else nothing is taken for granted.
    """
    saved = checked(header, "searchers", list)
    if len(saved) != len(forest.searchers):
        raise LoadError(f"it holds {len(saved)} trees, not {len(forest.searchers)}")
    game = forest.searchers[0].game
    viewer = checked_viewer(game, header.get("viewer"))
    asked = arrays.get(ASKED)
    if asked is not None:
        if not forest.has_worlds:
            raise LoadError("it holds a position whose worlds nobody searches")
        asked = checked_array("its position", asked, np.zeros(game.state_size, np.int64))
        check_root(game, asked, viewer)
    parts: dict[str, Arrays] = {}
    for name, array in arrays.items():
        number, _, rest = name.partition("/")
        parts.setdefault(number, {})[rest] = array
    for index, (searcher, said) in enumerate(zip(forest.searchers, saved, strict=True)):
        if not isinstance(said, dict):
            raise LoadError(f"it says {shortened(said)} about a tree")
        if checked(said, "is_planted", bool):
            restore(searcher, said, parts.get(str(index), {}), viewer, trusted)
    forest.viewer = viewer
    forest.asked = asked
    check_together(forest)
    if asked is not None and not trusted:
        check_worlds(forest, asked)


def restore(searcher: Searcher, header: dict[str, Any], arrays: Arrays, viewer: int | None, trusted: bool) -> None:
    """Put saved arrays into a fresh tree."""
    game = searcher.game
    tree = restored_tree(searcher, arrays)
    root = checked_array("its root", arrays.get("root"), searcher.root)
    rng = checked_array("its generator", arrays.get("rng"), searcher.rng)
    observer = whole_number("observer", header.get("observer"), low=TERMINAL, high=game.num_players - 1)
    recycled = whole_number("recycled", header.get("recycled"), low=0, high=MOST_RECYCLED)
    most_used = whole_number("most_used", header.get("most_used"), low=0, high=MAX_NODES)
    if not trusted:
        check_root(game, root, viewer)
        check_generators(rng)
        check_planted(searcher.strategy, tree, root, viewer, searcher.scratch, searcher.plan.options.checked)
    searcher.tree = capacity.set_apart(tree) if searcher.is_apart else tree
    searcher.root[:] = root
    searcher.rng[:] = rng
    searcher.observer = observer
    searcher.recycled = recycled
    searcher.most_used = most_used
    searcher.is_planted = True


def restored_tree(searcher: Searcher, arrays: Arrays) -> Tree:
    """A tree with room to go on, filled with saved arrays, of which nothing but types and lengths is known yet."""
    size = int(checked_array("its tree/size", arrays.get("tree/size"), np.zeros(1, np.int64))[0])
    if not 1 <= size <= searcher.room:
        raise LoadError(f"its tree has {size:,} nodes, and there is room for 1 to {searcher.room:,}")
    needed = size + searcher.plan.most_new_nodes + PADDING
    nodes = max(searcher.tree.visits.size, min(searcher.room, needed))
    tree = trees.grown(searcher.tree, nodes)
    per_node = capacity.node_fields(tree)
    for name, array in tree._asdict().items():
        if is_left_out(name, array):
            continue
        part = array[: size * (array.size // nodes)] if name in per_node else array
        part[:] = checked_array(f"its tree/{name}", arrays.get(f"tree/{name}"), part)
    return tree


def is_left_out(name: str, array: NDArray[Any]) -> bool:
    """Whether a field is not written: files know nothing of evaluators."""
    return array.size == 0 and name in trees.OF_EVALUATORS


def checked_array(name: str, array: NDArray[Any] | None, like: NDArray[Any]) -> NDArray[Any]:
    """A copy of a saved array, which must have the type and the shape of another."""
    if array is None:
        raise LoadError(f"{name} is missing")
    if array.dtype != like.dtype or array.shape != like.shape:
        raise LoadError(f"{name} is {array.dtype} {array.shape}, not {like.dtype} {like.shape}")
    return array.copy()


def checked_viewer(game: Game, viewer: Any) -> int | None:
    """Whose view the root is; None if everything is known."""
    if viewer is None:
        return None
    if not (game.has_hidden_information and game.supports_views):
        raise LoadError(
            f"it says that the root is the view of player {shortened(viewer)}, and {game.name} has no views"
        )
    return whole_number("viewer", viewer, low=0, high=game.num_players - 1)


def check_root(game: Game, root: Position, viewer: int | None) -> None:
    """Raise unless a root is a position, or with a viewer that player's view or a world drawn from it."""
    with wrapping_integers():
        if viewer is None:
            game.check_state(root)
            if not game.overrides("check_state"):
                play_from(game, root)
            return
        state = game.new_state(root, viewer)
        if state.is_waiting():
            return  # the next search replaces it
        if state == state.view(viewer):
            game.check_view(root, viewer)
        else:
            game.check_state(root)


def check_together(forest: Forest) -> None:
    """Raise LoadError unless all trees can be searched on, or none: else a search would silently start anew."""
    planted = sum(searcher.is_planted for searcher in forest.searchers)
    if planted == 0 or forest.is_planted:
        return
    if planted < len(forest.searchers):
        raise LoadError(f"it says that {planted} of its {len(forest.searchers)} trees have a position, the others none")
    if forest.has_worlds:
        raise LoadError("its position, whose worlds it searches, is missing")
    raise LoadError("its trees, which grow side by side, start from different positions")


def check_worlds(forest: Forest, asked: Position) -> None:
    """Raise LoadError unless every tree searches a world that looks like the position that was asked about."""
    game = forest.searchers[0].game
    state = game.new_state(asked, forest.viewer)
    if state.is_waiting():
        return  # the next search draws other worlds
    player = state.current_player()
    for searcher in forest.searchers:
        if searcher.is_planted and not looks_equal(game, asked, searcher.root, player if player >= 0 else None):
            raise LoadError("it searches a world that is none of its position's")


def rules_digest(game: Component) -> str:
    """A hash of a game's rules and constants, without the package's own kernels."""
    declaration = game.numba_type.declaration
    functions = [declaration.functions[name] for name in sorted(declaration.functions)]
    return fingerprint(functions, declaration.constants, framework=False)
