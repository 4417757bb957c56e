"""Let the processor go on with a guess while the true value is still being computed."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from fastmcts.compiler.vectors import INT64, declare


def confirmed(found: Any, guess: Any) -> Any:
    """What was found, whatever the guess; where both are equal, compiled code need not wait for what was found.

    Processors run ahead of a branch, as they expect it to go, and take back what they did if it goes the other way. So
    they run ahead with the guess, and compute what follows from it beside what was to be found.
    """
    return found


def emit_confirmed(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A branch that takes the guess.

    LLVM must not know that both values are equal there, or it would take the one that was found; nor may it choose
    between two values without a branch. So the guess is hidden twice.
    """
    found, guess = args
    result = cgutils.alloca_once_value(builder, found)
    copy_of_guess = hidden(builder, guess)
    with builder.if_then(builder.icmp_signed("==", found, guess), likely=True):
        builder.store(hidden(builder, copy_of_guess), result)
    return builder.load(result)


def hidden(builder: Any, number: Any) -> Any:
    """A copy of a number, of which LLVM does not know that it is one: an empty line of assembly returns it."""
    return builder.asm(ir.FunctionType(INT64, [INT64]), "", "=r,0", [number], side_effect=True)


declare(confirmed, lambda found, guess: types.int64(types.int64, types.int64), emit_confirmed)
