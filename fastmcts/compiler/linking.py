"""One optimisation for a whole kernel.

Numba optimises every function by itself, with all functions that it calls linked in, and makes machine code of it,
although a kernel's inner functions are called by nobody else. So a big rule is optimised once at every level above
it. Here the entry links each inner function once, as internal to itself, and LLVM optimises the whole from the bottom
up and decides what to inline.

What several kernels call, such as the search itself, is a part: optimised once, for all of them, and added to each
when that has been optimised.
"""

import re
from typing import Any

from llvmlite import binding as llvm
from numba import config
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary

#: How large a function may be, by LLVM's count, to be inlined at every place that calls it. Those with one place always
#: are. With LLVM's own 225 Connect Four loses some percent.
INLINED_SIZE = 1000


#: A function of Numba's returns 0, or -2 for None; anything else is a failure, its own or that of one that it calls.
FAILURE = re.compile(r"\bret i32 (?!(0|-2)\n)")


class InnerLibrary(JITCodeLibrary):
    """The code of a function that only kernels call: never made into machine code by itself.

    Attributes:
        can_fail: Whether the function may raise, so that its callers have to look.
    """

    can_fail: bool

    def add_ir_module(self, ir_module: Any) -> None:
        """Keep the code as it is: the entry simplifies it before it is inlined."""
        text = cgutils.normalize_ir_text(str(ir_module))
        self.can_fail = FAILURE.search(text) is not None
        module = llvm.parse_assembly(text)
        module.name = ir_module.name
        module.data_layout = self._codegen._data_layout
        self._final_module.link_in(module)

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


class CalledLibrary(InnerLibrary):
    """The code of a function that is never inlined."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Keep the code, and tell LLVM."""
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class PartLibrary(InnerLibrary):
    """The code of a function that several kernels call, with everything that it calls."""

    _optimized: Any = None

    def optimized(self) -> Any:
        """The code, optimised when it is first asked for."""
        if self._optimized is None:
            names = {function.name for function in self._final_module.functions if not function.is_declaration}
            module = self._final_module.clone()
            link_below(module, self)
            optimize(module, names, self._codegen._tm)
            self._optimized = module
        return self._optimized


class EntryLibrary(JITCodeLibrary):
    """The code of a kernel that Python calls, with everything that it calls."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()

    def add_ir_module(self, ir_module: Any) -> None:
        """Add the code of the kernel and its wrapper for Python."""
        for function in ir_module.functions:
            if not function.is_declaration:
                # The wrapper writes the tables of bundles, which kernels read as constants (bundle.py).
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave it to the optimisation of the whole."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Link all inner functions, once each, optimise the whole, and add the parts."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        module = self._final_module
        names = {function.name for function in module.functions if not function.is_declaration}
        link_below(module, self)
        optimize(module, names, self._codegen._tm)
        for library in libraries_below(self):
            inherit_reloading(self, library)
            if isinstance(library, PartLibrary):
                module.link_in(library.optimized(), preserve=True)
        make_internal(module, names)
        module.verify()
        self._finalize_final_module()


def inherit_reloading(entry: Any, library: Any) -> None:
    """Let an entry do what a library needs when it is loaded from the cache; Numba has that since version 0.62."""
    if hasattr(entry, "_reload_init"):
        entry._reload_init.update(library._reload_init)


def optimize(module: Any, names: set[str], target_machine: Any) -> None:
    """Optimise a module, all functions of which but some are called by nobody else.

    Args:
        module: The module.
        names: The functions that are called from outside.
        target_machine: What the code is for.
    """
    make_internal(module, names)
    tuning = llvm.create_pipeline_tuning_options()
    tuning.speed_level = int(config.OPT)  # pyright: ignore[reportAttributeAccessIssue]
    # Loops here are short: vectors cost a fifth of the time to optimise, and gain nothing.
    tuning.loop_vectorization = tuning.slp_vectorization = False
    tuning.inlining_threshold = INLINED_SIZE
    builder = llvm.create_pass_builder(target_machine, tuning)
    builder.getModulePassManager().run(module, builder)


def make_internal(module: Any, names: set[str]) -> None:
    """Let nobody outside of a module see its functions, but for some."""
    for function in module.functions:
        if not function.is_declaration and function.name not in names:
            function.linkage = "internal"


def link_below(module: Any, top: JITCodeLibrary) -> None:
    """Link all that a library calls into a module, each once; parts are left out, with all that they call."""
    for library in libraries_below(top, within_parts=False):
        if not isinstance(library, PartLibrary):
            is_inner = isinstance(library, InnerLibrary)
            module.link_in(library._final_module if is_inner else library._get_module_for_linking(), preserve=True)


def libraries_below(top: JITCodeLibrary, within_parts: bool = True) -> list[Any]:
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
            if isinstance(library, InnerLibrary) and (within_parts or not isinstance(library, PartLibrary)):
                waiting += library._linking_libraries
    return sorted(found, key=lambda library: not isinstance(library, InnerLibrary))
