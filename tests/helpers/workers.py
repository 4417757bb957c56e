"""The suite on all cores: some workers compile, others run tests about logic as plain Python.

Nearly all of the time of a cold run is compiling, so each test runs in one of two ways. Those that are marked
`slow_to_compile` check what does not depend on the JIT: workers that have it off run them. All others are compiled.
(`pytest -m thorough` compiles the first as well, and `NUMBA_DISABLE_JIT=1 pytest` runs everything that can be run as
plain Python.)

Whether the JIT is on is decided when Numba is imported, once for a process: hence workers of two kinds, and a
scheduler for each kind.
"""

import gc
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from fastmcts.compiler.jit import JIT_ENABLED

PLAIN = "popen//env:NUMBA_DISABLE_JIT=1"


#: How often garbage is looked for among what is neither new nor old, to once among everything; Python's number is 10.
RARELY = 1000


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Use all cores, unless the command line says something else."""
    # Whoever has set this would wait: the suite starts some two hundred processes, and each would compile the package
    # to byte code anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    option = config.option
    is_without_xdist = not config.pluginmanager.has_plugin("xdist")
    if is_without_xdist or hasattr(config, "workerinput") or option.tx or option.dist != "no":
        return
    option.dist, option.loadscopereorder = "loadfile", False
    if option.numprocesses is None:
        option.numprocesses = "auto"


def pytest_configure(config: pytest.Config) -> None:
    """Add workers without the JIT: one to two that compile, since there is less for them to do."""
    option = config.option
    if JIT_ENABLED and config.getoption("dist", "no") == "loadfile" and not hasattr(config, "workerinput"):
        option.tx = [*option.tx, *[PLAIN] * ((len(option.tx) + 1) // 2)]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker whether others have the JIT while it has not."""
    node.workerinput["only_slow_to_compile"] = is_plain(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share out the tests of each kind among the workers of that kind."""
    return TwoKinds(config, log) if PLAIN in config.option.tx else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to each worker what it is for, the longest files first, so that all workers end at about the same time."""
    if hasattr(config, "workerinput"):
        compiling = Counter(item.path for item in items if "jit" in item.keywords)
        count = Counter(item.path for item in items)
        items.sort(key=lambda item: (-compiling[item.path], -count[item.path]))
    if JIT_ENABLED:
        for item in items:
            if "slow_to_compile" in item.keywords:
                item.add_marker(pytest.mark.thorough)
        return
    if getattr(config, "workerinput", {}).get("only_slow_to_compile"):
        items[:] = [item for item in items if "slow_to_compile" in item.keywords]
    for item in items:
        if "jit" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="needs the JIT"))


def pytest_collection_finish() -> None:
    """Look for garbage rarely among what stays: Numba keeps so many objects that this takes 8% of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], RARELY)


def is_plain(node: Any) -> bool:
    """Whether a worker has the JIT off while others have it on."""
    return "NUMBA_DISABLE_JIT" in node.gateway.spec.env


class TwoKinds:
    """A scheduler for workers of two kinds, each of which collects tests of its own."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        from xdist.scheduler import LoadFileScheduling

        self.config = config
        self.compiled = LoadFileScheduling(config, log)
        self.plain = LoadFileScheduling(config, log)
        self.plain.numnodes = config.option.tx.count(PLAIN)
        self.compiled.numnodes -= self.plain.numnodes
        self.both = (self.compiled, self.plain)
        self.collected: dict[Any, int] = {}

    def of(self, node: Any) -> Any:
        """The scheduler for a worker."""
        return self.plain if is_plain(node) else self.compiled

    @property
    def nodes(self) -> list[Any]:
        return self.compiled.nodes + self.plain.nodes

    @property
    def collection_is_completed(self) -> bool:
        return all(one.collection_is_completed for one in self.both)

    @property
    def tests_finished(self) -> bool:
        return all(one.tests_finished for one in self.both)

    @property
    def has_pending(self) -> bool:
        return any(one.has_pending for one in self.both)

    def add_node(self, node: Any) -> None:
        self.of(node).add_node(node)

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        self.of(node).add_node_collection(node, collection)
        # Workers of one kind may have nothing to do: xdist takes what the last one has collected for all there is.
        self.collected[self.of(node)] = len(collection)
        session: Any = self.config.pluginmanager.get_plugin("session")
        session.testscollected = sum(self.collected.values())

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        self.of(node).mark_test_complete(node, item_index, duration)

    def mark_test_pending(self, item: str) -> None:
        raise NotImplementedError("no plugin of this suite runs a test again")

    def remove_pending_tests_from_node(self, node: Any, indices: Sequence[int]) -> None:
        raise NotImplementedError("tests are shared out by file, and not taken back")

    def remove_node(self, node: Any) -> str | None:
        return self.of(node).remove_node(node)

    def schedule(self) -> None:
        for one in self.both:
            one.schedule()
