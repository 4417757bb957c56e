import json
from pathlib import Path

import pytest

import fastmcts
from fastmcts import games
from tests.helpers.own_game import own_game
from tests.helpers.terminal import Terminal, invoke, terminals


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


def test_help_teaches() -> None:
    code, output = invoke("search", "--help")
    assert code == 0
    assert "--simulations" in output
    assert "connect_four" in output


@pytest.mark.slow_to_compile
def test_strategies_are_read_from_text() -> None:
    code, output = invoke(
        "search",
        "sos",
        "-o",
        "rows=3",
        "-o",
        "columns=3",
        "--simulations",
        "40",
        "--json",
        "--selection",
        "UCB1(c=1.4)",
        "--expansion",
        "Prioritized(value=0.8)",
        "--rollout",
        "RandomRollout(max_length=4)",
        "--final",
        "lcb",
    )
    answer = json.loads(output)
    assert code == 0
    assert answer["strategy"].startswith("UCB1(), Prioritized(), RandomRollout(max_length=4), PerfectInformation()")
    game = games.SOS(rows=3, columns=3)
    options = {"selection": fastmcts.UCB1(), "expansion": fastmcts.Prioritized(), "final": "lcb"}
    rollout = fastmcts.RandomRollout(max_length=4)
    expected = fastmcts.search(game.new_initial_state(seed=0), simulations=40, seed=0, rollout=rollout, **options)
    assert [move["visits"] for move in answer["moves"]] == expected.visits.tolist()


@pytest.mark.slow_to_compile
def test_the_solver_and_the_plain_strategy_are_asked_for() -> None:
    code, output = invoke(
        "search", "tic_tac_toe", "--moves", "a1,b1,a2,b2", "--solver", "--strategy", "plain", "--json"
    )
    answer = json.loads(output)
    assert code == 0
    assert (answer["move"], answer["stopped_by"]) == ("a3", "proven")
    assert "solver=True" in answer["strategy"]
    assert answer["proven_value"] == 1.0
    assert {move["move"]: move["proven"] for move in answer["moves"]}[answer["move"]] == 1.0


@pytest.mark.slow_to_compile
def test_2048_starts_with_tiles_that_the_seed_decides() -> None:
    code, output = invoke("search", "twenty48", "-o", "max_tile=8", "--simulations", "20", "--seed", "2", "--json")
    state = games.Twenty48(max_tile=8).new_initial_state(2, draw_chance=True)
    assert code == 0
    assert json.loads(output)["state"] == state.array.tolist()


DEEP = """
from dataclasses import dataclass
from tests.toys import TwiceInARow

@dataclass(frozen=True)
class Deep(TwiceInARow):
    place: int = 7
    start: int = 15
    def apply(self, state, action):
        state[0] += action
        state[1] += 1
        if state[0] >= self.start:
            state[self.place] = 1
"""


@pytest.mark.slow_to_compile
def test_a_search_can_be_checked(tmp_path: Path) -> None:
    (tmp_path / "deep_toy.py").write_text(DEEP)
    code, output = invoke("search", f"{tmp_path / 'deep_toy.py'}:Deep", "--checked", "--simulations", "20000")
    assert code == 2
    assert "past the end of an array: index 7 is out of bounds" in output
    assert "deep_toy.py, line 13:  state[self.place] = 1" in output


def test_a_game_with_a_mistake_is_refused_in_words_by_every_command(tmp_path: Path) -> None:
    path = tmp_path / "wrong_toy.py"
    path.write_text(DEEP.replace("start: int = 15", "start: int = 0"))
    for verb, *players in (["search"], ["match", "random", "random"], ["play"]):
        code, output = invoke(verb, f"{path}:Deep", *players)
        assert code == 2
        assert "error: Deep: apply(" in output
        assert "reads or writes past the end of an array: index 7" in output


@pytest.mark.slow_to_compile
def test_a_game_and_a_rule_of_ones_own(tmp_path: Path) -> None:
    path = own_game(tmp_path, "searched_nim.py")
    code, output = invoke(
        "search", f"{path}:MyNim", "-o", "stones=4", "--selection", "Careful(c=0.2)", "--simulations", "50", "--json"
    )
    answer = json.loads(output)
    assert code == 0
    assert answer["game"] == "MyNim(stones=4)"
    assert answer["move"] == "0"
    assert answer["strategy"].startswith("Careful(c=0.2)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--selection", "UCB9"), "no component is called 'UCB9'"),
        (("--selection", "__import__('os')"), "no component is called '__import__'"),
        (("--selection", "Lazy()"), "selection must be a Selection"),
        (("--strategy", "best"), "strategy must be one of recommended, plain, not 'best'"),
        (("--final", "first"), "final must be one of"),
        (("--method", "PIMC"), "nothing is hidden"),
        (("--expansion", "Prioritized"), "does not have it: use Lazy"),
    ],
)
def test_a_bad_strategy_is_refused_in_words(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke("search", "tic_tac_toe", *arguments)
    assert code == 2
    assert message in output


# ---- Hidden information


@pytest.mark.slow_to_compile
def test_hidden_cards_are_shown_only_if_asked_for() -> None:
    state = games.Whist(hand_size=5).new_initial_state(seed=4)
    arguments = ("search", "whist", "-o", "hand_size=5", "--seed", "4", "--simulations", "30")
    hidden = [card for player in (1, 2, 3) for card in state.hand(player)]  # pyright: ignore[reportAttributeAccessIssue]
    _, shown = invoke(*arguments)
    table = shown.partition("best line:")[0]
    assert all(card in table for card in state.hand(0))  # pyright: ignore[reportAttributeAccessIssue]
    assert not any(card in table for card in hidden)
    _, revealed = invoke(*arguments, "--reveal")
    assert all(card in revealed for card in hidden)


@pytest.mark.slow_to_compile
def test_json_has_the_position_as_the_player_to_move_knows_it() -> None:
    state = games.KuhnPoker().new_initial_state(seed=1)
    _, output = invoke("search", "kuhn_poker", "--seed", "1", "--simulations", "20", "--json")
    assert json.loads(output)["state"] == state.view(0).array.tolist()
    _, output = invoke("search", "kuhn_poker", "--seed", "1", "--simulations", "20", "--json", "--reveal")
    assert json.loads(output)["state"] == state.array.tolist()


@pytest.mark.slow_to_compile
def test_open_cards_are_searched_only_if_they_may_be_seen() -> None:
    arguments = ("search", "kuhn_poker", "--method", "PerfectInformation()", "--simulations", "20")
    code, output = invoke(*arguments)
    assert code == 2
    assert "add --reveal" in output
    assert invoke(*arguments, "--reveal")[0] == 0


@pytest.mark.jit
@terminals
def test_ctrl_c_shows_what_was_found_so_far() -> None:
    invoke("search", "tic_tac_toe", "--simulations", "10")  # compiles
    terminal = Terminal("search", "tic_tac_toe", "--seconds", "100", jit=True)
    terminal.wait_for(" simulations, ")
    terminal.type("\x03")
    shown = terminal.wait_for("(interrupted)")
    assert "best line:" in shown
    assert terminal.finish() == 0
