"""Lanes in compiled code: LLVM's vectors, and the instructions for all that lanes.py does in Python.

They are declared to Numba one level below `overload`, so that none of them is a function to be compiled.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import models, register_model

LANES = 8
NOBODY = -1

SINGLE, DOUBLE, INT32, INT64 = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)
FLOATS = ir.VectorType(SINGLE, LANES)
INTEGERS = ir.VectorType(INT32, LANES)
BITS = ir.VectorType(ir.IntType(1), LANES)


class Block(NamedTuple):
    """Neighbours in the arrays of a tree, at most eight."""

    first: int
    size: int


class LanesType(types.Type):
    """A float32 for each of eight neighbours."""

    def __init__(self) -> None:
        super().__init__("Lanes")


class MaskType(types.Type):
    """Whether something holds, for each of eight neighbours."""

    def __init__(self) -> None:
        super().__init__("Mask")


class LeadersType(types.Type):
    """The highest score in each lane, and whose it is."""

    def __init__(self) -> None:
        super().__init__("Leaders")


LANES_TYPE, MASK_TYPE, LEADERS_TYPE = LanesType(), MaskType(), LeadersType()
NATIVE = {LanesType: FLOATS, MaskType: BITS, LeadersType: ir.LiteralStructType([FLOATS, INTEGERS])}


@register_model(LanesType)
@register_model(MaskType)
@register_model(LeadersType)
class VectorModel(models.PrimitiveModel):
    """In native code they are vectors."""

    def __init__(self, manager: Any, vector: types.Type) -> None:
        super().__init__(manager, vector, NATIVE[type(vector)])


def declare(function: Callable[..., Any], signature_for: Callable[..., Any], emit: Callable[..., Any]) -> None:
    """Let compiled code call a function.

    Args:
        function: What Python calls.
        signature_for: The signature for arguments of some types, None where it takes none such.
        emit: Generates the code, from the context, the builder, the signature and the arguments.
    """

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return signature_for(*args)

    infer_global(function, types.Function(Template))
    lower_builtin(function, types.VarArg(types.Any))(emit)


def declare_operator(function: Callable[..., Any], result: types.Type, emit: Callable[..., Any]) -> None:
    """Let compiled code take an operator between lanes, or between lanes and a number.

    Args:
        function: The operator.
        result: What it makes of them.
        emit: Generates the code, from the builder and two vectors.
    """

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return result(*args) if are_operands(*args) else None

    def emit_call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit(builder, *all_as_lanes(context, builder, signature.args, args))

    infer_global(function)(Template)  # pyright: ignore[reportOptionalCall]
    for operands in ((LanesType, LanesType), (LanesType, types.Number), (types.Number, LanesType)):
        lower_builtin(function, *operands)(emit_call)


def are_operands(*args: Any) -> bool:
    """Whether an operation takes lanes, and at most numbers besides."""
    return LANES_TYPE in args and all(isinstance(argument, types.Number | LanesType) for argument in args)


def all_as_lanes(context: Any, builder: Any, numba_types: Any, args: Any) -> list[Any]:
    """Operands as vectors: a number, rounded to float32, stands in all lanes."""
    return [
        value if of_type == LANES_TYPE else splat(builder, context.cast(builder, value, of_type, types.float32))
        for of_type, value in zip(numba_types, args, strict=True)
    ]


def splat(builder: Any, number: Any) -> Any:
    """A vector with the same number in all lanes."""
    undefined = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    single = builder.insert_element(undefined, number, INT32(0))
    return builder.shuffle_vector(single, undefined, vector_of(INT32, [0] * LANES))


def vector_of(element: Any, numbers: list[Any]) -> Any:
    """A constant vector."""
    return ir.Constant(ir.VectorType(element, LANES), numbers)


def call_llvm(builder: Any, name: str, result: Any, *args: Any, fastmath: tuple[str, ...] = ()) -> Any:
    """Call one of LLVM's own functions."""
    function_type = ir.FunctionType(result, [argument.type for argument in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), args, fastmath=fastmath)


BLOCK_TYPE = types.NamedUniTuple(types.int64, 2, Block)


def emit_block(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """As many as are left, at most eight."""
    first, end = args
    left, most = builder.sub(end, first), INT64(LANES)
    size = builder.select(builder.icmp_signed("<", left, most), left, most)
    return cgutils.pack_array(builder, [first, size])


def entry_signature(array: Any, place: Any) -> Any:
    """Of an array: lanes for a block, an entry for an index."""
    return LANES_TYPE(array, place) if place == BLOCK_TYPE else array.dtype(array, types.intp)


def emit_entry(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Read from an array: eight neighbours as float32, or one entry as it is."""
    array_type, place_type = signature.args
    array = context.make_array(array_type)(context, builder, args[0])
    if place_type != BLOCK_TYPE:
        checks = context.enable_boundscheck
        pointer = cgutils.get_item_pointer(context, builder, array_type, array, [args[1]], boundscheck=checks)
        return context.unpack_value(builder, array_type.dtype, pointer)
    first = builder.extract_value(args[1], 0)
    if context.enable_boundscheck:
        for index in (first, builder.add(first, INT64(LANES - 1))):
            cgutils.do_boundscheck(context, builder, index, array.nitems, 0)
    element = array.data.type.pointee
    vector = ir.VectorType(element, LANES)
    entries = builder.load(builder.bitcast(builder.gep(array.data, [first]), vector.as_pointer()))
    entries.align = context.get_abi_sizeof(element)
    if isinstance(array_type.dtype, types.Integer):
        return builder.sitofp(entries, FLOATS)
    return entries if element == SINGLE else builder.fptrunc(entries, FLOATS)


def operation_signature(*args: Any) -> Any:
    """Lanes where lanes are among the numbers, else float64."""
    if are_operands(*args):
        return LANES_TYPE(*args)
    return types.float64(*(types.float64 for _ in args))


def emit_sqrt(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The square roots of lanes, or one."""
    suffix = f"v{LANES}f32" if signature.return_type == LANES_TYPE else "f64"
    return call_llvm(builder, f"llvm.sqrt.{suffix}", args[0].type, args[0])


def emit_choice(comparison: str) -> Callable[..., Any]:
    """The first of two numbers where they compare like this, else the second."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if signature.return_type == LANES_TYPE:
            args = all_as_lanes(context, builder, signature.args, args)
        return builder.select(builder.fcmp_ordered(comparison, *args), *args)

    return emit


def where_signature(condition: Any, positive: Any, negative: Any) -> Any:
    """Lanes by a mask, or a float64."""
    if condition == MASK_TYPE:
        return LANES_TYPE(condition, positive, negative)
    return types.float64(types.boolean, types.float64, types.float64)


def emit_where(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Choose in each lane, or once."""
    condition, *numbers = args
    if signature.return_type == LANES_TYPE:
        numbers = all_as_lanes(context, builder, signature.args[1:], numbers)
    return builder.select(condition, *numbers)


def emit_spread(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """One number in all lanes."""
    return all_as_lanes(context, builder, signature.args, args)[0]


def emit_replaced(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Another number in one lane."""
    lanes, lane, number = args
    return builder.insert_element(lanes, builder.fptrunc(number, SINGLE), lane)


def emit_nobody(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A score below all others in each lane."""
    lowest, nobodies = vector_of(SINGLE, [float("-inf")] * LANES), vector_of(INT32, [NOBODY] * LANES)
    return ir.Constant(NATIVE[LeadersType], [lowest, nobodies])


def emit_challenged(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Compare scores with the highest so far, lane by lane."""
    leaders, scores, block, competing = args
    highest, holders = (builder.extract_value(leaders, part) for part in (0, 1))
    first, size = (builder.trunc(builder.extract_value(block, part), INT32) for part in (0, 1))
    places = vector_of(INT32, list(range(LANES)))
    bits = vector_of(INT32, [1 << lane for lane in range(LANES)])
    none = vector_of(INT32, [0] * LANES)
    competes = builder.icmp_signed("!=", builder.and_(splat(builder, builder.trunc(competing, INT32)), bits), none)
    enters = builder.and_(competes, builder.icmp_signed("<", places, splat(builder, size)))
    leads = builder.and_(enters, builder.fcmp_ordered(">", scores, highest))
    members = builder.add(splat(builder, first), places)
    leaders = builder.insert_value(leaders, builder.select(leads, scores, highest), 0)
    return builder.insert_value(leaders, builder.select(leads, members, holders), 1)


def emit_leader(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The lowest index of those that have the highest score."""
    scores, holders = (builder.extract_value(args[0], part) for part in (0, 1))
    # NaN never leads.
    highest = call_llvm(builder, f"llvm.vector.reduce.fmax.v{LANES}f32", SINGLE, scores, fastmath=("nnan",))
    is_highest = builder.fcmp_ordered("==", scores, splat(builder, highest))
    candidates = builder.select(is_highest, holders, vector_of(INT32, [2**31 - 1] * LANES))
    return builder.sext(call_llvm(builder, f"llvm.vector.reduce.smin.v{LANES}i32", INT32, candidates), INT64)
