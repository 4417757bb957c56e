"""Ask for memory before it is needed, so that the processor fetches it while it does something else."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from fastmcts.compiler.vectors import INT32, declare

READ, KEEP, DATA = INT32(0), INT32(3), INT32(1)


def prefetch(array: Any, index: Any) -> None:
    """Have an entry of an array fetched, if there is one; with the JIT off, nothing."""


def emit_prefetch(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """One instruction, which ignores an address where nothing is."""
    array_type = signature.args[0]
    array = context.make_array(array_type)(context, builder, args[0])
    pointer = cgutils.get_item_pointer(context, builder, array_type, array, [args[1]])
    address = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    function_type = ir.FunctionType(ir.VoidType(), [address.type, INT32, INT32, INT32])
    function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
    builder.call(function, [address, READ, KEEP, DATA])
    return context.get_dummy_value()


declare(prefetch, lambda array, index: types.none(array, types.int64), emit_prefetch)
