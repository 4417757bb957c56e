"""Operators between numbers: which of Numba's definitions fits is found out once, not at every place in every rule.

For `a + b` Numba goes through some twenty definitions, of arrays, dates, lists, strings and more, and counts the
conversions that each would take. Between two numbers of the same types the answer is always the same.
"""

import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, infer_global

from fastmcts.compiler.flat_array import FIRST

ARITHMETIC = ("add", "sub", "mul", "floordiv", "truediv", "mod", "and_", "or_", "xor", "lshift", "rshift")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
IN_PLACE = ("iadd", "isub", "imul", "iand", "ior", "ixor", "ilshift", "irshift")


def remember(function: Callable[..., Any]) -> None:
    """Have Numba's answers for an operator between numbers remembered."""
    known: dict[tuple[types.Type, ...], Any] = {}

    class Remembered(AbstractTemplate):
        key = function
        metadata = FIRST

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            if not all(isinstance(argument, types.Number | types.Boolean) for argument in args):
                return None
            if (args := tuple(args)) not in known:
                known[args] = self.found(args)
            return known[args]

        def found(self, args: tuple[Any, ...]) -> Any:
            """What Numba finds; None if it is no instruction but a function, which Numba has to find again."""
            templates = self.context.resolve_value_type(function).templates
            others = types.Function(tuple(template for template in templates if not issubclass(template, Remembered)))
            try:
                signature = others.get_call_type(self.context, args, {})
            except TypingError:
                return None
            return signature if others.get_impl_key(signature) is function else None

    infer_global(function)(Remembered)  # pyright: ignore[reportOptionalCall]


for name in (*ARITHMETIC, *COMPARISONS, *IN_PLACE):
    remember(getattr(operator, name))
