"""Turn Numba's pages of errors into the author's line, the reason, and what to write instead."""

import dataclasses
import inspect
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from fastmcts.compiler.component import DECLARATIONS
from fastmcts.errors import CompileError

PLACES = (re.compile(r" (?:at|Raised from) (\S+) \((\d+)\)"), re.compile(r'File "([^"]+)", line (\d+)'))
COLOUR = re.compile(r"\x1b\[\d*m")  # Numba writes in colours where colorama is installed
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
UNKNOWN_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type (\w+)<(\w+)>")
UNTYPED_GLOBAL = re.compile(r"Untyped global name '(\w+)': Cannot determine Numba type of <class '([\w.]+)'>")
GLOBAL_LIST = re.compile(r"reflected (list|set)\(.* assigned to variable '(\w+)' in globals")
TEXT = ("Function(<class 'str'>)", "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "BUILD_STRING", "unicode_type")
SUPER = "LOAD_SUPER_ATTR"  # from Python 3.12 on; before, super is a global name
ALLOCATION = ("NRT required", "Only accept returning of array", "_empty_nd_impl")
CLUTTER = ("Failed in nopython", "During:", "raised from", "There are", "- Of which", "Overload")
NUMBA_FOLDER = Path(numba.__file__).resolve().parent
CONTAINER = "make it a NumPy array or a tuple"


def explain(component: str, function: Callable[..., Any], error: Exception) -> CompileError:
    """Say which line of a component's method cannot be compiled, and why.

    Args:
        component: The component's class.
        function: The method.
        error: What Numba raised while compiling it.
    """
    text = COLOUR.sub("", str(error))
    path, line = place(text, function)
    source = linecache.getline(str(path), line).strip()
    return CompileError(
        f"{component}.{function.__name__} cannot be compiled:\n"
        f"  {path.name}, line {line}:  {source}\n"
        f"  {reason(text, function)}"
    )


def place(text: str, function: Callable[..., Any]) -> tuple[Path, int]:
    """The file and line of the author's that the error is about; a notebook's cell counts as a file."""
    own = Path(function.__code__.co_filename)
    for pattern in PLACES:
        for match in pattern.finditer(text):
            path = Path(match[1])
            if path == own or (NUMBA_FOLDER not in path.resolve().parents and path.is_file()):
                return path, int(match[2])
    first = function.__code__.co_firstlineno
    if undefined := UNDEFINED.search(text):
        for offset, source in enumerate(source_lines(function)):
            if re.search(rf"\b{undefined[1]}\b", source):
                return own, first + offset
    return own, first


def source_lines(function: Callable[..., Any]) -> list[str]:
    """The source of a function; none where it was not kept, as of code that was typed in."""
    try:
        return inspect.getsourcelines(function)[0]
    except OSError:
        return []


def reason(text: str, function: Callable[..., Any]) -> str:
    """One sentence about what is wrong, and what to write."""
    lines = [line.strip() for line in text.splitlines()]
    useful = [line for line in lines if line and not line.startswith(CLUTTER)]
    if remedy := known_reason(text, useful[0] if useful else ""):
        return remedy
    if "missing a required argument" in text or "too many" in text:
        return f"The search calls it with other arguments than {inspect.signature(function)}: {text}"
    calls = [line.removeprefix(">>>").strip() for line in useful if line.startswith(">>>")]
    if useful and useful[0].startswith("No implementation of function") and calls:
        return f"Numba has no version of {calls[0]}"
    return useful[0].removesuffix(". Raised from None") if useful else text


def known_reason(text: str, first: str) -> str | None:
    """What to write instead, for mistakes that are often made; None for others.

    Args:
        text: All that Numba says.
        first: The line that says it best.
    """
    if match := UNKNOWN_ATTRIBUTE.search(text):
        return attribute_reason(*match.groups())
    if match := UNTYPED_GLOBAL.search(text):
        return global_reason(*match.groups())
    if match := GLOBAL_LIST.search(text):
        return global_reason(match[2], match[1])
    if SUPER in first:
        return global_reason("super", "type")
    if any(sign in first for sign in TEXT):
        return "Rules cannot make text, as f-strings and str() do: text belongs into render and action_to_string."
    if any(sign in text for sign in ALLOCATION):
        return "Rules must not make arrays, lists, dicts or sets: keep scratch space in the state."
    return None


def attribute_reason(attribute: str, component: str, fingerprint: str) -> str:
    """Why a component's attribute cannot be read in its methods: there is none, or it is of a kind that has no type."""
    classes = [
        known.cls for (name, digest, _), known in DECLARATIONS.items() if (name, digest) == (component, fingerprint)
    ]
    kind = next((kind for cls in classes if (kind := kind_of(cls, attribute)) is not None), None)
    if kind is None:
        return f"{component} has no attribute {attribute!r}."
    return f"self.{attribute} is a {kind}, which compiled rules cannot read: {CONTAINER}, or use numbers."


def kind_of(cls: type, attribute: str) -> str | None:
    """What an attribute of a class or of its objects holds, as far as the class says; None if there is none."""
    fields = {field.name: field for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}
    if attribute in fields:
        field = fields[attribute]
        if field.default is not dataclasses.MISSING:
            return type(field.default).__name__
        if field.default_factory is not dataclasses.MISSING:
            return type(field.default_factory()).__name__
        return getattr(field.type, "__name__", str(field.type))
    static = inspect.getattr_static(cls, attribute, None)
    if static is None:
        return None
    function = getattr(static, "fget", None) or getattr(static, "func", None)
    if function is not None:
        annotation = function.__annotations__.get("return", "value of a kind")
        return getattr(annotation, "__name__", str(annotation))
    return type(static).__name__


def global_reason(name: str, kind: str) -> str:
    """Why a name outside of the method cannot be used in it."""
    kind = kind.rpartition(".")[2]
    if name == "super":
        return (
            "super() cannot be compiled: put what both rules need into a method of another name, or into a function"
            " with @fastmcts.compiled."
        )
    if kind == "function":
        return f"{name} is a function that only Python can call: put @fastmcts.compiled above it."
    if kind == "type":
        return f"{name} is a class, which compiled rules cannot use: use numbers, arrays and tuples."
    return f"{name} is a {kind}, which compiled rules cannot read: {CONTAINER}, or use numbers."
