"""Which fields of bundles a function reads, itself or through the functions that it calls.

The type of a bundle tells which of its fields have entries, so a tree with proofs has another type than one without.
But most functions never read a proof: what they were compiled to for one of these trees is right for the other.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

#: The class of a bundle and the name of a field.
Field = tuple[str, str]

#: Stands for all fields of all bundles.
EVERYTHING: Field = ("", "")

#: What the functions that are being compiled have read so far, the innermost function last.
READERS: list[set[Field]] = []


@contextmanager
def reading() -> Iterator[set[Field]]:
    """Yields a set, to which all fields are added that are read here."""
    fields: set[Field] = set()
    READERS.append(fields)
    try:
        yield fields
    finally:
        READERS.pop()


def note_read(class_name: str, field: str) -> None:
    """Tell that a field is read, or asked whether it has entries."""
    if READERS:
        READERS[-1].add((class_name, field))


def note_reads(fields: Iterable[Field]) -> None:
    """Tell of fields that a called function reads."""
    if READERS:
        READERS[-1].update(fields)
