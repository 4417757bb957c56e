"""Every example runs, with a small budget, and prints what it is about."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fastmcts.testing import check_game
from tests.subprocesses import REPOSITORY

#: For each example the arguments that make it short, and a pattern of something that it prints then.
EXAMPLES: dict[str, tuple[dict[str, Any], str]] = {
    "analyse_deal": ({"simulations": 60, "hand_size": 2}, "PerfectInformation: "),
    "dice_race": ({"simulations": 500}, "\nstep\n"),
    "frozen_lake": ({"simulations": 10}, r"\d+ steps, [01] reached"),
    "generate_data": (
        {"simulations": 5, "number_of_games": 2},
        r"positions \((\d+), 4\), policies \(\1, 7\), outcomes \(\1,\)",
    ),
    "higher_card": ({"simulations": 500}, r"ISMCTS\(\)"),
    "klondike_deal": ({"simulations": 5, "most_moves": 3}, "3 moves, not won"),
    "maze": ({"simulations": 60, "mazes": 5}, r"up \d, right \d, down \d, left \d"),
    "nim": ({}, "\ntake 2\n"),
    "play_match": ({"simulations": 5, "number_of_games": 4}, "4 games"),
    "prioritized_sos": ({"size": 4}, r"Prioritized\(value=0.8, visits=1\): c1S was visited"),
    "river_swim": ({"simulations": 1_200}, r"right, worth 3\.\d"),
    "score_2048": ({"simulations": 5, "moves": 5}, r"return \d+"),
    "single_perspective": ({"simulations": 50}, r"SinglePerspective\(player=None, resample=True\): "),
    "sliding_puzzle": ({"simulations": 200, "seed": 3}, r"\d+ moves: (up|down|left|right)"),
    "solve_position": ({}, "proven after"),
    "sweep_constant": ({"simulations": 5, "number_of_games": 4, "constants": (0.1, 2.0)}, "c = 2.0: "),
    "taxi": ({"simulations": 400}, r"drop off\nreturn \d+"),
    "tiny_tic_tac_toe": ({}, r"\[0.0, 0.0\]"),
    "whist_table": ({"simulations": 100}, r"player 3 lacks: \['C'\]"),
}

#: The same for examples that are folders, which write to one, with the packages that they need.
FOLDERS: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "alphazero": (
        ("jax", "optax", "matplotlib"),
        {
            "game": "connect_four",
            "iterations": 1,
            "games": 2,
            "simulations": 2,
            "gate_games": 2,
            "measured_simulations": 2,
            "uct_simulations": 5,
            "curve_games": 2,
            "final_games": 4,
        },
        r"iteration 1: \d+ positions, .*\n.* of the points in 4 games against UCT with 5 simulations",
    ),
}


def test_every_example_is_run() -> None:
    assert sorted(EXAMPLES) == sorted(path.stem for path in (REPOSITORY / "examples").glob("*.py"))
    assert sorted(FOLDERS) == sorted(path.parent.name for path in (REPOSITORY / "examples").glob("*/__main__.py"))


@pytest.mark.peer
@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", FOLDERS)
def test_folders_run(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    packages, arguments, printed = FOLDERS[name]
    for package in packages:
        pytest.importorskip(package)
    import_module(f"examples.{name}.__main__").main(out=tmp_path, **arguments)
    output = capsys.readouterr().out
    assert re.search(printed, output), output


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, printed = EXAMPLES[name]
    import_module(f"examples.{name}").main(**arguments)
    output = capsys.readouterr().out
    assert re.search(printed, output), output


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    ("name", "game", "options"),
    [("nim", "Nim", {}), ("dice_race", "DiceRace", {}), ("higher_card", "HigherCard", {"cards": 5, "hand_size": 2})],
)
def test_example_games_keep_to_the_contract(name: str, game: str, options: dict[str, int]) -> None:
    check_game(getattr(import_module(f"examples.{name}"), game)(**options), positions=200)
