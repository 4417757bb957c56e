"""Copy positions."""

from fastmcts.compiler.jit import compiled


@compiled
def copy(source, target):
    """Copy a position into another array, without allocating as slices would."""
    for index in range(source.size):
        target[index] = source[index]
