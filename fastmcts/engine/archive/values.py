"""Games, strategies and other values as JSON can hold them, and back without trusting what a file says.

A component is written down as its class and its fields. To read it runs nothing but the constructor of a class that
is known already: one of this package, of a module that the program has imported, or one that it hands over.
"""

import dataclasses
import math
import sys
import typing
from collections.abc import Iterable
from types import ModuleType, NoneType, UnionType
from typing import Any

import numpy as np

from fastmcts import games
from fastmcts.compiler.component import Component
from fastmcts.errors import LoadError
from fastmcts.strategies.stoppers import Stopper

PACKAGE = "fastmcts"
NUMBERS = "biuf"  # kinds of NumPy types
PLAIN = (bool, int, float, str, NoneType)


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
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMBERS:
        return {"bytes": value.tobytes().hex(), "shape": list(value.shape), "dtype": value.dtype.str}
    cls = type(value)
    if not dataclasses.is_dataclass(cls) or not isinstance(value, Component | Stopper):
        raise TypeError(f"{value!r} cannot be saved: components and stoppers can if they are dataclasses")
    if "<locals>" in cls.__qualname__:
        raise TypeError(f"{cls.__qualname__} cannot be saved: move the class to the top of its module")
    fields = {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(cls) if field.init}
    return {"class": saved_name(cls), "fields": fields}


def saved_name(cls: type) -> list[str]:
    """Where a class is found again: by its public name if the package has it, since modules may move."""
    for module in (PACKAGE, games.__name__):
        if cls.__module__.startswith(f"{PACKAGE}.") and class_of_package(module, cls.__qualname__) is cls:
            return [module, cls.__qualname__]
    return [cls.__module__, cls.__qualname__]


class Decoder:
    """Turns what `encode` gave back into values.

    Args:
        classes: Classes that are handed over, for files that name one which this program knows by another name or not
            at all.
    """

    def __init__(self, classes: Iterable[type] = ()) -> None:
        self.classes = tuple(classes)
        for cls in self.classes:
            if not (isinstance(cls, type) and issubclass(cls, Component | Stopper)):
                raise TypeError(f"classes are those of games, strategies and stoppers, not {cls!r}")

    def decode(self, value: Any, kind: type | tuple[type, ...] = (Component, Stopper)) -> Any:
        """The value; a component must be of a kind."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, dict) and value.keys() == {"items"} and isinstance(value["items"], list):
            return tuple(self.decode(item, kind) for item in value["items"])
        if isinstance(value, dict) and value.keys() == {"bytes", "shape", "dtype"}:
            return decoded_array(**value)
        if isinstance(value, dict) and value.keys() == {"class", "fields"} and isinstance(value["fields"], dict):
            return self.component(value["class"], value["fields"], kind)
        raise LoadError(f"it holds {shortened(value)} where a value should be")

    def component(self, named: Any, fields: dict[str, Any], kind: type | tuple[type, ...]) -> Any:
        """An object of the class that is named, with these fields."""
        if not (isinstance(named, list) and len(named) == 2 and all(isinstance(part, str) for part in named)):
            raise LoadError(f"it names {shortened(named)} as a class")
        cls = self.find(*named)
        name = ".".join(named)
        if not (isinstance(cls, type) and issubclass(cls, kind) and dataclasses.is_dataclass(cls)):
            raise LoadError(f"it names {name} as a class to load, which it is not")
        known = {field.name for field in dataclasses.fields(cls) if field.init}
        if unknown := sorted(fields.keys() - known):
            raise LoadError(f"it does not fit {name} as it is now, which has no {', '.join(unknown)}")
        values = {field: self.decode(value) for field, value in fields.items()}
        for field, annotation in annotations_of(cls).items():
            if field in values and not suits(values[field], annotation):
                raise LoadError(f"it does not fit {name} as it is now: {field} cannot be {shortened(values[field])}")
        try:
            return cls(**values)
        except Exception as error:  # whatever a class of anybody's own may raise
            raise LoadError(f"it does not fit {name} as it is now: {error}") from error

    def find(self, module: str, name: str) -> Any:
        """The class of a name, without importing anything but a game of this package."""
        for cls in self.classes:
            if (cls.__module__, cls.__qualname__) == (module, name):
                return cls
        if same_name := [cls for cls in self.classes if cls.__qualname__ == name]:
            return same_name[0]
        if module == PACKAGE or module.startswith(f"{PACKAGE}."):
            found = class_of_package(module, name)
            if found is None:
                raise LoadError(f"it needs the class {module}.{name}, which this version does not have")
            return found
        if module not in sys.modules:
            raise LoadError(
                f"it needs the class {module}.{name}, and a file must not decide what is imported: import {module}"
                f" first if you trust it, or hand the class over: MCTS.load(path, classes=[{name}])"
            )
        found: Any = sys.modules[module]
        for part in name.split("."):
            found = namespace(found).get(part)
        if found is None:
            raise LoadError(
                f"it needs the class {module}.{name}, which is not there: hand it over, as in"
                f" MCTS.load(path, classes=[{name.rpartition('.')[2]}])"
            )
        return found


def namespace(holder: Any) -> Any:
    """What a module or a class defines itself; looking it up runs nothing, not even the hooks of modules."""
    if isinstance(holder, type):
        return vars(holder)
    return object.__getattribute__(holder, "__dict__") if isinstance(holder, ModuleType) else {}


def class_of_package(module: str, name: str) -> Any:
    """A registered game or a component that the package exports; None if it is neither.

    Older files name the module of a class, which may have moved since: its public name is still the same.
    """
    if module == games.__name__ or module.startswith(f"{games.__name__}."):
        file = games.file_name(name)
        game = games.class_in_file(file) if file in games.registered_games() else None
        return game if game is not None and game.__name__ == name else None
    face = sys.modules[PACKAGE]
    return vars(face)[name] if name in face.__all__ else None


def annotations_of(cls: type) -> dict[str, Any]:
    """What the fields of a class are said to be, as far as that can be found out."""
    try:
        return typing.get_type_hints(cls)
    except Exception:  # a name that is there for type checkers alone
        return {}


def suits(value: Any, annotation: Any) -> bool:
    """Whether a value is what an annotation says, as far as it names plain types."""
    options = typing.get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    if not all(option in PLAIN for option in options):
        return True
    kinds = (int, float) if type(value) in (int, float) else (type(value),)
    return any(kind in options for kind in kinds)


def decoded_array(bytes: Any, shape: Any, dtype: Any) -> Any:  # noqa: A002  # the name in the file
    """An array of numbers from its content."""
    try:
        kind = np.dtype(dtype) if isinstance(dtype, str) else None
        sizes = [size for size in shape if type(size) is int and size >= 0]
        content = bytearray.fromhex(bytes)
    except (TypeError, ValueError):
        kind, sizes, content = None, [], bytearray()
    if kind is None or kind.kind not in NUMBERS or len(sizes) != len(shape):
        raise LoadError(f"it holds an array of {shortened(dtype)} with shape {shortened(shape)}, not of numbers")
    if math.prod(sizes) * kind.itemsize != len(content):
        raise LoadError(f"it holds an array of shape {shortened(shape)} in {len(content)} bytes")
    return np.frombuffer(content, kind).reshape(sizes).copy()


def shortened(value: Any) -> str:
    """A value for a message, not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
