"""Stones in a row on a bitboard."""

from fastmcts.compiler.jit import compiled


@compiled
def has_line(stones: int, height: int, connect: int) -> bool:
    """Whether a bitboard with columns of `height` bits has `connect` stones in a row."""
    for step in (1, height, height - 1, height + 1):
        run = stones
        length = 1
        while 2 * length <= connect:
            run &= run >> length * step
            length *= 2
        if run & run >> (connect - length) * step:
            return True
    return False
