"""Plans in files: TOML, with the line of whatever is wrong."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from fastmcts.experiments.plan import Plan, PlanError
from fastmcts.experiments.text import suggestion

#: What a plan may say: the arguments of `Plan` but its folder.
KEYS = tuple(field.name for field in fields(Plan) if field.name != "folder")


def load_plan(path: str | Path) -> Plan:
    """Read a plan from a TOML file, and check it.

    Args:
        path: The file; relative paths in it start in its folder.

    Raises:
        PlanError: If something is wrong with it; the message says in which line, and what would be right.
    """
    path = Path(path)
    text, content = read_file(path)
    try:
        for name in content:
            if name == "tune":
                raise PlanError("this plan is to be tuned: use fastmcts experiment tune, or tune() in Python", name)
            if name not in KEYS:
                raise PlanError(f"a plan has no key {name!r}; {suggestion(name, KEYS)}", name)
        for name in ("games", "agents"):
            if name not in content:
                raise PlanError(f"the plan names no {name}")
        return Plan(**content, folder=path.parent)
    except PlanError as error:
        raise placed_error(error, path, text) from error


def read_file(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a file and what it says."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PlanError(f"there is no plan {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{path} cannot be read: {error}") from None
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rpartition(" (at line ")
        line = place.partition(",")[0] if problem else str(text.count("\n") + 1)
        raise PlanError(f"{path}, line {line}: {problem or error}") from None


def placed_error(error: PlanError, path: Path, text: str) -> PlanError:
    """The same error, with the file and the line in front."""
    line = line_of(text, error.key, error.value)
    where = f"{path}, line {line}" if line else str(path)
    return PlanError(f"{where}: {error.problem}", error.key, error.value)


def line_of(text: str, key: str, value: Any = None) -> int | None:
    """The line in which a key stands, or the part of its value; None if it is not there."""
    wanted, _, name = key.rpartition(".")
    table, found, header = "", None, None
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"\s*\[([^\[\]]+)\]\s*(#.*)?$", line):
            table = match[1].strip()
            if table == key:
                header = number
        elif found is None and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=", line) and table == wanted and name:
            found = number
        if found is not None and (value is None or str(value) in line):
            return number
    return found or header
