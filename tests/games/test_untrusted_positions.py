"""Positions from outside, as arrays, texts or cards: refused in words, or they can be played to the end."""

import re
import string
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import CHANCE, Game, State, games

DRAWN = ["klondike", "kuhn_poker", "oh_hell", "whist"]
NUMBERS = (-(2**63), -(2**31), -100, -4, -2, -1, 0, 1, 2, 3, 9, 52, 100, 2**31, 2**62, 2**63 - 1)
LETTERS = string.digits + string.ascii_uppercase + string.punctuation + " "
ODD_NUMBERS = ("77", "-1", "9" * 25, "9" * 5000, "²", "٣")
ODD_CARDS: tuple[Any, ...] = (-1, 52, 64, 2**70, 1.5, None, "1X", "", True, b"QC")


def played(game: Game, rng: np.random.Generator) -> State:
    """A position of a random game."""
    state = game.new_initial_state(seed=int(rng.integers(50)))
    for _ in range(int(rng.integers(40))):
        if not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def play_on(state: State, rng: np.random.Generator) -> None:
    """Play a position that was accepted to the end, in a world of it if it is a view: every rule keeps its promises."""
    game = state.game
    assert str(state)
    if state.is_waiting():
        return
    if state.viewer is not None:
        assert state.is_terminal() or state.legal_actions()
        state = state.determinize(state.viewer, 5)
    elif game.has_hidden_information:
        for player in range(game.num_players):
            world = state.determinize(player, 3)
            assert world.information_state_string(player) == state.information_state_string(player)
    left = game.max_game_length
    while not state.is_terminal():
        player, legal = state.current_player(), state.legal_actions()
        assert CHANCE <= player < game.num_players
        assert legal
        assert 0 <= legal[0] <= legal[-1] < (game.num_actions if player >= 0 else game.num_chance_outcomes)
        assert left > 0
        left -= 1
        state.apply_action(int(rng.choice(legal)))
    assert all(game.min_utility <= utility <= game.max_utility for utility in state.returns())


def accepted(make: Callable[[], State]) -> State | None:
    """A position, None if it is refused as bad input is; any other error is one of the program's."""
    try:
        return make()
    except (ValueError, TypeError):
        return None


def edit_array(array: np.ndarray, rng: np.random.Generator) -> None:
    """Change one to three entries at random."""
    for _ in range(rng.integers(1, 4)):
        place, other = rng.integers(array.size, size=2)
        choices = (
            int(array[other]),
            NUMBERS[rng.integers(len(NUMBERS))],
            int(array[place]) ^ (1 << int(rng.integers(62))),
            int(rng.integers(-1, 8)),
            min(max(int(array[place]) + int(rng.integers(-1, 2)), -(2**62)), 2**62),
        )
        array[place] = choices[rng.integers(len(choices))]


def edit_arrays(name: str, edits: int, seed: int) -> None:
    """Edit positions and views of a game at random."""
    game, rng = games.load_game(name), np.random.default_rng(seed)
    known = 0
    for _ in range(edits):
        state = played(game, rng)
        if game.has_hidden_information and rng.random() < 0.4:
            state = state.view(int(rng.integers(game.num_players)))
        array, viewer = state.array.copy(), state.viewer
        edit_array(array, rng)
        found = accepted(lambda array=array, viewer=viewer: game.state_from_array(array, viewer))
        if found is not None:
            known += 1
            play_on(found, rng)
    assert known < edits, "some edits are refused"


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_an_edited_array_is_refused_or_can_be_played(name: str) -> None:
    edit_arrays(name, edits=40, seed=0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_an_edited_array_is_refused_or_can_be_played_however_many(name: str) -> None:
    edit_arrays(name, edits=2_000, seed=1)


def edited_text(text: str, rng: np.random.Generator) -> str:
    """A drawing with one to three letters, numbers or lines changed."""
    for _ in range(rng.integers(1, 4)):
        how, place = int(rng.integers(5)), int(rng.integers(len(text)))
        lines = text.split("\n")
        line, other = rng.integers(len(lines), size=2)
        numbers = list(re.finditer(r"\d+", text))
        if how == 0:
            text = text[:place] + text[place + 1 :]
        elif how == 1:
            text = text[:place] + LETTERS[rng.integers(len(LETTERS))] + text[place + int(rng.integers(2)) :]
        elif how == 2:
            lines[line], lines[other] = lines[other], lines[line]
            text = "\n".join(lines)
        elif how == 3:
            text = "\n".join([*lines[:line], *lines[line + int(rng.integers(2)) :]])
        elif numbers:
            start, end = numbers[rng.integers(len(numbers))].span()
            text = text[:start] + ODD_NUMBERS[rng.integers(len(ODD_NUMBERS))] + text[end:]
        text = text or "?"
    return text


def edit_texts(name: str, edits: int, seed: int) -> None:
    """Edit drawings of a game at random; whatever a text leads to is what an array may be."""
    game: Any = games.load_game(name)
    rng = np.random.default_rng(seed)
    for _ in range(edits):
        state = played(game, rng)
        if rng.random() < 0.5:
            state = state.view(int(rng.integers(game.num_players)))
        text = edited_text(str(state), rng)
        found = accepted(lambda text=text: game.state_from_text(text))
        if found is not None:
            play_on(found, rng)
            assert game.state_from_array(found.array, found.viewer) == found


@pytest.mark.parametrize("name", DRAWN)
def test_an_edited_drawing_is_refused_or_can_be_played(name: str) -> None:
    edit_texts(name, edits=80, seed=0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", DRAWN)
def test_an_edited_drawing_is_refused_or_can_be_played_however_many(name: str) -> None:
    edit_texts(name, edits=3_000, seed=1)


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("wrong", [None, 3, b"K J: pass"])
def test_a_drawing_that_is_no_text_is_refused(name: str, wrong: Any) -> None:
    game: Any = games.load_game(name)
    with pytest.raises(
        TypeError, match=re.escape(f"a position is drawn as a text, as str(state) writes it, not {wrong!r}")
    ):
        game.state_from_text(wrong)


@pytest.mark.parametrize("leader", ["4", "77", "9" * 25])
def test_a_trick_led_by_nobody_is_refused(leader: str) -> None:
    game = games.Whist()
    state = game.new_initial_state(seed=3)
    for _ in range(4):
        state.apply_action(state.legal_actions()[0])
    drawing = str(state).replace("led by 0", f"led by {leader}")
    with pytest.raises(ValueError, match=f"the leader of trick 1 must be from 0 to 3, not {int(leader):,}"):
        game.state_from_text(drawing)


def test_a_count_that_no_array_holds_is_refused() -> None:
    game = games.Klondike()
    drawing = str(game.new_initial_state(seed=0).view(0))
    assert "T1" in drawing
    with pytest.raises(ValueError, match="moves without progress must be from 0 to"):
        game.state_from_text(f"moves without progress: {10**25}\n{drawing}")


@pytest.mark.parametrize("wrong", ODD_CARDS)
def test_what_is_no_card_is_refused_wherever_cards_are_told(wrong: Any) -> None:
    whist, oh_hell = games.Whist(), games.OhHell(num_players=3, hand_size=2)
    hands = [[card for card in range(52) if card % 4 == player] for player in range(4)]
    makes = (
        lambda: whist.state_from_hands([[wrong, *hands[0][1:]], *hands[1:]]),
        lambda: whist.state_from_knowledge(0, [wrong, *hands[0][1:]]),
        lambda: whist.state_from_knowledge(0, hands[0][1:], [[hands[0][0], wrong]]),
        lambda: oh_hell.state_from_knowledge(0, [wrong, 5], turned=9),
        lambda: oh_hell.state_from_knowledge(0, [4, 5], turned=wrong),
        lambda: games.KuhnPoker().state_from_knowledge(0, wrong),
    )
    for make in makes:
        assert accepted(make) is None


@pytest.mark.parametrize("wrong", [None, 3, ["pass"]])
def test_betting_that_is_no_text_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="a move is a text"):
        games.KuhnPoker().state_from_knowledge(0, "K", wrong)
