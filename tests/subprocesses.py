"""Run Python in a fresh process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parent.parent


def run_python(code: str, folder: Path, package: Path = REPOSITORY, own_cache: bool = True, **environment: str) -> Any:
    """Run code in `folder`; return the JSON it printed.

    Args:
        code: What to run.
        folder: Where.
        package: Where to import the package from.
        own_cache: Whether `folder/cache` is Numba's cache; else it is that of this process.
        **environment: Other variables to set.
    """
    search_path = os.pathsep.join([str(package), str(folder)])
    # An editable install points at the repository: a script's own path entries come first.
    variables = {
        **os.environ,
        "PYTHONPATH": search_path,
        **({"NUMBA_CACHE_DIR": str(folder / "cache")} if own_cache else {}),
        **environment,
    }
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)
