import io
import re
from collections.abc import Sequence

import pytest
from rich.console import Console

from fastmcts import Game, State, games
from fastmcts.experiments import Search
from fastmcts.view.assistant import Assistant, start_at_a_table
from fastmcts.view.screen import Screen
from tests.helpers.terminal import invoke

ADVISOR = Search(simulations=12, strategy="plain")


def advise(monkeypatch: pytest.MonkeyPatch, game: Game, player: int, lines: Sequence[str]) -> tuple[str, State]:
    """Tell what happens at a table; what was shown, and the last position."""
    output = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    screen = Screen(Console(file=output, highlight=False))
    assistant = Assistant(start_at_a_table(game, player, screen), ADVISOR, screen)
    assistant.run()
    return output.getvalue(), assistant.state


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("player", [0, 2])
def test_a_whole_deal_of_whist_is_followed_from_one_hand(
    monkeypatch: pytest.MonkeyPatch, seed: int, player: int
) -> None:
    game = games.Whist(hand_size=3, trump=1)
    real = game.new_initial_state(seed)
    lines = ["D", " ".join(real.hand(player)), "0"]  # pyright: ignore[reportAttributeAccessIssue]
    while not real.is_terminal():
        move = real.action_to_string(real.legal_actions()[0])
        lines.append(move.lower())
        real.apply_action(real.string_to_action(move))
    shown, state = advise(monkeypatch, games.Whist(hand_size=3), player, lines)
    assert state.is_terminal()
    assert state.returns() == real.returns()
    assert shown.count("advice: ") == 3
    assert "the game is over" in shown


@pytest.mark.slow_to_compile
def test_advice_is_what_a_search_of_the_real_position_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.OhHell(num_players=3, hand_size=4, dealer=2)
    real = game.new_initial_state(seed=5)
    turned = str(real).splitlines()[0].removeprefix("trump: ")
    shown, _ = advise(monkeypatch, game, 0, [" ".join(real.hand(0)), turned, "2"])  # pyright: ignore[reportAttributeAccessIssue]
    found = Search(simulations=12, strategy="plain").choose(real, seed=0)
    assert f"advice: {real.action_to_string(found)}\n" in shown


@pytest.mark.slow_to_compile
def test_what_cannot_be_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["x", "S", "AC AC 7S", "0", "AC 5D 7S", "0", "2C", "AC", "AC", "5D", "hint", "KC", "undo", "undo", "undo"]
    shown, _ = advise(monkeypatch, games.Whist(hand_size=3), 0, [*lines, "undo"])
    assert "'x' cannot be read: a trump suit is one of" in shown
    assert "that cannot be: a card is there twice" in shown
    assert "'2C' is not a legal move here" in shown
    assert "AC was played already" in shown
    assert "player 1 is to move: tell first what it plays" in shown
    assert "nothing was told yet" in shown


@pytest.mark.slow_to_compile
def test_an_empty_line_follows_the_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, state = advise(monkeypatch, games.Whist(hand_size=2), 0, ["none", "AC 5D", "", ""])
    advice = re.findall(r"advice: (\w\w)", shown)
    assert len(advice) == 1
    assert advice[0] not in state.hand(0)  # pyright: ignore[reportAttributeAccessIssue]
    assert "player 1 plays> " in shown


@pytest.mark.slow_to_compile
def test_a_showdown_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["Q", "pass", "moves", "pass", "help", "Q", "undo", "bet", "pass"]
    shown, state = advise(monkeypatch, games.KuhnPoker(), 1, lines)
    assert "what was shown> Q" in shown
    assert "other than Q" in shown
    assert state.is_terminal()
    assert state.returns() == [-1.0, 1.0]
    told, state = advise(monkeypatch, games.KuhnPoker(), 1, ["Q", "pass", "pass", "K"])
    assert state.returns() == [1.0, -1.0]
    assert "player 0 wins" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("connect_four", "--assist", "0"), "connect_four cannot be followed"),
        (("whist", "--assist", "4"), "--assist must be from 0 to 3, not 4"),
        (("whist", "--assist", "0", "--watch"), "do not go together"),
        (("whist", "--assist", "0", "--method", "PerfectInformation", "--reveal"), "looks at what whist hides"),
        (("whist", "--method", "PerfectInformation"), "looks at what whist hides"),
    ],
)
def test_bad_input_is_refused_in_words(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke("play", *arguments)
    assert code == 2
    assert message in output


def test_the_end_of_input_before_anything_is_told_is_no_mistake() -> None:
    code, output = invoke("play", "whist", "--assist", "0", typed="S\n")
    assert code == 0
    assert "nothing was told" in output
