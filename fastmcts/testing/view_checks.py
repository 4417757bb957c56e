"""Does a game keep the contract for views, positions as one player knows them?"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import numpy as np

from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.state import State

POSSIBLE_TRIED = 2  # actions in one position; a world is drawn after each, and checked
WORLDS_TRIED = 16  # until an action is legal in one
SEED = 0  # of worlds that are drawn to be compared

Fail = Callable[[str], NoReturn]


def check_view_declaration(game: Game) -> None:
    """The methods for views go together, and with what the game hides."""
    if not game.overrides("possible_actions"):
        for method in ("awaited", "reveal"):
            if game.overrides(method):
                raise GameError(f"{game.name} has {method}, which is for views: they need possible_actions too")
    elif not game.overrides("observe"):
        raise GameError(f"{game.name} hides nothing, so that it needs no possible_actions")
    elif game.hides_moves:
        raise GameError(
            f"{game.name} has possible_actions and hides moves: who does not see a move could not apply it to its view"
        )


def check_views(state: State, chooser: random.Random, fail: Fail) -> None:
    """Compare what each player knows with the position, and try what one of them holds possible.

    Args:
        state: A full position.
        chooser: Chooses what to try.
        fail: Called with what is wrong; raises.
    """
    for player in range(state.game.num_players):
        check_knowledge(state, player, fail)
    if not state.is_terminal():
        player = chooser.randrange(state.game.num_players)
        possible = check_possible_actions(state, player, fail)
        for action in chooser.sample(possible, min(POSSIBLE_TRIED, len(possible))):
            check_possible_action(state.view(player), player, action, fail)


def check_knowledge(state: State, player: int, fail: Fail) -> None:
    """A view is complete for its player: it looks the same, and the same worlds are drawn from it."""
    game, view = state.game, state.view(player)
    if view.view(player) != view:
        fail(f"observe changes a view of player {player}: what is known must stay as it is")
    places = np.zeros(game.state_size, np.int64)
    if game.awaited(state.array, player, places) or view.is_waiting():
        fail(f"awaited names entries that player {player} knows: only apply on a view may leave something to tell")
    if view.current_player() != state.current_player():
        fail(f"on the view of player {player}, current_player says {view.current_player()}")
    with blaming(fail, f"determinize fails on the view of player {player}"):
        world = view.determinize(player, SEED)
    if world != state.determinize(player, SEED):
        fail(f"determinize draws another world from the view of player {player}: it reads entries that are hidden")
    if not isinstance(str(view), str):
        fail("render_view does not return a string")
    if game.has_observation:
        with blaming(fail, f"observation fails on the view of player {player}"):
            seen = view.observation_tensor(player)
        if not np.array_equal(seen, state.observation_tensor(player)):
            fail(f"observation writes something else on the view of player {player}: it reads entries that are hidden")
    if state.is_terminal() and not game.pays_rewards:
        with blaming(fail, f"returns fails on the view of player {player}"):
            utilities = view.returns()
        if utilities != state.returns():
            fail(
                f"returns says {utilities} on the view of player {player} and {state.returns()} on the full position:"
                " let observe show what decides, and awaited ask for it"
            )


def check_possible_actions(state: State, player: int, fail: Fail) -> list[int]:
    """What may be played as far as a player knows contains all that may be played; its texts can be read."""
    game, view = state.game, state.view(player)
    before = view.array.copy()
    with blaming(fail, f"check_view refuses the view of player {player}"):
        game.check_view(view.array, player)
    buffer = np.zeros(max(game.num_actions, game.num_chance_outcomes), np.int64)
    with blaming(fail, "possible_actions fails"):
        count = int(game.possible_actions(view.array, player, buffer))
    possible, legal = buffer[:count].tolist(), state.legal_actions()
    if possible != sorted(set(possible)) or not all(0 <= action < len(buffer) for action in possible):
        fail(f"possible_actions are not in ascending order without repetition, or out of range: {possible}")
    if missing := sorted(set(legal) - set(possible)):
        fail(f"{missing} are legal, but not among the possible_actions of player {player}: {possible}")
    if state.current_player() == player:
        if possible != legal:
            fail(f"player {player} is to move: its possible_actions must be the legal ones, {legal}, not {possible}")
        for action in legal:
            if bool(game.reveals(view.array, action)) != bool(game.reveals(state.array, action)):
                fail(f"reveals says something else about action {action} on the view of its player")
    for action in possible[:POSSIBLE_TRIED]:
        text = view.action_to_string(action)
        with blaming(fail, f"{text!r} is not read as an action on the view of player {player}"):
            read = view.string_to_action(text)
        if read != action:
            fail(f"action {action} is written {text!r}, which is read as {read} on the view of player {player}")
    if not np.array_equal(before, view.array):
        fail("possible_actions or check_view changes the view; only apply and reveal may")
    return possible


def check_possible_action(view: State, player: int, action: int, fail: Fail) -> None:
    """After a possible action some world fits, and whatever was shown in one can be told."""
    worlds = (view.determinize(player, seed) for seed in range(WORLDS_TRIED))
    world = next((world for world in worlds if action in world.legal_actions()), None)
    if world is not None:
        check_following(world, action, player, fail)
    after = view.child(action)
    if not after.is_waiting():
        with blaming(fail, f"action {action} is among the possible_actions of player {player}, but no world fits then"):
            after.game.check_view(after.array, player)


def check_following(state: State, action: int, player: int, fail: Fail) -> None:
    """An action leads from what a player knows to what it knows then, once it was told what was shown."""
    game, mover = state.game, state.current_player()
    view, known = state.view(player), state.child(action).view(player)
    with blaming(fail, f"apply({action}) fails on the view of player {player}"):
        view.apply_action(action)
    if mover == player and view.is_waiting() != bool(game.reveals(state.array, action)):
        fail(f"reveals and awaited do not agree whether action {action} shows its player something")
    if view.is_waiting():
        facts = view.shown_by(known)
        texts = [game.fact_to_string(fact) for fact in facts]
        with blaming(fail, f"after action {action}, reveal refuses {texts}, which was shown to player {player}"):
            view.reveal(" ".join(texts))
    for index in np.flatnonzero(view.array != known.array):
        fail(
            f"action {action} leads on the view of player {player} to {view.array[index]} in entry {index}, but what it"
            f" knows then is {known.array[index]}; if the move shows that, awaited and reveal must see to it"
        )


@contextmanager
def blaming(fail: Fail, what: str) -> Iterator[None]:
    """Turn an error into a failure that says what was tried."""
    try:
        yield
    except (ValueError, IndexError, GameError, OverflowError) as error:
        fail(f"{what}: {error}")
