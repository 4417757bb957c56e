import json

import pytest
from typer.testing import CliRunner

import fastmcts
from fastmcts.cli import app
from fastmcts.testing.strategies import searchable_games


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_games_lists_every_game_with_its_options() -> None:
    code, output = invoke("games")
    assert code == 0
    assert all(name in output for name in fastmcts.registered_games())
    assert "rows=6" in output


def test_search_draws_the_position_and_prints_table_and_speed() -> None:
    code, output = invoke("search", "tic_tac_toe", "--moves", "4,a1", "--simulations", "500")
    assert code == 0
    assert "1 O . ." in output
    assert "move" in output
    assert "best line:" in output
    assert "500 simulations in" in output
    assert "compiling or loading took" in output


def test_search_prints_json() -> None:
    code, output = invoke("search", "tic_tac_toe", "--simulations", "300", "--seed", "4", "--json")
    answer = json.loads(output)
    expected = fastmcts.search(fastmcts.load_game("tic_tac_toe").new_initial_state(), simulations=300, seed=4)
    assert code == 0
    assert answer["action"] == expected.action
    assert [move["visits"] for move in answer["moves"]] == expected.visits.tolist()
    assert answer["simulations"] == 300


def test_search_takes_seconds_and_options_of_the_game() -> None:
    code, output = invoke("search", "connect_four", "-o", "rows=4", "-o", "columns=5", "--seconds", "0.01", "--json")
    answer = json.loads(output)
    assert code == 0
    assert answer["game"] == "ConnectFour(rows=4, columns=5, connect=4)"
    assert len(answer["moves"]) == 5


def test_moves_are_read_as_they_are_printed() -> None:
    code, output = invoke("search", "pig", "--moves", "roll,6", "--simulations", "20", "--json")
    state = fastmcts.load_game("pig").new_initial_state()
    for move in ("roll", "6"):
        state.apply_action(state.string_to_action(move))
    assert code == 0
    assert json.loads(output)["state"] == state.array.tolist()


def test_a_finished_position_says_so() -> None:
    code, output = invoke("search", "tic_tac_toe", "--moves", "a1,b1,a2,b2,a3")
    assert code == 0
    assert "the game is over" in output
    assert "[1.0, -1.0]" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "chess"), "no game is called 'chess'"),
        (("search", "connect_four", "--moves", "9"), "move 1: action 9 is not legal"),
        (("search", "connect_four", "--moves", "d,x"), "move 2: 'x' is not a legal move"),
        (("search", "connect_four", "--simulations", "0"), "simulations must be from 1"),
        (("search", "connect_four", "-o", "rows"), "written name=value"),
        (("search", "connect_four", "-o", "height=3"), "has no option 'height'"),
    ],
)
def test_bad_input_is_refused_in_words_and_without_a_traceback(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke(*arguments)
    assert code == 2
    assert message in output
    assert "Traceback" not in output


@pytest.mark.jit
@pytest.mark.slow_to_compile
def test_warmup_compiles_every_game() -> None:
    code, output = invoke("warmup")
    assert code == 0
    assert all(f"{name}: " in output for name in searchable_games())


def test_help_teaches() -> None:
    code, output = invoke("search", "--help")
    assert code == 0
    assert "--simulations" in output
    assert "connect_four" in output
