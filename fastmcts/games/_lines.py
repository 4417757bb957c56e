"""Stones in a row on a bitboard."""

from fastmcts.compiler.jit import compiled


@compiled
def has_line(stones: int, height: int, connect: int) -> bool:
    """Whether a bitboard with columns of `height` bits has `connect` stones in a row."""
    for step in (1, height, height - 1, height + 1):
        if has_run(stones, step, connect):
            return True
    return False


@compiled
def has_run(stones: int, step: int, length: int) -> bool:
    """Whether so many bits are set, each a step above the one before."""
    run = stones
    counted = 1
    while 2 * counted <= length:
        run &= run >> counted * step
        counted *= 2
    return run & run >> (length - counted) * step != 0


@compiled
def completing(stones: int, height: int, connect: int) -> int:
    """The cells in which one more stone would make `connect` in a row; bits above the columns mean nothing."""
    cells = 0
    for step in (1, height, height - 1, height + 1):
        for behind in range(connect):
            run = -1
            for distance in range(1, connect):
                run &= stones << distance * step if distance <= behind else stones >> (distance - behind) * step
            cells |= run
    return cells
