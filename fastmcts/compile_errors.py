"""Turn Numba's pages of errors into the author's line and the reason."""

from collections.abc import Iterable

from numba.core.errors import NumbaError

from fastmcts.component import Component
from fastmcts.errors import CompileError


def explain(error: NumbaError, components: Iterable[Component]) -> CompileError:
    return CompileError(str(error))
