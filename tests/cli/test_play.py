import json
import re
from pathlib import Path

import pytest

import fastmcts
from tests.helpers.own_game import own_game
from tests.helpers.terminal import Terminal, invoke, terminals

LITTLE = ("--simulations", "8", "--seed", "3")


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_every_game_can_be_played(name: str) -> None:
    code, output = invoke("play", name, *LITTLE, typed="moves\nhint\n")
    assert code == 0
    assert f"{name}, move" in output
    assert "end of input" in output
    hint = re.findall(r"hint: ([^(\n]+)", output)[-1].strip()
    code, output = invoke("play", name, *LITTLE, typed=f"{hint}\ntable\nundo\n{hint}\nmoves\nquit\n")
    assert code == 0
    assert output.count(f"your move> {hint}") == 2 or "the game is over" in output


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_every_game_can_be_watched_for_a_while(name: str) -> None:
    options = {"klondike": ("-o", "idle_limit=3"), "twenty48": ("-o", "max_tile=8"), "pig": ("-o", "target=10")}
    code, output = invoke("play", name, "--players", "random", *options.get(name, ()), *LITTLE)
    assert code == 0
    assert "the game is over" in output


def test_the_game_ends_when_it_is_over() -> None:
    code, output = invoke("play", "tic_tac_toe", "--players", "human,human", typed="a1\nb1\na2\nb2\na3\nc3\n")
    assert code == 0
    assert "player 0 wins" in output
    assert "'c3'" not in output


@pytest.mark.slow_to_compile
def test_players_take_the_seats_in_order_and_the_last_one_those_that_are_left() -> None:
    code, output = invoke(
        "play",
        "pig",
        "-o",
        "num_players=3",
        "-o",
        "target=30",
        "--players",
        "mcts(simulations=5, strategy='plain'), random",
        "--seed",
        "1",
    )
    assert code == 0
    assert {"player 0", "player 1", "player 2"} <= set(re.findall(r"player \d", output))


@pytest.mark.slow_to_compile
def test_watching_prints_the_commands() -> None:
    code, output = invoke("play", "twenty48", "-o", "max_tile=8", "--watch", *LITTLE)
    moves = [line for line in output.splitlines() if line in ("up", "down", "left", "right")]
    assert code == 0
    assert len(moves) >= 2
    assert "the game is over: score" in output


@pytest.mark.slow_to_compile
def test_odds_are_told_with_their_interval() -> None:
    code, output = invoke("play", "twenty48", "-o", "max_tile=8", "--odds", "4", *LITTLE)
    assert code == 0
    assert re.search(r"mean score [\d.]+ \([\d.]+ to [\d.]+\) in 4 deals; .* s a deal \(seed 3\)", output)
    code, output = invoke("play", "twenty48", "-o", "max_tile=8", "--odds", "4", *LITTLE, "--json")
    answer = json.loads(output)
    assert (answer["deals"], answer["seed"]) == (4, 3)
    assert answer["interval"][0] <= answer["mean"] <= answer["interval"][1]


@pytest.mark.slow_to_compile
def test_odds_of_klondike_are_wins() -> None:
    code, output = invoke("play", "klondike", "-o", "idle_limit=2", "--odds", "2", "--simulations", "2")
    assert code == 0
    assert re.search(r"won [012] of 2: [\d.]+% \([\d.]+% to [\d.]+%\)", output)


@pytest.mark.slow_to_compile
def test_strategies_are_read_for_hints_and_the_engine() -> None:
    options = ("--selection", "UCB1(c=0.3)", "--expansion", "ExpandAll()", "--rollout", "MAST", "--final", "value")
    code, output = invoke("play", "tic_tac_toe", *options, *LITTLE, typed="level\ntable\n")
    assert code == 0
    assert "player 1: mcts(simulations=8, selection=UCB1(c=0.3), expansion=ExpandAll(), rollout=MAST()" in output
    assert "strategy: UCB1(c=0.3), ExpandAll(), MAST()" in output


def test_a_game_of_ones_own_can_be_played(tmp_path: Path) -> None:
    path = own_game(tmp_path, "played_nim.py")
    code, output = invoke("play", f"{path}:MyNim", "-o", "stones=3", "--players", "human,random", typed="1\n0\n0\n")
    assert code == 0
    assert "MyNim, move 1" in output
    assert "the game is over" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess",), "no game is called 'chess'"),
        (("tic_tac_toe", "--players", "human,robot"), "'robot' is no agent"),
        (("tic_tac_toe", "--players", "human,random,random"), "has 2 player(s): leave random out"),
        (("tic_tac_toe", "--players", ","), "names nobody"),
        (("tic_tac_toe", "--players", "human,greedy"), "tic_tac_toe has none"),
        (("tic_tac_toe", "--selection", "UCB2"), "no component is called 'UCB2'"),
        (("tic_tac_toe", "--selection", "Lazy"), "selection must be a Selection"),
        (("tic_tac_toe", "--method", "PIMC()"), "nothing is hidden"),
        (("tic_tac_toe", "--simulations", "0"), "simulations must be from 1"),
        (("tic_tac_toe", "--odds", "5"), "--odds is for games for one"),
        (("klondike", "--odds", "0"), "deals must be at least 1"),
        (("klondike", "--odds", "5", "--watch"), "--watch and --odds do not go together"),
        (("klondike", "--watch", "--players", "random"), "do not go together"),
        (("klondike", "--json"), "--json goes with --odds"),
    ],
)
def test_bad_input_is_refused_in_words_and_without_a_traceback(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke("play", *arguments)
    assert code == 2
    assert message in output
    assert "Traceback" not in output


# ---- A real terminal


@terminals
def test_on_a_terminal_the_tab_key_completes_moves_and_the_board_is_framed() -> None:
    terminal = Terminal("play", "pig", "--players", "human,human", "--seed", "1")
    terminal.wait_for("player 0> ")
    terminal.type("ro\t\n")
    shown = terminal.wait_for("chance: ")
    assert "╭" in shown
    assert "\x1b[" in shown
    assert "roll" in shown
    terminal.type("qu\t\n")
    terminal.wait_for("the game ends here")
    assert terminal.finish() == 0


@pytest.mark.jit
@terminals
def test_ctrl_c_makes_the_engine_move_and_at_the_prompt_ends_the_game() -> None:
    invoke("search", "tic_tac_toe", "--simulations", "10")  # compiles
    terminal = Terminal("play", "tic_tac_toe", "--seconds", "100", "--seed", "1", jit=True)
    terminal.wait_for("your move> ")
    terminal.type("b2\n")
    terminal.wait_for("best so far")
    terminal.type("\x03")
    shown = terminal.wait_for("player 1: ")
    assert "what was found so far:" in shown
    assert "best line:" in shown
    terminal.wait_for("your move> ")
    terminal.interrupt("the game ends here")
    assert terminal.finish() == 0


@terminals
def test_people_with_hidden_cards_take_turns_at_the_screen() -> None:
    terminal = Terminal("play", "kuhn_poker", "--players", "human,human", "--seed", "1")
    terminal.wait_for("player 0, press Enter")
    assert "kuhn_poker, move" not in terminal.shown
    terminal.type("\n")
    terminal.wait_for("player 0> ")
    terminal.type("pass\n")
    terminal.wait_for("player 1, press Enter")
    terminal.type("\n")
    shown = terminal.wait_for("player 1> ").partition("player 1, press Enter")[2]
    assert "player 0: pass" in shown
    terminal.type("quit\n")
    assert terminal.finish() == 0
