"""Run Python in a fresh process, with a cache folder of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent


def run_python(code: str, folder: Path, package: Path = REPOSITORY, **environment: str) -> Any:
    """Run code in `folder`, with `folder/cache` as Numba's cache; return the JSON it printed."""
    search_path = os.pathsep.join([str(package), str(folder)])
    # An editable install points at the repository: a script's own path entries come first.
    variables = {
        **os.environ,
        "PYTHONPATH": search_path,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        **environment,
    }
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)
