"""Put learning curves of `python -m examples.alphazero` into docs/alphazero.md: a row and a picture for each run.

python benchmarks/alphazero_page.py alphazero_tic_tac_toe alphazero_connect_four
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import page_tables
from page_tables import DOCS

PAGE = DOCS / "alphazero.md"
HEADER = ("game", "minutes", "iterations", "games of self-play", "before", "after")


def row(folder: Path) -> list[str]:
    """What came of a run."""
    curve = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    first, last = curve[0], curve[-1]
    numbers = [f"{last['minutes']:.1f}", f"{last['iteration']:,.0f}", f"{last['games']:,.0f}"]
    return [f"`{game_of(folder)}`", *numbers, first["text"], last["text"]]


def game_of(folder: Path) -> str:
    """Which game a run learns."""
    with np.load(folder / "checkpoint.npz", allow_pickle=False) as file:
        return json.loads(str(file["about"]))["settings"]["game"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of runs, one for each game of the page")
    folders = parser.parse_args(arguments).folders
    lines = list(page_tables.table(HEADER, [row(folder) for folder in folders]))
    for folder in folders:
        shutil.copyfile(folder / "curve.svg", DOCS / f"alphazero_{game_of(folder)}.svg")
    page_tables.rewrite(PAGE, page_tables.markers("learned"), "\n".join(lines))


if __name__ == "__main__":
    main()
