"""check_game finds out what is wrong with what a network sees."""

from dataclasses import dataclass

import pytest

import fastmcts
from fastmcts import games
from fastmcts.testing import check_game
from fastmcts.testing.observation_checks import check_compiled_observation
from tests.helpers.faulty_games import FAULTS_SEEN, Seen
from tests.toys import Coin


@dataclass(frozen=True)
class SeenCoin(Coin):
    """Each player is shown what it knows."""

    observation_shape = (2, 2)

    def observation(self, state, player, out):
        out[0] = state[0]
        out[1] = state[1] if player == 1 else -1
        out[2] = state[2]
        out[3] = state[3]


@dataclass(frozen=True)
class Unscaled(Seen):
    def observation(self, state, player, out):
        out[1] = 100 * state[0] if player == 1 else 0.0


@dataclass(frozen=True)
class Blurred(Seen):
    def observation(self, state, player, out):
        out[0] = state[0] // 2
        out[1] = 1.0 if state[1] == player else 0.0


@dataclass(frozen=True)
class Peeping(games.KuhnPoker):
    """Whether the other's card is known is the same in all worlds, but not on a view."""

    observation_shape = (2,)

    def observation(self, state, player, out):
        out[0] = 1.0 if state[3 - player] == -1 else 0.5


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("game", [Seen(), SeenCoin()], ids=lambda game: game.name)
def test_games_that_are_rightly_shown_pass(game: fastmcts.Game) -> None:
    check_game(game, positions=100)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        *FAULTS_SEEN,
        (
            Unscaled,
            r"observation writes 2100 into entry \[1\], beyond -1000 to 1000: networks learn from numbers near 1",
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_a_fault_is_found_and_explained(fault: type[fastmcts.Game], message: str) -> None:
    with pytest.raises(fastmcts.GameError, match=message) as caught:
        check_game(fault(), positions=300)
    assert fault.__name__ in str(caught.value)


@pytest.mark.slow_to_compile
def test_two_positions_that_look_the_same_are_named_and_not_refused() -> None:
    with pytest.warns(
        UserWarning, match=r"Blurred: a network sees the same in two positions that player 0 can tell"
    ) as caught:
        check_game(Blurred(), positions=100)
    assert "entry 0 of what it knows is another" in str(caught[0].message)
    assert str(caught[0].message).count("from new_initial_state") == 2
    assert caught[0].filename == __file__


@pytest.mark.jit
def test_a_compiled_observation_that_writes_past_the_end_is_found() -> None:
    @dataclass(frozen=True)
    class Scribbling(Seen):
        def observation(self, state, player, out):
            out[2] = 7.0  # one past the end: an IndexError in Python, silent in compiled code

    with pytest.raises(fastmcts.GameError, match=r"writes past the end of `out`, of observation_shape \(2,\)"):
        check_compiled_observation(Scribbling(), seed=0)


@pytest.mark.jit
def test_a_compiled_observation_that_is_another_is_found() -> None:
    @dataclass(frozen=True)
    class Wide(Seen):
        def observation(self, state, player, out):
            wide = int(state[0]) << 62  # a Python integer when interpreted, int64 when compiled
            out[1] = 1.0 if wide > 0 else 0.0

    with pytest.raises(fastmcts.GameError, match=r"shows player 0:\n  entry \[1\] is 0 here and 1 in plain Python"):
        check_compiled_observation(Wide(), seed=0)
