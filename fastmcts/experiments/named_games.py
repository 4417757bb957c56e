"""Games by name: those in the box by their id, and a user's own as `path/to/file.py:ClassName`."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from fastmcts.experiments.text import is_strategy, suggestion
from fastmcts.game import Game
from fastmcts.games import checked_parameters, load_game


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
