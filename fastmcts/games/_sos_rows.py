"""Where letters of SOS score, found for a whole row at a time.

A row of the board is a word with a bit for each column. Functions get the rows around the one they are about and
answer with a word as well; bits where the cell is not empty, or off the board, mean nothing.
"""

from fastmcts.compiler.jit import compiled


@compiled
def s_scores(s_above: int, o_above: int, s_here: int, o_here: int, o_beneath: int, s_beneath: int) -> int:
    """Cells in which an S completes an SOS, from the S two rows away, the O one row away and this row."""
    return two_steps(s_above, o_above) | two_steps_beside(s_here, o_here) | two_steps(s_beneath, o_beneath)


@compiled
def o_scores(s_above: int, s_here: int, s_beneath: int) -> int:
    """Cells in which an O completes an SOS, from the S one row away and in this row."""
    return across(s_above, s_beneath) | beside(s_here, s_here)


@compiled
def o_opens(s_above: int, empty_above: int, s_here: int, empty_here: int, s_beneath: int, empty_beneath: int) -> int:
    """Cells in which an O makes a place for an S that completes an SOS: between an S and an empty cell."""
    return across(s_above, empty_beneath) | across(empty_above, s_beneath) | beside(s_here, empty_here)


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


@compiled
def beside(one: int, other: int) -> int:
    """Cells of the row between `one` and `other`, either way round."""
    return (one << 1 & other >> 1) | (one >> 1 & other << 1)
