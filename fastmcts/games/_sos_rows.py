"""Where letters of SOS score, found for a whole row at a time.

A row of the board is a word with a bit for each column. Functions get the rows around the one they are about and
answer with a word as well; bits where the cell is not empty, or off the board, mean nothing.
"""

from fastmcts.jit import compiled


@compiled
def two_steps(outer: int, inner: int) -> int:
    """Cells with `inner` one step and `outer` two steps away in one direction, both on one side of the row."""
    return (outer << 2 & inner << 1) | (outer & inner) | (outer >> 2 & inner >> 1)


@compiled
def two_steps_beside(outer: int, inner: int) -> int:
    """The same within the row, to the left or to the right."""
    return (outer << 2 & inner << 1) | (outer >> 2 & inner >> 1)


@compiled
def across(above: int, beneath: int) -> int:
    """Cells between `above` and `beneath`, straight or diagonally."""
    return (above << 1 & beneath >> 1) | (above & beneath) | (above >> 1 & beneath << 1)
