"""Named tuples of arrays travel into kernels as one pointer.

Numba would pass a tuple of twenty arrays as 140 numbers, copied at every call: that tripled the time to
compile. A bundle is a pointer to a table with the address and the length of each array; `tree.visits` in
a kernel reads two entries of it. They never change during a call, and LLVM is told so.

Which arrays have entries is part of a bundle's type, and so are the properties of the named tuple, which may ask for
that and nothing else: `tree.has_proofs` is known when a kernel is compiled.
"""

import hashlib
from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, models, register_model, typeof_impl, unbox

from fastmcts.compiler.decided import Known
from fastmcts.compiler.flat_array import flat_type
from fastmcts.compiler.reads import EVERYTHING, Field, note_read

WORD = ir.IntType(64)

#: Where NumPy's arrays have the address of their entries, and that of their lengths, in words: fixed in NumPy's ABI,
#: behind the head of every Python object and with the number of dimensions in between.
DATA = object.__basicsize__ // 8
LENGTHS = DATA + 2


class BundleType(types.Type):
    """The Numba type of a named tuple of one-dimensional arrays."""

    def __init__(self, class_name: str, fields: tuple[tuple[str, types.Array], ...], empty: frozenset[str]) -> None:
        self.class_name = class_name
        self.fields = fields
        self.arrays = dict(fields)
        self.empty = empty
        content = [(name, array.name) for name, array in fields], sorted(empty)
        self.digest = hashlib.sha256(repr(content).encode()).hexdigest()
        # Names of types end up in the names of all compiled functions: a long one costs seconds.
        super().__init__(name=f"{class_name}<{self.digest[:8]}>")

    @property
    def key(self) -> tuple[str, str]:
        """What makes two types the same, in a form that is compared and hashed at once."""
        return self.class_name, self.digest

    def is_like(self, other: types.Type, fields: Collection[Field]) -> bool:
        """Whether code that reads no other fields may take this bundle for another one."""
        if not isinstance(other, BundleType) or self.class_name != other.class_name or EVERYTHING in fields:
            return self == other
        names = [name for class_name, name in fields if class_name == self.class_name]
        return tuple(self.arrays) == tuple(other.arrays) and all(
            self.arrays[name] == other.arrays[name] and (name in self.empty) == (name in other.empty) for name in names
        )

    def known_attribute(self, name: str) -> "EmptyArray | Known | None":
        """An array without entries, or what a property of the named tuple says."""
        if name in PROPERTIES[self.class_name]:
            return Known(bool(PROPERTIES[self.class_name][name](Extent(self))))
        note_read(self.class_name, name)
        return EmptyArray() if name in self.empty else None


class Extent:
    """A bundle as its properties see it."""

    def __init__(self, bundle: BundleType) -> None:
        self.bundle = bundle

    def __getattr__(self, name: str) -> Any:
        """Another property, or what is known of the length of an array."""
        class_name = self.bundle.class_name
        if name in PROPERTIES[class_name]:
            return PROPERTIES[class_name][name](self)
        if name not in self.bundle.arrays:
            raise AttributeError(f"{class_name} has no array {name!r}")
        note_read(class_name, name)
        return SimpleNamespace(size=Length(is_positive=name not in self.bundle.empty))


class Length:
    """How many entries an array has, of which a type tells only whether there are any."""

    def __init__(self, is_positive: bool) -> None:
        self.is_positive = is_positive

    def __gt__(self, number: int) -> bool:
        if number != 0:
            raise TypeError(f"a property of a bundle may ask whether size > 0, not whether size > {number}")
        return self.is_positive


#: The registered classes by name, and their properties by name.
CLASSES: dict[str, type] = {}
PROPERTIES: dict[str, dict[str, Callable[[Any], bool]]] = {}


class EmptyArray:
    """An array of which a type tells that it has no entries."""

    def known_attribute(self, name: str) -> Known | None:
        """How many entries it has."""
        return Known(0) if name == "size" else None


def register_bundle(cls: type) -> None:
    """Let instances of a named tuple of arrays travel as bundles; to types of bundles, a class is its name."""
    name = cls.__name__
    if name in CLASSES and CLASSES[name].__module__ != cls.__module__:
        known = CLASSES[name].__module__
        raise ValueError(f"{known} has a bundle {name} already: give that of {cls.__module__} another name")
    CLASSES[name] = cls
    PROPERTIES[name] = {name: p.fget for name, p in vars(cls).items() if isinstance(p, property)}  # pyright: ignore

    @typeof_impl.register(cls)
    def typeof_bundle(bundle: Any, context: Any) -> BundleType:
        fields = ((name, flat_type(array)) for name, array in zip(bundle._fields, bundle, strict=True))
        empty = frozenset(name for name, array in zip(bundle._fields, bundle, strict=True) if array.size == 0)
        return BundleType(cls.__name__, tuple(fields), empty)


@register_model(BundleType)
class BundleModel(models.PrimitiveModel):
    """In native code a bundle is the address of its table."""

    def __init__(self, manager: Any, bundle: BundleType) -> None:
        super().__init__(manager, bundle, WORD.as_pointer())


@unbox(BundleType)
def unbox_bundle(bundle: BundleType, instance: Any, c: Any) -> NativeValue:
    """Write the table on the stack of the caller, where it lives as long as the call.

    Two words are read from each of NumPy's arrays, which are what the type says: to let Numba unbox them one by one
    takes longer to compile than a rule of a game.
    """
    builder = c.builder
    table = cgutils.alloca_once(builder, WORD, size=2 * len(bundle.fields))
    for index in range(len(bundle.fields)):
        array = builder.bitcast(c.pyapi.tuple_getitem(instance, index), WORD.as_pointer())
        lengths = builder.inttoptr(builder.load(entry_of(builder, array, LENGTHS)), WORD.as_pointer())
        builder.store(builder.load(entry_of(builder, array, DATA)), entry_of(builder, table, 2 * index))
        builder.store(builder.load(lengths), entry_of(builder, table, 2 * index + 1))
    return NativeValue(table)


@infer_getattr
class BundleAttributes(AttributeTemplate):
    """Types the expression `bundle.name` in a kernel."""

    key = BundleType

    def generic_resolve(self, bundle: BundleType, name: str) -> Any:
        """The array of that name, or a bool for a property; None where there is neither."""
        if name in PROPERTIES[bundle.class_name]:
            return types.boolean
        note_read(bundle.class_name, name)
        return bundle.arrays.get(name)


@lower_getattr_generic(BundleType)
def lower_field(context: Any, builder: Any, bundle: BundleType, table: Any, name: str) -> Any:
    """Generate code for `bundle.name`: an array made of two entries of the table, or what a property says."""
    known = bundle.known_attribute(name)
    if isinstance(known, Known):
        return context.get_constant(types.boolean, known.value)
    index = list(bundle.arrays).index(name)
    array_type = bundle.arrays[name]
    address, length = (read_constant(builder, entry_of(builder, table, 2 * index + part)) for part in (0, 1))
    data = builder.inttoptr(address, context.get_data_type(array_type.dtype).as_pointer())
    return context.data_model_manager[array_type].make(builder, data, length)


def entry_of(builder: Any, table: Any, index: int) -> Any:
    """The address of an entry of a table."""
    return builder.gep(table, [ir.Constant(WORD, index)])


def read_constant(builder: Any, pointer: Any) -> Any:
    """Read memory that nobody writes as long as the code runs, so that LLVM may read it just once."""
    value = builder.load(pointer)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value
