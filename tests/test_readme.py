"""Every code block of the README and the docs does what it says.

A comment `# prints ...` says what a line of Python prints, and a block of text what the command before it prints, up
to a line of three dots. The README's blocks are compiled, and so are those behind `<!-- compiled -->` in the docs; all
others run as plain Python, where a small search takes less time than compiling it. Those behind `<!-- needs torch -->`
run where that package is installed.
"""

import contextlib
import io
import re
import runpy
import shlex
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fastmcts.cli import app
from tests.subprocesses import REPOSITORY

README = REPOSITORY / "README.md"
PAGES = [README, *sorted((REPOSITORY / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?:<!-- needs ([\w, ]+) -->\n)?(<!-- compiled -->\n)?```python\n(.*?)```", re.DOTALL)
PYTHON_BLOCKS = [
    pytest.param(
        found[3],
        found[1].split(", ") if found[1] else [],
        id=f"{page.stem}-{number}",
        marks=[
            pytest.mark.jit if page == README or found[2] else pytest.mark.slow_to_compile,
            *([pytest.mark.peer] if found[1] else []),
        ],
    )
    for page in PAGES
    for number, found in enumerate(BLOCK.finditer(page.read_text()))
]
SHELL_LINES = [
    line
    for page in PAGES
    for block in re.findall(r"```bash\n(.*?)```", page.read_text(), re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize(("block", "packages"), PYTHON_BLOCKS)
def test_python_blocks_run(block: str, packages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        if packages:
            monkeypatch.chdir(tmp_path)  # for what they write
            for category in (DeprecationWarning, FutureWarning):  # PyTorch's exporter meets its own
                warnings.simplefilter("ignore", category)
        for package in packages:
            pytest.importorskip(package)
        check_block(block, tmp_path)


def check_block(block: str, folder: Path) -> None:
    """Run a block of Python, and compare what it prints with what it says."""
    script = folder / "block.py"
    script.write_text(block)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        runpy.run_path(str(script), run_name="__main__")
    printed = iter(output.getvalue().splitlines())
    for said in re.findall(r"# prints (.+)$", block, re.MULTILINE):
        assert said in printed, f"{said!r} is not printed, or not in this order, in\n{output.getvalue()}"


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ("print(2 + 2)  # prints 5", AssertionError),
        ("print(1)  # prints 1\nprint(2)  # prints 1", AssertionError),
        ("1 / 0", ZeroDivisionError),
        ("import warnings\nwarnings.warn('old')", UserWarning),
    ],
)
def test_a_block_that_does_not_do_what_it_says_is_found(block: str, error: type[Exception], tmp_path: Path) -> None:
    check_block("print(2 + 2)  # prints 4", tmp_path)
    with pytest.raises(error):
        check_block(block, tmp_path)


def test_something_says_what_it_prints() -> None:
    assert sum(page.read_text().count("# prints ") for page in PAGES) >= 35


@pytest.mark.jit
def test_the_first_command_prints_what_the_docs_show() -> None:
    page = (REPOSITORY / "docs" / "command_line.md").read_text()
    shown = page.partition("```text\n")[2].partition("\n...\n")[0]
    result = CliRunner().invoke(app, ["search", "connect_four"])
    assert result.output.startswith(shown), result.output


@pytest.mark.jit
@pytest.mark.parametrize("line", [line for line in SHELL_LINES if line.startswith("fastmcts ")])
def test_commands_run(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
    assert result.exit_code == 0, result.output


def test_the_install_commands_are_those_of_the_project() -> None:
    commands = [line for line in README.read_text().splitlines() if line.startswith(("pip ", "pytest "))]
    assert commands == [
        'pip install ".[cli]" && fastmcts search connect_four',
        'pip install -e ".[test]" && pytest',
        "pytest benchmarks",
    ]
    assert (
        commands[1].replace("pip install", "pip install --quiet --disable-pip-version-check")
        in (REPOSITORY / ".ci" / "run").read_text()
    )


@pytest.mark.parametrize(("page", "table"), [("README.md", "short_table"), ("docs/games.md", "long_table")])
def test_the_tables_of_games_are_those_of_the_package(page: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    script = import_module("games_table")
    assert between(REPOSITORY / page, script.MARKERS) == list(getattr(script, table)())


def test_the_rows_of_the_readme_are_those_of_the_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks")
    script = import_module("readme_tables")
    assert between(README, script.ROWS) == list(script.headline_table(script.PAGE.read_text()))
    with pytest.raises(ValueError, match="no table has the row 'Hex 11x11' and the column 'ratio'"):
        script.cell(script.PAGE.read_text(), "Hex 11x11", "ratio")


def between(page: Path, markers: tuple[str, str]) -> list[str]:
    """The lines between two markers of a page."""
    return page.read_text().partition(markers[0])[2].partition(markers[1])[0].strip().splitlines()


def test_the_readme_is_short() -> None:
    assert len(README.read_text().splitlines()) <= 150


@pytest.mark.parametrize(
    ("page", "example"), [("your_own_game", "nim"), ("your_own_game", "dice_race"), ("your_own_game", "higher_card")]
)
def test_examples_are_quoted_whole(page: str, example: str) -> None:
    text = (REPOSITORY / "examples" / f"{example}.py").read_text()
    assert f"```python\n{text}```" in (REPOSITORY / "docs" / f"{page}.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target
