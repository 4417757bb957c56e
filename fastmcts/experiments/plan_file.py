"""Plans in files: TOML, with the line of whatever is wrong."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plan_parts import PlanError
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
        if "agents" not in content:
            raise PlanError("the plan names no agents")
        if "games" not in content and "matches" not in content:
            raise PlanError("the plan names no games")
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


#: A name in TOML, bare or in quotes.
NAME = r"(?:\"[^\"]*\"|'[^']*'|[\w-]+)"
HEADER = re.compile(rf"\s*(?P<open>\[\[?)\s*(?P<name>{NAME}(?:\s*\.\s*{NAME})*)\s*\]\]?\s*(#.*)?")
ENTRY = re.compile(rf"\s*(?P<name>{NAME}(?:\s*\.\s*{NAME})*)\s*=")


def line_of(text: str, key: str, value: Any = None) -> int | None:
    """The line in which a key stands, or the part of its value; None if neither it nor its table is there.

    Args:
        text: The plan.
        key: As in `PlanError`: "grid.c", or "matches[1].pairs" for the second of several tables.
        value: The part of the value.
    """
    best, best_length = None, 0
    table, counts = "", dict[str, int]()
    is_within = False  # the lines of the key's own value
    for number, line in enumerate(text.splitlines(), start=1):
        header, entry = HEADER.fullmatch(line), ENTRY.match(line)
        if header is not None:
            first, *rest = names_in(header["name"])
            counts[first] = counts.get(first, -1) + (header["open"] == "[[")
            place = f"{first}[{counts[first]}]" if counts[first] >= 0 else first
            table = path = ".".join([place, *rest])
        elif entry is not None:
            path = ".".join([*([table] if table else []), *names_in(entry["name"])])
        else:
            path = ""
        if path:
            is_within = path == key
            if (path == key or key.startswith(f"{path}.")) and len(path) > best_length:
                best, best_length = number, len(path)
        if is_within and value is not None and str(value) in line:
            return number
    return best


def names_in(text: str) -> list[str]:
    """The parts of a key with dots, without quotes."""
    return [name.strip("\"'") for name in re.findall(NAME, text)]
