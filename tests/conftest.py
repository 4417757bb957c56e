import pytest

from fastmcts.jit import JIT_ENABLED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if JIT_ENABLED:
        return
    skip = pytest.mark.skip(reason="needs the JIT")
    for item in items:
        if "jit" in item.keywords:
            item.add_marker(skip)
