"""Put off the search for garbage while there is hardly any."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_nothing() -> Iterator[None]:
    """For work that makes many objects which are needed to its end, as imports and compilations do.

    To look through all of them again and again took a third of `import fastmcts`, and an eighth of a first search. It
    is put off for all threads. If several work like this, it begins again when the first one is done.
    """
    was_enabled = gc.isenabled()
    try:
        if was_enabled:
            gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()
