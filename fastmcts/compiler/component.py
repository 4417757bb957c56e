"""Components: frozen dataclasses whose methods are compiled into the search.

A game, a selection rule, a rollout policy are all components. A kernel calls `game.apply(...)` as any
method; Numba finds the method at compile time from the component's type:

    UCT(c=1.4)  ->  ComponentType("UCT", "a1b2...", (("c", float64),))  ->  the method `UCT.score`, inlined

The type carries a fingerprint of the component's code and constants, so each combination of components
has its own specialisation of the one entry kernel, and Numba's disk cache finds it in the next process.

Int, bool, string, tuple and array attributes (fields, class attributes and properties alike) are
compile-time constants; arrays among them are frozen when they are first used. Float fields and properties are
run-time values, and so are ints and arrays that are marked `RunTime[int]`, `RunTime[np.ndarray]`: changing one compiles
nothing (run_time.py).

Whoever edits rules while Python runs (binds a constant anew, defines a helper again in a notebook) gets the new
rules in the next search: a component's type is asked for anew each time, and looks whether what its code reaches is
still the same.
"""

import dataclasses
import inspect
from abc import ABCMeta
from collections.abc import Callable, Container, Hashable, Iterator
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from fastmcts.compiler.decided import Known
from fastmcts.compiler.fingerprint import Reach, fingerprint, is_covered
from fastmcts.compiler.flat_array import flat
from fastmcts.compiler.inner import InnerFunction
from fastmcts.compiler.jit import checks_bounds, forget_compiled, inner_function
from fastmcts.compiler.run_time import checked_value, kind_of, marked_names, unboxed
from fastmcts.errors import CompileError

CONSTANT_TYPES = (bool, int, float, str, tuple, np.ndarray, np.generic)


class ComponentMeta(ABCMeta):
    """Makes components, with Python's own numbers where NumPy's are passed in.

    NumPy's would be others to the compiler, which would compile the same rules once more, and its small integers
    overflow.
    """

    if not TYPE_CHECKING:  # type checkers and `help` are to see the arguments of each class

        def __call__(cls, *arguments, **keywords):
            """Make a component."""
            return super().__call__(*map(plain, arguments), **{name: plain(value) for name, value in keywords.items()})

        @property
        def __signature__(cls):
            signature = inspect.signature(cls.__init__)
            return signature.replace(parameters=list(signature.parameters.values())[1:])


def plain(value: Any) -> Any:
    """A NumPy number as Python's own; anything else as it is."""
    is_number = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return value.item() if is_number else value


class Component(metaclass=ComponentMeta):
    """Base of everything that is compiled into the search; subclasses are frozen dataclasses."""

    _run_time_values: tuple[Any, ...]  # written down with the type, for kernels

    @property
    def numba_type(self) -> "ComponentType":
        """The type that stands for this component in kernel signatures; another one after its rules were edited."""
        known = KNOWN_CLASSES.get(type(self))
        if known is None or known.reach.has_changed:
            known = examine(type(self))
        own = vars(self)
        if own.get("_known") is not known:
            forget_properties(self)
            own["_numba_type"] = declare(self, known)
            own["_known"] = known
        return own["_numba_type"]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and copy the fields alone: what was derived from them is derived anew."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # pyright: ignore[reportArgumentType]


#: What every component has, and no kernel asks for; not what its metaclass has, such as `register`.
OF_ALL_COMPONENTS = frozenset(dir(Component))


def forget_properties(component: Component) -> None:
    """Have cached properties computed anew, since the rules behind them may have been edited."""
    own, cls = vars(component), type(component)
    fields = getattr(cls, "__dataclass_fields__", ())  # one may take the place of a property of a base
    for name in list(own):
        if name not in fields and isinstance(inspect.getattr_static(cls, name, None), cached_property):
            own.pop(name, None)  # another thread may do the same


def version(component: Component) -> object:
    """Something that is another object after the rules of a component were edited, and its type was asked for."""
    return vars(component).get("_known")


class Declaration:
    """What a component's type needs to know: its methods, its constants, its run-time fields."""

    def __init__(self, component: Component) -> None:
        cls = type(component)
        if not (dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen):  # pyright: ignore[reportAttributeAccessIssue]
            raise TypeError(f"{cls.__name__} must be a frozen dataclass: put @dataclass(frozen=True) above the class")
        self.cls = cls
        self.name = cls.__name__
        self.run_time_values = dict(run_time_values(component))
        self.constants = dict(constants_of(component, skip=self.run_time_values))
        self.fields = tuple((name, kind_of(value)) for name, value in self.run_time_values.items())
        self.compiled: dict[tuple[str, bool], InnerFunction] = {}  # by name, without and with bounds checks

    @property
    def key(self) -> Hashable:
        """Equal for components that compile to the same code in this process."""
        constants = [(name, type(value), hashable(value)) for name, value in self.constants.items()]
        return (self.cls, self.fields, *constants)

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The methods by name."""
        functions = dict(methods_of(self.cls))
        for name in functions:
            declare_method(name)
        return functions

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the code and the constants."""
        # The types of run-time values decide what is compiled as constants do; most are floats, by their names alone.
        kinds = {f"{name}: RunTime": str(kind) for name, kind in self.fields if kind != types.float64}
        return fingerprint([self.functions[name] for name in sorted(self.functions)], self.constants | kinds)

    def method(self, name: str) -> InnerFunction:
        """One method for the kernels that call it."""
        key = name, checks_bounds()
        if key not in self.compiled:
            self.compiled[key] = inner_function(self.functions[name])
        return self.compiled[key]


#: ComponentType.key -> Declaration, for every type that this process has seen.
DECLARATIONS: dict[tuple[str, str, tuple[str, ...]], Declaration] = {}


@dataclasses.dataclass(eq=False)
class KnownClass:
    """A class of components whose code was examined.

    Attributes:
        reach: What its code stood for then.
        types: Declaration.key -> the type, so that the code of equal components is examined once.
        derived: What was derived from the values of the fields: the type and the run-time values.
    """

    reach: Reach
    types: dict[Hashable, "ComponentType"] = dataclasses.field(default_factory=dict)
    derived: dict[Hashable, tuple["ComponentType", tuple[Any, ...]]] = dataclasses.field(default_factory=dict)


MOST_DERIVED = 1000  # for a class: a sweep over a float field has a new value in every search

#: The classes of components that this process has seen.
KNOWN_CLASSES: dict[type, KnownClass] = {}


def examine(cls: type) -> KnownClass:
    """Note what a class of components reaches, and have nothing left of what was compiled from older code."""
    if cls in KNOWN_CLASSES:
        forget_compiled(KNOWN_CLASSES[cls].reach.dispatchers)
    own = [parent for parent in cls.__mro__ if not is_covered(parent) and parent is not object]
    functions = [*dict(methods_of(cls)).values(), *getters_of(cls)]
    # Games in the box are there to be changed; the package's own strategies stay as the kernels do.
    KNOWN_CLASSES[cls] = KnownClass(Reach([], []) if is_own_strategy(cls) else Reach(own, functions))
    return KNOWN_CLASSES[cls]


def is_own_strategy(cls: type) -> bool:
    """Whether a class belongs to the package and is no game of its box."""
    return cls.__module__.startswith("fastmcts.") and not cls.__module__.startswith("fastmcts.games.")


def declare(component: Component, known: KnownClass) -> "ComponentType":
    """The type of a component, and its run-time values written down for the kernels."""
    fields = dataclasses.fields(component) if dataclasses.is_dataclass(component) else ()
    values = [getattr(component, field.name) for field in fields]
    key = tuple((type(value), hashable(value)) for value in values)
    try:
        derived = known.derived.get(key)
    except TypeError:  # a field cannot be hashed
        key, derived = None, None
    if derived is None:
        derived = derive(component, known)
        if key is not None and len(known.derived) < MOST_DERIVED:
            known.derived[key] = derived
    component_type, vars(component)["_run_time_values"] = derived
    return component_type


def derive(component: Component, known: KnownClass) -> tuple["ComponentType", tuple[Any, ...]]:
    """The type of a component and its run-time values."""
    declaration = Declaration(component)
    key = declaration.key
    if key not in known.types:
        component_type = ComponentType(declaration.name, declaration.fingerprint, declaration.fields)
        known.types[key] = component_type
        DECLARATIONS.setdefault(component_type.key, declaration)
    return known.types[key], tuple(declaration.run_time_values.values())


def hashable(value: Any) -> Hashable:
    """A stand-in for a constant that can be a key."""
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def same(first: Component, second: Component) -> bool:
    """Whether two components are equal; where fields are arrays, `==` cannot tell."""
    try:
        return first is second or bool(first == second)
    except ValueError:
        pass
    fields = [field.name for field in dataclasses.fields(first) if field.compare]  # pyright: ignore[reportArgumentType]
    return type(first) is type(second) and all(
        hashable(getattr(first, name)) == hashable(getattr(second, name)) for name in fields
    )


def brief(component: Component) -> str:
    """A component as one would write it: the class, and the fields that differ from their defaults."""
    fields = dataclasses.fields(component)  # pyright: ignore[reportArgumentType]
    values = {field.name: getattr(component, field.name) for field in fields}
    said = [
        f"{field.name}={values[field.name]!r}"
        for field in fields
        if hashable(values[field.name]) != hashable(field.default)
    ]
    return f"{type(component).__name__}({', '.join(said)})"


def attributes_of(component: Component) -> Iterator[tuple[str, Any, bool]]:
    """Yield name, value and "is it a property?" of each public attribute that is not a method."""
    cls = type(component)
    for name in sorted({*dir(cls), *vars(component)}):
        static = inspect.getattr_static(cls, name, None)
        if not (name.startswith("_") or name in OF_ALL_COMPONENTS or isinstance(static, FunctionType)):
            yield name, getattr(component, name), isinstance(static, property | cached_property)


def float_attributes(component: Component) -> Iterator[str]:
    """Yield the names of fields that are meant to hold floats, and of properties that do."""
    fields = {field.name: field.type for field in dataclasses.fields(component)}  # pyright: ignore[reportArgumentType]
    for name, value, is_property in attributes_of(component):
        annotated = fields.get(name) in (float, "float")
        if annotated or (isinstance(value, float) and (is_property or name in fields)):
            yield name


def run_time_values(component: Component) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each attribute that changes without compiling."""
    cls = type(component)
    floats, marked = {*float_attributes(component)}, {*marked_names(cls)}
    for name in sorted(floats | marked):
        value = getattr(component, name)
        yield name, checked_value(cls.__name__, name, value) if name in marked else float(value)


def constants_of(component: Component, skip: Container[str]) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each attribute that a kernel could use as a constant."""
    for name, value, _ in attributes_of(component):
        if name not in skip and isinstance(value, CONSTANT_TYPES):
            yield name, value


def methods_of(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield name and function of each method, the most derived one for a name."""
    for name in dir(cls):
        function = getattr(cls, name)
        if isinstance(function, FunctionType) and name not in OF_ALL_COMPONENTS:
            yield name, function


def getters_of(cls: type) -> Iterator[FunctionType]:
    """Yield the functions behind the properties of a class: what they return is a constant or a run-time value."""
    for name in dir(cls):
        static = inspect.getattr_static(cls, name)
        getter = static.func if isinstance(static, cached_property) else getattr(static, "fget", None)
        if isinstance(getter, FunctionType) and name not in OF_ALL_COMPONENTS:
            yield getter


class ComponentType(types.Type):
    """The Numba type of one component class with one set of constants."""

    def __init__(self, component: str, fingerprint: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.component = component
        self.fingerprint = fingerprint
        self.fields = dict(fields)
        super().__init__(name=f"{component}<{fingerprint}>")

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """What makes two types the same; of which types run-time values are is in the fingerprint."""
        return self.component, self.fingerprint, tuple(self.fields)

    @property
    def declaration(self) -> Declaration:
        """The component's methods and constants."""
        return DECLARATIONS[self.key]

    def known_attribute(self, name: str) -> Known | None:
        """A constant of the component."""
        constants = self.declaration.constants
        return Known(constants[name]) if name in constants else None


@typeof_impl.register(Component)
def typeof_component(component: Component, context: Any) -> ComponentType:
    """Tell Numba the type of a component that is passed to a kernel."""
    return component.numba_type


@register_model(ComponentType)
class ComponentModel(models.StructModel):
    """In native code a component is the struct of its run-time values; all else is in its type."""

    def __init__(self, manager: Any, component: ComponentType) -> None:
        super().__init__(manager, component, list(component.fields.items()))


@unbox(ComponentType)
def unbox_component(component: ComponentType, instance: Any, c: Any) -> NativeValue:
    """Read the run-time values of a Python component.

    They were written down with its type: to read a property would run Python, and an exception there, such as that
    of Ctrl-C, gets lost among the other arguments.
    """
    struct = cgutils.create_struct_proxy(component)(c.context, c.builder)
    values = c.pyapi.object_getattr_string(instance, "_run_time_values")
    is_error = cgutils.is_null(c.builder, values)
    with c.builder.if_then(c.builder.not_(is_error)):
        for index, (name, kind) in enumerate(component.fields.items()):
            setattr(struct, name, unboxed(c, kind, c.pyapi.tuple_getitem(values, index)))
        c.pyapi.decref(values)
    return NativeValue(struct._getvalue(), is_error=is_error)


@infer_getattr
class ComponentAttributes(AttributeTemplate):
    """Types the expression `component.name` in a kernel."""

    key = ComponentType

    def generic_resolve(self, component: ComponentType, name: str) -> Any:
        """A run-time value, a constant or a method; None where the component has no such attribute."""
        declaration = component.declaration
        if name in component.fields:
            return component.fields[name]
        if name in declaration.constants:
            return constant_type(declaration.constants[name])
        if name in declaration.functions:
            return types.BoundFunction(METHOD_TEMPLATES[name], component)
        return None


@lower_getattr_generic(ComponentType)
def lower_attribute(context: Any, builder: Any, component: ComponentType, value: Any, name: str) -> Any:
    """Generate code for `component.name`: a struct member or a constant."""
    if name in component.fields:
        return getattr(cgutils.create_struct_proxy(component)(context, builder, value=value), name)
    constant = component.declaration.constants[name]
    return context.get_constant_generic(builder, constant_type(constant), constant)


def constant_type(value: Any) -> types.Type:
    """The Numba type of a compile-time constant; arrays are read-only."""
    numba_type = typeof(value)
    return flat(numba_type.copy(readonly=True)) if isinstance(numba_type, types.Array) else numba_type


METHOD_TEMPLATES: dict[str, type[AbstractTemplate]] = {}


def declare_method(name: str) -> None:
    """Teach Numba that components may have a method of this name, with any arguments.

    Done with templates because `overload_method` allows one signature per name (numba #9979, #9980).
    """
    if name in METHOD_TEMPLATES:
        return

    class MethodTemplate(AbstractTemplate):
        key = (ComponentType, name)
        this: ComponentType

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            declaration = self.this.declaration
            try:
                signature = declaration.method(name).typed((self.this, *args), kws)
            except CompileError:
                raise
            except Exception as error:
                # Numba passes on an exception that is not its own, past all the callers it would list.
                from fastmcts.compiler.messages import explain  # for mistakes alone

                raise explain(declaration.name, declaration.functions[name], error) from None
            return signature.as_method()

    METHOD_TEMPLATES[name] = MethodTemplate

    @lower_builtin(MethodTemplate.key, ComponentType, types.VarArg(types.Any))
    def lower_call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return signature.args[0].declaration.method(name).call(context, builder, signature.args, args)
