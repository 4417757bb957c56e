"""Packages that only some experiments need, imported when they are used."""

from importlib import import_module
from types import ModuleType


def needed(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module, or say what to install.

    Args:
        module: Its name.
        extra: The extra of this package that installs it.
        purpose: What it is needed for, as the beginning of a sentence.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f'{purpose} needs {package}, which is not installed: pip install "fastmcts-numba[{extra}]"'
        ) from error
