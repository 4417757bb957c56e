"""Turn Numba's pages of errors into the author's line and the reason."""

import inspect
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from fastmcts.errors import CompileError

PLACES = (re.compile(r" at (\S+\.py) \((\d+)\)"), re.compile(r'File "([^"]+)", line (\d+)'))
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
ALLOCATION = ("NRT required", "Only accept returning of array", "_empty_nd_impl")
CLUTTER = ("Failed in nopython", "During:", "raised from", "There are", "- Of which", "Overload")
NUMBA_FOLDER = Path(numba.__file__).parent


def explain(component: str, function: Callable[..., Any], error: Exception) -> CompileError:
    """Say which line of a component's method cannot be compiled, and why.

    Args:
        component: The component's class.
        function: The method.
        error: What Numba raised while compiling it.
    """
    text = str(error)
    path, line = place(text, function)
    source = linecache.getline(str(path), line).strip()
    return CompileError(
        f"{component}.{function.__name__} cannot be compiled:\n"
        f"  {path.name}, line {line}:  {source}\n"
        f"  {reason(text, function)}"
    )


def place(text: str, function: Callable[..., Any]) -> tuple[Path, int]:
    """The file and line of the author's that the error is about."""
    for pattern in PLACES:
        for match in pattern.finditer(text):
            path = Path(match[1])
            if NUMBA_FOLDER not in path.parents and path.is_file():
                return path, int(match[2])
    lines, first = inspect.getsourcelines(function)
    if undefined := UNDEFINED.search(text):
        for offset, source in enumerate(lines):
            if re.search(rf"\b{undefined[1]}\b", source):
                return Path(inspect.getfile(function)), first + offset
    return Path(inspect.getfile(function)), first


def reason(text: str, function: Callable[..., Any]) -> str:
    """One sentence about what is wrong."""
    if any(sign in text for sign in ALLOCATION):
        return "Rules must not make arrays, lists, dicts or sets: keep scratch space in the state."
    if "missing a required argument" in text or "too many" in text:
        return f"The search calls it with other arguments than {inspect.signature(function)}: {text}"
    lines = [line.strip() for line in text.splitlines()]
    useful = [line for line in lines if line and not line.startswith(CLUTTER)]
    calls = [line.removeprefix(">>>").strip() for line in useful if line.startswith(">>>")]
    if useful and useful[0].startswith("No implementation of function") and calls:
        return f"Numba has no version of {calls[0]}"
    return useful[0].removesuffix(". Raised from None") if useful else text
