"""Tables in pages: how they are written in Markdown, and how they get between two markers of a page."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def markers(name: str) -> tuple[str, str]:
    """What stands before and behind a table of this name."""
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def rewrite(page: Path, marks: tuple[str, str], text: str) -> None:
    """Replace what stands between two markers of a page."""
    before, _, after = between(page.read_text(), marks)
    page.write_text(f"{before}{marks[0]}\n\n{text}\n\n{marks[1]}{after}")


def between(text: str, marks: tuple[str, str]) -> tuple[str, str, str]:
    """A text before, between and behind two markers."""
    before, rest = text.split(marks[0])
    inside, after = rest.split(marks[1])
    return before, inside, after
