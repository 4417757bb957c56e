"""Full batches: trees side by side, leaves of one tree that wait together, answers that are kept."""

from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import (
    ISMCTS,
    MCTS,
    PIMC,
    PUCT,
    Blend,
    Gumbel,
    RootNoise,
    UniformEvaluator,
    games,
    search_batch,
    spawn_seed,
)
from fastmcts.testing.tree_checks import check_tree
from tests.helpers.networks import judge, judge_four, judge_three
from tests.toys import ThreePlayers

pytestmark = pytest.mark.slow_to_compile


def starts(game: fastmcts.Game, count: int) -> list[fastmcts.State]:
    """Positions of the first moves; the same one more than once."""
    generator, found = np.random.default_rng(1), []
    for index in range(count):
        state = game.new_initial_state(seed=index, draw_chance=True)
        for _ in range(index % 4):
            state.apply_action(int(generator.choice(state.legal_actions())))
            while state.is_chance_node():
                state.apply_action(int(generator.choice(state.legal_actions())))
        found.append(state)
    return found


CASES: dict[str, tuple[fastmcts.Game, Any, dict[str, Any]]] = {
    "puct": (games.ConnectFour(), judge, {}),
    "gumbel": (games.ConnectFour(), judge, {"selection": Gumbel(considered=4)}),
    "solver": (games.TicTacToe(), judge, {"solver": True}),
    "noise": (games.TicTacToe(), judge, {"root_noise": RootNoise(0.5, 0.4)}),
    "blend": (games.TicTacToe(), Blend(judge, weight=0.3), {}),
    "chance": (games.Pig(), judge, {}),
    "three players": (ThreePlayers(), judge_three, {}),
    "worlds": (games.Whist(), judge_four, {"method": ISMCTS()}),
    "open worlds": (games.Whist(), judge_four, {"method": PIMC(4)}),
}


@pytest.mark.parametrize("ways", [{}, {"threads": 2}, {"batch_size": 3}, {"evaluation_cache": 40}], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_each_position_of_a_batch_gets_the_tree_that_a_search_would_give_it(name: str, ways: Any) -> None:
    game, evaluator, options = CASES[name]
    states = starts(game, 7)
    batch = search_batch(states, simulations=24, seed=1, evaluator=evaluator, **options, **ways)
    for index in (0, 3, 6):
        alone = fastmcts.search(
            states[index], simulations=24, seed=spawn_seed(1, index), evaluator=evaluator, **options
        )
        assert batch.visits[index, alone.actions].tolist() == alone.visits.tolist()
        assert batch.value_sums[index, alone.actions].tolist() == alone.value_sums.tolist()
        assert batch.action[index] == alone.action
        assert batch.improved_policy[index] == pytest.approx(alone.improved_policy)
        assert batch[index].improved_policy == pytest.approx(alone.improved_policy)
    assert batch.improved_policy.sum(axis=1) == pytest.approx(np.ones(7))


@pytest.mark.parametrize("evaluator", [judge, UniformEvaluator()], ids=["network", "compiled"])
def test_a_move_that_is_proven_to_win_before_any_visit_is_played(evaluator: Any) -> None:
    state = games.TicTacToe().new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    options: Any = {"simulations": 10, "seed": 1, "evaluator": evaluator, "solver": True}
    assert fastmcts.search(state, **options).action == 2
    assert search_batch([state], **options).action.tolist() == [2]


def test_trees_that_need_no_more_answers_do_not_end_those_of_the_other_turn() -> None:
    last = games.TicTacToe().new_initial_state()
    for action in (0, 1, 2, 4, 3, 5, 7, 6):
        last.apply_action(action)
    options: Any = {"simulations": 20, "seed": 1, "evaluator": judge, "search_forced": True}
    batch = search_batch([last, games.TicTacToe().new_initial_state()], threads=2, **options)
    assert batch.visits.sum(axis=1).tolist() == [20, 20]


def test_all_trees_have_a_place_in_each_batch_and_finished_leaves_have_none() -> None:
    sizes = []

    def counting(observations: Any, legal: Any) -> Any:
        sizes.append(len(observations))
        return judge(observations, legal)

    states = [games.ConnectFour().new_initial_state().child(a).child(b) for a in range(7) for b in range(7)]
    batch = search_batch(states * 2, simulations=16, seed=1, evaluator=counting)
    assert batch.simulations == 2 * 49 * 16
    assert sizes[0] == 49  # the same position is asked about once
    assert len(sizes) == 17
    end = games.TicTacToe().new_initial_state()
    for action in (0, 1, 2, 4, 3, 5, 7):
        end.apply_action(action)
    sizes.clear()
    result = search_batch([end], simulations=100, evaluator=counting, search_forced=True)
    assert result.visits.sum() == 100
    assert sum(sizes) <= 5  # so many positions are left in which somebody is to move


def test_a_batch_that_does_not_fit_into_the_memory_is_searched_in_groups() -> None:
    states = starts(games.ConnectFour(), 40)
    small = search_batch(states, simulations=20, seed=1, evaluator=judge, memory_mb=0.1)
    large = search_batch(states, simulations=20, seed=1, evaluator=judge)
    assert small.visits.tolist() == large.visits.tolist()
    assert small.evaluation is not None
    assert large.evaluation is not None
    assert small.evaluation.calls > 2 * large.evaluation.calls


def test_a_full_tree_drops_what_it_visits_least_and_goes_on() -> None:
    result = fastmcts.search(
        games.ConnectFour().new_initial_state(), simulations=2000, seed=1, evaluator=judge, batch_size=8, memory_mb=0.1
    )
    assert result.recycled > 0
    assert result.simulations == 2000
    check_tree(result.tree, recycled=True)


def test_positions_that_are_over_or_have_one_move_are_not_asked_about() -> None:
    over = games.TicTacToe().new_initial_state()
    for action in (0, 3, 1, 4, 2):
        over.apply_action(action)
    forced = games.TicTacToe().new_initial_state()
    for action in (0, 1, 2, 4, 3, 5, 7, 6):
        forced.apply_action(action)

    def never(observations: Any, legal: Any) -> Any:
        raise AssertionError

    batch = search_batch([over, forced], simulations=9, evaluator=never)
    assert batch.action.tolist() == [-1, 8]
    assert fastmcts.search(forced, simulations=9, evaluator=never).action == 8


def test_leaves_of_one_batch_are_distinct_positions() -> None:
    asked: list[bytes] = []

    def distinct(observations: Any, legal: Any) -> Any:
        rows = [row.tobytes() for row in observations]
        assert len(set(rows)) == len(rows) <= 16
        asked.extend(rows)
        return judge(observations, legal)

    result = fastmcts.search(games.TicTacToe().new_initial_state(), simulations=300, evaluator=distinct, batch_size=16)
    evaluation = result.evaluation
    assert evaluation is not None
    assert evaluation.batch_size > 13
    assert evaluation.positions < evaluation.leaves
    check_tree(result.tree)
    asked.clear()
    kept = fastmcts.search(
        games.TicTacToe().new_initial_state(),
        simulations=300,
        evaluator=distinct,
        batch_size=16,
        evaluation_cache=10_000,
    )
    assert len(set(asked)) == len(asked)  # nothing is asked twice
    assert kept.evaluation is not None
    assert kept.evaluation.hit_rate > 0.05
    assert kept.evaluation.found + kept.evaluation.positions <= kept.evaluation.leaves


def test_the_answers_that_were_used_last_are_kept() -> None:
    """Against a list of positions, the last used one at its end."""
    state, size = games.TicTacToe().new_initial_state(), 20
    order: list[bytes] = []

    def checking(observations: Any, legal: Any) -> Any:
        for row in observations:
            assert row.tobytes() not in order[-size:]
            order.append(row.tobytes())
        return judge(observations, legal)

    result = fastmcts.search(state, simulations=400, evaluator=checking, evaluation_cache=size)
    everything = fastmcts.search(state, simulations=400, evaluator=judge, evaluation_cache=10_000)
    nothing = fastmcts.search(state, simulations=400, evaluator=judge)
    assert result.visits.tolist() == everything.visits.tolist() == nothing.visits.tolist()
    found = [one.evaluation.found for one in (nothing, result, everything) if one.evaluation is not None]
    assert 0 == found[0] < found[1] < found[2]


def test_two_threads_take_turns_and_the_tree_depends_on_nothing_else() -> None:
    for trees in (1, 4):
        options = {"simulations": 200, "seed": 1, "evaluator": judge, "batch_size": 8, "threads": 2, "trees": trees}
        results = [fastmcts.search(games.ConnectFour().new_initial_state(), **options) for _ in range(3)]
        assert results[0].visits.tolist() == results[1].visits.tolist() == results[2].visits.tolist()
        for tree in results[0].trees:
            check_tree(tree)


def test_a_tree_is_kept_from_move_to_move_with_other_noise() -> None:
    game = games.ConnectFour()
    mcts = MCTS(game, simulations=60, seed=1, evaluator=judge, root_noise=RootNoise(0.3, 0.5), batch_size=4)
    state = game.new_initial_state()
    first = mcts.search(state)
    priors = first.tree.prior[1:8].copy()
    assert first.tree.own_prior[1:8].sum() == pytest.approx(1.0)
    assert not np.allclose(priors, first.tree.own_prior[1:8])
    again = mcts.search(state)
    assert again.reused > 0.4
    assert not np.allclose(priors, again.tree.prior[1:8])
    assert again.action is not None
    mcts.advance(again.action)
    after = mcts.search(state.child(again.action))
    assert after.reused > 0.1
    children = after.tree.first_child[0] + np.arange(7)
    assert not np.allclose(after.tree.prior[children], after.tree.own_prior[children])
    check_tree(after.tree)


def test_gumbel_starts_each_search_with_a_new_tree() -> None:
    mcts = MCTS(games.ConnectFour(), simulations=32, seed=1, evaluator=judge, selection=Gumbel())
    state = games.ConnectFour().new_initial_state()
    assert mcts.search(state).reused == mcts.search(state).reused == 0.0
    assert mcts.search(state, simulations=64).visits.sum() == 64


@pytest.mark.parametrize("method", [ISMCTS(), PIMC(4)], ids=repr)
@pytest.mark.parametrize("options", [{}, {"root_noise": RootNoise()}], ids=str)
def test_a_search_does_not_see_what_its_player_cannot_see(method: Any, options: Any) -> None:
    state = games.Whist().new_initial_state(seed=3)
    other = state.determinize(state.current_player(), seed=8)
    assert not np.array_equal(state.array, other.array)
    found = [
        fastmcts.search(s, simulations=60, seed=2, evaluator=judge_four, method=method, **options)
        for s in (state, other)
    ]
    assert found[0].visits.tolist() == found[1].visits.tolist()
    assert found[0].value_sums.tolist() == found[1].value_sums.tolist()


@pytest.mark.parametrize("method", [ISMCTS(), PIMC(4)], ids=repr)
def test_a_network_sees_what_the_player_to_move_sees_in_sampled_worlds(method: Any) -> None:
    """Every observation of the searching player's own move at the root is the same; others' cards are never shown."""
    game = games.Whist()
    state = game.new_initial_state(seed=3)
    seen = []

    def looking(observations: Any, legal: Any) -> Any:
        seen.extend(observations)
        return judge_four(observations, legal)

    fastmcts.search(state, simulations=40, seed=2, evaluator=looking, method=method)
    own = state.observation_tensor()
    assert np.array_equal(seen[0], own)
    assert len({row.tobytes() for row in seen}) > 20


def test_a_compiled_evaluator_and_a_function_that_says_the_same_build_the_same_tree() -> None:
    def uniform(observations: Any, legal: Any) -> Any:
        return legal.astype(np.float32), np.zeros(len(legal))

    for options in ({}, {"selection": PUCT(c=2.0, first_play=0.3)}, {"selection": Gumbel()}, {"solver": True}):
        options = {"simulations": 200, "seed": 4, **options}
        state = games.TicTacToe().new_initial_state()
        inside = fastmcts.search(state, evaluator=UniformEvaluator(), **options)
        outside = fastmcts.search(state, evaluator=uniform, **options)
        assert inside.visits.tolist() == outside.visits.tolist()
        assert inside.simulations == outside.simulations
        nodes = inside.nodes
        assert inside.tree.value_sum[:nodes].tolist() == outside.tree.value_sum[:nodes].tolist()
        batch = search_batch([state] * 3, evaluator=UniformEvaluator(), **options)
        assert batch.simulations == sum(one.visits.sum() for one in batch)


def test_proofs_go_first() -> None:
    """A move that wins at once is found without asking; a proven root ends the search."""
    state = games.TicTacToe().new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)

    def never(observations: Any, legal: Any) -> Any:
        raise AssertionError

    result = fastmcts.search(state, simulations=50, evaluator=never, solver=True)
    assert result.action == 2
    assert result.proven_value == 1.0
    assert result.stopped_by == "proven"
    solved = fastmcts.search(
        games.TicTacToe().new_initial_state(), simulations=20_000, evaluator=judge, solver=True, batch_size=16
    )
    assert solved.stopped_by == "proven"
    assert solved.proven_value == 0.5


def test_a_blend_of_nothing_but_rollouts_searches_as_rollouts_do() -> None:
    state = games.TicTacToe().new_initial_state()
    result = fastmcts.search(state, simulations=2000, seed=1, evaluator=Blend(UniformEvaluator(), weight=1.0))
    assert result.action == 4
    half = Blend(lambda o, legal: (legal * 1.0, np.full(len(legal), -1.0)), weight=0.5)
    values = fastmcts.search(state, simulations=50, seed=1, evaluator=half).tree.value_sum
    assert values[0] <= 51 * 0.5 + 25.5
