"""Every Numba option of the package, in one place.

- `error_model="numpy"` drops the zero-division checks: a quarter of the speed on Connect Four.
- `_nrt=False` drops reference counting of arrays: a third of the speed, since each `tree.visits[node]`
  would count the array up and down. It also means that rules and kernels cannot allocate arrays.
- No wrappers for calls from Python where only kernels call: half of the time to compile.
- `fastmath` stays off, so that results are the same bits with the JIT on and off.
- `boundscheck` is on in the kernels of searches with `checked=True`, and in all that they call.
"""

import functools
import threading
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from numba import config, njit, typeof, types
from numba.core.imputils import lower_builtin
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import AbstractTemplate, infer_global

from fastmcts.compiler import extremes as extremes
from fastmcts.compiler import operators as operators
from fastmcts.compiler.cache import cached, source_stamp
from fastmcts.compiler.collecting import collecting_nothing
from fastmcts.compiler.inner import NEVER_INLINED, PARTS, InnerFunction, inner_flags
from fastmcts.compiler.passes import EntryCompiler

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
INNER_OPTIONS: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

JIT_ENABLED: bool = not config.DISABLE_JIT  # pyright: ignore[reportAttributeAccessIssue]

#: What changes the generated code besides the sources; Numba's own cache key leaves it out.
CODE_GENERATION: tuple[Any, ...] = tuple(getattr(config, name) for name in ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT"))


#: The options of inner functions, without and with bounds checks.
INNER_FLAGS = tuple(inner_flags(INNER_OPTIONS, boundscheck) for boundscheck in (False, True))

#: Held while a dispatcher is made, so that each kernel has one.
MAKING = threading.Lock()

#: What `compiled` has made of functions, without and with bounds checks, until rules are edited.
COMPILED: dict[tuple[Callable[..., Any], bool], InnerFunction] = {}


def compiled(function: Function) -> Function:
    """Make a function callable from rules and kernels; from Python it stays as it is."""
    if not JIT_ENABLED:
        return function

    class CompiledTemplate(AbstractTemplate):
        key = function

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return compiled_function(function).typed(args, kws)

    infer_global(function, types.Function(CompiledTemplate))

    @lower_builtin(function, types.VarArg(types.Any))
    def lower_call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return compiled_function(function).call(context, builder, signature.args, args)

    return function


def part(function: Function) -> Function:
    """The same for a function that several kernels call: it is never inlined, and optimised once for all of them."""
    PARTS.add(function)
    return compiled(function)


def never_inlined(function: Function) -> Function:
    """Have a rule or a part of a kernel called wherever it is needed.

    For what a simulation does once, at most, and is more than a few instructions: a call takes a nanosecond or two, but
    LLVM takes the longer for each instruction the more of them a function has.
    """
    NEVER_INLINED.add(function)
    return function


def compiled_function(function: Callable[..., Any]) -> InnerFunction:
    """What `compiled` makes of a function that it has marked."""
    key = function, checks_bounds()
    if key not in COMPILED:
        COMPILED[key] = inner_function(function)
    return COMPILED[key]


def checks_bounds() -> bool:
    """Whether the code that is being compiled checks bounds, so that what it calls must do so too."""
    flags = ConfigStack.top_or_none()
    return flags is not None and bool(flags.boundscheck)


def forget_compiled(dispatchers: Iterable[Any]) -> None:
    """Compile helpers anew when they are next called, since they hold what their names stood for.

    Args:
        dispatchers: Functions that a user has compiled with Numba's own decorators.
    """
    COMPILED.clear()
    for dispatcher in dispatchers:
        dispatcher.recompile()


def inner_function(function: Callable[..., Any]) -> InnerFunction:
    """Prepare a function for the kernels that call it; Python cannot call the result."""
    return InnerFunction(function, INNER_FLAGS[checks_bounds()])


def entry(function: Function) -> Function:
    """Compile a kernel that Python calls: cached on disk, and it lets other threads run."""
    if JIT_ENABLED:
        return Kernel(function)  # pyright: ignore[reportReturnType]

    @functools.wraps(function)
    def interpreted(*arguments: Any) -> Any:
        with wrapping_integers():
            return function(*arguments)

    return interpreted  # pyright: ignore[reportReturnType]


@functools.cache
def bounds_checked(kernel: Function) -> Function:
    """The same kernel with bounds checks: an index that is out of bounds raises IndexError."""
    if not JIT_ENABLED:
        return kernel  # NumPy checks them
    function: Any = kernel.py_func  # pyright: ignore[reportFunctionMemberAccess]
    # The disk cache goes by the function's name, and by nothing that says how it was compiled.
    name = f"{function.__name__}_checked"
    twin = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    twin.__module__, twin.__qualname__ = function.__module__, name
    return Kernel(twin, boundscheck=True)  # pyright: ignore[reportReturnType]


class Kernel:
    """A kernel that Python calls; the types of the arguments, as they are now, decide which code is run.

    Numba's dispatchers go by less where no component is among the arguments: to them a tree is a tuple of arrays, all
    of which they take for the same if only the kinds of their entries are. But which fields of a tree have entries is
    part of its type, and code for one that has no priors does not move them.

    Args:
        function: The kernel as it is written.
        boundscheck: Whether it checks bounds.
    """

    def __init__(self, function: Callable[..., Any], boundscheck: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.boundscheck = boundscheck
        self.source_stamp = source_stamp(function)
        self.made: Any = None

    @property
    def dispatcher(self) -> Any:
        """Numba's own, which compiles and keeps the code; made when it is first needed, as few of them are."""
        if self.made is None:
            with MAKING:
                if self.made is None:
                    options = {"pipeline_class": EntryCompiler, "boundscheck": self.boundscheck, **OPTIONS}
                    self.made = cached(njit(self.py_func, nogil=True, **options), self.source_stamp)
        return self.made

    def __call__(self, *arguments: Any) -> Any:
        """Run the code for these arguments, which is compiled or loaded where there is none yet."""
        signature, dispatcher = tuple(map(typeof, arguments)), self.dispatcher
        if signature not in dispatcher.overloads:
            with collecting_nothing():
                dispatcher.compile(signature)
        return dispatcher.overloads[signature].entry_point(*arguments)

    def __getattr__(self, name: str) -> Any:
        """The rest is the dispatcher's."""
        return getattr(self.dispatcher, name)


def compiled_for(kernel: Function, *arguments: Any) -> Function:
    """The code of a kernel for arguments of these types, with which it was called before.

    To call it runs no Python: Numba looks for the code in Python where components are among the arguments, which
    takes longer than a short search, and where Ctrl-C comes to nothing but a SystemError.
    """
    if not JIT_ENABLED:
        return kernel
    signature = tuple(typeof(argument) for argument in arguments)
    return kernel.overloads[signature].entry_point  # pyright: ignore[reportFunctionMemberAccess]


def wrapping_integers() -> np.errstate:
    """Let uint64 arithmetic wrap around silently in Python, as it does in compiled code."""
    return np.errstate(over="ignore")
