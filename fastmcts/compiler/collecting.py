"""Put off the search for garbage while there is hardly any."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_nothing() -> Iterator[None]:
    """For work that makes many objects which are needed to its end, as imports and compilations do.

    To look through all of them again and again takes a third of an import and an eighth of a compilation.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
