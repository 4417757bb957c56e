"""Every code block of the README and the docs does what it says."""

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
PYTHON_BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]
SHELL_LINES = "\n".join(re.findall(r"```bash\n(.*?)```", README, re.DOTALL)).splitlines()


@pytest.mark.jit
@pytest.mark.parametrize("block", PYTHON_BLOCKS)
def test_python_blocks_run(block: str, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(block)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "error"}
    process = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.jit
@pytest.mark.parametrize("line", [line for line in SHELL_LINES if line.startswith("fastmcts ")])
def test_commands_run(line: str) -> None:
    result = CliRunner().invoke(app, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output


def test_the_install_commands_are_those_of_the_project() -> None:
    installs = [line for line in SHELL_LINES if line.startswith("pip ")]
    assert installs == [
        'pip install ".[cli]" && fastmcts search connect_four',
        'pip install -e ".[test]" && pytest -n auto --dist loadfile',
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
