"""`min` and `max` of two numbers, as a comparison and a choice: Numba would compile a function for each."""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from fastmcts.compiler.flat_array import FIRST

#: Of which two are compared; others are left to Numba.
NUMBERS = {types.int64, types.float64}


def declare(function: Callable[..., Any], comparison: str) -> None:
    """Let compiled code choose between two numbers as Python does: the first, unless the second is beyond it.

    Args:
        function: What Python calls.
        comparison: How the second compares with the first if it is chosen.
    """

    class Template(AbstractTemplate):
        key = function
        metadata = FIRST

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            kinds = {types.unliteral(argument) for argument in args}
            is_pair = len(args) == 2 and len(kinds) == 1 and not kws
            return signature(*kinds, *kinds, *kinds) if is_pair and kinds < NUMBERS else None

    infer_global(function)(Template)  # pyright: ignore[reportOptionalCall]

    @lower_builtin(function, types.int64, types.int64)
    def lower_integers(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first, second = args
        return builder.select(builder.icmp_signed(comparison, second, first), second, first)

    @lower_builtin(function, types.float64, types.float64)
    def lower_floats(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first, second = args
        return builder.select(builder.fcmp_ordered(comparison, second, first), second, first)


declare(min, "<")
declare(max, ">")
