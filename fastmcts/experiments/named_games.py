"""Games and agents by name: those in the box, and a user's own as `path/to/file.py:ClassName`."""

import importlib.util
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Unpack

from fastmcts.experiments.agents import Agent, as_agent, parse_agent
from fastmcts.experiments.text import is_strategy, parsed, read_keywords, read_literal, shown, suggestion
from fastmcts.game import Game
from fastmcts.games import checked_parameters, load_game
from fastmcts.options import SearchOptions

#: A name, or a file and a class in it, with arguments or without.
CALL = re.compile(r"\s*(?P<name>[^()]*?)\s*(?:\((?P<arguments>.*)\)\s*)?", re.DOTALL)


def find_game(text: str, **parameters: Any) -> Game:
    """Make a game from the id of one in the box, or from a file and the class in it.

    Args:
        text: An id such as `connect_four`, or `path/to/file.py:ClassName`. The file is run, as by an import.
        **parameters: The game's own options.
    """
    path, colon, name = text.rpartition(":")
    if not (colon and path.endswith(".py")):
        if text.endswith(".py"):
            raise ValueError(f"which class of {text} is the game? write {text}:ClassName")
        return load_game(text, **parameters)
    classes = {
        name: value
        for name, value in vars(import_file(Path(path))).items()
        if is_game(value) and value.__name__ == name
    }
    if name not in classes:
        raise ValueError(
            f"{path} has no game called {name!r}; {suggestion(name, classes) if classes else 'it has none'}"
        )
    return classes[name](**checked_parameters(classes[name], name, parameters))


def parse_game(text: str, folder: Path | None = None) -> Game:
    """Read a game with its options: `connect_four`, `hex(size=7)` or `path/to/file.py:ClassName(stones=5)`.

    Args:
        text: What was written.
        folder: Where relative paths start; by default where Python runs.
    """
    name, keywords = read_call(text, "a game, such as hex(size=7)")
    return find_game(placed(name, folder), **keywords)


def find_agent(
    text: str, folder: Path | None = None, extra: Iterable[type] = (), **defaults: Unpack[SearchOptions]
) -> Agent:
    """Read an agent: one that `parse_agent` knows, or `path/to/file.py:ClassName(depth=3)` with a `choose(state)`.

    Args:
        text: What was written. A file is run, as by an import.
        folder: Where relative paths start; by default where Python runs.
        extra: Classes of components that may be written besides those that `fastmcts` exports.
        **defaults: As for `parse_agent`.
    """
    if not re.match(r"[^()]*\.py:", text):
        return parse_agent(text, extra, **defaults)
    name, keywords = read_call(text, "an agent")
    path, _, class_name = placed(name, folder).rpartition(":")
    found = vars(import_file(Path(path))).get(class_name)
    if not isinstance(found, type) or not callable(getattr(found, "choose", None)):
        raise ValueError(f"{path} has no class {class_name!r} with a method choose(state)")
    try:
        return as_agent(found(**keywords))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{shown(text)}: {error}") from None


def read_call(text: str, what: str) -> tuple[str, dict[str, Any]]:
    """A name and the arguments in brackets behind it, which are literals; `what` says what was expected."""
    match = CALL.fullmatch(text) if isinstance(text, str) else None
    if match is None or not match["name"]:
        raise ValueError(f"{text!r} cannot be read: expected {what}")
    word = re.sub(r"\W|^(?=\d)", "_", match["name"].rpartition(":")[2]) or "_"
    call: Any = parsed(f"{word}({match['arguments'] or ''})", what)
    if call.args:
        raise ValueError(f"{shown(text)}: arguments are written name=value")
    return match["name"], read_keywords(call, read_literal)


def placed(name: str, folder: Path | None) -> str:
    """A name; of a file with a relative path, with the folder in front."""
    return str(folder / name) if folder is not None and re.search(r"\.py(:|$)", name) else name


def is_game(value: Any) -> bool:
    """Whether something is the class of a game that has all its rules."""
    return isinstance(value, type) and issubclass(value, Game) and not getattr(value, "__abstractmethods__", None)


def import_file(path: Path) -> ModuleType:
    """Import a file by its path, once, under its own name: so other processes find it as well."""
    path = path.expanduser().resolve()
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    folder, name = str(path.parent), path.stem
    if folder not in sys.path:
        sys.path.append(folder)
    importlib.invalidate_caches()
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
        raise ValueError(f"{path.name} has the name of another module, or none that can be imported: rename the file")
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise ValueError(f"{path.name} cannot be imported: {type(error).__name__}: {error}") from error


def strategies_beside(game: Game) -> list[type]:
    """The classes of components that stand in the same file as a user's own game."""
    module = sys.modules.get(type(game).__module__)
    if module is None or module.__name__.partition(".")[0] == "fastmcts":
        return []
    return [value for value in vars(module).values() if is_strategy(value)]
