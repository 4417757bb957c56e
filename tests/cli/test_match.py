import json
from pathlib import Path

import pytest

from tests.helpers.own_game import own_game
from tests.helpers.terminal import invoke


def test_a_match_prints_score_interval_draws_length_and_seconds() -> None:
    code, output = invoke("match", "tic_tac_toe", "mcts(simulations=30)", "random", "--games", "10")
    assert code == 0
    assert "first:  mcts(simulations=30)" in output
    assert "score of the first: " in output
    assert "games drawn" in output
    assert "moves a game; seconds a move: " in output
    assert "-0.0%" not in output


def test_a_match_prints_json_and_the_seed_decides() -> None:
    def play(seed: str) -> dict:
        code, output = invoke("match", "tic_tac_toe", "random", "Random()", "--games", "20", "--seed", seed, "--json")
        assert code == 0
        return {**json.loads(output), "seconds_per_move": None}

    answer = play("5")
    assert answer == play("5")
    assert answer != play("6")
    assert (answer["games"], answer["first"], answer["interrupted"]) == (20, "random", False)
    assert answer["interval"][0] < answer["score"] < answer["interval"][1]


@pytest.mark.slow_to_compile
def test_agents_that_name_no_budget_get_the_one_of_the_command() -> None:
    code, output = invoke("match", "tic_tac_toe", "mcts", "MCTS(solver=True)", "--simulations", "7", "--games", "2")
    assert code == 0
    assert "first:  mcts(simulations=7)" in output
    assert "second: mcts(simulations=7, solver=True)" in output
    assert "one pair has no interval" in output


@pytest.mark.slow_to_compile
def test_deals_are_counted_where_cards_are_dealt() -> None:
    code, output = invoke("match", "oh_hell", "greedy", "random", "-o", "hand_size=3", "--games", "20")
    assert code == 0
    assert "of 10 deals drawn" in output
    assert "margin: " in output


@pytest.mark.slow_to_compile
def test_a_game_and_a_rule_of_ones_own(tmp_path: Path) -> None:
    path = own_game(tmp_path, "matched_nim.py")
    code, output = invoke(
        "match", f"{path}:MyNim", "mcts(simulations=9, selection=Careful())", "random", "--games", "4"
    )
    assert code == 0
    assert "MyNim(stones=5): 4 games" in output


def test_a_match_ends_when_it_is_decided() -> None:
    agents = ("mcts(simulations=60)", "random")
    code, output = invoke("match", "tic_tac_toe", *agents, "--games", "2000", "--sprt", "0", "100", "--json")
    assert code == 0
    answer = json.loads(output)
    assert answer["verdict"] == "better"
    assert answer["games"] < 500


def test_an_agent_of_ones_own_plays(tmp_path: Path) -> None:
    (tmp_path / "matched_bots.py").write_text(
        "class First:\n    def choose(self, state): return state.legal_actions()[0]\n"
        "    def __repr__(self): return 'First()'\n"
    )
    code, output = invoke("match", "tic_tac_toe", f"{tmp_path / 'matched_bots.py'}:First", "random", "--games", "4")
    assert code == 0
    assert "first:  First()" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tic_tac_toe", "mcts", "random", "--sprt", "5", "0"), "elo0 must be below elo1"),
        (("tic_tac_toe", "mcts", "nobody"), "'nobody' is no agent"),
        (("tic_tac_toe", "mcts(simulations=0)", "random"), "simulations must be from 1"),
        (("tic_tac_toe", "greedy", "random"), "tic_tac_toe has none"),
        (("tic_tac_toe", "random", "random", "--games", "0"), "games must be at least 1"),
        (("tic_tac_toe", "random", "random", "--opening-moves", "20"), "always over after 20"),
        (("nowhere.py:Game", "random", "random"), "there is no file"),
    ],
)
def test_bad_input_is_refused_in_words_and_without_a_traceback(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke("match", *arguments)
    assert code == 2
    assert message in output
    assert "Traceback" not in output
