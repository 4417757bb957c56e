"""A hash of everything that decides what a component compiles to.

Numba's disk cache watches only the file of the cached function (numba #1833): edit a rule in another
file and it silently runs the old code. The fingerprint stands in the signature of every kernel, so
that an edit anywhere a component reaches is a cache miss, and no edit is a hit.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from fastmcts.jit import CODE_GENERATION

#: Third-party code that is fixed by its version, which Numba's cache already watches.
FOREIGN = frozenset({"numpy", "numba", "llvmlite"}) | sys.stdlib_module_names

#: Modules that are compiled into every kernel; their files are hashed whole.
FRAMEWORK = frozenset(
    {"kernels", "atomics", "bits", "bundle", "component", "constants", "game", "jit", "scratch", "strategy", "tree"}
)


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
    package = Path(__file__).parent
    digest = hashlib.sha256(repr(CODE_GENERATION).encode())
    for module in sorted(FRAMEWORK):
        for path in sorted([*package.glob(f"{module}.py"), *package.glob(f"{module}/*.py")]):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.digest()


class Walk:
    """One traversal over functions and the globals they name, feeding a digest."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: set[int] = set()

    def add_function(self, function: Any) -> None:
        """Hash a function's bytecode and every value its names can stand for."""
        function = getattr(function, "py_func", function)
        if id(function) in self.seen or is_covered(function):
            return
        self.seen.add(id(function))
        names = frozenset(self.add_code(function.__code__))
        self.add_value("defaults", function.__defaults__, names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.add_value(name, cell.cell_contents, names)
        for name in sorted(names & function.__globals__.keys()):
            self.add_value(name, function.__globals__[name], names)

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
        if id(namespace) in self.seen or is_covered(namespace):
            return
        self.seen.add(id(namespace))
        for name in sorted(names & vars(namespace).keys()):
            self.add_value(name, vars(namespace)[name], names)


def is_covered(value: Any) -> bool:
    """Whether a function, class or module is hashed elsewhere or fixed by its version."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    package, *rest = (module or "").split(".")
    return package in FOREIGN or (package == "fastmcts" and not FRAMEWORK.isdisjoint(rest[:1]))
