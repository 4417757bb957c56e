"""What benchmarks have in common: figures beside times, and which parameters take minutes."""

from collections.abc import Callable
from typing import Any

import pytest

NOTES: pytest.StashKey[list[tuple[str, dict[str, Any]]]] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[NOTES] = []


@pytest.fixture
def note(request: pytest.FixtureRequest, benchmark: Any) -> Callable[..., None]:
    """Keep figures, such as rates and ratios, for the summary at the end and for `--benchmark-json`."""

    def keep(**figures: float | str) -> None:
        benchmark.extra_info.update(figures)
        request.config.stash[NOTES].append((request.node.name, figures))

    return keep


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show the figures."""
    if not config.stash[NOTES]:
        return
    terminalreporter.section("figures")
    for name, figures in config.stash[NOTES]:
        texts = (f"{key.replace('_', ' ')} {shown(figure)}" for key, figure in figures.items())
        terminalreporter.write_line(f"{name}: {', '.join(texts)}")


def shown(figure: float | str) -> str:
    """A number with as many digits as mean something."""
    if isinstance(figure, str):
        return figure
    return f"{figure:,.0f}" if abs(figure) >= 1000 or figure == int(figure) else f"{figure:.3g}"
