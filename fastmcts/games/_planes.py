"""Planes for networks: parts of an observation with a number for each cell of a board."""

from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Observation, Position
from fastmcts.games._bit_set import INSIDE, SHIFT


@compiled
def mark_bits(out: Observation, plane: int, cells: int, bits: int) -> None:
    """Write 1 into a plane of at most 64 cells for each that is in a set of bits."""
    for cell in range(cells):
        out[plane * cells + cell] = bits >> cell & 1


@compiled
def mark_set(out: Observation, plane: int, cells: int, state: Position, start: int) -> None:
    """Write 1 into a plane for each cell that is in a set of a position (`_bit_set`)."""
    for cell in range(cells):
        out[plane * cells + cell] = state[start + (cell >> SHIFT)] >> (cell & INSIDE) & 1


@compiled
def fill_plane(out: Observation, plane: int, cells: int, value: float) -> None:
    """Write the same number for all cells of a plane."""
    for cell in range(cells):
        out[plane * cells + cell] = value
