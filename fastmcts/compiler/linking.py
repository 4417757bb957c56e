"""One optimisation for a whole kernel.

Numba optimises every function by itself, with all functions that it calls linked in, and makes machine code of it,
although a kernel's inner functions are called by nobody else. So a big rule is optimised once at every level above
it. Here inner functions are only simplified one by one; the entry links each of them once, as internal to itself, and
LLVM optimises the whole from the bottom up and decides what to inline: Oh Hell compiles in a quarter of the time.
"""

from typing import Any

from llvmlite import binding as llvm
from numba import _dynfunc, config  # pyright: ignore[reportAttributeAccessIssue]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import NoPythonBackend

#: How large a function may be, by LLVM's count, to be inlined at every place that calls it. Those with one place always
#: are. With LLVM's own 225 Connect Four loses some percent.
INLINED_SIZE = 1000


class InnerLibrary(JITCodeLibrary):
    """The code of a function that only kernels call: never made into machine code by itself."""

    def finalize(self) -> None:
        """Leave everything to the entry."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The code with all that it calls, for functions that a user compiles with Numba's own decorators."""
        if self._shared_module is None:
            module = self._final_module.clone()
            link_below(module, self)
            for function in module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"  # several callers may bring it
            self._shared_module = module
        return self._shared_module


class EntryLibrary(JITCodeLibrary):
    """The code of a kernel that Python calls, with everything that it calls."""

    def finalize(self) -> None:
        """Link all inner functions, once each, and optimise the whole."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        own = [function for function in self._final_module.functions if not function.is_declaration]
        names = {function.name for function in own}
        for function in own:
            # The wrapper for Python writes the tables of bundles, which kernels read as constants (bundle.py).
            function.add_function_attribute("noinline")
        for library in link_below(self._final_module, self):
            self._reload_init.update(library._reload_init)
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in names:
                function.linkage = "internal"
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _optimize_final_module(self) -> None:
        tuning = llvm.create_pipeline_tuning_options()
        tuning.speed_level = int(config.OPT)  # pyright: ignore[reportAttributeAccessIssue]
        # Loops here are short: vectors cost a fifth of the time to optimise, and gain nothing.
        tuning.loop_vectorization = tuning.slp_vectorization = False
        tuning.inlining_threshold = INLINED_SIZE
        builder = llvm.create_pass_builder(self._codegen._tm, tuning)
        builder.getModulePassManager().run(self._final_module, builder)


def link_below(module: Any, library: JITCodeLibrary) -> list[Any]:
    """Link all that a library calls into a module, each once; return the libraries."""
    below = libraries_below(library)
    for other in below:
        is_inner = isinstance(other, InnerLibrary)
        module.link_in(other._final_module if is_inner else other._get_module_for_linking(), preserve=True)
    return below


def libraries_below(top: JITCodeLibrary) -> list[Any]:
    """All libraries that one needs, itself or through others.

    Those that Numba made hold what they need themselves. They come last, since of them LLVM links only what something
    has asked for before.
    """
    found: dict[Any, None] = {}
    waiting = [*top._linking_libraries]
    while waiting:
        library = waiting.pop()
        if library not in found and library is not top:
            found[library] = None
            if isinstance(library, InnerLibrary):
                waiting += library._linking_libraries
    return sorted(found, key=lambda library: not isinstance(library, InnerLibrary))


@register_pass(mutates_CFG=False, analysis_only=False)
class LeaveToTheEntry(LoweringPass):
    """Register a function that has no machine code, so that other compiled code can call it."""

    _name = "leave_to_the_entry"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Give the function a name of its own, which Python cannot call."""
        result = state.cr
        name = result.fndesc.qualname.split(".")[-1]
        module, kept = result.fndesc.lookup_module(), (result.library,)
        nowhere = 1  # an address, which only a call from Python would go to
        stand_in = _dynfunc.make_function(module, name, "called by kernels only", nowhere, result.environment, kept)
        state.targetctx.insert_user_function(stand_in, result.fndesc, [result.library])
        state.reload_init.extend(result.library._reload_init)
        state.cr = result._replace(entry_point=stand_in)
        return True


class InnerCompiler(CompilerBase):
    """Compiles a function that only kernels call, up to LLVM's assembly."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's own passes, but for the last step."""
        self.state.library = InnerLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.flags.no_compile = True
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(LeaveToTheEntry, NoPythonBackend)
        passes.finalize()
        return [passes]


class EntryCompiler(CompilerBase):
    """Compiles a kernel that Python calls."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's own passes, with another way to link and optimise."""
        self.state.library = EntryLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.finalize()
        return [passes]
