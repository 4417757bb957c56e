"""check_game finds what is wrong with a game's views, and says it in words."""

from dataclasses import dataclass

import pytest

import fastmcts
from examples.nim import Nim
from fastmcts.rng import below
from fastmcts.testing import check_game
from tests.toys import COIN, WORD, Coin, Peek

UNKNOWN = -1


@dataclass(frozen=True)
class Shown(Coin):
    """The coin is shown to player 0, who does not see it, at the end; player 1 may not repeat the first word."""

    def legal_actions(self, state, actions) -> int:
        if state[0] == 1:
            actions[0] = 1 - state[WORD]
            return 1
        actions[0] = 0
        actions[1] = 1
        return 2

    def determinize(self, state, player, rng):
        if player == 0 and state[0] < 2:
            state[COIN] = below(rng, 2)

    def observe(self, state, player, out):
        for index in range(self.state_size):
            out[index] = state[index]
        if player == 0 and state[0] < 2:
            out[COIN] = UNKNOWN

    def possible_actions(self, state, player, actions) -> int:
        return self.legal_actions(state, actions)

    def awaited(self, state, player, places):
        places[0] = COIN
        return int(state[0] == 2 and state[COIN] == UNKNOWN)

    def check_state(self, state):
        if state[COIN] not in (0, 1):
            raise ValueError(f"a coin is 0 or 1, not {state[COIN]}")
        if state[0] == 2 and state[WORD] == state[WORD + 1]:
            raise ValueError("the word was repeated")


def test_a_game_with_views_passes():
    check_game(Shown(), positions=200)


def test_what_was_shown_is_told_and_checked():
    view = Shown().new_initial_state(0).view(0).child(0).child(1)
    with pytest.raises(ValueError, match=r"tell first what was shown: state.reveal\(...\)"):
        view.legal_actions()
    with pytest.raises(ValueError, match="a coin is 0 or 1, not 5"):
        view.reveal("5")
    with pytest.raises(ValueError, match="told in whole numbers, not 'heads'"):
        view.reveal("heads")
    view.reveal("1")
    assert view.returns() == [-1.0, 1.0]


class NothingHidden(Nim):
    def possible_actions(self, state, player, actions) -> int:
        return self.legal_actions(state, actions)


class WithoutPossible(Coin):
    def awaited(self, state, player, places):
        return 0


class Secretive(Peek):
    def possible_actions(self, state, player, actions) -> int:
        return self.legal_actions(state, actions)


class Shifting(Shown):
    """Counts how often it was looked at."""

    state_size = 5

    def observe(self, state, player, out):
        super().observe(state, player, out)
        out[4] = state[4] + 1


class ReadsHidden(Shown):
    """Draws only where it sees that there is something to draw."""

    def determinize(self, state, player, rng):
        if state[COIN] != UNKNOWN:
            super().determinize(state, player, rng)


class TooFew(Shown):
    def possible_actions(self, state, player, actions) -> int:
        return self.legal_actions(state, actions) if state[0] == player else 0


class TooMany(Shown):
    num_actions = 3

    def possible_actions(self, state, player, actions) -> int:
        for action in range(3):
            actions[action] = action
        return self.legal_actions(state, actions) if state[0] == player else 3

    def check_state(self, state):
        super().check_state(state)
        if state[WORD] == 2:
            raise ValueError("there is no word 2")


class OwnTurn(Shown):
    def possible_actions(self, state, player, actions) -> int:
        actions[0] = 0
        actions[1] = 1
        return 2


class NotAsked(Shown):
    def awaited(self, state, player, places):
        return 0


class Hasty(Shown):
    """Asks for the coin all the time."""

    def awaited(self, state, player, places):
        places[0] = COIN
        return int(state[COIN] == UNKNOWN)


class Stubborn(Shown):
    def reveal(self, state, player, facts):
        raise ValueError("I do not believe it")


class Misread(Shown):
    def string_to_fact(self, text):
        return 1 - int(text)


class Silent(Shown):
    """Never shows the coin."""

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = below(rng, 2)

    def observe(self, state, player, out):
        super().observe(state, player, out)
        if player == 0:
            out[COIN] = UNKNOWN

    def awaited(self, state, player, places):
        return 0


class Boasting(Shown):
    def reveals(self, state, action):
        return state[0] == 1


class Jumping(Shown):
    def current_player(self, state):
        return super().current_player(state) if state[COIN] != UNKNOWN else 1


class Unreadable(Shown):
    def string_to_possible_action(self, state, player, text):
        return 1 - int(text)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (NothingHidden, "hides nothing, so that it needs no possible_actions"),
        (WithoutPossible, "has awaited, which is for views: they need possible_actions too"),
        (Secretive, "has possible_actions and hides moves"),
        (Shifting, "observe changes a view of player 0: what is known must stay as it is"),
        (ReadsHidden, "determinize draws another world from the view of player 0: it reads entries that are hidden"),
        (TooFew, r"\[.*\] are legal, but not among the possible_actions of player \d: \[\]"),
        (TooMany, "action 2 is among the possible_actions of player 1, but no world fits then: there is no word 2"),
        (OwnTurn, r"player 1 is to move: its possible_actions must be the legal ones, \[\d\], not \[0, 1\]"),
        (NotAsked, "leads on the view of player 0 to -1 in entry 1, but .* awaited and reveal must see to it"),
        (Hasty, "awaited names entries that player 0 knows"),
        (Stubborn, r"reveal refuses \['\d'\], which was shown to player 0: I do not believe it"),
        (Misread, "leads on the view of player 0 to . in entry 1, but what it knows then is"),
        (Silent, r"returns says .* on the view of player 0 and .* on the full position"),
        (Boasting, "reveals and awaited do not agree whether action . shows its player something"),
        (Jumping, "on the view of player 0, current_player says 1"),
        (Unreadable, "action . is written '.', which is read as . on the view of player 1"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_a_fault_of_views_is_found_and_explained(fault: type[fastmcts.Game], message: str) -> None:
    game = dataclass(frozen=True)(fault)()
    with pytest.raises(fastmcts.GameError, match=message) as caught:
        check_game(game, positions=300)
    assert fault.__name__ in str(caught.value)
