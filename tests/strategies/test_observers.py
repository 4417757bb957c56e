"""A tree for each player's view; this file runs with the JIT on and off."""

from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import (
    GRAVE,
    ISMCTS,
    MAST,
    MCTS,
    PUCT,
    UCT,
    ExpandAll,
    GameRollout,
    SmoothUCT,
    UCB1Tuned,
    games,
    spawn_seed,
)
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import ROOT
from fastmcts.core.scratch import make_scratch
from fastmcts.core.tree import Tree, child_for, information_sets
from fastmcts.games.kuhn_poker import BET, JACK, KING, PASS, QUEEN
from fastmcts.kernels.observers import hash_known, nearest
from fastmcts.testing import check_tree
from tests import naive
from tests.toys import Peek

ALL = ISMCTS(observers="all")
DEAL = ISMCTS(observers="all", begins="deal")
KUHN = games.KuhnPoker()
SMALL = games.OhHell(num_players=3, hand_size=3)


def kuhn(cards: tuple[int, int], *betting: int) -> fastmcts.State:
    """Kuhn poker with these cards, after some betting."""
    state = KUHN.state_from_array(np.array([0, 1, *cards]))
    for action in betting:
        state.apply_action(action)
    return state


def share(tree: Tree, node: int, action: int) -> float:
    """The share of visits of a move."""
    child = child_for(tree, node, action)
    return float(tree.visits[child] / tree.visits[node])


def where(tree: Tree, state: fastmcts.State) -> int:
    """The information set of the player to move."""
    game, player = state.game, state.current_player()
    scratch = make_scratch(game.state_size, game.num_actions, game.num_players)
    scratch.state[:] = state.array
    with wrapping_integers():
        return int(nearest(tree, hash_known(game, player, scratch)))


# ---- The same trees as those of objects and dicts


@pytest.mark.parametrize(
    ("state", "simulations"),
    [
        (KUHN.new_initial_state(0), 500),
        (KUHN.new_initial_state(1).child(BET), 300),
        pytest.param(SMALL.new_initial_state(0), 300, marks=pytest.mark.slow_to_compile),
        pytest.param(SMALL.new_initial_state(4), 300, marks=pytest.mark.slow_to_compile),
        pytest.param(games.Klondike().new_initial_state(1), 30, marks=pytest.mark.slow_to_compile),
        (Peek().new_initial_state(0), 300),
    ],
    ids=lambda value: getattr(getattr(value, "game", None), "name", str(value)),
)
@pytest.mark.parametrize("seed", [0, 7])
def test_the_trees_are_those_of_the_naive_search(state: fastmcts.State, simulations: int, seed: int) -> None:
    result = fastmcts.search(state, simulations=simulations, seed=seed, method=ALL, strategy="plain")
    check_tree(result.tree)
    search = naive.AllObservers(state, seed)
    search.run(simulations)
    found = list(information_sets(result.tree))
    assert len(found) == len(search.sets)
    for node, (_, other) in zip(found, search.sets.items(), strict=True):
        naive.assert_same_tree(result.tree, node, other)


@pytest.mark.parametrize(
    ("state", "options", "search"),
    [
        (KUHN.new_initial_state(0), {}, naive.FromDeal),
        (KUHN.new_initial_state(1).child(BET), {}, naive.FromDeal),
        (KUHN.new_initial_state(0), {"selection": SmoothUCT(c=0.5)}, naive.SmoothFromDeal),
        pytest.param(
            games.LeducPoker().new_initial_state(3), {}, naive.FromDeal, marks=pytest.mark.slow_to_compile, id="leduc"
        ),
        pytest.param(
            games.LiarsDice().new_initial_state(3).child(2),
            {"selection": SmoothUCT(c=0.5)},
            naive.SmoothFromDeal,
            marks=pytest.mark.slow_to_compile,
            id="dice",
        ),
    ],
)
def test_the_trees_from_the_deal_are_those_of_the_naive_search(
    state: fastmcts.State, options: Any, search: Any
) -> None:
    result = fastmcts.search(state, simulations=300, seed=2, method=DEAL, strategy="plain", **options)
    check_tree(result.tree)
    other = search(state, 2)
    other.run(300)
    found = list(information_sets(result.tree))
    assert len(found) == len(other.sets)
    for node, expected in zip(found, other.sets.values(), strict=True):
        naive.assert_same_tree(result.tree, node, expected)


# ---- Who knows what


def test_a_player_has_an_information_set_for_each_of_its_own_cards() -> None:
    state = kuhn((KING, JACK))
    result = fastmcts.search(state, simulations=2_000, seed=0, method=ALL)
    tree = result.tree
    found = list(information_sets(tree))[1:]
    # Player 1 with either card after a pass or a bet, and player 0 once more after a pass and a bet.
    assert [int(tree.player[node]) for node in found].count(1) == 4
    assert [int(tree.player[node]) for node in found].count(0) == 1


def test_opponents_are_taken_to_know_their_cards() -> None:
    tree = fastmcts.search(kuhn((QUEEN, KING)), simulations=2_000, seed=0, method=ALL).tree
    facing_bet = {card: where(tree, kuhn((QUEEN, card), BET)) for card in (JACK, KING)}
    assert share(tree, facing_bet[KING], BET) > 0.9
    assert share(tree, facing_bet[JACK], PASS) > 0.8
    assert facing_bet[KING] == where(tree, kuhn((JACK, KING), BET)), "what the other holds makes no difference"


def test_nobody_sees_what_another_does_in_secret() -> None:
    result = fastmcts.search(Peek().new_initial_state(seed=0), simulations=500, seed=0, method=ALL)
    assert len(list(information_sets(result.tree))) == 1 + 2, "player 1 knows its hint, and not the hand"
    check_tree(result.tree)


def test_a_hint_is_used_against_who_hides_at_random() -> None:
    state = Peek().new_initial_state(seed=0)
    result = fastmcts.search(state, simulations=3_000, seed=0, method=ALL, selection=UCT(c=20.0))
    _, *hinted = information_sets(result.tree)
    assert len(hinted) == 2
    for node in hinted:
        values = [result.tree.value_sum[child_for(result.tree, node, guess)] for guess in (0, 1)]
        visits = [result.tree.visits[child_for(result.tree, node, guess)] for guess in (0, 1)]
        assert sorted(np.divide(values, visits)) == pytest.approx([0.25, 0.75], abs=0.08)


# ---- Sense


@pytest.mark.parametrize("seed", range(3))
def test_kuhn_poker_is_played_with_sense(seed: int) -> None:
    for cards, betting, action in [
        ((JACK, KING), (BET,), BET),
        ((QUEEN, KING), (BET,), BET),
        ((QUEEN, JACK), (BET,), PASS),
        ((KING, JACK), (BET,), PASS),
        ((KING, JACK), (PASS, BET), BET),
        ((JACK, QUEEN), (PASS, BET), PASS),
    ]:
        state = kuhn(cards, *betting)
        result = fastmcts.search(state, simulations=1_000, seed=seed, method=ALL)
        assert result.action == action, str(state)
        assert result.policy[action] > 0.75, str(state)


# ---- Everything else that a search does


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    "options",
    [{"selection": UCB1Tuned()}, {"selection": PUCT()}, {"rollout": MAST()}, {"rollout": GameRollout(max_length=3)}],
    ids=str,
)
def test_all_observers_go_with_other_components(options: dict[str, Any]) -> None:
    result = fastmcts.search(SMALL.new_initial_state(3), simulations=200, seed=0, method=ALL, **options)
    check_tree(result.tree)
    assert result.visits.sum() == 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selection": GRAVE()}, "GRAVE.* needs one tree"),
        ({"expansion": ExpandAll()}, "ExpandAll.* needs one tree"),
        ({"parallel": "shared", "threads": 2}, "which a shared tree has not"),
        ({"memory_mb": 0.001}, "too small for kuhn_poker"),
    ],
    ids=str,
)
def test_what_does_not_fit_all_observers_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fastmcts.search(KUHN.new_initial_state(seed=0), simulations=100, method=ALL, **options)


def test_only_all_observers_begin_at_the_deal() -> None:
    with pytest.raises(ValueError, match="ISMCTS's begins must be one of here, deal, not 'start'"):
        ISMCTS(observers="all", begins="start")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match='begins="deal" needs observers="all"'):
        ISMCTS(begins="deal")
    assert repr(DEAL) == "ISMCTS(observers='all', begins='deal')"


def test_from_the_deal_all_cards_of_all_players_are_met() -> None:
    tree = fastmcts.search(kuhn((QUEEN, KING)), simulations=1_000, seed=0, method=DEAL).tree
    assert len(list(information_sets(tree))) == 12
    assert 200 < tree.visits[ROOT] < 450, "every third time it is the queen"
    later = fastmcts.search(kuhn((QUEEN, KING), PASS, BET), simulations=1_000, seed=0, method=DEAL)
    assert 20 < later.visits.sum() < 300


@pytest.mark.slow_to_compile
def test_a_search_from_the_deal_goes_on_and_is_saved(tmp_path: Any) -> None:
    state = games.LeducPoker().new_initial_state(3)
    at_once = fastmcts.search(state, simulations=200, seed=0, method=DEAL, selection=SmoothUCT())
    mcts = MCTS(state.game, simulations=100, seed=0, method=DEAL, selection=SmoothUCT())
    mcts.search(state)
    mcts.save(tmp_path / "search")
    again = MCTS.load(tmp_path / "search")
    for one in (mcts, again):
        result = one.search(state)
        assert result.visits.tolist() == at_once.visits.tolist()
        assert result.nodes == at_once.nodes
        check_tree(result.tree)
    small = fastmcts.search(state, simulations=3_000, seed=0, method=DEAL, memory_mb=0.02)
    assert small.recycled > 0
    check_tree(small.tree, recycled=True)


@pytest.mark.slow_to_compile
def test_a_batch_from_the_deal_is_its_searches() -> None:
    states = [games.LeducPoker().new_initial_state(seed).child(2) for seed in range(4)]
    batch = fastmcts.search_batch(states, simulations=80, seed=2, threads=2, method=DEAL)
    for index, state in enumerate(states):
        single = fastmcts.search(state, simulations=80, seed=spawn_seed(2, index), method=DEAL)
        assert batch.visits[index, single.actions].tolist() == single.visits.tolist()
        assert batch.action[index] == single.action


def test_other_observers_are_refused() -> None:
    with pytest.raises(ValueError, match="ISMCTS's observers must be one of self, all, not 'nobody'"):
        ISMCTS(observers="nobody")  # pyright: ignore[reportArgumentType]


@pytest.mark.slow_to_compile
def test_several_forests_and_batches_have_all_observers_too() -> None:
    states = [SMALL.new_initial_state(seed) for seed in range(4)]
    batch = fastmcts.search_batch(states, simulations=60, seed=2, threads=2, method=ALL)
    for index, state in enumerate(states):
        single = fastmcts.search(state, simulations=60, seed=spawn_seed(2, index), method=ALL)
        assert batch.visits[index, single.actions].tolist() == single.visits.tolist()
        assert batch.action[index] == single.action
    one, two = (fastmcts.search(states[0], simulations=90, seed=1, trees=3, threads=n, method=ALL) for n in (1, 3))
    assert one.visits.tolist() == two.visits.tolist()
    assert one.visits.sum() == 90


@pytest.mark.slow_to_compile
def test_the_trees_live_on_within_their_memory() -> None:
    state = SMALL.new_initial_state(2)
    result = fastmcts.search(state, simulations=400, seed=0, memory_mb=0.04, method=ALL)
    assert result.recycled > 0
    assert result.memory_mb <= 0.04
    assert result.visits.sum() == 400
    check_tree(result.tree, recycled=True)
    batch = fastmcts.search_batch([state], simulations=400, seed=0, memory_mb=0.04, method=ALL)
    assert batch.visits.sum() == 400


@pytest.mark.slow_to_compile
def test_the_trees_do_not_depend_on_when_they_grow() -> None:
    state = SMALL.new_initial_state(2)
    at_once = fastmcts.search(state, simulations=600, seed=0, method=ALL)
    mcts = MCTS(SMALL, simulations=100, seed=0, method=ALL)
    results = [mcts.search(state) for _ in range(6)]
    assert results[-1].visits.tolist() == at_once.visits.tolist()
    assert results[-1].nodes == at_once.nodes
    assert mcts.forest.trees[0].visits.size < at_once.tree.visits.size, "it started smaller"
    assert results[1].reused == pytest.approx(0.5)


@pytest.mark.slow_to_compile
def test_the_trees_are_dropped_when_a_move_is_made() -> None:
    state = SMALL.new_initial_state(2)
    mcts = MCTS(SMALL, simulations=100, seed=0, method=ALL)
    player = state.current_player()
    result = mcts.search(state)
    assert len(result.principal_variation()) == 1
    assert result.action is not None
    mcts.advance(result.action)
    state.apply_action(result.action)
    while state.current_player() != player:
        state.apply_action(state.legal_actions()[0])
    assert mcts.search(state).reused == 0.0


@pytest.mark.slow_to_compile
def test_a_saved_search_with_all_observers_goes_on_as_it_would_have(tmp_path: Any) -> None:
    state = SMALL.new_initial_state(0)
    mcts = MCTS(SMALL, simulations=100, seed=0, method=ALL)
    mcts.search(state)
    mcts.save(tmp_path / "search")
    again = MCTS.load(tmp_path / "search")
    assert again.search(state).visits.tolist() == mcts.search(state).visits.tolist()
    check_tree(again.forest.trees[0])
    assert int(again.forest.trees[0].visits[ROOT]) == 200
