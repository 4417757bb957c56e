"""Loops over `range` with few instructions.

Numba writes more than a hundred lines of LLVM's assembly for a loop, since a range may have any step and may be more
than something to loop over. A loop from one integer up to another takes twenty.
"""

from collections import Counter
from typing import Any

from llvmlite import ir as llvm_ir
from numba.core import cgutils, ir, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import models, register_model


def upwards(*bounds: int) -> range:
    """What stands for `range` in compiled loops from one integer, or 0, up to another."""
    return range(*bounds)


class Upwards(types.SimpleIterableType):
    """The Numba type of what `upwards` returns."""

    def __init__(self) -> None:
        super().__init__("upwards", UpwardsIterator())


class UpwardsIterator(types.SimpleIteratorType):
    """The Numba type of a loop that is under way."""

    def __init__(self) -> None:
        super().__init__("upwards_iterator", types.int64)


@register_model(Upwards)
class UpwardsModel(models.StructModel):
    """In native code two integers."""

    def __init__(self, manager: Any, upwards_type: Upwards) -> None:
        super().__init__(manager, upwards_type, [("next", types.int64), ("end", types.int64)])


@register_model(UpwardsIterator)
class UpwardsIteratorModel(models.StructModel):
    """In native code the place of the next integer, and the end."""

    def __init__(self, manager: Any, iterator: UpwardsIterator) -> None:
        super().__init__(manager, iterator, [("next", types.CPointer(types.int64)), ("end", types.int64)])


def is_signed_integer(numba_type: Any) -> bool:
    """Whether a type is that of integers with a sign, of any size."""
    return isinstance(numba_type, types.Integer) and numba_type.signed  # pyright: ignore[reportAttributeAccessIssue]


class UpwardsTemplate(AbstractTemplate):
    """Types `upwards`: as `range` where integers have no sign."""

    key = upwards

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The signature of a call."""
        if all(map(is_signed_integer, args)):
            return signature(Upwards(), *(types.int64 for _ in args))
        return self.context.resolve_function_type(self.context.resolve_value_type(range), args, kws)


infer_global(upwards, types.Function(UpwardsTemplate))


@lower_builtin(upwards, types.VarArg(types.Any))
def lower_upwards(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Generate code for a range."""
    if not isinstance(sig.return_type, Upwards):
        ranges = context.typing_context.resolve_value_type(range)
        return context.get_function(ranges, sig)(builder, args)
    first = args[0] if len(args) == 2 else context.get_constant(types.int64, 0)
    return cgutils.make_anonymous_struct(builder, (first, args[-1]))


@lower_builtin("getiter", Upwards)
def lower_start(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Generate code for the start of a loop."""
    following = cgutils.alloca_once(builder, llvm_ir.IntType(64))
    builder.store(builder.extract_value(args[0], 0), following)
    return cgutils.make_anonymous_struct(builder, (following, builder.extract_value(args[0], 1)))


@lower_builtin("iternext", UpwardsIterator)
def lower_step(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Generate code for the step to the next integer: that, and whether it is one before the end."""
    following = builder.extract_value(args[0], 0)
    value = builder.load(following)
    builder.store(builder.add(value, llvm_ir.Constant(value.type, 1), flags=["nsw"]), following)
    is_before_end = builder.icmp_signed("<", value, builder.extract_value(args[0], 1))
    return cgutils.make_anonymous_struct(builder, (value, is_before_end))


def shorten_loops(function: Any) -> None:
    """Replace `range` by `upwards` in loops over one or two bounds."""
    assignments: list[Any] = [
        statement
        for block in function.blocks.values()
        for statement in block.body
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Global | ir.Expr)
    ]
    ranges = {
        assignment.target.name: assignment
        for assignment in assignments
        if isinstance(assignment.value, ir.Global) and assignment.value.value is range
    }
    if not ranges:
        return
    reads = Counter(
        variable.name
        for block in function.blocks.values()
        for statement in block.body
        for variable in statement.list_vars()
        if not (isinstance(statement, ir.Assign) and variable is statement.target)
    )
    looped = {
        assignment.value.value.name
        for assignment in assignments
        if isinstance(assignment.value, ir.Expr) and assignment.value.op == "getiter"
    }
    for assignment in assignments:
        call = assignment.value
        if isinstance(call, ir.Expr) and call.op == "call" and call.func.name in ranges:
            is_short = len(call.args) in (1, 2) and not call.kws and call.vararg is None
            is_used_once = reads[call.func.name] == 1 == reads[assignment.target.name]
            if is_short and is_used_once and assignment.target.name in looped:
                found = ranges[call.func.name]
                found.value = ir.Global("upwards", upwards, found.value.loc)
