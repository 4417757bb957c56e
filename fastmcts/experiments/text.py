"""Components and agents as text: `UCB1(c=1.4)`, `mcts(simulations=1000, selection=UCB1(c=1.4))`, `random`.

Text is read with Python's own parser and never evaluated: it may name known classes and write literals, and
everything else is refused.
"""

import ast
import dataclasses
import difflib
import inspect
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

import fastmcts
from fastmcts.compiler.component import Component, brief
from fastmcts.options import STRATEGIES
from fastmcts.strategies.stoppers import Stopper

LONGEST_TEXT = 10_000  # characters; far more than any strategy takes
MOST_NESTED = 100  # levels of brackets and signs
SHOWN = 60  # characters of what was written that a message repeats
BASES = (*STRATEGIES.values(), Stopper)


def known_components(extra: Iterable[type] = ()) -> dict[str, type]:
    """The classes that may be written, by name: those of the package, and `extra` ones."""
    exported = [value for name in fastmcts.__all__ if is_strategy(value := getattr(fastmcts, name))]
    return {cls.__name__: cls for cls in (*exported, *extra)}


def is_strategy(value: Any) -> bool:
    """Whether something is the class of a component, or of a stopper, that a search can be given."""
    return isinstance(value, type) and issubclass(value, BASES) and value not in BASES


def parse_component(text: str, extra: Iterable[type] = ()) -> Any:
    """Read a component, such as `UCB1(c=1.4)`, `PIMC(worlds=20)` or, with its defaults, `Lazy`.

    Args:
        text: What was written.
        extra: Classes that may be written besides those that `fastmcts` exports.

    Raises:
        ValueError: If it is anything else; the message says what was written and what would be right.
    """
    known = known_components(extra)
    return read_component(parsed(text, "a component, such as UCB1(c=1.4)"), known)


def parsed(text: str, what: str) -> ast.expr:
    """The syntax tree of one expression; `what` says what was expected."""
    if not isinstance(text, str):
        raise TypeError(f"{what}, is read from text, not from {text!r}")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{shown(text)} is too long: {len(text):,} characters, of at most {LONGEST_TEXT:,}")
    try:
        with warnings.catch_warnings():  # about odd literals, which are refused or harmless
            warnings.simplefilter("ignore")
            node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        node = None
    if node is None or is_nested_deeper(node, MOST_NESTED):
        raise ValueError(f"{shown(text)} cannot be read: expected {what}")
    return node


def is_nested_deeper(node: ast.AST, levels: int) -> bool:
    """Whether a syntax tree has more levels: some Pythons parse what no recursion could follow."""
    level = [node]
    while level and levels > 0:
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
        levels -= 1
    return bool(level)


def read_component(node: ast.expr, known: Mapping[str, type]) -> Any:
    """A component from a name, or from a call with literal arguments."""
    call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
    if not isinstance(call.func, ast.Name):
        raise ValueError(f"{written(node)} is no component: write one such as UCB1(c=1.4)")
    cls = known.get(call.func.id)
    if cls is None:
        raise ValueError(f"no component is called {shown(call.func.id)}; {suggestion(call.func.id, known)}")
    arguments = [read_literal(argument) for argument in call.args]
    return make(cls, written(node), arguments, read_keywords(call, read_literal))


def read_keywords(call: ast.Call, read: Any) -> dict[str, Any]:
    """The arguments of a call that are given by name; `read` reads their values."""
    keywords: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError(f"{written(call)}: arguments are written name=value, not **")
        if keyword.arg in keywords:
            raise ValueError(f"{written(call)}: {keyword.arg} is given twice")
        keywords[keyword.arg] = read(keyword.value)
    return keywords


def make(cls: type, text: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Make a component; what its class does not take is refused with what it takes."""
    try:
        inspect.signature(cls).bind(*arguments, **keywords)
    except TypeError as error:
        raise ValueError(f"{text}: {error}; {cls.__name__} takes {signature_text(cls)}") from None
    try:
        return cls(*arguments, **keywords)
    except OverflowError:
        raise ValueError(f"{text}: a number is too large") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"{text}: {error}") from None


def read_literal(node: ast.expr) -> Any:
    """A number, a text, True, False, None, or a tuple of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = read_literal(node.operand)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(read_literal(element) for element in node.elts)
    raise ValueError(f"{written(node)} is no plain value: write a number, True, False, None or a text in quotes")


def value_text(value: Any) -> str:
    """Write a value of an option: a component, several, or a literal, as short as it can be read back."""
    if isinstance(value, BASES):
        return brief(cast(Component, value)) if dataclasses.is_dataclass(value) else repr(value)
    if isinstance(value, tuple) and value:
        return f"({', '.join(map(value_text, value))}{',' if len(value) == 1 else ''})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def signature_text(cls: type) -> str:
    """The arguments of a class with their defaults."""
    fields = [field for field in dataclasses.fields(cls) if field.init]  # pyright: ignore[reportArgumentType]
    return ", ".join(f"{field.name}={field.default!r}" for field in fields) or "no arguments"


def suggestion(name: str, known: Iterable[str]) -> str:
    """What was probably meant, and what there is."""
    by_lower = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    hint = f"did you mean {by_lower[close[0]]}? " if close else ""
    return f"{hint}there are: {', '.join(sorted(by_lower.values(), key=str.lower))}"


def written(node: ast.expr) -> str:
    """What was written, for messages."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return "what was written"
    return shown(text)


def shown(text: str) -> str:
    """A text in quotes, or its beginning."""
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 3] + "...")


def split_outside_brackets(text: str) -> list[str]:
    """The parts of a list by commas, such as `human,mcts(simulations=50, solver=True)`; quotes count too."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
