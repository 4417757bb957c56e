"""Searches that do not know what their player cannot see; this file runs with the JIT on and off."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import (
    ISMCTS,
    MCTS,
    PIMC,
    UCT,
    ExpandAll,
    GameRollout,
    OpenLoop,
    PerfectInformation,
    Prioritized,
    RandomRollout,
    SinglePerspective,
    UCB1Tuned,
    games,
    spawn_seed,
)
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import ROOT
from fastmcts.games import load_game, registered_games
from fastmcts.rng import below, make_rng
from fastmcts.testing import check_tree
from fastmcts.testing.strategies import all_components
from tests import naive
from tests.helpers.klondike import MIDDLE
from tests.toys import Peek

REGISTERED = [game for game in map(load_game, registered_games()) if game.has_hidden_information]
HIDDEN_GAMES: list[fastmcts.Game] = [
    *REGISTERED,
    games.OhHell(num_players=3, hand_size=4),
    games.Klondike(draw=1),
    games.Klondike(macro=True),
]

METHODS: list[fastmcts.Method] = [
    ISMCTS(),
    ISMCTS(observers="all"),
    ISMCTS(observers="all", begins="deal"),
    PIMC(worlds=4),
    PIMC(worlds=4, vote="majority"),
    PIMC(worlds=4, vote="value"),
    SinglePerspective(),
    SinglePerspective(resample=True),
]

SHORT = RandomRollout(max_length=6)
SMALL = games.OhHell(num_players=3, hand_size=3)


def positions(game: fastmcts.Game, count: int, seed: int = 0) -> Iterator[fastmcts.State]:
    """Positions of random games in which somebody has a choice."""
    rng = make_rng(seed)
    found = number = 0
    with np.errstate(over="ignore"):
        while found < count:
            state = game.new_initial_state(seed + number)
            number += 1
            for _ in range(below(rng, min(40, game.max_game_length))):
                if not state.is_terminal():
                    legal = state.legal_actions()
                    state.apply_action(legal[below(rng, len(legal))])
            if len(state.legal_actions()) > 1 and not state.is_chance_node():
                found += 1
                yield state


# ---- No leak


@cache
def looking_the_same(game: fastmcts.Game) -> list[tuple[fastmcts.State, fastmcts.State]]:
    """Positions, and with each another world that the player to move cannot tell from it."""
    count = (200 if game in REGISTERED else 50) if JIT_ENABLED else 8
    return [(s, s.determinize(s.current_player(), number)) for number, s in enumerate(positions(game, count))]


#: Kuhn poker is compiled in seconds.
PARAMETERS = [
    pytest.param(game, marks=() if isinstance(game, games.KuhnPoker) else pytest.mark.slow_to_compile)
    for game in HIDDEN_GAMES
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("game", PARAMETERS, ids=repr)
def test_worlds_that_look_the_same_are_searched_the_same(game: fastmcts.Game, method: fastmcts.Method) -> None:
    mcts = MCTS(game, simulations=12, method=method, rollout=SHORT)

    def search(state: fastmcts.State, seed: int) -> fastmcts.SearchResult:
        mcts.driver.start_over(seed)
        return mcts.search(state)

    pairs = looking_the_same(game)
    for number, (state, world) in enumerate(pairs):
        seen, other = search(state, number), search(world, number)
        assert seen.actions.tolist() == other.actions.tolist()
        assert seen.visits.tolist() == other.visits.tolist()
        assert seen.values.tobytes() == other.values.tobytes()
        assert seen.visits.sum() == 12 or (isinstance(method, ISMCTS) and method.from_deal)
        assert seen.action == other.action
        if number % 10 == 0:  # it takes longer than the search
            assert str(seen) == str(other), "nor does the printed line tell them apart"
    # In small pokers two or three worlds look the same, so that up to half of the draws are the real one.
    least = 1 / 4 if isinstance(game, games.KuhnPoker | games.LeducPoker) else 1 / 2
    assert sum(state != world for state, world in pairs) > least * len(pairs)


def test_no_method_that_hides_something_is_left_out() -> None:
    kinds = {type(method) for method in all_components("method")} - {OpenLoop, PerfectInformation}
    assert kinds == {type(method) for method in METHODS}


@pytest.mark.parametrize("game", PARAMETERS, ids=repr)
def test_a_perspective_that_is_rolled_forward_leaks_nothing(game: fastmcts.Game) -> None:
    player = game.num_players - 1
    different = 0
    for number, state in enumerate(positions(game, 5)):
        method = SinglePerspective(player=player)
        world = state.determinize(player, number)
        different += world != state
        seen, other = (
            fastmcts.search(s, simulations=12, seed=number, method=method, rollout=SHORT) for s in (state, world)
        )
        assert seen.visits.tolist() == other.visits.tolist()
        assert seen.actions.tolist() == other.actions.tolist()
    assert different > 0, "there was something to leak"


@pytest.mark.slow_to_compile
def test_open_cards_do_leak_which_the_test_above_would_notice() -> None:
    def differs(state: fastmcts.State) -> bool:
        world = state.determinize(state.current_player(), 1)
        pair = [fastmcts.search(s, simulations=30, seed=0, method=PerfectInformation()) for s in (state, world)]
        return pair[0].visits.tolist() != pair[1].visits.tolist()

    assert any(differs(state) for state in positions(SMALL, 10))


# ---- Information sets


@pytest.mark.parametrize(
    "game",
    [
        games.KuhnPoker(),
        SMALL,
        pytest.param(games.Klondike(), marks=pytest.mark.slow_to_compile),
        pytest.param(games.Whist(), marks=pytest.mark.slow_to_compile),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", [0, 5])
def test_ismcts_builds_the_tree_of_its_naive_version(game: fastmcts.Game, seed: int) -> None:
    state = next(positions(game, 1, seed))
    simulations = 40 if isinstance(game, games.Klondike) else 200
    result = fastmcts.search(state, simulations=simulations, seed=seed, strategy="plain")
    assert result.method == ISMCTS()
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, naive.InformationSets(state, seed).run(simulations))


@pytest.mark.slow_to_compile
def test_resampled_replies_in_hidden_worlds_build_the_tree_of_their_naive_version() -> None:
    state = SMALL.new_initial_state(1)
    result = fastmcts.search(state, simulations=200, seed=1, strategy="plain", method=SinglePerspective(resample=True))
    check_tree(result.tree)
    naive.assert_same_tree(result.tree, ROOT, naive.Resampled(state, 1).run(200))


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    "options",
    [
        {"selection": UCB1Tuned()},
        {"expansion": ExpandAll()},
        {"rollout": GameRollout()},
        {"rollout": fastmcts.MAST()},
        {"rollout": RandomRollout(max_length=2)},
        {"method": SinglePerspective()},
        {"method": SinglePerspective(), "expansion": ExpandAll()},
    ],
    ids=str,
)
def test_ismcts_goes_with_other_components(options: dict[str, Any]) -> None:
    result = fastmcts.search(SMALL.new_initial_state(3), simulations=300, seed=0, **options)
    check_tree(result.tree)
    assert result.visits.sum() >= 300 - ("expansion" in options)


@pytest.mark.slow_to_compile
def test_promising_moves_come_first_in_klondike() -> None:
    state = games.Klondike().state_from_text(MIDDLE)
    legal = set(state.legal_actions())
    promising = {action for action in legal if state.game.is_promising(state.array, action)}
    assert 1 < len(promising) < len(legal) - 1
    for simulations in range(1, len(legal) + 1):
        result = fastmcts.search(
            state, simulations=simulations, seed=simulations, strategy="plain", expansion=Prioritized()
        )
        tried = set(result.actions[result.visits > 0].tolist())
        assert len(tried) == simulations
        assert tried <= promising or tried >= promising
        expected = {action: 2 if action in promising else 1 for action in tried}  # one of the two is assumed
        assert dict(zip(result.actions.tolist(), result.visits.tolist(), strict=True)) == {
            **dict.fromkeys(legal, 0),
            **expected,
        }
        check_tree(result.tree)


@pytest.mark.slow_to_compile
def test_every_move_was_available_at_the_root() -> None:
    result = fastmcts.search(games.Whist().new_initial_state(seed=0), simulations=200, seed=0)
    tree = result.tree
    first, tried = int(tree.first_child[ROOT]), int(tree.num_tried[ROOT])
    assert tried == 13
    assert (tree.available[first : first + tried] == 200 - np.arange(13)).all(), "from its first try on"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selection": fastmcts.PUCT()}, "compares moves that were not tried"),
        ({"selection": fastmcts.GRAVE()}, "compares moves that were not tried"),
        ({"selection": UCT(first_play=0.5)}, "compares moves that were not tried"),
        ({"solver": True}, "nothing can be proven in kuhn_poker, a game with hidden information"),
        ({"method": PIMC(worlds=200)}, r"PIMC\(worlds=200\) cannot share simulations=100"),
        ({"method": PIMC(worlds=2), "trees": 2}, "leave trees=2 out"),
        ({"method": PIMC(worlds=2, vote="value"), "final": "lcb"}, "the worlds vote by value"),
        ({"method": PIMC(worlds=2, vote="value"), "stop": fastmcts.Decided()}, "the worlds vote by value"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(options: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"method": ISMCTS(), **options}
    with pytest.raises(ValueError, match=message):
        fastmcts.search(games.KuhnPoker().new_initial_state(seed=0), simulations=100, **asked)


@pytest.mark.slow_to_compile
def test_several_trees_and_batches_search_information_sets_too() -> None:
    states = list(positions(SMALL, 6))
    batch = fastmcts.search_batch(states, simulations=60, seed=2, threads=2)
    for index, state in enumerate(states):
        single = fastmcts.search(state, simulations=60, seed=spawn_seed(2, index))
        assert batch.visits[index, single.actions].tolist() == single.visits.tolist()
        assert batch.action[index] == single.action
    one, two = (fastmcts.search(states[0], simulations=90, seed=1, trees=3, threads=n) for n in (1, 3))
    assert one.visits.tolist() == two.visits.tolist()


# ---- Memory


def test_a_tree_of_many_worlds_lives_on_within_its_memory() -> None:
    state = games.Whist().new_initial_state(2)
    result = fastmcts.search(state, simulations=2_500, seed=0, memory_mb=0.06)
    assert result.recycled > 0
    assert result.memory_mb <= 0.06
    assert result.visits.sum() == 2_500
    check_tree(result.tree, recycled=True)


def test_a_tree_of_many_worlds_does_not_depend_on_when_it_grows() -> None:
    state = games.Whist().new_initial_state(2)
    at_once = fastmcts.search(state, simulations=600, seed=0)
    mcts = MCTS(state.game, simulations=100, seed=0)
    for _ in range(5):
        mcts.search(state)
    result = mcts.search(state)
    assert result.visits.tolist() == at_once.visits.tolist()


# ---- Voting worlds


@pytest.mark.slow_to_compile
def test_pimc_adds_up_searches_of_worlds() -> None:
    state = SMALL.new_initial_state(5)
    result = fastmcts.search(state, simulations=80, seed=4, method=PIMC(worlds=8))
    player = state.current_player()
    total = np.zeros(len(result.actions), np.int64)
    for index in range(8):
        seed = spawn_seed(4, index)
        world = state.determinize(player, spawn_seed(seed, 0))
        total += fastmcts.search(world, simulations=10, seed=seed, method=PerfectInformation()).visits
    assert result.visits.tolist() == total.tolist()
    assert result.visits.sum() == 80
    assert len(result.trees) == 8
    for tree in result.trees:
        check_tree(tree)
    threaded = fastmcts.search(state, simulations=80, seed=4, method=PIMC(worlds=8), threads=2)
    assert threaded.visits.tolist() == result.visits.tolist()


def test_worlds_vote_as_they_are_told() -> None:
    from fastmcts.core.tree import allocate
    from fastmcts.kernels.plant import plant
    from fastmcts.strategies.final import voted_index

    def world(visits: list[int], values: list[float]) -> Any:
        tree = allocate(10)
        plant(SMALL, tree, 0)
        tree.first_child[ROOT], tree.num_children[ROOT], tree.num_tried[ROOT] = 1, 3, 3
        tree.action[1:4], tree.visits[1:4] = [0, 1, 2], visits
        tree.value_sum[1:4] = np.array(values) * visits
        return tree

    actions = np.arange(3)
    worlds = [world([90, 5, 5], [0.6, 0.5, 0.1]), world([3, 4, 3], [0.2, 0.8, 0.1]), world([3, 4, 3], [0.1, 0.7, 0.9])]
    assert voted_index("majority", worlds, actions) == 1
    assert voted_index("value", worlds, actions) == 1
    assert sum(tree.visits[1] for tree in worlds) == 96, "by visits it would be the first"


def test_an_mcts_object_lets_worlds_vote_move_after_move() -> None:
    state = SMALL.new_initial_state(5)
    mcts = MCTS(SMALL, simulations=20, seed=0, method=PIMC(worlds=4))
    first = mcts.search(state)
    assert mcts.search(state).reused == pytest.approx(0.5)
    assert first.action is not None
    mcts.advance(first.action)
    state.apply_action(first.action)
    assert mcts.search(state).reused == 0.0


@pytest.mark.parametrize("vote", ["visits", "value", "majority"])
def test_worlds_vote_in_batches_too(vote: Any) -> None:
    states = list(positions(SMALL, 6))
    batch = fastmcts.search_batch(states, simulations=50, seed=3, threads=2, method=PIMC(worlds=4, vote=vote))
    for index, state in enumerate(states):
        single = fastmcts.search(state, simulations=50, seed=spawn_seed(3, index), method=PIMC(worlds=4, vote=vote))
        assert batch.visits[index, single.actions].tolist() == single.visits.tolist()
        assert batch.action[index] == single.action


# ---- A tree kept from move to move


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("macro", [False, True])
def test_a_klondike_player_keeps_its_tree_until_a_card_is_turned(macro: bool) -> None:
    game = games.Klondike(macro=macro)
    kept = dropped = 0
    for seed in range(2):
        state = game.new_initial_state(seed)
        mcts = MCTS(game, selection=UCT(c=0.7), rollout=GameRollout(max_length=6), simulations=15, seed=seed)
        known = 0  # visits of the position before it is searched
        while (result := mcts.search(state)).action is not None:
            if result.stopped_by == "simulations":
                check_tree(result.tree)
                assert result.reused == pytest.approx(known / (known + 15))
                kept += known > 0
                dropped += known == 0
            revealed = bool(game.reveals(state.array, result.action))
            known = 0 if revealed else int(result.visits[result.actions.tolist().index(result.action)])
            mcts.advance(result.action)
            state.apply_action(result.action)
            if kept + dropped > 14 * (seed + 1):
                break
    assert kept > 4
    assert dropped > 4


def test_there_is_no_move_where_klondike_is_stuck() -> None:
    game = games.Klondike(draw=3)
    state = next(s for s in finished_games(game))
    result = MCTS(game, simulations=10, seed=0).search(state)
    assert result.action is None
    assert result.stopped_by == "game over"


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"trees": 2},
        {"method": ISMCTS(observers="all")},
        {"method": PIMC(worlds=4)},
        {"method": SinglePerspective()},
        {"method": SinglePerspective(resample=True)},
    ],
    ids=str,
)
def test_a_position_is_recognized_by_what_its_player_sees(options: dict[str, Any]) -> None:
    state = games.Whist().new_initial_state(7)
    elsewhere = state.determinize(state.current_player(), 3)
    assert elsewhere != state
    same, other = (MCTS(state.game, simulations=60, seed=0, **options) for _ in range(2))
    for mcts in (same, other):
        mcts.search(state)
    again = same.search(state)
    result = other.search(elsewhere)
    assert result.reused == again.reused == pytest.approx(0.5)
    assert result.visits.tolist() == again.visits.tolist()
    assert result.action is not None
    other.advance(result.action)


def test_a_search_does_not_draw_what_was_dealt_with_its_seed() -> None:
    state = games.Whist().new_initial_state(0)
    guessed = 0
    for seed in range(300):
        state = games.Whist().new_initial_state(seed)
        hands = state.array[state.game.hands :][:4]
        guess = state.determinize(1, seed).array[state.game.hands :][:4]
        guessed += int(hands[0] & guess[0]).bit_count()
    assert guessed / 300 == pytest.approx(13 / 3, abs=0.4), "of the 13 cards of player 0, a third"


@pytest.mark.slow_to_compile
def test_the_last_move_of_a_perspective_is_not_looked_up_in_the_real_world() -> None:
    game = games.Klondike(draw=24)
    for seed in range(40):
        state = game.new_initial_state(seed)
        state.apply_action(0)
        world = state.determinize(0, seed)
        options: dict[str, Any] = {"simulations": 8, "seed": 1, "method": SinglePerspective()}
        assert fastmcts.search(state, **options).action == fastmcts.search(world, **options).action


@pytest.mark.slow_to_compile
def test_hidden_moves_are_for_trees_of_all_observers() -> None:
    state = Peek().new_initial_state(seed=0)
    with pytest.raises(ValueError, match=r"Peek hides moves.*use ISMCTS\(observers='all'\) or PIMC\(\)"):
        fastmcts.search(state, simulations=10, method=ISMCTS())
    assert fastmcts.search(state, simulations=10).method == ISMCTS(observers="all")
    for hand in (0, 1):
        hidden = state.child(hand).child(0)
        guesses = fastmcts.search(hidden, simulations=200, seed=0).visits
        assert guesses.tolist() == fastmcts.search(state.child(0).child(0), simulations=200, seed=0).visits.tolist()


def test_one_player_does_not_use_what_another_knows() -> None:
    state = games.Whist().new_initial_state(7)
    mcts = MCTS(state.game, simulations=60, seed=0)
    result = mcts.search(state)
    assert result.action is not None
    mcts.advance(result.action)
    state.apply_action(result.action)
    fresh = fastmcts.search(state, simulations=60, seed=0)
    second = mcts.search(state)
    assert second.reused == 0.0
    assert second.visits.tolist() == fresh.visits.tolist()


@pytest.mark.slow_to_compile
def test_a_player_goes_on_from_its_own_tree_after_a_round() -> None:
    state = SMALL.new_initial_state(0)
    mcts = MCTS(SMALL, simulations=600, seed=0)
    player = state.current_player()
    state.apply_action(mcts.search(state).action)
    while state.current_player() != player:
        state.apply_action(state.legal_actions()[0])
    assert mcts.search(state).reused > 0.0


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("method", [None, PIMC(worlds=4), SinglePerspective(), ISMCTS(observers="all")], ids=str)
def test_a_saved_search_of_hidden_worlds_goes_on_as_it_would_have(method: Any, tmp_path: Any) -> None:
    state = SMALL.new_initial_state(0)
    mcts = MCTS(SMALL, simulations=100, seed=0, method=method)
    mcts.search(state)
    mcts.save(tmp_path / "search")
    again = MCTS.load(tmp_path / "search")
    result, loaded = mcts.search(state), again.search(state)
    assert loaded.visits.tolist() == result.visits.tolist()
    assert loaded.reused == result.reused == pytest.approx(0.5)
    assert loaded.action is not None
    again.advance(loaded.action)


# ---- Sense


def test_kuhn_poker_is_played_with_sense() -> None:
    game = games.KuhnPoker()
    folded = called = 0
    for seed in range(20):
        state = game.new_initial_state(seed)
        state.apply_action(1)  # a bet
        result = fastmcts.search(state, simulations=500, seed=seed)
        knowledge = state.information_state_string(1)
        outcomes = {s.returns()[1] for s in (state.determinize(1, n).child(1) for n in range(10))}
        if outcomes == {-2.0}:
            assert result.action == 0, f"folds the lowest card: {knowledge}"
            folded += 1
        if outcomes == {2.0}:
            assert result.action == 1, f"calls with the highest: {knowledge}"
            called += 1
    assert folded > 2
    assert called > 2


def finished_games(game: fastmcts.Game) -> Iterator[fastmcts.State]:
    """Random games, played to the end."""
    rng = np.random.default_rng(0)
    for seed in range(100):
        state = game.new_initial_state(seed)
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
        yield state
