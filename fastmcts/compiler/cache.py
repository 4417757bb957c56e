"""Compiled kernels on disk, one file for each.

Numba's own cache keeps an index beside numbered files. A file that was cut off, by a full disk or a kill, ends every
later search with an UnpicklingError; and two processes that write at the same time may give one number to two
kernels (numba #4807, #10128). Here a file is named after what it holds the code for and starts with a checksum: what
cannot be read as it was written is not there, and is compiled and written again.
"""

import hashlib
import pickle
import warnings
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys

DIGEST_BYTES = hashlib.sha256().digest_size


class KernelFiles(IndexDataCacheFile):
    """The files of one kernel, for all the types that it was compiled for."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self.base = filename_base

    def path(self, key: Any) -> Path:
        """Where the code for a signature belongs, from this source, on this processor, by this version of Numba."""
        what = repr((numba.__version__, self._source_stamp, key))
        return Path(self._cache_path) / f"{self.base}.{hashlib.sha256(what.encode()).hexdigest()[:24]}.nbc"

    def load(self, key: Any) -> Any:
        """What was saved; None if there is nothing, or nothing whole."""
        try:
            content = self.path(key).read_bytes()
        except OSError:
            return None
        digest, data = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
        return pickle.loads(data) if digest == hashlib.sha256(data).digest() else None

    def save(self, key: Any, data: Any) -> None:
        """Write the code for a signature, at once or not at all."""
        content = self._dump(data)
        with self._open_for_write(str(self.path(key))) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def flush(self) -> None:
        """Have nothing saved."""
        for path in Path(self._cache_path).glob(f"{self.base}.*.nbc"):
            path.unlink(missing_ok=True)


class KernelCache(FunctionCache):
    """Numba's cache of a function, with files of our own."""

    def __init__(self, function: Any, stamp: Any) -> None:
        super().__init__(function)
        self._cache_file = KernelFiles(self._cache_file._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load compiled code; None if there is none.

        Numba's own way is to import first all that it needs to compile anything (with SciPy, where that is installed):
        half of the time to a first search. Code that is there already needs the symbols of Numba's runtime alone.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; where there is no room or permission, do without."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_about(self.cache_path, error.strerror)


def source_stamp(function: Any) -> tuple[float, int] | None:
    """When the file of a function was written, and how long it is; None if there is no such file.

    To be taken when the file is imported: it may be another one later, with the old code still running.
    """
    try:
        status = Path(function.__code__.co_filename).stat()
    except OSError:
        return None
    return status.st_mtime, status.st_size


def cached(dispatcher: Any, stamp: tuple[float, int] | None) -> Any:
    """Let a dispatcher keep its code on disk, if there is a folder that can be written to.

    Args:
        dispatcher: Numba's own.
        stamp: That of its source.
    """
    try:
        dispatcher._cache = KernelCache(dispatcher.py_func, stamp)
    except RuntimeError:  # Numba has found none
        warn_about(f"or beside {dispatcher.py_func.__code__.co_filename}", "no folder can be written to")
    return dispatcher


def warn_about(place: str, reason: str | None) -> None:
    """Say that every process will have to compile for itself."""
    warnings.warn(
        f"compiled code cannot be kept for the next process in {place}: {reason};"
        " the environment variable NUMBA_CACHE_DIR can name another folder",
        RuntimeWarning,
        stacklevel=2,
    )
