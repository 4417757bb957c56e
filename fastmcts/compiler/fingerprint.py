"""A hash of everything that decides what a component compiles to.

Numba's disk cache watches only the file of the cached function (numba #1833): edit a rule in another
file and it silently runs the old code. The fingerprint stands in the signature of every kernel, so
that an edit anywhere a component reaches is a cache miss, and no edit is a hit.

Within a process, names are bound anew: a constant of a module, a helper in a later cell of a notebook. To hash all
that before every search would take milliseconds; to see that every name still stands for the same object takes
microseconds (`Reach`). Arrays keep their identity when they are written to, so those that are reached are frozen.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter, is_
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from fastmcts.compiler.jit import CODE_GENERATION

#: Third-party code that is fixed by its version, which Numba's cache already watches.
FOREIGN = frozenset({"numpy", "numba", "llvmlite"}) | sys.stdlib_module_names

#: Where code comes from that is compiled into every search, besides its components: files are hashed whole, with all
#: that they import in turn.
ROOTS = ("fastmcts.kernels", "fastmcts.game", "fastmcts.bits")

#: Of what those import, what rules call and no kernel does: walked through as a user's own helpers are, so that the
#: hash by which a saved search knows its game depends on it.
WALKED = frozenset({"fastmcts.core.validate", "fastmcts.errors"})

PACKAGE = Path(__file__).parent.parent

#: An import at the top of a file of this package; kernels and constants cannot come from any other.
IMPORT = re.compile(r"^(?:from (fastmcts[\w.]*) import (\([^)]*\)|.*)|import (fastmcts[\w.]*))", re.MULTILINE)


def fingerprint(functions: Iterable[Any], constants: dict[str, Any], framework: bool = True) -> str:
    """Hash functions, all they reach, a component's constants and the kernels' sources.

    Args:
        functions: The component's methods.
        constants: The compile-time values by name.
        framework: Whether the kernels' sources count too.

    Returns:
        Sixteen hexadecimal digits, the same in every process until something is edited.
    """
    walk = Walk()
    if framework:
        walk.digest.update(framework_digest())
    for name in sorted(constants):
        walk.add_value(name, constants[name], frozenset())
    for function in functions:
        walk.add_function(function)
    return walk.digest.hexdigest()[:16]


@cache
def framework_digest() -> bytes:
    """Hash the sources that every kernel contains, and the code-generation options."""
    digest = hashlib.sha256(repr(CODE_GENERATION).encode())
    for name, source in sorted(framework_sources().items()):
        digest.update(name.encode() + source)
    return digest.digest()


@cache
def framework_sources() -> dict[str, bytes]:
    """The sources of all modules that kernels are made of, by name."""
    files = files_of_package()
    found: dict[str, bytes] = {}
    waiting = [name for name in files if any(f"{name}.".startswith(f"{root}.") for root in ROOTS)]
    while waiting:
        name = waiting.pop()
        if name in files and name not in found:
            found[name] = Path(files[name]).read_bytes()
            waiting += [name.rpartition(".")[0], *imported(found[name].decode())]
    return found


def files_of_package() -> dict[str, str]:
    """The files of the package by their modules' names, but for its own, which imports everything."""
    files = {}
    for folder, _, names in os.walk(PACKAGE):
        package = ".".join((PACKAGE.name, *Path(folder).relative_to(PACKAGE).parts))
        for name in names:
            if name.endswith(".py"):
                files[f"{package}.{name[:-3]}".removesuffix(".__init__")] = f"{folder}/{name}"
    del files[PACKAGE.name]
    return files


def imported(source: str) -> Iterator[str]:
    """Yield the names that a file of this package imports at its top: modules, and what may be a module."""
    for module, names, whole in IMPORT.findall(source):
        yield module or whole
        for name in re.findall(r"\w+", names):
            yield f"{module}.{name}"


class Reach:
    """What some code stood for when it was examined, so that an edit is noticed.

    Args:
        classes: Whose attributes count, all of them.
        functions: The code, with everything that it reaches.
    """

    def __init__(self, classes: Sequence[type], functions: Iterable[Any]) -> None:
        walk = Walk()
        for function in functions:
            walk.add_function(function)
        scopes = [(scope, sorted(found)) for scope, found in walk.mentioned.values()]
        looks: list[tuple[Callable[[Any], Any], Sequence[Any]]] = [
            (attrgetter("__code__"), walk.functions),
            (attrgetter("__defaults__"), walk.functions),
            (attrgetter("cell_contents"), walk.cells),
            *((scope.get, [name for name in found if name in scope]) for scope, found in scopes),
        ]
        #: How to look, at what, and what was found there.
        self.looks = [(look, places, [*map(look, places)]) for look, places in looks if len(places) > 0]
        absent = [(scope.keys(), frozenset(found).difference(scope)) for scope, found in scopes]
        #: The names in a namespace, and others that stood for nothing there: mostly those of attributes.
        self.absent = [(names, missing) for names, missing in absent if len(missing) > 0]
        #: What the attributes of each class are, in their order, and what they were.
        self.attributes = [(vars(cls).values(), [*vars(cls).values()]) for cls in classes]
        self.dispatchers = walk.dispatchers

    @property
    def has_changed(self) -> bool:
        """Whether a name stands for something else now, or a function has other code."""
        for now, before in self.attributes:
            if len(now) != len(before) or not all(map(is_, now, before)):
                return True
        for names, missing in self.absent:
            if not names.isdisjoint(missing):
                return True
        for look, places, found in self.looks:
            if not all(map(is_, map(look, places), found)):
                return True
        return False


class Walk:
    """One traversal over functions and the globals they name, feeding a digest."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: set[Hashable] = set()
        self.functions: list[Any] = []
        self.cells: list[Any] = []
        self.dispatchers: list[Any] = []  # of functions that a user has compiled with Numba's own decorators
        self.mentioned: dict[int, tuple[Any, set[str]]] = {}  # by namespace: it, and the names looked up in it

    def add_function(self, function: Any) -> None:
        """Hash a function's bytecode and every value its names can stand for."""
        if hasattr(function, "py_func"):
            self.dispatchers.append(function)
            function = function.py_func
        if id(function) in self.seen or is_covered(function):
            return
        self.seen.add(id(function))
        self.functions.append(function)
        self.cells.extend(function.__closure__ or ())
        names = frozenset(self.add_code(function.__code__))
        self.add_value("defaults", function.__defaults__, names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.add_value(name, cell.cell_contents, names)
        self.add_names(function.__globals__, names)

    def add_code(self, code: CodeType) -> Iterator[str]:
        """Hash bytecode and constants (not line numbers) and yield the names it mentions."""
        self.digest.update(code.co_code)
        self.digest.update(repr((code.co_names, code.co_varnames, code.co_freevars)).encode())
        yield from code.co_names
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self.add_code(constant)
            else:
                self.digest.update(repr(constant).encode())

    def add_value(self, name: str, value: Any, names: frozenset[str]) -> None:
        """Hash one value; of modules and classes, only the attributes that `names` mentions."""
        self.digest.update(name.encode())
        if isinstance(value, np.ndarray):
            freeze(value)
            self.digest.update(repr((value.dtype.str, value.shape)).encode() + value.tobytes())
        elif isinstance(value, FunctionType) or hasattr(value, "py_func"):
            self.add_function(value)
        elif isinstance(value, tuple | list):
            for index, item in enumerate(value):
                self.add_value(str(index), item, names)
        elif isinstance(value, ModuleType | type):
            self.add_namespace(value, names)
        elif isinstance(value, bool | int | float | complex | str | bytes | np.generic | None):
            self.digest.update(repr(value).encode())
        else:
            self.digest.update(type(value).__qualname__.encode())

    def add_namespace(self, namespace: ModuleType | type, names: frozenset[str]) -> None:
        """Hash the attributes of a module or class that the code mentions by name."""
        visit = id(namespace), names  # other names may be other attributes
        if visit in self.seen or is_covered(namespace):
            return
        self.seen.add(visit)
        self.add_names(vars(namespace), names)

    def add_names(self, scope: Any, names: frozenset[str]) -> None:
        """Hash what names stand for in a namespace, and remember that they were looked up there."""
        self.mentioned.setdefault(id(scope), (scope, set()))[1].update(names)
        for name in sorted(names & scope.keys()):
            self.add_value(name, scope[name], names)


def freeze(array: np.ndarray) -> None:
    """Let nobody write to an array that is a constant of compiled code, nor to those of which it is a part."""
    part: Any = array
    while isinstance(part, np.ndarray):
        part.flags.writeable = False
        part = part.base


def is_covered(value: Any) -> bool:
    """Whether a function, class or module is hashed elsewhere or fixed by its version."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    module = module or ""
    return module.partition(".")[0] in FOREIGN or (module in framework_sources() and module not in WALKED)
