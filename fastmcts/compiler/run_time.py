"""Values of a component that change without compiling anew: floats, and whatever is marked by `RunTime`.

    stones: RunTime[int] = 21                   # a number
    walls: RunTime[np.ndarray]                  # a table, of any length in each of its dimensions

In native code a component is the struct of these values; all else is in its type.
"""

import inspect
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, TypeVar, get_args

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.numpy_support import from_dtype

from fastmcts.compiler.bundle import DATA, LENGTHS, WORD, entry_of
from fastmcts.compiler.fingerprint import freeze
from fastmcts.compiler.flat_array import FlatArray, numba_arrays

T = TypeVar("T")
MARK = "fastmcts run-time value"

#: Marks a field of a component, or what a property returns, as a value that may change without compiling anew.
RunTime = Annotated[T, MARK]

#: Kinds of NumPy types that a table may have: bool, int, uint and float.
NUMBERS = "biuf"
LEAST, MOST = -(2**63), 2**63 - 1


def is_marked(annotation: Any) -> bool:
    """Whether an annotation is `RunTime[...]`; under `from __future__ import annotations` it is a text."""
    if isinstance(annotation, str):
        return annotation.startswith(("RunTime[", "fastmcts.RunTime[")) or ".RunTime[" in annotation
    return MARK in get_args(annotation)[1:]


def marked_names(cls: type) -> Iterator[str]:
    """Yield the fields and properties of a class that are marked."""
    for name in dir(cls):
        static = inspect.getattr_static(cls, name)
        getter = static.func if isinstance(static, cached_property) else getattr(static, "fget", None)
        if is_marked(getattr(getter, "__annotations__", {}).get("return")):
            yield name
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        if is_marked(field.type):
            yield name


def checked_value(owner: str, name: str, value: Any) -> Any:
    """A marked value as kernels get it; TypeError or ValueError if there is none for it.

    Arrays are frozen: compiled code reads them where they are.
    """
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if not LEAST <= value <= MOST:
            raise ValueError(f"{owner}.{name} must fit into 64 bits, not {value}")
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMBERS and value.dtype.isnative and value.ndim > 0:
        freeze(value)
        contiguous = np.ascontiguousarray(value)
        freeze(contiguous)
        return contiguous
    raise TypeError(f"{owner}.{name} is marked RunTime, which is for ints, floats and arrays of numbers, not {value!r}")


def kind_of(value: Any) -> types.Type:
    """The Numba type of a run-time value: that of an array tells nothing about its lengths."""
    if isinstance(value, float):
        return types.float64
    if isinstance(value, int):
        return types.int64
    dtype = from_dtype(value.dtype)
    return FlatArray(dtype, readonly=True) if value.ndim == 1 else types.Array(dtype, value.ndim, "C", readonly=True)


def unboxed(c: Any, kind: types.Type, instance: Any) -> Any:
    """Generate code that reads a run-time value, which Python keeps as long as the call."""
    if kind == types.float64:
        return c.pyapi.float_as_double(instance)
    if kind == types.int64:
        return c.pyapi.long_as_longlong(instance)
    return unboxed_array(c, kind, instance)


def unboxed_array(c: Any, kind: Any, instance: Any) -> Any:
    """The array that NumPy's object describes, without a reference to it."""
    builder, context = c.builder, c.context
    words = builder.bitcast(instance, WORD.as_pointer())
    address = builder.load(entry_of(builder, words, DATA))
    data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    lengths, strides = (
        builder.inttoptr(builder.load(entry_of(builder, words, LENGTHS + part)), WORD.as_pointer()) for part in (0, 1)
    )
    if isinstance(kind, FlatArray):
        return context.data_model_manager[kind].make(builder, data, builder.load(lengths))
    array = numba_arrays().make_array(kind)(context, builder)
    numba_arrays().populate_array(
        array,
        data=data,
        shape=cgutils.pack_array(builder, [builder.load(entry_of(builder, lengths, k)) for k in range(kind.ndim)]),
        strides=cgutils.pack_array(builder, [builder.load(entry_of(builder, strides, k)) for k in range(kind.ndim)]),
        itemsize=ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype))),
        meminfo=None,
    )
    return array._getvalue()
