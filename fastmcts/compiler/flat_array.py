"""One-dimensional arrays, with few instructions for an entry.

Numba writes some forty lines of LLVM's assembly for `visits[node]`, since an array may have any number of dimensions
and any strides. A flat array takes seven. Entries of arrays are most of what kernels and rules do, so that halves what
is written, parsed and optimised. For all the rest of Numba a flat array is an array.
"""

import operator
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel.models import ArrayModel
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin, lower_cast, lower_getattr
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray


class FlatArray(types.Array):
    """The Numba type of an array that has one dimension, and entries at distances that are known.

    Args:
        dtype: The type of the entries.
        readonly: Whether nobody may write to it.
        step: From one entry to the next, in sizes of an entry: more than 1 for a field of an array of records.
    """

    def __init__(self, dtype: types.Type, readonly: bool = False, step: int = 1) -> None:
        self.step = step
        name = f"{'readonly ' if readonly else ''}flat({dtype}{f', {step}' if step > 1 else ''})"
        super().__init__(dtype, 1, "C" if step == 1 else "A", readonly=readonly, name=name)

    @property
    def key(self) -> Any:
        """What makes two types the same: the name, which is compared and hashed at once."""
        return self.name


def flat_type(array: NDArray[Any]) -> FlatArray:
    """The type of an array of numbers that has one dimension."""
    step, rest = divmod(array.strides[0], array.itemsize) if array.size > 0 else (1, 0)
    if array.ndim != 1 or rest != 0 or step < 1 or not array.flags.aligned:
        raise TypeError(f"no array for kernels: {array.dtype} {array.shape}, with strides of {array.strides}")
    return FlatArray(from_dtype(array.dtype), readonly=not array.flags.writeable, step=step)


def flat(array: Any) -> Any:
    """The flat type of an array that can have one; any other type as it is."""
    is_flat = type(array) is types.Array and array.ndim == 1 and array.layout == "C" and array.aligned
    is_plain = is_flat and isinstance(array.dtype, types.Integer | types.Float | types.Boolean)
    return FlatArray(array.dtype, readonly=not array.mutable) if is_plain else array


@register_default(FlatArray)
class FlatArrayModel(ArrayModel):
    """In native code as any array, but passed to functions as the address of its entries and their number alone."""

    def get_argument_type(self) -> Any:
        """The types of the arguments."""
        kinds: dict[str, Any] = dict(zip(self._fields, self.get_value_type().elements, strict=True))
        return kinds["data"], kinds["nitems"]

    def as_argument(self, builder: Any, value: Any) -> Any:
        """The arguments for an array."""
        return tuple(self.get(builder, value, field) for field in ("data", "nitems"))

    def from_argument(self, builder: Any, value: Any) -> Any:
        """The array for arguments."""
        return self.make(builder, *value)

    def make(self, builder: Any, data: Any, length: Any) -> Any:
        """An array from the address of its entries and how many there are."""
        dtype = self.fe_type.dtype
        item_size = 1 if isinstance(dtype, types.Boolean) else dtype.bitwidth // 8
        known = {"meminfo": None, "parent": None, "itemsize": item_size, "strides": [item_size * self.fe_type.step]}
        members = zip(self._fields, self.get_value_type().elements, strict=True)
        array = ir.Constant.literal_struct([ir.Constant(kind, known.get(name, ir.Undefined)) for name, kind in members])
        for field, value in (("data", data), ("nitems", length)):
            array = self.set(builder, array, value, field)
        return builder.insert_value(array, length, [self.get_field_position("shape"), 0])


#: Numba asks templates for the processor first. Without that it would try its own for dicts, lists and strings.
FIRST = {"target": "cpu"}


@infer_global(operator.getitem)  # pyright: ignore[reportOptionalCall]
class FlatArrayItem(AbstractTemplate):
    """The types of `array[index]`."""

    metadata = FIRST

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The signature for an index that is an integer; Numba's own templates do the rest."""
        array, index = args
        if isinstance(array, FlatArray) and isinstance(index, types.Integer):
            return signature(array.dtype, array, index_type(index))
        return None


@infer_global(operator.setitem)  # pyright: ignore[reportOptionalCall]
class FlatArrayAssignment(AbstractTemplate):
    """The types of `array[index] = value`."""

    metadata = FIRST

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The signature for an integer and a number; Numba's own templates do the rest, and complain."""
        array, index, value = args
        is_number = isinstance(value, types.Number | types.Boolean)
        if isinstance(array, FlatArray) and array.mutable and isinstance(index, types.Integer) and is_number:
            return signature(types.none, array, index_type(index), value)
        return None


def index_type(index: Any) -> types.Type:
    """What an integer is converted to as an index."""
    return types.intp if index.signed else types.uintp


@lower_getattr(FlatArray, "size")
def lower_size(context: Any, builder: Any, array: FlatArray, value: Any) -> Any:
    """Generate code for `array.size`."""
    return context.data_model_manager[array].get(builder, value, "nitems")


@lower_cast(types.Array, FlatArray)
@lower_cast(FlatArray, types.Array)
def lower_same(context: Any, builder: Any, source: types.Type, target: types.Type, value: Any) -> Any:
    """Both are the same in memory."""
    return value


def numba_arrays() -> Any:
    """What Numba has for arrays: imported when something is compiled, since that takes a sixth of `import fastmcts`."""
    from numba.np import arrayobj

    return arrayobj


@lower_builtin(operator.getitem, FlatArray, types.Integer)
def lower_getitem(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
    """Generate code for `array[index]`."""
    if context.enable_boundscheck:
        return numba_arrays().getitem_arraynd_intp(context, builder, signature, args)
    array, index = signature.args
    return numba_arrays().load_item(context, builder, array, entry_of(context, builder, array, args[0], index, args[1]))


@lower_builtin(operator.setitem, FlatArray, types.Integer, types.Any)
def lower_setitem(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
    """Generate code for `array[index] = value`."""
    if context.enable_boundscheck:
        return numba_arrays().setitem_array(context, builder, signature, args)
    array, index, value = signature.args
    item = context.cast(builder, args[2], value, array.dtype)
    place = entry_of(context, builder, array, args[0], index, args[1])
    return numba_arrays().store_item(context, builder, array, item, place)


def entry_of(context: Any, builder: Any, array: FlatArray, value: Any, index: types.Integer, index_value: Any) -> Any:
    """The address of an entry; negative indices count from the end."""
    model = context.data_model_manager[array]
    count = model.get(builder, value, "nitems")
    position = numba_arrays().fix_integer_index(context, builder, index, index_value, count)
    if array.step > 1:
        position = builder.mul(position, ir.Constant(position.type, array.step))
    return builder.gep(model.get(builder, value, "data"), [position])
