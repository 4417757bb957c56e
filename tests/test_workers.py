"""Every test is run once by the workers, compiled or as plain Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.subprocesses import REPOSITORY

TESTS = """
import pytest
from fastmcts.compiler.jit import JIT_ENABLED

def test_any():
    assert JIT_ENABLED == EXPECTED

@pytest.mark.jit
def test_of_the_jit():
    assert JIT_ENABLED

@pytest.mark.slow_to_compile
def test_of_logic():
    assert JIT_ENABLED == (EXPECTED and COMPILED)

@pytest.mark.thorough
def test_thorough():
    assert JIT_ENABLED == EXPECTED
"""


@pytest.mark.jit
@pytest.mark.parametrize(
    ("options", "jit", "compiled", "outcome"),
    [
        ((), True, False, "3 passed"),  # but the thorough one; workers of both kinds
        # Those that compile have nothing to do.
        pytest.param(("-k", "logic"), True, False, "1 passed", marks=pytest.mark.thorough),
        pytest.param(("-m", "thorough"), True, True, "2 passed", marks=pytest.mark.thorough),
        # One process is of one kind.
        pytest.param(("-n", "0"), True, False, "2 passed, 2 deselected", marks=pytest.mark.thorough),
        pytest.param((), False, False, "2 passed, 1 skipped", marks=pytest.mark.thorough),
    ],
)
def test_each_test_is_run_where_it_belongs(
    options: tuple[str, ...], jit: bool, compiled: bool, outcome: str, tmp_path: Path
) -> None:
    source = (REPOSITORY / "tests" / "conftest.py").read_text()
    (tmp_path / "conftest.py").write_text(source)
    (tmp_path / "test_some.py").write_text(f"EXPECTED, COMPILED = {jit}, {compiled}\n{TESTS}")
    markers = re.findall(r"^markers = \[.*?^\]", (REPOSITORY / "pyproject.toml").read_text(), re.DOTALL | re.MULTILINE)
    settings = f"[tool.pytest.ini_options]\naddopts = \"--strict-markers -m 'not thorough'\"\n{markers[0]}\n"
    (tmp_path / "pyproject.toml").write_text(settings)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(REPOSITORY), "NUMBA_DISABLE_JIT": "0" if jit else "1"}
    environment["PYTEST_XDIST_AUTO_NUM_WORKERS"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    process = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    assert f"\n{outcome} in " in process.stdout, process.stdout
