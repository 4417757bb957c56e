"""One-dimensional arrays without gaps, with few instructions for an entry.

Numba writes some forty lines of LLVM's assembly for `visits[node]`, since an array may have any number of dimensions
and any strides. A flat array takes seven. Entries of arrays are most of what kernels and rules do, so that halves what
is written, parsed and optimised. For all the rest of Numba a flat array is an array.
"""

import operator
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import register_default
from numba.core.datamodel.models import ArrayModel
from numba.core.imputils import lower_builtin, lower_cast
from numba.np.arrayobj import fix_integer_index, getitem_arraynd_intp, load_item, setitem_array, store_item

FIELDS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")  # of Numba's arrays, in their order
NITEMS, DATA = FIELDS.index("nitems"), FIELDS.index("data")


class FlatArray(types.Array):
    """The Numba type of an array that has one dimension and is contiguous."""

    def __init__(self, dtype: types.Type, readonly: bool = False) -> None:
        name = f"{'readonly ' if readonly else ''}flat({dtype})"
        super().__init__(dtype, 1, "C", readonly=readonly, name=name)


def flat(array: types.Type) -> types.Type:
    """The flat type of an array that can have one; any other type as it is."""
    if type(array) is types.Array and array.ndim == 1 and array.layout == "C" and array.aligned:
        return FlatArray(array.dtype, readonly=not array.mutable)
    return array


register_default(FlatArray)(ArrayModel)


@lower_cast(types.Array, FlatArray)
@lower_cast(FlatArray, types.Array)
def lower_same(context: Any, builder: Any, source: types.Type, target: types.Type, value: Any) -> Any:
    """Both are the same in memory."""
    return value


@lower_builtin(operator.getitem, FlatArray, types.Integer)
def lower_getitem(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
    """Generate code for `array[index]`."""
    if context.enable_boundscheck:
        return getitem_arraynd_intp(context, builder, signature, args)
    array, index = signature.args
    return load_item(context, builder, array, entry_of(context, builder, *args, index))


@lower_builtin(operator.setitem, FlatArray, types.Integer, types.Any)
def lower_setitem(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
    """Generate code for `array[index] = value`."""
    if context.enable_boundscheck:
        return setitem_array(context, builder, signature, args)
    array, index, value = signature.args
    item = context.cast(builder, args[2], value, array.dtype)
    return store_item(context, builder, array, item, entry_of(context, builder, args[0], args[1], index))


def entry_of(context: Any, builder: Any, array: Any, index: Any, index_type: types.Integer) -> Any:
    """The address of an entry; negative indices count from the end."""
    length = builder.extract_value(array, NITEMS)
    return builder.gep(
        builder.extract_value(array, DATA), [fix_integer_index(context, builder, index_type, index, length)]
    )


def make_flat_array(context: Any, builder: Any, array: types.Array, data: Any, length: Any) -> Any:
    """An array from the address of its entries and how many there are."""
    item_size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
    values = {
        "nitems": length,
        "itemsize": item_size,
        "data": data,
        "shape": builder.insert_value(ir.Constant(ir.ArrayType(length.type, 1), ir.Undefined), length, 0),
        "strides": ir.Constant(ir.ArrayType(item_size.type, 1), [item_size]),
    }
    structure = context.get_constant_null(array)
    for name, value in values.items():
        structure = builder.insert_value(structure, value, FIELDS.index(name))
    return structure
