"""check_game finds each fault, and says in words what it is."""

from dataclasses import dataclass
from typing import Any

import pytest

import fastmcts
from examples.nim import Nim
from fastmcts import games
from fastmcts.rng import below
from fastmcts.testing import check_game
from tests.helpers.faulty_games import OutOfRange, Unsorted
from tests.toys import COIN, WORD, Coin, Peek, Shuffled, ThreePlayers, TwiceInARow


@dataclass(frozen=True)
class Tossed(Coin):
    """Chance tosses the coin, seen by player 1 only, after the words were said."""

    num_chance_outcomes = 2
    max_game_length = 3
    hides_moves = True

    def initial(self, state, rng):
        state[COIN] = -1

    def current_player(self, state):
        if state[0] == 2:
            return fastmcts.CHANCE
        return fastmcts.TERMINAL if state[0] == 3 else state[0]

    def chance_outcomes(self, state, actions, probabilities):
        for side in range(2):
            actions[side] = side
            probabilities[side] = 0.5
        return 2

    def apply(self, state, action):
        state[WORD + state[0] if state[0] < 2 else COIN] = action
        state[0] += 1

    def determinize(self, state, player, rng):
        if player == 0 and state[0] == 3:
            state[COIN] = below(rng, 2)


@pytest.mark.parametrize(
    "game",
    [Nim(), TwiceInARow(), ThreePlayers(), Shuffled(), Coin(), Tossed(), Peek()],
    ids=lambda game: game.name,
)
def test_good_games_pass(game: fastmcts.Game) -> None:
    check_game(game, positions=200)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 5))])
def test_worlds_that_are_drawn_rightly_pass_with_every_seed(seed: int) -> None:
    for game in (Coin(), Peek(), Tossed(), Die(), TwoDice(), Hand(), games.KuhnPoker()):
        check_game(game, positions=300, seed=1000 * seed)


@pytest.mark.slow_to_compile
def test_a_game_in_which_both_may_win_passes_if_it_says_so() -> None:
    check_game(BothMayWinAsSaid(), positions=100)


class Repeated(Nim):
    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 0
        return 2


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
    hides_moves = True

    def determinize(self, state, player, rng):
        state[0] = 3

    def observe(self, state, player, out):
        out[0] = 0
        out[1] = state[1]


class RealWorld(Coin):
    def determinize(self, state, player, rng):
        pass


class OneWorld(Coin):
    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = 1


class Blind(Coin):
    hides_moves = True

    def observe(self, state, player, out):
        for index in range(self.state_size):
            out[index] = 0


class Whispered(Coin):
    """Player 1 does not hear player 0's word."""

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = below(rng, 2)
        elif state[0] > 0:
            state[WORD] = below(rng, 2)

    def observe(self, state, player, out):
        super().observe(state, player, out)
        if player == 1:
            out[WORD] = -1


class Bound(Whispered):
    """Player 1 may say more after a word that it did not hear."""

    hides_moves = True

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = below(rng, 2)

    def legal_actions(self, state, actions):
        super().legal_actions(state, actions)
        return 1 + state[WORD] if state[0] == 1 else 2


class TossedInSecret(Tossed):
    hides_moves = False


class Die(Coin):
    """The coin is a die, which player 0 does not see."""

    def initial(self, state, rng):
        state[COIN] = 1 + below(rng, 6)

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = 1 + below(rng, 6)


class LowDie(Die):
    """Worlds have a 1 or a 2."""

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = 1 + below(rng, 2)


class TwoDice(Die):
    """Player 0 does not see two dice."""

    state_size = 5

    def initial(self, state, rng):
        state[COIN] = 1 + below(rng, 6)
        state[4] = 1 + below(rng, 6)

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = 1 + below(rng, 6)
            state[4] = 1 + below(rng, 6)

    def observe(self, state, player, out):
        super().observe(state, player, out)
        if player == 0:
            out[4] = -1


class Pairs(TwoDice):
    """Each die is right for itself, but in worlds they are always equal."""

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = 1 + below(rng, 6)
            state[4] = state[COIN]


class Hand(Coin):
    """The coin is a set of 20 of 40 cards, as bits."""

    def deal(self, rng, cards):
        hand, wanted = 0, 20
        for card in range(cards):
            if below(rng, cards - card) < wanted:
                hand |= 1 << card
                wanted -= 1
        return hand

    def initial(self, state, rng):
        state[COIN] = self.deal(rng, 40)

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = self.deal(rng, 40)


class LowHand(Hand):
    """Worlds do not have the last card."""

    def determinize(self, state, player, rng):
        if player == 0:
            state[COIN] = self.deal(rng, 39)


class BothMayWin(Nim):
    def returns(self, state, out):
        out[0] = 1.0
        out[1] = 0.5


class BothMayWinAsSaid(BothMayWin):
    constant_sum = False


class Drawless(Coin):
    """Says what a player knows, but draws no worlds."""

    determinize = fastmcts.Game.determinize


class Undrawn(Coin):
    observe = fastmcts.Game.observe


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
        (RealWorld, "player 0 knows the same here as after .*: determinize must draw the same world from both, not"),
        (OneWorld, "determinize drew the same world with every seed"),
        (Blind, "player 0 knows the same here as after .*: observe must tell it that the player to move is 1 here"),
        (Bound, "player 1 knows the same here as after .*: observe must tell it that its moves are"),
        (Whispered, "the moves . and . lead to different positions that look the same to player 1: .* hides_moves"),
        (LowDie, "never draws the real world: entry 1 was .*\n.*from player 0, and was 1, 2 in all of"),
        (Pairs, "never draws the real world: the position was .*\n.*from player 0, and was something else in all of"),
        (LowHand, "never draws the real world: bit 39 of entry 1 was 1\n.*from player 0, and was 0 in all of"),
        (BothMayWin, "returns gives .1.0, 0.5., which does not sum to min_utility . max_utility = 0.0, .*sum = False"),
        (Drawless, "must have both determinize and observe, or neither: determinize is missing"),
        (Undrawn, "must have both determinize and observe, or neither: observe is missing"),
        (TossedInSecret, "the outcomes . and . lead to different positions that look the same to player 0"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_a_fault_is_found_and_explained(fault: type[fastmcts.Game], message: str) -> None:
    game = dataclass(frozen=True)(fault)()
    with pytest.raises(fastmcts.GameError, match=message) as caught:
        check_game(game, positions=300)
    assert fault.__name__ in str(caught.value)


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (games.TicTacToe, r"check_game takes a game, not its class: write check_game\(TicTacToe\(\)\)"),
        ("tic_tac_toe", "check_game takes a Game, such as games.ConnectFour"),
    ],
)
def test_what_is_no_game_is_refused_with_what_to_write(thing: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        check_game(thing)


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


@dataclass(frozen=True)
class Dealing(games.KuhnPoker):
    """Kuhn poker that lists its deals with some fault."""

    fault: str = ""

    def deals(self):
        listed = list(games.KuhnPoker.deals(self))
        if self.fault == "twice":
            return [*listed, listed[0]]
        if self.fault == "total":
            return [(position, chance / 2) for position, chance in listed]
        if self.fault == "missing":
            return [(position, 1 / 5) for position, _ in listed[1:]]
        if self.fault == "unequal":
            return [(position, (5 if number else 20) / 45) for number, (position, _) in enumerate(listed)]
        if self.fault == "never":
            return [(position, chance if number else 0.0) for number, (position, chance) in enumerate(listed)]
        return [(position[:-1], chance) for position, chance in listed]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("twice", r"deals lists \[0, 1, 0, 1\] twice"),
        ("total", "the chances of all deals are to sum to 1, not 0.5"),
        ("missing", r"initial deals \[0, 1, 0, 1\], which is not among deals"),
        ("unequal", r"deals says that \[0, 1, 0, 1\] has a chance of 0.444, but initial deals it \d+ times in 1000"),
        ("never", r"gives \[0, 1, 0, 1\] a chance of 0.0; it is to be above 0"),
        ("short", r"which is no position: .* has shape \(4,\), not \(3,\)"),
    ],
)
def test_deals_that_are_not_those_of_the_game_are_noticed(fault: str, message: str) -> None:
    with pytest.raises(fastmcts.GameError, match=message):
        check_game(Dealing(fault=fault), positions=20)
