"""Rewards on the way: the trees of the naive search, to the last bit, with chance, several players and a discount."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import (
    GRAVE,
    ISMCTS,
    MAST,
    PIMC,
    PUCT,
    UCB1,
    UCT,
    Decisive,
    ExpandAll,
    GameError,
    OpenLoop,
    PerfectInformation,
    RandomRollout,
    SinglePerspective,
    UCB1Tuned,
)
from fastmcts.core.constants import NONE, ROOT
from fastmcts.core.tree import Tree
from fastmcts.experiments import Random, Search, play_deals, play_match
from fastmcts.rng import spawn_seed
from fastmcts.testing import check_game, check_tree, exploitability, uniform_policy
from tests import naive
from tests.toys import Paid, PaidInSecret

GAMES = [Paid(), Paid(num_players=1), Paid(num_players=3)]
DISCOUNT = 0.9


@pytest.mark.parametrize("game", [Paid(), *(pytest.param(g, marks=pytest.mark.slow_to_compile) for g in GAMES[1:])])
def test_search_builds_the_tree_of_the_naive_search(game: fastmcts.Game) -> None:
    state = game.new_initial_state(seed=3)
    for discount in (1.0, DISCOUNT):
        rollout = RandomRollout(discount=discount)
        result = fastmcts.search(state, simulations=400, seed=1, strategy="plain", rollout=rollout)
        assert_same(result, naive.Search(state, 1, discount=discount).run(400))


STRATEGIES: list[tuple[dict[str, Any], Any, dict[str, Any]]] = [
    ({"selection": UCB1(c=0.7)}, naive.Search, {"score": naive.ucb1(0.7)}),
    ({"selection": UCB1Tuned()}, naive.Search, {"score": naive.ucb1_tuned}),
    ({"selection": PUCT()}, naive.Puct, {}),
    ({"selection": GRAVE()}, naive.Grave, {}),
    ({"expansion": ExpandAll()}, naive.ExpandAll, {}),
    ({"rollout": MAST(discount=DISCOUNT)}, naive.Mast, {}),
    ({"rollout": RandomRollout(max_length=2, discount=DISCOUNT)}, naive.Search, {"max_length": 2}),
    ({"method": SinglePerspective()}, naive.SinglePerspective, {}),
    ({"method": SinglePerspective(resample=True)}, naive.Resampled, {}),
    ({"method": OpenLoop()}, naive.OpenLoop, {}),
]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize(
    ("options", "search", "arguments"), STRATEGIES, ids=lambda value: str(value).split(" at 0x")[0][:40]
)
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_strategy_builds_the_tree_of_its_naive_version(
    game: fastmcts.Game, options: dict[str, Any], search: Any, arguments: dict[str, Any]
) -> None:
    state = game.new_initial_state(seed=3)
    asked = {"rollout": RandomRollout(discount=DISCOUNT), **options}
    result = fastmcts.search(state, simulations=300, seed=3, strategy="plain", **asked)
    assert_same(result, search(state, 3, discount=DISCOUNT, **arguments).run(300))


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("seed", [1, 2])
def test_with_hidden_information_too(seed: int) -> None:
    state = PaidInSecret().new_initial_state(seed)
    options: dict[str, Any] = {"simulations": 300, "seed": 3, "strategy": "plain"}
    options["rollout"] = RandomRollout(discount=DISCOUNT)
    result = fastmcts.search(state, method=ISMCTS(), **options)
    assert_same(result, naive.InformationSets(state, 3, discount=DISCOUNT).run(300))
    result = fastmcts.search(state, method=ISMCTS(observers="all"), **options)
    root = naive.AllObservers(state, 3, discount=DISCOUNT).run(300)
    assert result.visits.tolist() == [root.children[action].visits for action in result.actions]
    assert result.value_sums.tolist() == [root.children[action].value_sum for action in result.actions]
    result = fastmcts.search(state, method=PIMC(worlds=2), **options)
    worlds = [state.determinize(0, spawn_seed(spawn_seed(3, n), 0)) for n in range(2)]
    for number, (tree, world) in enumerate(zip(result.trees, worlds, strict=True)):
        naive.assert_same_tree(tree, ROOT, naive.Search(world, spawn_seed(3, number), discount=DISCOUNT).run(150))


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("method", [ISMCTS(), ISMCTS(observers="all"), PIMC(worlds=4), SinglePerspective()], ids=repr)
def test_what_moves_pay_in_the_real_world_does_not_leak(method: fastmcts.Method) -> None:
    first = PaidInSecret().new_initial_state(0)
    second = first.clone()
    second.array[-1] = 1 - first.array[-1]
    second.paid = (1.0, -1.0)  # what was paid before tells nothing to a search either
    options: dict[str, Any] = {"simulations": 200, "seed": 5, "method": method}
    results = [fastmcts.search(state, **options) for state in (first, second)]
    assert results[0].visits.tolist() == results[1].visits.tolist()
    assert results[0].values.tolist() == results[1].values.tolist()


def assert_same(result: fastmcts.SearchResult, root: naive.Node) -> None:
    check_tree(result.tree, own_visits=3)
    naive.assert_same_tree(result.tree, ROOT, root)


# ---- What values mean


@dataclass(frozen=True)
class Ladder(fastmcts.Game):
    """One player, four steps: action 1 pays 3, action 0 pays 1; the end pays 5 on top.  State: [steps, ones]."""

    num_players = 1
    num_actions = 2
    state_size = 2
    max_game_length = 4
    min_utility = 0.0
    max_utility = 17.0

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        return fastmcts.TERMINAL if state[0] == 4 else 0

    def legal_actions(self, state, actions):
        actions[0] = 0
        actions[1] = 1
        return 2

    def apply(self, state, action):
        state[0] += 1
        state[1] += action

    def rewards(self, state, action, after, out):
        out[0] = 3.0 if action == 1 else 1.0

    def returns(self, state, out):
        out[0] = 5.0


@pytest.mark.slow_to_compile
def test_the_value_is_the_discounted_return_in_the_units_of_the_game() -> None:
    last = Ladder().new_initial_state()
    for action in (1, 0, 1):
        last.apply_action(action)
    assert last.rewards() == [3.0]
    assert last.returns() == [7.0]
    result = fastmcts.search(last, simulations=50, seed=0, rollout=RandomRollout(discount=0.5))
    assert result.values.tolist() == pytest.approx([1.0 + 0.5 * 5.0, 3.0 + 0.5 * 5.0])
    assert result.utilities.tolist() == result.values.tolist()
    assert result.value == pytest.approx(np.average(result.values, weights=result.visits))
    assert result.mean_rewards.tolist() == pytest.approx([3.5 / 17, 5.5 / 17])
    assert result.state.returns() == [7.0]
    last.apply_action(0)
    assert last.returns() == last.clone().returns() == [13.0]
    assert last.rewards() == [1.0]


@pytest.mark.slow_to_compile
def test_a_node_has_the_return_from_there_on() -> None:
    state = Ladder().new_initial_state()
    result = fastmcts.search(state, simulations=3_000, seed=0, rollout=RandomRollout(discount=0.5))
    tree, node, steps = result.tree, ROOT, 0
    while tree.num_children[node] > 0:
        first = tree.first_child[node]
        node = max(range(first, first + 2), key=lambda child: tree.visits[child])
        best = sum(3.0 * 0.5**k for k in range(4 - steps)) + 5.0 * 0.5 ** (4 - steps)
        assert 17.0 * tree.value_sum[node] / tree.visits[node] == pytest.approx(best, rel=0.05)
        steps += 1
    assert steps == 4


@pytest.mark.slow_to_compile
def test_a_kept_tree_goes_on_with_the_returns_from_its_new_root() -> None:
    state = Ladder().new_initial_state()
    mcts = fastmcts.MCTS(Ladder(), simulations=500, seed=0)
    for number in range(3):
        result = mcts.search(state)
        assert (result.reused > 0.0) == (number > 0)
        assert result.action == 1
        most = 3.0 * (4 - state.array[0]) + 5.0
        assert result.values.max() <= most + 1e-9
        assert result.values.max() == pytest.approx(most, rel=0.06)
        mcts.advance(1)
        state.apply_action(1)


@pytest.mark.slow_to_compile
def test_batches_saved_trees_and_shared_trees_have_the_same_values(tmp_path: Any) -> None:
    state = Paid().new_initial_state(seed=3)
    batch = fastmcts.search_batch([state, state], simulations=200, seed=4)
    alone = fastmcts.search(state, simulations=200, seed=spawn_seed(4, 1))
    assert batch[1].values.tolist() == alone.values.tolist()
    assert batch.value[1] == alone.value == batch[1].value
    mcts = fastmcts.MCTS(Paid(), simulations=100, seed=0)
    mcts.search(state)
    mcts.save(tmp_path / "paid.npz")
    loaded = fastmcts.MCTS.load(tmp_path / "paid.npz", Paid())
    assert loaded.search(state).values.tolist() == mcts.search(state).values.tolist()
    options: dict[str, Any] = {"simulations": 400, "seed": 0, "parallel": "shared"}
    shared = fastmcts.search(Ladder().new_initial_state(), threads=2, **options)
    assert shared.action == 1
    assert 11.0 < shared.value < 17.0


@pytest.mark.slow_to_compile
def test_the_nodes_of_a_shared_tree_have_the_returns_from_there_on() -> None:
    state = Ladder().new_initial_state()
    options: dict[str, Any] = {"simulations": 100, "seed": 0, "strategy": "plain"}
    shared = fastmcts.search(state, parallel="shared", **options)
    assert shared.value_sums.sum() == pytest.approx(shared.tree.value_sum[ROOT])
    assert 9.0 < shared.values.min() < shared.values.max() <= 17.0
    for node in range(1, int(shared.tree.size[0])):
        if shared.tree.visits[node] > 0 and is_last(shared.tree, node):  # then it is known to the last bit
            paid = 3.0 if shared.tree.action[node] == 1 else 1.0
            assert shared.tree.value_sum[node] == pytest.approx(shared.tree.visits[node] * (paid + 5.0) / 17.0)


def is_last(tree: Tree, node: int) -> bool:
    """Whether a node is four moves below the root."""
    path = [node]
    while tree.parent[path[-1]] != NONE:
        path.append(int(tree.parent[path[-1]]))
    return len(path) == 5


@pytest.mark.slow_to_compile
def test_exploration_can_go_by_the_range_of_returns_that_were_seen() -> None:
    @dataclass(frozen=True)
    class Wide(Ladder):
        """The same with a range of which nearly nothing is used."""

        max_utility = 1e6

    state = Wide().new_initial_state()
    plain = fastmcts.search(state, simulations=200, seed=0, selection=UCT(c=0.5))
    normalized = fastmcts.search(state, simulations=200, seed=0, selection=UCT(c=0.5, normalize=True))
    assert plain.visits.max() < 110
    assert normalized.visits[1] > 140
    low, high = normalized.tree.reward_range * 1e6
    assert 6.0 <= low < high <= 17.0 + 1e-6


@pytest.mark.slow_to_compile
def test_matches_and_deals_count_what_was_paid() -> None:
    match = play_match(Paid(), Search(simulations=5), Random(), games=4, seed=0)
    for record in match.records:
        end = list(record.replay(Paid()))[-1]
        assert list(record.returns) == end.returns()
        assert any(end.paid)
    deals = play_deals(Ladder(), Search(simulations=50), deals=2, seed=0)
    assert deals.utilities == [17.0, 17.0]


# ---- What is refused, and how


def test_what_makes_no_sense_with_rewards_is_refused() -> None:
    state = Ladder().new_initial_state()
    with pytest.raises(ValueError, match="proofs are about the utility of finished games"):
        fastmcts.search(state, simulations=10, solver=True)
    with pytest.raises(ValueError, match="Decisive looks for a move that wins at once"):
        fastmcts.search(state, simulations=10, rollout=Decisive())
    with pytest.raises(ValueError, match="exploitability is about the utility at the end, and Paid pays rewards"):
        exploitability(Paid(), uniform_policy)


@dataclass(frozen=True)
class Stingy(Ladder):
    """Declares less than it pays."""

    max_utility = 15.0


@dataclass(frozen=True)
class Unpaid(Ladder):
    """Forgets its player."""

    def rewards(self, state, action, after, out):
        pass


@dataclass(frozen=True)
class Meddling(Ladder):
    """Changes the position."""

    def rewards(self, state, action, after, out):
        out[0] = 0.0
        after[1] = 0


@dataclass(frozen=True)
class Answering(Ladder):
    """Returns what it should write."""

    def rewards(self, state, action, after, out) -> Any:
        out[0] = 1.0
        return 1.0


@dataclass(frozen=True)
class Generous(Ladder):
    """Cannot pay nothing."""

    min_utility = 1.0


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Stingy(), "player 0 is paid .* outside of min_utility = 0.0 to max_utility = 15.0: declare a range"),
        (Unpaid(), "rewards leaves out player 0"),
        (Meddling(), "rewards changes the position after the move"),
        (Answering(), "rewards returns the float 1.0; it must write what each player is paid into `out`"),
        (Generous(), "must have 0 between them, not 1.0 and 17.0"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_game_that_pays_wrongly_is_refused_in_words(game: fastmcts.Game, message: str) -> None:
    with pytest.raises(GameError, match=message):
        fastmcts.search(game.new_initial_state(), simulations=10)
    with pytest.raises(GameError, match=message):
        check_game(game)


@pytest.mark.slow_to_compile
def test_a_search_notices_a_return_outside_of_the_range(untried: None) -> None:
    with pytest.raises(GameError, match="declare a range that holds all that can be paid"):
        fastmcts.search(Stingy().new_initial_state(), simulations=200, seed=0)


@pytest.mark.parametrize(
    "game",
    [Paid(), *(pytest.param(g, marks=pytest.mark.slow_to_compile) for g in (*GAMES[1:], PaidInSecret(), Ladder()))],
    ids=repr,
)
def test_the_games_of_this_file_keep_the_contract(game: fastmcts.Game) -> None:
    check_game(game, positions=400)


def test_a_view_does_not_tell_what_was_paid() -> None:
    @dataclass(frozen=True)
    class Seen(PaidInSecret):
        def possible_actions(self, state, player, actions):
            return self.legal_actions(state, actions)

    view = Seen().new_initial_state(0).view(0)
    with pytest.raises(ValueError, match="may depend on what is hidden from player 0"):
        view.returns()


@pytest.mark.slow_to_compile
def test_a_guess_beyond_the_range_counts_as_its_end() -> None:
    @dataclass(frozen=True)
    class Hopeful(Ladder):
        def evaluate(self, state, out):
            out[0] = 17.0

    rollout = RandomRollout(max_length=0)
    state = Hopeful().new_initial_state()
    result = fastmcts.search(state, simulations=8, seed=0, rollout=rollout, method=PerfectInformation())
    assert result.values.max() <= 17.0
