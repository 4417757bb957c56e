"""Copy positions."""

from fastmcts.compiler.jit import JIT_ENABLED, compiled


@compiled
def copy(source, target):
    """Copy a position into another array."""
    if not JIT_ENABLED:  # entry by entry, this would be a quarter of the time of plain Python
        target[: source.size] = source
        return
    # Slices would allocate.
    for index in range(source.size):
        target[index] = source[index]
