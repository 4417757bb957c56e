"""Evaluators that fail, in every way: the user is told, and the tree is whole."""

import time
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import MCTS, Network, games
from fastmcts.testing.tree_checks import check_tree
from tests.helpers.networks import judge
from tests.toys import Paid, ThreePlayers

pytestmark = pytest.mark.slow_to_compile
GAME = games.TicTacToe()


class NeedsGradients:
    """As a PyTorch tensor that needs gradients."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def spoiled(part: int, change: Any) -> Any:
    """A function whose policy (0) or values (1) are changed."""

    def evaluate(observations: Any, legal: Any) -> Any:
        answer = list(judge(observations, legal))
        answer[part] = change(answer[part].copy(), legal)
        return tuple(answer)

    return evaluate


def with_entry(row: int, number: float) -> Any:
    """Change one row, at its first legal move if it is a policy."""

    def change(array: Any, legal: Any) -> Any:
        row_there = min(row, len(array) - 1)
        if array.ndim == 2:
            array[row_there, np.flatnonzero(legal[row_there])[0]] = number
        else:
            array[row_there] = number
        return array

    return change


BAD = {
    "no tuple": (lambda observations, legal: judge(observations, legal)[0][0, 0], TypeError, "two arrays"),
    "three arrays": (lambda observations, legal: (*judge(observations, legal), 0), TypeError, "a tuple of 3"),
    "NaN in the policy": (spoiled(0, with_entry(2, np.nan)), ValueError, r"row \d.*policy.*not a finite number"),
    "infinite policy": (spoiled(0, with_entry(0, np.inf)), ValueError, "row 0.*policy"),
    "negative policy": (spoiled(0, with_entry(0, -0.5)), ValueError, "below 0.*logits=True"),
    "NaN in the values": (spoiled(1, with_entry(0, np.nan)), ValueError, r"row 0.*value is not a finite number"),
    "infinite value": (spoiled(1, with_entry(0, -np.inf)), ValueError, "row 0.*value"),
    "too few rows": (spoiled(0, lambda array, legal: array[:-1]), ValueError, r"policy must have the shape"),
    "too many actions": (spoiled(0, lambda array, legal: np.ones((len(array), 10))), ValueError, r"\[\d+, 9\]"),
    "values of three": (spoiled(1, lambda array, legal: np.zeros((len(array), 3))), ValueError, r"values must have"),
    "a column of values": (spoiled(1, lambda array, legal: array[:, None]), ValueError, r"values must have"),
    "integers": (spoiled(0, lambda array, legal: np.ones(array.shape, int)), TypeError, "must be floats.*int64"),
    "complex": (spoiled(1, lambda array, legal: array.astype(complex)), TypeError, "must be floats.*complex"),
    "texts": (spoiled(1, lambda array, legal: np.array(["a"] * len(array))), TypeError, "must be floats"),
    "gradients": (spoiled(0, lambda array, legal: NeedsGradients()), TypeError, r"call \.detach\(\)"),
    "None": (lambda observations, legal: None, TypeError, "NoneType"),
}


def after_failing(network: Any, error: type[BaseException], match: str, **options: Any) -> None:
    """Search until the network fails at its fourth call, and go on: nothing is left of what failed."""
    calls = 0

    def failing(observations: Any, legal: Any) -> Any:
        nonlocal calls
        calls += 1
        return network(observations, legal) if calls == 4 else judge(observations, legal)

    state = GAME.new_initial_state()
    mcts = MCTS(GAME, simulations=60, seed=1, evaluator=failing, **options)
    with pytest.raises(error, match=match):
        mcts.search(state)
    before = mcts.result()
    check_tree(before.tree)
    assert (before.tree.first_child[: before.nodes] >= -1).all()
    left = 60 - int(before.visits.sum())
    assert left > 0
    went_on = mcts.search(state, simulations=left)
    check_tree(went_on.tree)
    undisturbed = fastmcts.search(state, simulations=60, seed=1, evaluator=judge, **options)
    if options.get("threads", 1) == 1:  # with two the other half was taken back too
        assert went_on.visits.tolist() == undisturbed.visits.tolist()
        assert went_on.value_sums.tolist() == pytest.approx(undisturbed.value_sums.tolist())


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_named_and_the_tree_is_as_it_was(name: str) -> None:
    after_failing(*BAD[name])


@pytest.mark.parametrize(
    "options", [{"batch_size": 4, "threads": 2}, {"solver": True}, {"evaluation_cache": 9}], ids=str
)
def test_an_exception_or_ctrl_c_inside_a_network_reaches_the_user(options: dict[str, Any]) -> None:
    for error in (ZeroDivisionError, KeyboardInterrupt, SystemExit):

        def broken(observations: Any, legal: Any, error: type[BaseException] = error) -> Any:
            raise error("from the network")

        after_failing(broken, error, "from the network", **options)


def test_ctrl_c_inside_a_network_can_return_what_was_found() -> None:
    calls = 0

    def interrupted(observations: Any, legal: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return judge(observations, legal)

    result = fastmcts.search(
        GAME.new_initial_state(), simulations=90, evaluator=interrupted, batch_size=4, on_interrupt="return"
    )
    assert result.stopped_by == "interrupted"
    assert 0 < result.visits.sum() == result.simulations < 90
    check_tree(result.tree)


def test_a_batch_tells_the_row_and_the_position() -> None:
    states = [GAME.new_initial_state().child(action) for action in range(9)]

    def bad(observations: Any, legal: Any) -> Any:
        policy, values = judge(observations, legal)
        values[5] = np.nan
        return policy, values

    for threads in (1, 2):
        with pytest.raises(ValueError, match=r"(?s)row 5 cannot be used.*value.*the position is\n"):
            fastmcts.search_batch(states * 2, simulations=8, evaluator=bad, threads=threads)


def test_any_floats_in_any_memory_are_read() -> None:
    def other(convert: Any) -> Any:
        return lambda observations, legal: tuple(convert(array) for array in judge(observations, legal))

    def read_only(array: Any) -> Any:
        array = np.asfortranarray(array)
        array.setflags(write=False)
        return array

    state = GAME.new_initial_state()
    wanted = fastmcts.search(state, simulations=40, seed=1, evaluator=judge).visits.tolist()
    for convert in (lambda array: array.astype(np.float64), read_only, lambda array: array.tolist(), memoryview):
        found = fastmcts.search(state, simulations=40, seed=1, evaluator=other(convert))
        assert found.visits.tolist() == wanted
    half = fastmcts.search(state, simulations=40, seed=1, evaluator=other(lambda array: array.astype(np.float16)))
    assert half.visits.sum() == 40


def test_what_a_network_is_given_is_its_own() -> None:
    kept, whole = [], []

    def keeping(observations: Any, legal: Any) -> Any:
        kept.append(observations)
        whole.append(observations.copy())
        answer = judge(observations, legal)
        legal[:] = False
        return answer

    result = fastmcts.search(GAME.new_initial_state(), simulations=20, seed=1, evaluator=keeping)
    assert all(np.array_equal(a, b) for a, b in zip(kept, whole, strict=True))
    assert result.visits.tolist() == fastmcts.search(
        GAME.new_initial_state(), simulations=20, seed=1, evaluator=judge
    ).visits.tolist()  # fmt: skip


def test_illegal_moves_are_masked_and_a_policy_without_legal_ones_is_uniform() -> None:
    state = GAME.new_initial_state().child(0)

    def only_illegal(observations: Any, legal: Any) -> Any:
        return np.where(legal, 0.0, 1.0), np.zeros(len(legal))

    def anything_illegal(observations: Any, legal: Any) -> Any:
        policy, values = judge(observations, legal)
        return np.where(legal, policy, np.nan), values

    tree = fastmcts.search(state, simulations=5, evaluator=only_illegal).tree
    assert tree.prior[1:9].tolist() == [1.0 / 8] * 8
    assert tree.action[1:9].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    tree = fastmcts.search(state, simulations=5, evaluator=anything_illegal).tree
    assert tree.prior[1:9].sum() == pytest.approx(1.0)


def test_logits_are_read_by_their_softmax() -> None:
    def logits(observations: Any, legal: Any) -> Any:
        policy, values = judge(observations, legal)
        return np.where(legal, np.log(policy.astype(np.float64)) + 5.0, -np.inf), values

    state = GAME.new_initial_state().child(4)
    by_logits = fastmcts.search(state, simulations=50, seed=1, evaluator=Network(logits, logits=True))
    by_policy = fastmcts.search(state, simulations=50, seed=1, evaluator=judge)
    assert by_logits.visits.tolist() == by_policy.visits.tolist()
    assert by_logits.tree.prior[1:9] == pytest.approx(by_policy.tree.prior[1:9])
    infinite = Network(lambda o, legal: (np.full(legal.shape, np.inf), np.zeros(len(legal))), logits=True)
    with pytest.raises(ValueError, match="not a finite number"):
        fastmcts.search(state, simulations=9, evaluator=infinite)


def test_values_outside_of_the_range_of_the_game_count_as_its_ends() -> None:
    result = fastmcts.search(
        GAME.new_initial_state(), simulations=5, evaluator=lambda o, legal: (legal * 1.0, np.full(len(legal), 7.5))
    )
    assert set(result.tree.estimate[: result.nodes].tolist()) == {0.0, 1.0}


def test_one_value_is_not_enough_for_three_players() -> None:
    with pytest.raises(ValueError, match=r"ThreePlayers.*\[1, 3\]"):
        fastmcts.search(ThreePlayers().new_initial_state(), simulations=5, evaluator=judge)


def test_a_slow_network_stops_in_time() -> None:
    def slow(observations: Any, legal: Any) -> Any:
        time.sleep(0.01)
        return judge(observations, legal)

    result = fastmcts.search(GAME.new_initial_state(), seconds=0.1, evaluator=slow, batch_size=4)
    assert result.stopped_by == "seconds"
    assert 1 <= result.simulations <= 60
    assert result.seconds < 2.0
    check_tree(result.tree)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"evaluator": 3}, TypeError, "function of whole batches"),
        ({"evaluator": dict}, TypeError, "function of whole batches"),
        ({"batch_size": 4}, ValueError, "set evaluator"),
        ({"evaluation_cache": 4}, ValueError, "set evaluator"),
        ({"root_noise": fastmcts.RootNoise()}, ValueError, "set evaluator"),
        ({"evaluator": judge, "batch_size": 0}, ValueError, "batch_size must be"),
        ({"evaluator": judge, "root_noise": 0.3}, TypeError, "RootNoise"),
        ({"evaluator": judge, "rollout": fastmcts.RandomRollout()}, ValueError, r"Blend\(evaluator, rollout, weight\)"),
        ({"evaluator": judge, "expansion": fastmcts.Lazy()}, ValueError, "leave it out"),
        ({"evaluator": judge, "selection": fastmcts.UCT()}, ValueError, r"use PUCT\(\)"),
        ({"evaluator": judge, "selection": fastmcts.GRAVE()}, ValueError, r"use PUCT\(\)"),
        ({"evaluator": judge, "method": fastmcts.SinglePerspective()}, ValueError, "another method"),
        ({"evaluator": judge, "threads": 3}, ValueError, "threads=2"),
        ({"evaluator": judge, "parallel": "shared"}, ValueError, "shared"),
        ({"evaluator": fastmcts.Blend(judge, fastmcts.MAST())}, ValueError, "learns from one rollout"),
        ({"selection": fastmcts.Gumbel()}, ValueError, "set evaluator"),
        ({"evaluator": judge, "selection": fastmcts.Gumbel(), "final": "value"}, ValueError, "leave final"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(options: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        MCTS(GAME, simulations=10, **options)


@pytest.mark.parametrize(
    ("game", "options", "match"),
    [
        (Paid(), {}, "pays rewards on the way"),
        (games.Pig(), {"method": fastmcts.OpenLoop()}, "another method"),
        (GAME, {"selection": fastmcts.SmoothUCT(first_play=0.5)}, "use PUCT"),
        (games.Whist(), {"method": fastmcts.ISMCTS(observers="all")}, "PIMC"),
        (games.Whist(), {"method": fastmcts.ISMCTS(), "selection": fastmcts.Gumbel()}, "PIMC"),
        (games.Whist(), {"method": fastmcts.ISMCTS(), "batch_size": 2}, "one leaf at a time"),
        (games.Whist(), {"method": fastmcts.ISMCTS(), "threads": 2}, "one leaf at a time"),
    ],
    ids=str,
)
def test_games_and_methods_that_an_evaluator_cannot_judge_are_refused(game: Any, options: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        MCTS(game, simulations=10, evaluator=judge, **options)


def test_a_batch_refuses_what_only_one_search_can_do() -> None:
    states = [GAME.new_initial_state()]
    ways: list[Any] = [{"seconds": 1.0}, {"stop": fastmcts.Decided()}, {"final": "robust_max"}, {"trees": 2}]
    for options in ways:
        with pytest.raises(ValueError, match="batch"):
            fastmcts.search_batch(states, simulations=10, evaluator=judge, **options)


def test_gumbel_needs_a_number_of_simulations() -> None:
    with pytest.raises(ValueError, match="simulations"):
        fastmcts.search(GAME.new_initial_state(), seconds=1.0, evaluator=judge, selection=fastmcts.Gumbel())


def test_a_search_by_an_evaluator_is_pickled_but_not_saved(tmp_path: Any) -> None:
    import pickle

    mcts = MCTS(GAME, simulations=20, seed=1, evaluator=judge)
    state = GAME.new_initial_state()
    mcts.search(state)
    with pytest.raises(ValueError, match="pickle"):
        mcts.save(tmp_path / "search.npz")
    copied = pickle.loads(pickle.dumps(mcts))
    assert copied.search(state).visits.tolist() == mcts.search(state).visits.tolist()
