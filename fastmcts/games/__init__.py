"""The games. Each file of this folder is one game, and its name is the game's id.

`games.ConnectFour` and `load_game("connect_four")` both find the class in `connect_four.py`; there is
no list to keep. Modules whose names start with an underscore are shared helpers.
"""

import dataclasses
import difflib
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from fastmcts.game import Game


def registered_games() -> list[str]:
    """The ids of all games that come with the package, sorted."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def load_game(name: str, **parameters: Any) -> Game:
    """Make a game from its id.

    Args:
        name: One of `registered_games()`.
        **parameters: The game's own options, for example `rows=6`.
    """
    if name not in registered_games():
        close = difflib.get_close_matches(str(name), registered_games(), n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"no game is called {name!r}; {hint}there are: {', '.join(registered_games())}")
    game_class = class_in_file(name)
    return game_class(**checked_parameters(game_class, name, parameters))


def checked_parameters(game_class: type[Game], name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a game, or raise TypeError if it has no such option."""
    known = [field.name for field in dataclasses.fields(game_class)]  # pyright: ignore[reportArgumentType]
    for parameter in parameters:
        if parameter not in known:
            raise TypeError(f"{name} has no option {parameter!r}; it has: {', '.join(known) or 'none'}")
    return parameters


def class_in_file(name: str) -> type[Game]:
    """The game class in the file called `name`."""
    module = import_module(f"{__name__}.{name}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Game) and file_name(value.__name__) == name:
            return value
    raise ImportError(f"fastmcts/games/{name}.py defines no game whose name fits the file's")


def file_name(class_name: str) -> str:
    """The file in which a game class belongs: `ConnectFour` in `connect_four`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()


def __getattr__(name: str) -> Any:
    if name[:1].isupper() and file_name(name) in registered_games():
        return class_in_file(file_name(name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    classes = [class_in_file(name).__name__ for name in registered_games()]
    return sorted([*classes, "load_game", "registered_games"])
