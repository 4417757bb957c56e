import io
import re
from collections.abc import Sequence

import pytest
from rich.console import Console

import fastmcts
from fastmcts import Game, State, games
from fastmcts.experiments import Agent, Random, Search
from fastmcts.view.screen import Screen
from fastmcts.view.session import Session, outcome_text

ENGINE = Search(simulations=12, strategy="plain")


def converse(
    monkeypatch: pytest.MonkeyPatch,
    game: Game,
    lines: Sequence[str],
    agents: Sequence[Agent | None] = (None, ENGINE),
    **options,
) -> tuple[str, State]:
    """Type lines into a game; what was shown, and the last position."""
    output = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    screen = Screen(Console(file=output, highlight=False))
    session = Session(game, agents, ENGINE, screen, **options)
    session.run()
    return output.getvalue(), session.state


def test_a_game_is_played_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, state = converse(monkeypatch, games.TicTacToe(), ["a1", "b1", "a2", "b2", "a3"], (None, None))
    assert state.is_terminal()
    assert "the game is over: player 0 wins" in shown
    assert "moves: a1,b1,a2,b2,a3 (seed 0)" in shown
    assert "\x1b" not in shown


def test_what_is_typed_is_shown_after_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(monkeypatch, games.TicTacToe(), ["a1", "quit"])
    assert "your move> a1\n" in shown
    assert re.search(r"player 1: [abc][123]  \(expects \d+%; 12 simulations in", shown)
    assert "the game ends here" in shown


def test_the_end_of_input_ends_the_game_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, state = converse(monkeypatch, games.TicTacToe(), ["a1"])
    assert "end of input: the game ends here" in shown
    assert not state.is_terminal()


def test_moves_are_read_in_any_case_and_mistakes_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, state = converse(monkeypatch, games.SOS(rows=3, columns=3), ["A1s", "z9", "", "a2SS"], (None, None))
    assert state.array.any()
    assert "'z9' is neither a legal move nor a command" in shown
    assert "did you mean a2S" in shown
    assert "player 1> " in shown


def test_undo_goes_back_to_the_last_own_move_and_further(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.TicTacToe()
    shown, state = converse(monkeypatch, game, ["a1", "undo", "undo", "b2", "hint", "undo", "quit"])
    assert state == game.new_initial_state(seed=0)
    assert "no move of yours to take back" in shown


def test_dice_fall_as_before_after_undo(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(
        monkeypatch, games.Pig(), ["roll", "undo", "roll", "undo", "roll", "quit"], (None, None), seed=2
    )
    rolls = re.findall(r"chance: (\d)", shown)
    assert len(rolls) == 3
    assert len(set(rolls)) == 1


def test_hint_and_table_agree_until_a_move_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(monkeypatch, games.TicTacToe(), ["hint", "table", "quit"])
    hint = re.search(r"hint: (\w\d) \(expects", shown)
    first = re.search(r"move +visits +share +value\n(\w\d)", shown)
    assert hint
    assert first
    assert hint[1] == first[1]
    assert "strategy: " in shown


def test_the_level_changes_how_much_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(monkeypatch, games.TicTacToe(), ["level", "level 1,7", "a1", "level 0", "level x", "quit"])
    assert "player 1: mcts(simulations=12, strategy='plain')" in shown
    assert "hints: mcts(simulations=17, strategy='plain')" in shown
    assert "17 simulations in" in shown
    assert shown.count("a level is a number of simulations") == 2


def test_moves_and_help_list_what_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(monkeypatch, games.TicTacToe(), ["b2", "moves", "help", "/HELP", "quit"], (None, None))
    assert "a1, b1, c1, a2, c2, a3, b3, c3" in shown
    assert shown.count("take back your last move") == 2


def test_a_move_that_is_called_like_a_command_is_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    class Named(type(games.TicTacToe())):
        def action_to_string(self, state, action: int) -> str:
            return "hint" if action == 0 else "quit" if action == 1 else str(action)

        def string_to_action(self, state, text: str) -> int:
            return fastmcts.Game.string_to_action(self, state, text)

    shown, state = converse(monkeypatch, Named(), ["hint", "quit", "/quit"], (None, None))
    assert state.legal_actions() == [2, 3, 4, 5, 6, 7, 8]
    assert "the game ends here" in shown


def test_agents_alone_are_watched_a_line_for_each_move(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, state = converse(monkeypatch, games.TicTacToe(), [], (ENGINE, Random()), seed=3)
    assert state.is_terminal()
    lines = [line for line in shown.splitlines() if re.fullmatch(r"player [01]: [abc][123]", line)]
    assert len(lines) == len(re.findall(r"[abc][123]", shown.split("moves: ")[1]))


@pytest.mark.slow_to_compile
def test_the_same_seed_plays_the_same_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(seed: int) -> str:
        shown, _ = converse(monkeypatch, games.Pig(target=20), [], (ENGINE, ENGINE), seed=seed)
        return shown.split("moves: ")[1]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


def test_ctrl_c_ends_a_game_in_which_agents_play(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting(Random):
        def choose(self, state: State, seed: int = 0) -> int:
            raise KeyboardInterrupt

    shown, _ = converse(monkeypatch, games.TicTacToe(), ["a1"], (None, Interrupting()))
    assert "the game ends here" in shown
    assert "Traceback" not in shown


def test_who_has_won_is_told_in_words() -> None:
    def end(game: Game, *moves: str) -> str:
        state = game.new_initial_state(seed=0)
        for move in moves:
            state.apply_action(state.string_to_action(move))
        return outcome_text(state)

    assert end(games.TicTacToe(), "a1", "b1", "a2", "b2", "a3") == "the game is over: player 0 wins"
    assert end(games.TicTacToe(), "a1", "b1", "c1", "b2", "a2", "c2", "b3", "a3", "c3") == "the game is over: a draw"


# ---- Hidden information


def hand_of(state: State, player: int) -> list[str]:
    return state.hand(player)  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.slow_to_compile
def test_only_the_cards_of_the_person_at_the_screen_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.Whist(hand_size=5)
    start = game.new_initial_state(seed=4)
    shown, _ = converse(monkeypatch, game, ["table", "hint", "moves"], (None, ENGINE, ENGINE, ENGINE), seed=4)
    assert all(card in shown for card in hand_of(start, 0))
    for player in (1, 2, 3):
        assert not any(card in shown for card in hand_of(start, player))


def test_of_two_people_each_sees_its_own_cards_when_it_is_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.OhHell(num_players=2, hand_size=5, dealer=1)
    start = game.new_initial_state(seed=4)
    first, _ = converse(monkeypatch, game, [], (None, None), seed=4)
    both, _ = converse(monkeypatch, game, ["1"], (None, None), seed=4)
    second = both.removeprefix(first.partition("player 0> ")[0])
    for shown, mine, other in ((first, 0, 1), (second, 1, 0)):
        assert all(card in shown for card in hand_of(start, mine))
        assert not any(card in shown for card in hand_of(start, other))


@pytest.mark.slow_to_compile
def test_the_engine_does_not_tell_what_it_thinks_of_its_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(monkeypatch, games.KuhnPoker(), ["pass"], seed=1)
    assert "player 1: " in shown
    assert "expects" not in shown


def test_reveal_shows_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.Whist(hand_size=5)
    start = game.new_initial_state(seed=4)
    shown, _ = converse(monkeypatch, game, [], (None, ENGINE, ENGINE, ENGINE), seed=4, reveal=True)
    for player in range(4):
        assert all(card in shown for card in hand_of(start, player))


def test_an_unfinished_game_with_hidden_cards_does_not_list_its_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = converse(monkeypatch, games.KuhnPoker(), ["quit"], (None, None))
    assert "moves:" not in shown
