"""A game with a mistake is refused in words before it is compiled, whoever searches it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmcts
from examples.nim import Nim
from fastmcts.engine import trial
from fastmcts.rng import below
from fastmcts.testing import perft
from tests.helpers.edited_game import GAME, HELPER, TABLES
from tests.helpers.faulty_games import FAULTS_SEEN, OutOfRange, Unsorted
from tests.subprocesses import run_python
from tests.toys import OneShot, ThreePlayers


class Beyond(Nim):
    def apply(self, state, action):
        state[7] = 1


class FarBeyond(Nim):
    def apply(self, state, action):
        state[100_000_000] = 1


class BeforeTheStart(Nim):
    def returns(self, state, out):
        out[-3] = 1.0


class FourthOfThree(ThreePlayers):
    def current_player(self, state):
        return state[1] + 1 if state[0] > 0 else fastmcts.TERMINAL


class Diced(Nim):
    """A die says how many stones there are."""

    num_chance_outcomes = 6

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        if state[1] == 0:
            return fastmcts.CHANCE
        return state[1] - 1 if state[0] > 0 else fastmcts.TERMINAL

    def chance_outcomes(self, state, actions, probabilities):
        for face in range(6):
            actions[face] = face
            probabilities[face] = 1 / 6
        return 6

    def apply(self, state, action):
        if state[1] == 0:
            state[0] = 1 + action
            state[1] = 1
        else:
            state[0] -= 1 + action
            state[1] = 3 - state[1]

    def returns(self, state, out):
        out[state[1] - 1] = -1.0
        out[2 - state[1]] = 1.0


class TooFewOutcomes(Diced):
    num_chance_outcomes = 2


class NoOutcomes(Diced):
    num_chance_outcomes = 0


class Unlisted(Nim):
    num_chance_outcomes = 2


class Loaded(Diced):
    def chance_outcomes(self, state, actions, probabilities):
        for face in range(6):
            actions[face] = face
            probabilities[face] = 0.5
        return 6


class TooRich(Nim):
    def returns(self, state, out):
        out[0] = 5.0
        out[1] = -5.0


class NotANumber(Nim):
    def returns(self, state, out):
        out[0] = 1.0
        out[1] = np.nan


class Unwritten(Nim):
    def legal_actions(self, state, actions):
        return 2


class Listing(Nim):
    def legal_actions(self, state, actions):  # pyright: ignore[reportIncompatibleMethodOverride]
        return [0, 1, 2]


class NoAnswer(Nim):
    def current_player(self, state):
        if state[0] > 0:
            return state[1]
        return None


class NewArray(Nim):
    def apply(self, state, action):
        after = state.copy()
        after[0] -= 1 + action
        return after


class ListOfUtilities(Nim):
    def returns(self, state, out):  # pyright: ignore[reportIncompatibleMethodOverride]
        return [1.0, -1.0]


class Lengthy(Nim):
    max_game_length = 5


class HalfHidden(Nim):
    def determinize(self, state, player, rng):
        state[0] = 3


class OtherWorld(Nim):
    def determinize(self, state, player, rng):
        state[0] = 1

    def observe(self, state, player, out):
        out[0] = 0
        out[1] = state[1]


class Illegal(Nim):
    def rollout_action(self, state, actions, rng):
        return below(rng, 20)


class Overrated(Nim):
    def evaluate(self, state, out):
        out[0] = 3.0
        out[1] = -3.0


class Misspelt(Nim):
    def apply(self, state, action):
        state[0] -= self.stonse  # pyright: ignore[reportAttributeAccessIssue]


class Overdrawn(Nim):
    def initial(self, state, rng):
        state[2] = 0


class Disliking(Nim):
    def prior(self, state, actions, count, out):
        for index in range(count):
            out[index] = -1.0


FAULTS: list[tuple[type[fastmcts.Game], str]] = [
    (Beyond, r"apply\(\d\) reads or writes past the end of an array: index 7 .* \(state_size is 2\)\n.*state\[7\] = 1"),
    (FarBeyond, r"apply\(\d\) reads or writes past the end of an array: index 100000000"),
    (BeforeTheStart, r"returns reads or writes past .* index -3 .*num_players is 2\)\n  test_trial.py, line \d+:  out"),
    (FourthOfThree, "current_player says 3, not 0 to 2, CHANCE or TERMINAL"),
    (TooFewOutcomes, "chance_outcomes reads or writes past the end .* num_chance_outcomes is 2"),
    (NoOutcomes, "current_player says CHANCE, but num_chance_outcomes is 0: declare"),
    (Unlisted, "num_chance_outcomes = 2, but no method chance_outcomes"),
    (Loaded, "the probabilities of chance_outcomes must be positive and sum to 1"),
    (TooRich, r"returns gives \[5.0, -5.0\], outside of -1.0 to 1.0"),
    (NotANumber, "returns leaves out player 1, or gives it NaN"),
    (Unsorted, r"legal_actions are not in ascending order without repetition: \[1, 0\]"),
    (OutOfRange, r"legal_actions are not all from 0 to 2: \[3\]"),
    (Unwritten, "legal_actions returns 2 without writing so many entries of `actions`"),
    (Listing, r"legal_actions returns the list \[0, 1, 2\], not how many actions it has written into `actions`"),
    (NoAnswer, "current_player returns None, not the player to move, .*; does it end without a return?"),
    (NewArray, r"apply returns the ndarray array.*; it must change `state` in place and return nothing"),
    (ListOfUtilities, r"returns returns the list \[1.0, -1.0\]; it must write each player's utility into `out`"),
    (Lengthy, "the game is longer than max_game_length = 5"),
    (HalfHidden, "must have both determinize and observe, or neither: observe is missing"),
    (OtherWorld, "player 0, to move, has other moves in a world it cannot tell apart"),
    (Illegal, r"rollout_action plays \d+, which is not legal; legal are"),
    (Overrated, "evaluate gives .*, outside of -1.0 to 1.0"),
    (
        Misspelt,
        r"apply\(\d\) raises AttributeError: .* 'stonse'.*\n  test_trial.py, line \d+:  state",
    ),
    (Overdrawn, r"initial reads or writes past the end of an array: index 2"),
    (Disliking, r"prior gives \[-1.0, -1.0, -1.0\]; every action needs a number of at least 0"),
]


def started(fault: type[fastmcts.Game]) -> fastmcts.State:
    game = fault()
    return game.new_state(np.array([4, 1] + [0] * (game.state_size - 2), np.int64))


@pytest.mark.parametrize(
    ("fault", "message"), [*FAULTS, *FAULTS_SEEN], ids=lambda value: getattr(value, "__name__", None)
)
def test_a_search_refuses_a_game_with_a_mistake_in_words(fault: type[fastmcts.Game], message: str) -> None:
    with pytest.raises(fastmcts.GameError, match=message) as caught:
        fastmcts.search(started(fault), simulations=10, strategy="plain")
    assert fault.__name__ in str(caught.value)


@pytest.mark.parametrize(
    "use",
    [
        lambda state: fastmcts.MCTS(state.game, simulations=10),
        lambda state: fastmcts.search_batch([state], simulations=10),
        lambda state: perft(state, depth=2),
    ],
    ids=["MCTS", "search_batch", "perft"],
)
def test_whatever_would_compile_a_game_tries_it_first(use: Callable[[fastmcts.State], Any]) -> None:
    with pytest.raises(fastmcts.GameError, match="reads or writes past the end of an array: index 7"):
        use(started(Beyond))


def test_a_game_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(trial, "PASSED", set())
    monkeypatch.setattr(trial, "is_remembered", lambda key: False)
    monkeypatch.setattr(trial, "remember", tried.append)
    for game in (Nim(), Nim(), Nim(stones=20), Nim()):
        trial.try_out(game)
    assert len(tried) == 2


@dataclass(frozen=True)
class Prized(OneShot):
    prize: float = 1.0

    def returns(self, state, out):
        out[0] = self.prize


def test_values_that_compile_to_the_same_code_are_tried_one_by_one() -> None:
    trial.try_out(Prized())
    with pytest.raises(fastmcts.GameError, match=r"returns gives \[5.0\], outside of"):
        trial.try_out(Prized(prize=5.0))


LIMIT = 7


@dataclass(frozen=True)
class Edited(Nim):
    """Who does not take the last stone gets LIMIT // 7 - 2."""

    def returns(self, state, out):
        out[state[1]] = LIMIT // 7 - 2
        out[1 - state[1]] = 2 - LIMIT // 7


def test_rules_that_are_edited_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trial.try_out(Edited())
    monkeypatch.setitem(globals(), "LIMIT", 70)
    with pytest.raises(fastmcts.GameError, match=r"returns gives .*, outside of"):
        trial.try_out(Edited())


TRY = """
import json, time
from fastmcts.engine import trial
from choice import Choice
played = []
play = trial.play_some_games
trial.play_some_games = lambda game: (played.append(1), play(game))
try:
    trial.try_out(Choice())
    print(json.dumps([len(played), None]))
except Exception as error:
    print(json.dumps([len(played), str(error)]))
"""


@pytest.mark.thorough
@pytest.mark.jit
def test_the_next_process_does_not_try_a_game_again_unless_it_was_edited(tmp_path: Path) -> None:
    for name, text in (("choice", GAME), ("helper", HELPER), ("tables", TABLES)):
        (tmp_path / f"{name}.py").write_text(text)
    assert [run_python(TRY, tmp_path) for _ in range(2)] == [[1, None], [0, None]]
    (tmp_path / "tables.py").write_text(TABLES.replace("0.0", "7.0"))
    for _ in range(2):  # what fails is not remembered
        tried, message = run_python(TRY, tmp_path)
        assert tried == 1
        assert message.startswith("Choice: returns gives")


@pytest.mark.jit
def test_where_nothing_can_be_written_a_game_is_tried_each_time(tmp_path: Path, monkeypatch: Any) -> None:
    blocked = tmp_path / "a file and no folder"
    blocked.write_text("")
    monkeypatch.setattr(trial, "folder", lambda: blocked / "tried_games")
    assert not trial.is_remembered("0123")
    trial.remember("0123")
    assert not trial.is_remembered("0123")


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_every_game_in_the_box_passes(name: str) -> None:
    trial.play_some_games(fastmcts.load_game(name))
