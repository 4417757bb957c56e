"""Functions that only kernels call: the rules of games, strategies, and the parts of the search itself.

Numba's dispatchers are made for calls from Python. These functions are called by compiled code alone, so they do
without: each is compiled for the types of its arguments up to LLVM's assembly, and the kernel that calls it makes
machine code of the whole (linking.py). What one is compiled to for a tree serves all trees that differ in nothing that
it reads (reads.py).
"""

import dis
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from numba.core import errors, types
from numba.core.compiler import Flags, compile_extra
from numba.core.registry import cpu_target
from numba.core.typing.templates import Signature, fold_arguments, signature

from fastmcts.compiler.bundle import BundleType
from fastmcts.compiler.flat_array import flat
from fastmcts.compiler.loops import is_signed_integer
from fastmcts.compiler.passes import CalledCompiler, InnerCompiler, KernelCompiler, PartCompiler
from fastmcts.compiler.reads import Field, note_reads, reading

#: The instructions of a function that just returns a constant, and those that say which.
LOADING = {"LOAD_CONST", "RETURN_CONST"}
RETURNING = {"RESUME", "NOP", "RETURN_VALUE", *LOADING}
CONSTANTS: dict[type, types.Type] = {
    type(None): types.none,
    bool: types.boolean,
    int: types.int64,
    float: types.float64,
}

#: Functions that several kernels call.
PARTS: set[Callable[..., Any]] = set()

#: Functions that are called wherever a kernel needs them, and never inlined.
NEVER_INLINED: set[Callable[..., Any]] = set()


class InnerFlags(Flags):
    """The options of inner functions, which never change: Numba compares and hashes them at every call of a rule."""

    def copy(self) -> "InnerFlags":
        """Itself."""
        return self

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __hash__(self) -> int:
        return id(self)


def inner_flags(options: dict[str, Any], boundscheck: bool) -> InnerFlags:
    """The options of inner functions.

    Args:
        options: As for Numba's decorators.
        boundscheck: Whether to check the bounds of arrays.
    """
    flags: Any = InnerFlags()
    cpu_target.options.parse_as_flags(flags, {**options, "nopython": True, "boundscheck": boundscheck})
    flags.no_compile = True
    return flags


class InnerFunction:
    """A function with its code for each tuple of argument types that it was called with."""

    def __init__(self, function: Callable[..., Any], flags: InnerFlags) -> None:
        self.function = function
        self.flags = flags
        self.compiler = compiler_of(function)
        self.parameters = inspect.signature(function)
        self.constant = constant_of(function)
        self.versions: dict[tuple[types.Type, ...], Version] = {}
        self.compiling: set[tuple[types.Type, ...]] = set()

    def typed(self, arguments: tuple[types.Type, ...], keywords: dict[str, types.Type]) -> Signature:
        """The signature of a call with arguments of these types, for which the function is compiled."""
        folded = fold_arguments(
            self.parameters,
            arguments,
            keywords,
            normal_handler=lambda index, parameter, argument: argument,
            default_handler=lambda index, parameter, default: types.Omitted(default),
            stararg_handler=lambda index, parameter, arguments: types.StarArgTuple(arguments),
        )
        if self.constant is not None:
            return signature(self.constant.type, *folded).replace(pysig=self.parameters)
        arguments = tuple(passed(argument) for argument in folded)
        return signature(self.code(arguments).signature.return_type, *arguments).replace(pysig=self.parameters)

    def call(self, context: Any, builder: Any, arguments: tuple[types.Type, ...], values: Any) -> Any:
        """Generate code for a call."""
        if self.constant is not None:
            return context.get_constant_generic(builder, self.constant.type, self.constant.value)
        code = self.code(arguments)
        context.add_linking_libs([code.library])
        if code.library.can_fail:
            return context.call_internal(builder, code.fndesc, code.signature, values)
        return context.call_internal_no_propagate(builder, code.fndesc, code.signature, values)[1]

    def code(self, arguments: tuple[types.Type, ...]) -> Any:
        """What the function is compiled to for arguments of these types."""
        if arguments not in self.versions:
            self.versions[arguments] = self.like(arguments) or self.compile(arguments)
        note_reads(self.versions[arguments].reads)
        return self.versions[arguments].code

    def like(self, arguments: tuple[types.Type, ...]) -> "Version | None":
        """A version for bundles that differ from these only in fields that the function does not read."""
        for others, version in self.versions.items():
            if len(others) == len(arguments) and all(
                argument.is_like(other, version.reads) if isinstance(argument, BundleType) else argument == other
                for argument, other in zip(arguments, others, strict=True)
            ):
                return version
        return None

    def compile(self, arguments: tuple[types.Type, ...]) -> "Version":
        """Compile the function for arguments of these types."""
        if arguments in self.compiling:
            raise errors.TypingError(f"{self.function.__name__} calls itself, which compiled rules cannot")
        self.compiling.add(arguments)
        try:
            with reading() as reads:
                code = compile_extra(
                    cpu_target.typing_context,
                    cpu_target.target_context,
                    self.function,
                    args=arguments,
                    return_type=None,
                    flags=self.flags,
                    locals={},
                    pipeline_class=self.compiler,
                )
        finally:
            self.compiling.discard(arguments)
        return Version(code, frozenset(reads))


class Version(NamedTuple):
    """What a function is compiled to, and which fields of bundles that code reads."""

    code: Any
    reads: frozenset[Field]


def compiler_of(function: Callable[..., Any]) -> type[KernelCompiler]:
    """What compiles a function."""
    if function in PARTS:
        return PartCompiler
    return CalledCompiler if function in NEVER_INLINED else InnerCompiler


class Constant(NamedTuple):
    """What a function returns, whatever its arguments are."""

    type: types.Type
    value: Any


def constant_of(function: Callable[..., Any]) -> Constant | None:
    """What a function without any other statement returns: a component that leaves out a step needs no code for it."""
    if not {instruction.opname for instruction in dis.get_instructions(function)} <= RETURNING:
        return None
    (value,) = {instruction.argval for instruction in dis.get_instructions(function) if instruction.opname in LOADING}
    kind = CONSTANTS.get(type(value))
    return None if kind is None else Constant(kind, value)


def passed(argument: Any) -> types.Type:
    """The type that an argument is passed as: one for all sizes of integers, so that a function has fewer versions."""
    return types.int64 if is_signed_integer(argument) else flat(argument)
