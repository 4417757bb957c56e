"""How a function is compiled: the few of Numba's passes that kernels and rules need, and some of our own.

Between its passes Numba computes anew what is alive where, for arrays that might have to be freed; it rewrites
expressions of whole arrays, closures and generators, and keeps statistics of every step. Kernels have none of that, and
take half of the time without. A function that needs more, such as one with a lambda, gets all of Numba's passes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from numba.core import ir
from numba.core.analysis import dead_branch_prune, rewrite_semantic_constants
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.ir_utils import rename_labels
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import (
    NoPythonBackend,
    NoPythonSupportedFeatureValidation,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteDynamicRaises,
    TranslateByteCode,
)

from fastmcts.compiler.decided import take_decided_branches
from fastmcts.compiler.linking import EntryLibrary, InnerLibrary, PartLibrary
from fastmcts.compiler.loops import shorten_loops
from fastmcts.compiler.lowering import KernelLowering
from fastmcts.compiler.notice import announced

TRANSLATION = (TranslateByteCode(), FixupArgs(), IRProcessing())
REWRITES = (GenericRewrites(), RewriteDynamicRaises(), ReconstructSSA())
TYPING = (NopythonTypeInference(), PreLowerStripPhis(), NoPythonSupportedFeatureValidation())
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
            if needs_all_passes(state.func_ir):
                DefaultPassBuilder.define_nopython_pipeline(state).run(state)
            else:
                shorten_loops(state.func_ir)
                rewrite_semantic_constants(state.func_ir, state.args)
                dead_branch_prune(state.func_ir, state.args)
                run(REWRITES, state)
                run(TYPING, state)
                # Blocks in the order in which they are reached: what is assigned comes before it is read.
                state.func_ir.blocks = rename_labels(state.func_ir.blocks)
                run(LOWERING, state)
        state.pipeline = None
        return state.cr


class InnerCompiler(KernelCompiler):
    """Compiles a function that only kernels call, up to LLVM's assembly."""

    library = InnerLibrary


class PartCompiler(KernelCompiler):
    """Compiles a function that several kernels call, up to LLVM's assembly."""

    library = PartLibrary


class EntryCompiler(KernelCompiler):
    """Compiles a kernel that Python calls, with all that it calls, to machine code."""

    library = EntryLibrary

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile it, under the eyes of whoever waits for it; Numba calls it."""
        return announced(func.__name__, self.state.args, partial(super().compile_extra, func))


def run(passes: tuple[Any, ...], state: Any) -> None:
    """Run passes of Numba's one after the other."""
    for compiler_pass in passes:
        compiler_pass.run_pass(state)


def needs_all_passes(function: Any) -> bool:
    """Whether a function has something that only Numba's whole list of passes can compile, such as a lambda."""
    return function.is_generator or any(
        (isinstance(value, ir.Expr) and value.op == "make_function")
        or (isinstance(value, ir.Global | ir.FreeVar) and value.name in ("literally", "literal_unroll"))
        for block in function.blocks.values()
        for assignment in block.find_insts(ir.Assign)
        for value in [assignment.value]
    )
