"""How a function is compiled: the few of Numba's passes that kernels and rules need, and some of our own.

Between its passes Numba computes anew what is alive where, for arrays that might have to be freed; it rewrites
expressions of whole arrays, closures and generators, and keeps statistics of every step. Kernels have none of that, and
take half of the time without. A function that needs more, such as one with a lambda, gets all of Numba's passes.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from numba.core import ir, types
from numba.core.analysis import dead_branch_prune, rewrite_semantic_constants
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.errors import UnsupportedError
from numba.core.ir_utils import build_definitions, rename_labels
from numba.core.rewrites.registry import RewriteRegistry
from numba.core.rewrites.static_getitem import RewriteConstGetitems, RewriteConstSetitems
from numba.core.rewrites.static_raise import RewriteConstRaises
from numba.core.ssa import reconstruct_ssa
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import (
    NoPythonBackend,
    NoPythonSupportedFeatureValidation,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    IRProcessing,
    RewriteDynamicRaises,
    TranslateByteCode,
)

from fastmcts.compiler.decided import take_decided_branches
from fastmcts.compiler.linking import CalledLibrary, EntryLibrary, InnerLibrary, PartLibrary
from fastmcts.compiler.loops import shorten_loops
from fastmcts.compiler.lowering import KernelLowering
from fastmcts.compiler.notice import announced
from fastmcts.compiler.reads import EVERYTHING, note_reads

TRANSLATION = (TranslateByteCode(), FixupArgs(), IRProcessing())
REWRITES = RewriteRegistry()
REWRITES.rewrites["before-inference"] = [RewriteConstGetitems, RewriteConstSetitems, RewriteConstRaises]
TYPING = (NopythonTypeInference(), NoPythonSupportedFeatureValidation())
LOWERING = (KernelLowering(), NoPythonBackend())


class KernelCompiler(Compiler):
    """Compiles kernels, and functions that they call."""

    library: ClassVar[type[Any]]

    def _compile_core(self) -> Any:
        """Run the passes; Numba calls it."""
        state: Any = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        with ConfigStack().enter(state.flags.copy()):
            run(TRANSLATION, state)
            take_decided_branches(state.func_ir, state.args)
            refuse_print(state.func_ir)
            if needs_all_passes(state.func_ir):
                note_reads([EVERYTHING])
                DefaultPassBuilder.define_nopython_pipeline(state).run(state)
            else:
                shorten_loops(state.func_ir)
                rewrite_semantic_constants(state.func_ir, state.args)
                dead_branch_prune(state.func_ir, state.args)
                REWRITES.apply("before-inference", state)
                RewriteDynamicRaises().run_pass(state)
                state.func_ir = reconstruct_ssa(state.func_ir)
                state.func_ir._definitions = build_definitions(state.func_ir.blocks)
                run(TYPING, state)
                if any(isinstance(kind, types.Dispatcher) for kind in state.typemap.values()):
                    note_reads([EVERYTHING])  # a function that a user compiled with Numba's decorators may read any
                state.func_ir = PreLowerStripPhis()._strip_phi_nodes(state.func_ir)
                # Blocks in the order in which they are reached: what is assigned comes before it is read.
                state.func_ir.blocks = rename_labels(state.func_ir.blocks)
                run(LOWERING, state)
        state.pipeline = None
        return state.cr


class InnerCompiler(KernelCompiler):
    """Compiles a function that only kernels call, up to LLVM's assembly."""

    library = InnerLibrary

    def __init__(self, typingctx: Any, targetctx: Any, *options: Any) -> None:
        # The entry has looked for new functions that Numba can compile; to look again takes a tenth of the time.
        contexts = typingctx, targetctx
        for context in contexts:
            context.refresh = nothing_new
        try:
            super().__init__(*contexts, *options)
        finally:
            state: Any = self.state
            for context in (*contexts, state.targetctx):  # the last is a copy
                del context.refresh


class CalledCompiler(InnerCompiler):
    """Compiles a function that is never inlined."""

    library = CalledLibrary


class PartCompiler(KernelCompiler):
    """Compiles a function that several kernels call, up to LLVM's assembly."""

    library = PartLibrary


class EntryCompiler(KernelCompiler):
    """Compiles a kernel that Python calls, with all that it calls, to machine code."""

    library = EntryLibrary

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile it, under the eyes of whoever waits for it; Numba calls it."""
        return announced(func.__name__, self.state.args, partial(super().compile_extra, func))


def nothing_new() -> None:
    """In place of a context's look for new functions."""


def run(passes: tuple[Any, ...], state: Any) -> None:
    """Run passes of Numba's one after the other."""
    for compiler_pass in passes:
        compiler_pass.run_pass(state)


def refuse_print(function: Any) -> None:
    """Say what to do instead of `print`, which would have to find Python's objects in code without any."""
    for value in values_of(function):
        if isinstance(value, ir.Global | ir.FreeVar) and value.value is print:
            raise UnsupportedError(
                "print cannot be compiled: with NUMBA_DISABLE_JIT=1 in the environment rules run as plain Python and"
                " print",
                value.loc,
            )


def needs_all_passes(function: Any) -> bool:
    """Whether a function has something that only Numba's whole list of passes can compile, such as a lambda."""
    return function.is_generator or any(
        (isinstance(value, ir.Expr) and value.op == "make_function")
        or (isinstance(value, ir.Global | ir.FreeVar) and value.name in ("literally", "literal_unroll"))
        for value in values_of(function)
    )


def values_of(function: Any) -> Iterator[Any]:
    """Everything that a function assigns to a variable."""
    for block in function.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            yield assignment.value
