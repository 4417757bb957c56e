"""check_game finds each fault, and says in words what it is."""

from dataclasses import dataclass

import pytest

import fastmcts
from examples.nim import Nim
from fastmcts.kernels.rng import below
from fastmcts.testing import check_game
from tests.toys import Shuffled, ThreePlayers, TwiceInARow


@pytest.mark.parametrize("game", [Nim(), TwiceInARow(), ThreePlayers(), Shuffled()], ids=lambda game: game.name)
def test_good_games_pass(game: fastmcts.Game) -> None:
    check_game(game, positions=200)


class Unsorted(Nim):
    def legal_actions(self, state, actions):
        actions[0] = 1
        actions[1] = 0
        return 2 if state[0] > 1 else 1


class Repeated(Nim):
    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 0
        return 2


class OutOfRange(Nim):
    def legal_actions(self, state, actions):
        actions[0] = 3
        return 1


class NoMoves(Nim):
    def legal_actions(self, state, actions):
        return 0


class Overflowing(Nim):
    def legal_actions(self, state, actions):
        for action in range(state[0]):
            actions[action] = action
        return state[0]


class StateChanging(Nim):
    def legal_actions(self, state, actions):
        state[1] = 0
        return super().legal_actions(state, actions)


class NoSuchPlayer(Nim):
    def current_player(self, state):
        return 2 if state[0] > 0 else fastmcts.TERMINAL


class TooRich(Nim):
    def returns(self, state, out):
        out[0] = 2.0
        out[1] = -2.0


class Forgetful(Nim):
    def returns(self, state, out):
        out[0] = 1.0


class Lengthy(Nim):
    max_game_length = 5


class Memorable(Nim):
    def apply(self, state, action):
        super().apply(state, action)
        CALLS.append(action)
        state[1] = len(CALLS) % 2


class Outside(Nim):
    def apply(self, state, action):
        state[2] = 1


class Unreadable(Nim):
    def action_to_string(self, state, action):
        return "take some"


class Moody(Nim):
    def initial(self, state, rng):
        CALLS.append(0)
        state[0] = 10 + len(CALLS) % 7


class Cheating(Nim):
    def rollout_action(self, state, actions, rng):
        return below(rng, 3)


class Picky(Nim):
    def check_state(self, state):
        if state[0] == 17:
            raise ValueError("no 17")


class HalfHidden(Nim):
    def determinize(self, state, player, rng):
        state[0] = 3


class Leaking(Nim):
    def determinize(self, state, player, rng):
        state[0] = 3

    def observe(self, state, player, out):
        out[0] = 0
        out[1] = state[1]


CALLS: list[int] = []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Unsorted, "legal_actions are not in ascending order"),
        (Repeated, "legal_actions are not in ascending order without repetition"),
        (OutOfRange, "legal_actions are not all from 0 to 2: \\[3\\]"),
        (NoMoves, "legal_actions returns 0 in an unfinished game; 1 to 3 can be"),
        (Overflowing, "legal_actions reads or writes past the end of an array"),
        (StateChanging, "legal_actions changes the position; only apply"),
        (NoSuchPlayer, "current_player says 2, not 0 to 1, CHANCE or TERMINAL"),
        (TooRich, "returns gives \\[2.0, -2.0\\], outside of -1.0 to 1.0"),
        (Forgetful, "returns leaves out player 1"),
        (Lengthy, "longer than max_game_length = 5"),
        (Memorable, "apply leads elsewhere when it is called again"),
        (Outside, "apply\\(\\d\\) reads or writes past the end"),
        (Unreadable, "action 1 is written 'take some', which string_to_action reads as 0"),
        (Moody, "initial gives another position each time"),
        (Cheating, "rollout_action plays \\d, which is not legal; legal are"),
        (Picky, "check_state refuses a position from a real game: no 17"),
        (HalfHidden, "must have both determinize and observe"),
        (Leaking, "has other moves in a world it cannot tell apart"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_a_fault_is_found_and_explained(fault: type[Nim], message: str) -> None:
    game = dataclass(frozen=True)(fault)()
    with pytest.raises(fastmcts.GameError, match=message) as caught:
        check_game(game, positions=300)
    assert fault.__name__ in str(caught.value)


@pytest.mark.jit
def test_rules_that_overflow_when_compiled_are_found() -> None:
    @dataclass(frozen=True)
    class Growing(Nim):
        def apply(self, state, action):
            wide = int(state[0]) << 62  # a Python integer when interpreted, int64 when compiled
            state[0] = max(0, state[0] - 1 - action) if wide > 0 else 0
            state[1] = 1 - state[1]

    with pytest.raises(fastmcts.GameError, match="does an integer overflow"):
        check_game(Growing(), positions=50)


@pytest.mark.jit
def test_compiled_rules_that_write_past_a_buffer_are_found() -> None:
    from fastmcts.testing import game_checks

    @dataclass(frozen=True)
    class Scribbling(Nim):
        def random_action(self, state, actions, rng):
            actions[3] = 7  # one past the end: an IndexError in Python, silent in compiled code
            return below(rng, min(3, state[0]))

    with pytest.raises(fastmcts.GameError, match="the compiled rules write past the end of the buffer for actions"):
        game_checks.check_compiled(Scribbling(), seed=0)
