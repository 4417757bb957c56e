"""Positions as one player knows them; this file runs with the JIT on and off."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import ISMCTS, MCTS, PIMC, PerfectInformation, RandomRollout, SinglePerspective, games
from fastmcts.games import _klondike_layout as klondike
from fastmcts.games import kuhn_poker, leduc_poker, liars_dice, load_game, registered_games
from fastmcts.games._tricks import TrickGame
from fastmcts.rng import spawn_seed
from fastmcts.state import State
from tests.toys import OneShot, Peek

KUHN = games.KuhnPoker()
HIDDEN_GAMES: list[fastmcts.Game] = [
    *(game for game in map(load_game, registered_games()) if game.has_hidden_information),
    games.OhHell(num_players=3, hand_size=3),
    games.Klondike(draw=1),
    games.Klondike(macro=True),
]

#: Kuhn poker is compiled in seconds.
SEARCHED = [
    pytest.param(game, marks=() if game is KUHN else pytest.mark.slow_to_compile, id=repr(game))
    for game in (KUHN, games.OhHell(num_players=3, hand_size=3), games.Whist(hand_size=3), games.Klondike())
]
METHODS = [
    pytest.param(method, marks=() if method is None else pytest.mark.slow_to_compile, id=repr(method))
    for method in (
        None,
        ISMCTS(observers="all"),
        PIMC(worlds=3),
        PIMC(worlds=3, vote="majority"),
        SinglePerspective(),
        SinglePerspective(resample=True),
    )
]
SHORT = RandomRollout(max_length=5)


def deal(first: int, second: int) -> State:
    """Kuhn poker with these cards, before the betting."""
    return KUHN.state_from_array(np.array([0, 1, first, second]))


def hidden_entries(game: fastmcts.Game, player: int) -> tuple[list[int], int]:
    """Where the others' cards or dice stand in a small game, and what stands there instead."""
    if isinstance(game, liars_dice.LiarsDice):
        places = range(game.rolled, game.state_size)
        return [place for place in places if (place - game.rolled) // game.dice != player], 0
    card = leduc_poker.CARD if isinstance(game, leduc_poker.LeducPoker) else kuhn_poker.CARD
    return [card + 1 - player], -1


def follow(views: list[State], real: State, action: int) -> None:
    """Play an action in the real position and on what each player knows, and tell them what it shows."""
    real.apply_action(action)
    for view in views:
        view.apply_action(action)
        if view.is_waiting():
            view.reveal(*view.shown_by(real))


def random_games(game: fastmcts.Game, count: int) -> Iterator[State]:
    """All positions of random games, up to 60 moves each; the same State each time."""
    for seed in range(count):
        state, chooser = game.new_initial_state(seed), random.Random(seed)
        for _ in range(60):
            yield state
            if state.is_terminal():
                break
            state.apply_action(chooser.choice(state.legal_actions()))


# ---- What a view is


def test_a_view_stays_one_when_it_is_copied_compared_and_printed() -> None:
    view = deal(2, 0).view(0)
    assert view.viewer == 0
    assert view.clone() == view
    assert view.clone().viewer == view.child(1).viewer == view.view(0).viewer == 0
    assert repr(view) == "State(KuhnPoker(), [0, 1, 2, -1], viewer=0)"
    assert view == deal(2, 1).view(0), "the other card is not in it"
    assert view != KUHN.new_state(view.array), "nor is it a full position"
    assert deal(2, 0).view(0) != deal(2, 0).view(1)


def test_where_nothing_is_hidden_a_player_knows_the_full_position() -> None:
    state = games.ConnectFour().new_initial_state().child(3)
    assert state.view(1) == state
    assert state.view(1).viewer is None


def test_a_game_that_does_not_say_what_is_possible_has_no_views() -> None:
    with pytest.raises(ValueError, match="Peek has no views: it needs the method possible_actions"):
        Peek().new_initial_state(seed=0).view(0)


ASKED: list[Callable[[State], Any]] = [
    lambda view: view.view(1),
    lambda view: view.determinize(1, 0),
    lambda view: view.information_state_string(1),
]


@pytest.mark.parametrize("ask", ASKED)
def test_a_view_does_not_answer_for_another_player(ask: Callable[[State], Any]) -> None:
    with pytest.raises(ValueError, match="the view of player 0, which does not contain what player 1 knows"):
        ask(deal(2, 0).view(0))


def test_a_player_that_does_not_exist_has_no_view() -> None:
    with pytest.raises(ValueError, match="player must be from 0 to 1, not 2"):
        deal(2, 0).view(2)


def test_an_array_is_checked_before_it_counts_as_a_view() -> None:
    view = deal(2, 0).view(0)
    assert KUHN.state_from_array(view.array, viewer=0) == view
    with pytest.raises(ValueError, match="entry 3 of what player 0 knows is 0, but the worlds that fit have -1"):
        KUHN.state_from_array(deal(2, 0).array, viewer=0)
    with pytest.raises(ValueError, match="two different cards"):
        KUHN.state_from_array(view.array, viewer=1)
    with pytest.raises(ValueError, match="viewer must be from 0 to 1, not 7"):
        KUHN.state_from_array(view.array, viewer=7)
    with pytest.raises(ValueError, match="two different cards"):
        KUHN.state_from_array(view.array)  # which is no full position


# ---- No leak


@pytest.mark.parametrize("game", HIDDEN_GAMES, ids=repr)
def test_a_view_is_the_same_in_all_worlds_that_its_player_cannot_tell_apart(game: fastmcts.Game) -> None:
    different = 0
    for number, state in enumerate(random_games(game, 3)):
        for player in range(game.num_players):
            world = state.determinize(player, number)
            different += world != state
            assert world.view(player) == state.view(player)
            assert world.view(player).array.tobytes() == state.view(player).array.tobytes()
            assert str(world.view(player)) == str(state.view(player))
            assert set(vars(state.view(player))) == {"game", "array", "viewer", "seed", "paid", "last_paid"}
            assert not any(state.view(player).paid + state.view(player).last_paid)
            assert state.view(player).seed is None  # it would tell the cards
    assert different > 3


@pytest.mark.parametrize("game", HIDDEN_GAMES, ids=repr)
def test_a_view_contains_none_of_the_hidden_cards(game: fastmcts.Game) -> None:
    hidden = 0
    for state in random_games(game, 3):
        for player in range(game.num_players):
            seen = state.view(player).array
            if isinstance(game, TrickGame):
                hands = seen[game.hands : game.voids].tolist()
                assert hands[player] == state.array[game.hands + player]
                assert not any(hands[:player] + hands[player + 1 :])
                hidden += any(
                    hand for other, hand in enumerate(state.array[game.hands : game.voids]) if other != player
                )
            elif isinstance(game, games.Klondike):
                parts = [klondike.hidden_part(seen, part) for part in range(klondike.COLUMNS + 1)]
                places = [place for first, end in parts for place in range(int(first), int(end))]
                cards = seen[klondike.TALON : klondike.LANDING]
                assert not set(state.array[places].tolist()) & set(cards.tolist())
                hidden += len(places) > 0
            else:
                places, unknown = hidden_entries(game, player)
                assert state.is_terminal() or (seen[places] == unknown).all()
                hidden += not state.is_terminal()
    assert hidden > 5, "there was something to hide"


@pytest.mark.parametrize("game", HIDDEN_GAMES, ids=repr)
def test_a_view_is_played_on_beside_the_real_game(game: fastmcts.Game) -> None:
    for seed in range(2):
        state, chooser = game.new_initial_state(seed), random.Random(seed)
        views = [state.view(player) for player in range(game.num_players)]
        for _ in range(60):
            for player, view in enumerate(views):
                assert view == state.view(player)
                assert set(state.legal_actions()) <= set(view.legal_actions())
                assert view.current_player() == state.current_player()
                assert view.determinize(player, seed) == state.determinize(player, seed)
            if state.is_terminal():
                break
            follow(views, state, chooser.choice(state.legal_actions()))
        assert all(view.returns() == state.returns() for view in views)


# ---- What a move shows


def test_a_view_that_waits_answers_nothing_before_it_is_told() -> None:
    view = deal(2, 0).view(0).child(1).child(1)
    assert view.is_waiting()
    assert str(view) == "K ?: bet bet; seen by player 0"
    asked: list[Callable[[], Any]] = [
        view.current_player,
        view.is_terminal,
        view.legal_actions,
        view.returns,
        lambda: view.apply_action(0),
        lambda: view.string_to_action("bet"),
        lambda: view.determinize(0, 0),
        lambda: fastmcts.search(view, simulations=10),
        lambda: fastmcts.search_batch([view], simulations=10),
        lambda: KUHN.state_from_array(view.array, viewer=0),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=r"tell first which card player 1 has shown: state.reveal\('K'\)"):
            ask()
    view.reveal("j")
    assert view.returns() == [2.0, -2.0]
    assert not view.is_waiting()


def test_only_what_was_shown_and_can_be_is_told() -> None:
    view = deal(2, 0).view(0)
    with pytest.raises(ValueError, match="nothing was shown that is still to be told, but 'Q' is told"):
        view.reveal("Q")
    shown = view.child(0).child(0)
    with pytest.raises(ValueError, match="shown 1, told 2: tell first which card"):
        shown.reveal("Q J")
    for wrong, message in (("K", "other than K, not card 2"), ("A", "one of J, Q and K, not 'A'"), (7, "not card 7")):
        with pytest.raises(ValueError, match=message):
            shown.reveal(wrong)
    with pytest.raises(TypeError, match="what was shown must be a whole number, not None"):
        shown.reveal(None)  # pyright: ignore[reportArgumentType]
    assert shown.is_waiting(), "nothing has changed"
    assert deal(2, 0).shown_by(deal(2, 0)) == []


def test_an_action_that_is_not_possible_is_refused_with_those_that_are() -> None:
    view = deal(2, 0).view(0)
    with pytest.raises(
        ValueError, match=r"action 2 is not possible here, as far as player 0 knows; possible are \[0, 1\]"
    ):
        view.apply_action(2)
    with pytest.raises(
        ValueError, match="'raise' is not possible here, as far as player 0 knows; possible are: pass, bet"
    ):
        view.child(0).string_to_action("raise")
    assert view.child(0).string_to_action("bet") == 1


# ---- Searching a view


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", SEARCHED)
@pytest.mark.parametrize("advances", [False, True])
def test_a_view_is_searched_as_the_full_position_is_move_after_move(
    game: fastmcts.Game, method: fastmcts.Method | None, advances: bool
) -> None:
    state = game.new_initial_state(5)
    views = [state.view(player) for player in range(game.num_players)]
    options: dict[str, Any] = {"simulations": 30, "seed": 1, "method": method, "search_forced": True}
    if game is not KUHN:
        options["rollout"] = SHORT
    knowing, seeing = ([MCTS(game, **options) for _ in views] for _ in range(2))
    reused = 0
    for _ in range(8):
        if state.is_terminal():
            break
        player = state.current_player()
        full, seen = knowing[player].search(state), seeing[player].search(views[player])
        assert seen.visits.tolist() == full.visits.tolist()
        assert seen.values.tobytes() == full.values.tobytes()
        assert (seen.action, seen.reused, seen.nodes) == (full.action, full.reused, full.nodes)
        assert str(seen) == str(full)
        assert seen.state == views[player]
        assert seen.action is not None
        reused += seen.reused > 0
        if advances:
            knowing[player].advance(seen.action)
            seeing[player].advance(seen.action)
        follow(views, state, seen.action)
    assert reused > 0 or not (isinstance(game, games.Klondike) and method is None)


def test_a_search_goes_on_between_a_full_position_and_its_view() -> None:
    state = deal(2, 0)
    mcts = MCTS(KUHN, simulations=40, seed=0, method=ISMCTS())
    view = state.view(0)
    mcts.search(state)
    assert mcts.search(view).reused == pytest.approx(1 / 2)
    assert mcts.search(state).reused == pytest.approx(2 / 3)


@pytest.mark.parametrize("method", [None, pytest.param(PIMC(worlds=3), marks=pytest.mark.slow_to_compile)], ids=repr)
def test_a_batch_of_views_is_searched_as_the_full_positions_are(method: fastmcts.Method | None) -> None:
    states = [deal(first, second) for first in range(3) for second in range(3) if first != second]
    states += [state.child(1) for state in states]
    views = [state.view(state.current_player()) for state in states]
    full, seen = (fastmcts.search_batch(batch, simulations=40, seed=3, method=method) for batch in (states, views))
    assert seen.visits.tolist() == full.visits.tolist()
    assert seen.action.tolist() == full.action.tolist()
    single = fastmcts.search(views[4], simulations=40, seed=spawn_seed(3, 4), method=method)
    assert single.visits.tolist() == seen.visits[4, single.actions].tolist()


@pytest.mark.slow_to_compile
def test_a_perspective_is_rolled_forward_from_what_its_player_knows() -> None:
    state = deal(2, 0)
    method = SinglePerspective(player=1)
    for seed in range(5):
        full, seen = (fastmcts.search(s, simulations=20, seed=seed, method=method) for s in (state, state.view(1)))
        assert seen.visits.tolist() == full.visits.tolist()
        assert seen.state == full.state, "the same world, drawn from the seed"
    with pytest.raises(ValueError, match=r"needs what player 1 knows, and this is the view of player 0"):
        fastmcts.search(state.view(0), simulations=20, method=method)


@pytest.mark.parametrize("search", [fastmcts.search, lambda view, **options: fastmcts.search_batch([view], **options)])
def test_what_a_view_cannot_tell_is_refused(search: Callable[..., Any]) -> None:
    view = deal(2, 0).view(0)
    with pytest.raises(ValueError, match=r"PerfectInformation\(\) needs to see everything, and this is the view of pl"):
        search(view, simulations=10, method=PerfectInformation())
    with pytest.raises(ValueError, match="player 1 is to move, and this is the view of player 0: apply that player's"):
        search(view.child(0), simulations=10)


def test_the_end_of_a_game_is_known_to_be_the_end() -> None:
    result = fastmcts.search(deal(2, 0).view(1).child(1).child(0), simulations=10)
    assert (result.action, result.stopped_by) == (None, "game over")
    assert result.state.returns() == [1.0, -1.0]


@pytest.mark.slow_to_compile
def test_a_move_that_shows_something_is_followed_once_that_is_told() -> None:
    game = games.Klondike()
    state = game.new_initial_state(3)
    view = state.view(0)
    mcts = MCTS(game, simulations=5, seed=0, rollout=SHORT)
    mcts.search(view)
    action = next(action for action in state.legal_actions() if game.reveals(state.array, action))
    mcts.advance(action)
    with pytest.raises(ValueError, match="tell first"):
        mcts.advance(action)
    follow([view], state, action)
    assert mcts.search(view).reused == 0.0
    assert mcts.search(view).reused == pytest.approx(1 / 2)


@pytest.mark.slow_to_compile
def test_a_card_other_than_the_one_that_can_follow_starts_anew() -> None:
    game = games.Klondike()
    state, other = game.new_initial_state(3).view(0), game.new_initial_state(4).view(0)
    mcts = MCTS(game, simulations=5, seed=0, rollout=SHORT)
    mcts.search(state)
    mcts.advance(0)
    fresh = fastmcts.search(other, simulations=5, seed=0, rollout=SHORT)
    assert mcts.search(other).visits.tolist() == fresh.visits.tolist()


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("method", [None, PIMC(worlds=3)], ids=repr)
@pytest.mark.parametrize("waits", [False, True])
def test_a_saved_search_of_a_view_goes_on_as_it_would_have(
    method: fastmcts.Method | None, waits: bool, tmp_path: Path
) -> None:
    game = games.Klondike()
    state = game.new_initial_state(3)
    view = state.view(0)
    mcts = MCTS(game, simulations=9, seed=0, rollout=SHORT, method=method)
    mcts.search(view)
    if waits:
        mcts.advance(0)
    mcts.save(tmp_path / "search")
    again = MCTS.load(tmp_path / "search")
    if waits:
        follow([view], state, 0)
    assert again.search(view).visits.tolist() == mcts.search(view).visits.tolist()
    assert again.search(view).reused == mcts.search(view).reused > 0


# ---- A game of one's own that hides nothing


def test_full_positions_wait_for_nothing() -> None:
    state = OneShot().new_initial_state()
    assert not state.is_waiting()
    with pytest.raises(ValueError, match="nothing was shown"):
        state.reveal("1")
