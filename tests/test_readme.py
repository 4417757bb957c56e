"""Every code block of the README and the docs does what it says.

A comment `# prints ...` says what a line of Python prints, and a block of text what the command before it prints, up
to a line of three dots.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fastmcts.cli import app
from tests.subprocesses import REPOSITORY

README = (REPOSITORY / "README.md").read_text()
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
#: Those of the docs are left to the thorough group, since every page compiles something else.
PYTHON_BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}", marks=[] if page.stem == "README" else [pytest.mark.thorough])
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]
SHELL_LINES = "\n".join(re.findall(r"```bash\n(.*?)```", README, re.DOTALL)).splitlines()


@pytest.mark.jit
@pytest.mark.parametrize("block", PYTHON_BLOCKS)
def test_python_blocks_run(block: str, tmp_path: Path) -> None:
    check_block(block, tmp_path)


def check_block(block: str, folder: Path) -> None:
    """Run a block of Python in a process of its own, and compare what it prints with what it says."""
    script = folder / "block.py"
    script.write_text(block)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "error"}
    process = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    printed = iter(process.stdout.splitlines())
    for said in re.findall(r"# prints (.+)$", block, re.MULTILINE):
        assert said in printed, f"{said!r} is not printed, or not in this order, in\n{process.stdout}"


@pytest.mark.parametrize("block", ["print(2 + 2)  # prints 5", "print(1)  # prints 1\nprint(2)  # prints 1", "1 / 0"])
def test_a_block_that_does_not_do_what_it_says_is_found(block: str, tmp_path: Path) -> None:
    check_block("print(2 + 2)  # prints 4", tmp_path)
    with pytest.raises(AssertionError):
        check_block(block, tmp_path)


def test_something_says_what_it_prints() -> None:
    assert sum(page.read_text().count("# prints ") for page in PAGES) >= 5


@pytest.mark.jit
def test_the_first_command_prints_what_the_readme_shows() -> None:
    shown = README.partition("```text\n")[2].partition("\n...\n")[0]
    result = CliRunner().invoke(app, ["search", "connect_four"])
    assert result.output.startswith(shown), result.output


@pytest.mark.jit
@pytest.mark.parametrize("line", [line for line in SHELL_LINES if line.startswith("fastmcts ")])
def test_commands_run(line: str) -> None:
    result = CliRunner().invoke(app, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output


def test_the_install_commands_are_those_of_the_project() -> None:
    installs = [line for line in SHELL_LINES if line.startswith("pip ")]
    assert installs == [
        'pip install ".[cli]" && fastmcts search connect_four',
        'pip install -e ".[test]" && pytest',
    ]
    assert (
        installs[1].replace("pip install", "pip install --quiet --disable-pip-version-check") + " -q"
        in (REPOSITORY / ".ci" / "run").read_text()
    )


def test_the_example_is_quoted_whole() -> None:
    assert (REPOSITORY / "examples" / "nim.py").read_text().strip() in README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target
