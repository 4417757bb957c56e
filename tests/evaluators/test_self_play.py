"""Self-play: what is learned from is right, games follow from their seed, and nothing that was finished is lost."""

import sys
from collections.abc import Iterable
from pathlib import Path
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
    LoadError,
    RootNoise,
    SelfPlay,
    SelfPlayGame,
    SelfPlaySnapshot,
    UniformEvaluator,
    games,
    read_shards,
    self_play,
    spawn_seed,
    write_shards,
)
from tests.helpers.networks import judge, judge_four, judge_three
from tests.toys import Paid, ThreePlayers

pytestmark = pytest.mark.slow_to_compile

GAME = games.TicTacToe()


def in_order(played: Iterable[SelfPlayGame]) -> list[SelfPlayGame]:
    """Games by their numbers."""
    return sorted(played, key=lambda one: one.number)


def assert_same(some: Iterable[SelfPlayGame], others: Iterable[SelfPlayGame]) -> None:
    """Assert that games are the same, bit for bit."""
    for one, other in zip(in_order(some), in_order(others), strict=True):
        for name, value in one._asdict().items():
            assert np.array_equal(value, getattr(other, name), equal_nan=name == "values"), name


def even(observations: Any, legal: Any) -> Any:
    """A network that knows nothing."""
    return np.ones(legal.shape), np.zeros(len(legal))


CASES: dict[str, tuple[fastmcts.Game, Any, dict[str, Any]]] = {
    "puct": (GAME, judge, {}),
    "noise": (GAME, judge, {"root_noise": RootNoise(0.5, 0.4), "evaluation_cache": 30}),
    "forced playouts": (GAME, judge, {"selection": PUCT(forced_playouts=2.0)}),
    "gumbel": (GAME, judge, {"selection": Gumbel(considered=4)}),
    "moves twice": (games.DotsAndBoxes(2, 2), judge, {}),
    "chance": (games.Pig(target=8), even, {}),
    "hidden": (games.KuhnPoker(), judge, {}),
    "worlds": (games.Whist(), judge_four, {"method": PIMC(2), "temperature": 0.5}),
    "three players": (ThreePlayers(), judge_three, {}),
    "seats": (games.LeducPoker(), judge, {"method": ISMCTS()}),
    "compiled": (GAME, UniformEvaluator(), {"threads": 2}),
}

#: More ways to search in which trees are kept.
KEEPING: dict[str, tuple[fastmcts.Game, Any, dict[str, Any]]] = {
    **{name: case for name, case in CASES.items() if name not in ("gumbel", "worlds", "hidden", "seats")},
    "solver": (GAME, judge, {"solver": True}),
    "blend": (GAME, Blend(judge, weight=0.3), {}),
    "compiled blend": (GAME, Blend(UniformEvaluator(), weight=0.5), {"root_noise": RootNoise(0.5, 0.4)}),
    "compiled chance": (games.Pig(target=8), UniformEvaluator(), {"threads": 2}),
    "compiled solver": (GAME, UniformEvaluator(), {"solver": True}),
}


class Twin:
    """Plays a game of `self_play` again with an `MCTS` for each player, or with one for all, that are advanced."""

    def __init__(self, game: fastmcts.Game, evaluator: Any, seats: bool = False, **options: Any) -> None:
        options.pop("threads", None)  # how many there are makes no difference
        self.game = game
        self.seats = seats
        self.options = {"search_forced": True, "evaluator": evaluator, **options}
        self.reused: list[float] = []

    def follow(self, played: SelfPlayGame, brought: list[list[int]]) -> None:
        """Assert that each search finds what was learned from; `brought` is what chance did after each move."""
        state = self.game.new_initial_state(played.seed, draw_chance=True)
        searches: dict[int, MCTS] = {}
        for row, move in enumerate(played.moves.tolist()):
            seat = state.current_player() if self.seats else 0
            if seat not in searches:
                searches[seat] = MCTS(self.game, seed=spawn_seed(played.seed, 2 * row), **self.options)
            result = searches[seat].search(state)
            self.reused.append(result.reused)
            if result.visits.any() or not result.solver:
                assert played.policies[row].tolist() == result.improved_policy.astype(np.float32).tolist()
                assert np.array_equal(played.values[row], np.float32(result.utility), equal_nan=True)
            else:  # proven before any move was visited
                assert move == result.action
                assert played.policies[row, move] == 1.0
                assert played.values[row] == np.float32(2.0 * (result.proven_value or 0.0) - 1.0)
            for action in (move, *brought[row]):
                for search in searches.values():
                    search.advance(action)
                state.apply_action(action)


def with_outcomes(played: SelfPlay) -> tuple[list[SelfPlayGame], dict[int, list[list[int]]]]:
    """All games, and for each what chance did after each of its moves."""
    brought: dict[int, list[list[int]]] = {}
    moves = played.with_trees

    def noting(before: Any, after: Any) -> Any:
        for one in after:
            brought.setdefault(one.number, []).append(list(one.path[1:]))
        return moves(before, after)

    played.with_trees = noting  # pyright: ignore[reportAttributeAccessIssue]
    return list(played), brought


@pytest.mark.parametrize("name", CASES)
def test_a_game_played_again_shows_what_was_learned_from(name: str) -> None:
    game, evaluator, options = CASES[name]
    for played in self_play(game, evaluator, games=2, simulations=6, seed=3, **options):
        count = len(played.moves)
        assert played.seed == spawn_seed(3, played.number)
        assert played.observations.shape == (count, *game.observation_shape)
        assert {array.dtype for array in played[2:5]} == {np.dtype(np.float32)}
        assert played.policies.sum(axis=1) == pytest.approx(np.ones(count), abs=1e-5)
        assert not played.policies[~played.legal].any()
        assert played.legal[np.arange(count), played.moves].all()
        assert played.outcomes.tolist() == [played.returns[player] for player in played.players]
        assert (game.min_utility <= played.values).all()
        assert (played.values <= game.max_utility).all()
        if game.has_chance:  # what it has brought is not among the moves
            continue
        state = game.new_initial_state(played.seed)
        for row, move in enumerate(played.moves.tolist()):
            assert played.players[row] == state.current_player()
            assert np.array_equal(played.observations[row], state.observation_tensor())
            assert np.array_equal(played.legal[row], state.legal_actions_mask())
            state.apply_action(move)
        assert state.is_terminal()
        assert played.returns.tolist() == np.array(state.returns(), np.float32).tolist()


def test_outcomes_belong_to_who_is_to_move_also_where_that_player_moves_twice() -> None:
    twice = False
    for played in self_play(games.DotsAndBoxes(2, 2), judge, games=4, simulations=4, seed=0):
        winner = int(played.returns.argmax())
        if played.returns[winner] > 0:
            assert ((played.outcomes > 0) == (played.players == winner)).all()
        twice |= bool((played.players[1:] == played.players[:-1]).any())
    assert twice


@pytest.mark.parametrize("name", KEEPING)
def test_a_game_is_what_a_search_finds_that_is_advanced_over_its_moves(name: str) -> None:
    game, evaluator, options = KEEPING[name]
    played = self_play(game, evaluator, games=3, simulations=12, seed=3, side_by_side=2, **options)
    twin = Twin(game, evaluator, simulations=12, **options)
    found, brought = with_outcomes(played)
    for one in found:
        twin.follow(one, brought[one.number])
    assert max(twin.reused) > 0.2


@pytest.mark.parametrize("game", [games.LeducPoker(), games.KuhnPoker(), games.LiarsDice()], ids=lambda game: game.name)
def test_with_one_observer_each_player_has_a_tree_that_follows_all_moves(game: fastmcts.Game) -> None:
    options: Any = {"simulations": 20, "method": ISMCTS()}
    played = self_play(game, judge, games=6, seed=3, side_by_side=4, **options)
    twin = Twin(game, judge, seats=True, **options)
    found, brought = with_outcomes(played)
    for one in found:
        twin.follow(one, brought[one.number])
    assert max(twin.reused) > 0.05 or game.name == "kuhn_poker"  # where hardly anybody moves twice


def test_only_moves_that_are_not_searched_keep_what_is_known() -> None:
    options: Any = {"simulations": 8, "search_forced": False, "temperature": 0.0, "root_noise": RootNoise(0.5, 0.4)}
    twin = Twin(GAME, judge, simulations=8, search_forced=False, root_noise=RootNoise(0.5, 0.4))
    found = list(self_play(GAME, judge, games=6, seed=1, **options))
    assert any(len(one.moves) == 9 for one in found)
    for one in found:
        twin.follow(one, [[] for _ in one.moves])


def test_trees_that_do_not_fit_side_by_side_are_searched_by_turns() -> None:
    options: Any = {"games": 6, "simulations": 20, "seed": 4, "side_by_side": 6}
    for evaluator in (judge, UniformEvaluator()):
        wanted = self_play(GAME, evaluator, **options)
        tight = self_play(GAME, evaluator, memory_mb=0.1, **options)
        together: list[int] = []

        def noting(before: Any, after: Any, honest: Any = tight.with_trees, counts: list[int] = together) -> Any:
            counts.append(len(before))
            return honest(before, after)

        tight.with_trees = noting  # pyright: ignore[reportAttributeAccessIssue]
        assert_same(wanted, tight)
        assert max(together) < 6


def test_games_whose_trees_turn_out_too_large_go_on_in_smaller_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    options: Any = {"games": 6, "simulations": 20, "seed": 4}
    wanted = list(self_play(GAME, judge, **options))
    optimistic = sys.modules["fastmcts.self_play"]
    monkeypatch.setattr(optimistic, "most_together", lambda plan, kept, all_kept: list(range(len(kept))))
    for threads in (1, 2):
        played = self_play(GAME, judge, memory_mb=0.1, threads=threads, **options)
        assert_same(wanted, played)
        assert played.most_together < 6


def test_a_small_batch_size_gives_the_same_games() -> None:
    options: Any = {"games": 5, "simulations": 5, "seed": 1}
    assert_same(self_play(GAME, judge, **options), self_play(GAME, judge, batch_size=2, **options))


def test_a_tree_that_outgrows_its_memory_drops_what_it_visits_least_however_many_are_played() -> None:
    options: Any = {"games": 2, "simulations": 40, "seed": 4, "memory_mb": 0.03}
    several = [list(self_play(GAME, judge, side_by_side=count, **options)) for count in (1, 2)]
    assert_same(*several)
    roomy = self_play(GAME, judge, **(options | {"memory_mb": 10.0}))
    assert any(
        not np.array_equal(a.policies, b.policies) for a, b in zip(in_order(several[0]), in_order(roomy), strict=True)
    )


def test_without_trees_that_are_kept_each_search_has_the_seed_of_the_move() -> None:
    for selection in (PUCT(c=1.5), Gumbel(considered=3)):
        (played,) = self_play(
            GAME, judge, games=[5], simulations=12, seed=8, selection=selection, temperature=0.0, keep_trees=False
        )
        if selection.starts_anew:
            again = self_play(GAME, judge, games=[5], simulations=12, seed=8, selection=selection, temperature=0.0)
            assert_same([played], again)
        state = GAME.new_initial_state(played.seed)
        for row, move in enumerate(played.moves.tolist()):
            seed = spawn_seed(played.seed, 2 * row)
            options: Any = {"simulations": 12, "selection": selection, "evaluator": judge, "search_forced": True}
            alone = fastmcts.search(state, seed=seed, **options)
            assert alone.action == move
            assert played.policies[row] == pytest.approx(alone.improved_policy, abs=1e-6)
            assert played.values[row] == pytest.approx(alone.utility, abs=1e-6)
            state.apply_action(move)


@pytest.mark.parametrize("name", [name for name in CASES if name != "worlds"])
def test_the_same_seed_gives_the_same_games_however_many_are_played_at_a_time(name: str) -> None:
    game, evaluator, options = CASES[name]
    wanted = list(self_play(game, evaluator, games=5, simulations=5, seed=1, **options))
    several: list[dict[str, Any]] = [{"side_by_side": 1}, {"side_by_side": 2, "threads": 2}, {"side_by_side": 3}]
    for ways in several:
        assert_same(wanted, self_play(game, evaluator, games=5, simulations=5, seed=1, **(options | ways)))
    some = self_play(game, evaluator, games=[4, 1], simulations=5, seed=1, **options)
    assert_same([one for one in wanted if one.number in (1, 4)], some)


def test_other_seeds_give_other_games() -> None:
    drawn = self_play(GAME, judge, games=3, simulations=5)
    assert isinstance(drawn.seed, int)
    played = [one for seed in (1, 2) for one in self_play(GAME, judge, games=3, simulations=5, seed=seed)]
    assert len({tuple(one.moves.tolist()) for one in played}) > 3


def test_games_that_end_are_replaced_before_the_network_is_asked_again() -> None:
    sizes: list[int] = []
    side_by_side: list[int] = []  # as long as there are games to begin

    def counting(observations: Any, legal: Any) -> Any:
        sizes.append(len(observations))
        if played.begun < 12:
            side_by_side.append(len(played.running))
        return judge(observations, legal)

    played = self_play(games.MNK(5, 5, 5), counting, games=12, simulations=3, seed=0, side_by_side=4)
    lengths = [len(one.moves) for one in played]
    assert len(set(lengths)) > 1, "they must end at different times"
    assert len(lengths) == 12
    assert max(sizes) == 4
    assert len(side_by_side) > 20
    assert set(side_by_side) == {4}
    assert played.evaluation is not None
    assert played.evaluation.positions == sum(sizes)


def test_temperature_is_a_number_or_follows_the_number_of_the_move() -> None:
    def first_moves(temperature: Any) -> set[int]:
        found = self_play(GAME, judge, games=12, simulations=8, seed=0, temperature=temperature)
        return {int(one.moves[0]) for one in found}

    asked: list[int] = []

    def falling(move: int) -> float:
        asked.append(move)
        return 1.0 if move < 1 else 0.0

    assert len(first_moves(0.0)) == 1
    assert len(first_moves(1e-3)) <= 2
    assert len(first_moves(None)) > 2
    assert first_moves(falling) == first_moves(None)
    assert asked == list(range(GAME.max_game_length))


def test_an_only_move_is_searched_for_its_value_unless_that_is_not_wanted() -> None:
    searched = in_order(self_play(GAME, judge, games=12, simulations=4, seed=0))
    full = [one for one in searched if len(one.moves) == 9]
    assert full
    assert np.isfinite(full[0].values).all()
    left_out = in_order(self_play(GAME, judge, games=[full[0].number], simulations=4, seed=0, search_forced=False))
    anew = in_order(self_play(GAME, judge, games=12, simulations=4, seed=0, search_forced=False, keep_trees=False))
    long = next(one for one in anew if len(one.moves) == 9)
    assert np.isnan(long.values).tolist() == [False] * 8 + [True]
    for one in (left_out[0], long):
        assert one.policies[8].tolist() == one.legal[8].tolist()


def test_progress_is_told() -> None:
    looks: list[SelfPlaySnapshot] = []
    played = list(self_play(GAME, judge, games=3, simulations=4, seed=0, side_by_side=2, progress=looks.append))
    assert looks[-1].games == looks[-1].total == 3
    assert looks[-1].positions == sum(len(one.moves) for one in played)
    assert looks[-1].simulations > 0
    assert [look.games for look in looks] == sorted(look.games for look in looks)


class Failing:
    """A network that is interrupted now and then."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.calls = 0

    def __call__(self, observations: Any, legal: Any) -> Any:
        self.calls += 1
        if self.calls % self.every == 0:
            raise KeyboardInterrupt
        return judge(observations, legal)


def test_after_ctrl_c_the_next_game_is_as_if_nothing_had_been() -> None:
    wanted = list(self_play(GAME, judge, games=5, simulations=4, seed=2, side_by_side=2))
    played, found, interrupted = self_play(GAME, Failing(17), games=5, simulations=4, seed=2, side_by_side=2), [], 0
    while True:
        try:
            found.append(next(played))
        except StopIteration:
            break
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted > 3
    assert_same(wanted, found)


def test_ctrl_c_while_moves_are_made_loses_and_doubles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = list(self_play(GAME, judge, games=5, simulations=4, seed=2, side_by_side=3))
    for name in ("child", "is_terminal", "returns"):
        calls, honest = [0], getattr(fastmcts.State, name)

        def failing(self: Any, *arguments: Any, calls: list[int] = calls, honest: Any = honest) -> Any:
            calls[0] += 1
            if calls[0] % 41 == 3:
                raise KeyboardInterrupt
            return honest(self, *arguments)

        with monkeypatch.context() as patched:
            played = self_play(GAME, judge, games=5, simulations=4, seed=2, side_by_side=3)
            patched.setattr(fastmcts.State, name, failing)
            found: list[SelfPlayGame] = []
            while len(found) < 5:
                try:
                    found.append(next(played))
                except KeyboardInterrupt:
                    continue
        assert calls[0] >= 3
        assert list(played) == []
        assert_same(wanted, found)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "tic_tac_toe"}, "takes a Game"),
        ({"evaluator": None}, "needs an evaluator"),
        ({"evaluator": 3}, "evaluator"),
        ({"games": 0}, "games must be from 1"),
        ({"games": 2.5}, "games must be a whole number"),
        ({"games": [1, 2, 1]}, "1 is there more than once"),
        ({"games": [-1]}, "the number of a game must be from 0"),
        ({"simulations": 0}, "simulations must be"),
        ({"seconds": 1.0}, "clock"),
        ({"temperature": -1.0}, "temperature must be at least 0"),
        ({"temperature": "warm"}, "temperature must be a number"),
        ({"temperature": lambda move: np.nan if move == 3 else 1.0}, r"temperature\(3\) must be finite"),
        ({"side_by_side": 0}, "side_by_side must be from 1"),
        ({"keep_trees": 1}, "keep_trees must be True or False, not 1"),
        ({"seed": "one"}, "seed must be a whole number"),
        ({"colour": 1}, "there is no search option 'colour'"),
        ({"game": Paid()}, "pays rewards on the way"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_makes_no_sense_is_refused_before_any_work(changes: dict[str, Any], words: str) -> None:
    keywords = {"game": GAME, "evaluator": judge, "games": 2, "simulations": 4, "seed": 0, **changes}
    with pytest.raises((TypeError, ValueError), match=words):
        self_play(**keywords)


# ---- Shards


def test_a_game_can_be_saved_by_itself(tmp_path: Path) -> None:
    (played,) = self_play(GAME, judge, games=1, simulations=4, seed=0)
    np.savez(tmp_path / "game.npz", **played._asdict())
    with np.load(tmp_path / "game.npz", allow_pickle=False) as file:
        assert_same([played], [SelfPlayGame(**{name: file[name] for name in SelfPlayGame._fields})])


def test_shards_hold_all_games_and_what_is_there_is_not_played_again(tmp_path: Path) -> None:
    options: Any = {"simulations": 4, "seed": 6, "side_by_side": 3}
    wanted = list(self_play(GAME, judge, games=7, **options))
    paths = write_shards(tmp_path, GAME, judge, games=5, games_per_shard=2, **options)
    assert len(paths) == 3
    assert_same([one for one in wanted if one.number < 5], read_shards(tmp_path))
    network = Failing(10**9)
    assert write_shards(tmp_path, GAME, network, games=5, **options) == paths
    assert network.calls == 0
    assert len(write_shards(tmp_path, GAME, judge, games=7, **options)) == 4
    assert_same(wanted, read_shards(tmp_path))


def test_shards_go_on_after_every_interruption_and_lose_nothing_that_was_finished(tmp_path: Path) -> None:
    options: Any = {"games": 6, "simulations": 4, "seed": 6, "side_by_side": 2, "games_per_shard": 4}
    (tmp_path / ".shard-000000000000.npz.abc").write_bytes(b"left by a crash")
    network, there = Failing(61), 0
    for _ in range(20):
        try:
            write_shards(tmp_path, GAME, network, **options)
            break
        except KeyboardInterrupt:
            now = len(list(read_shards(tmp_path)))
            assert now >= there
            there = now
    else:
        pytest.fail("it never came to its end")
    assert network.calls > 61
    assert there > 0
    assert_same(self_play(GAME, judge, games=6, simulations=4, seed=6), read_shards(tmp_path))
    assert not list(tmp_path.glob(".*"))


def test_a_folder_is_for_one_way_to_play(tmp_path: Path) -> None:
    options: Any = {"games": 2, "simulations": 4, "seed": 0}
    write_shards(tmp_path, GAME, judge, **options)
    others: list[tuple[Any, str]] = [
        ({"seed": 1}, "seed 0, not 1"),
        ({"simulations": 5}, "simulations 4, not 5"),
        ({"temperature": 0.5}, "temperature"),
        ({"selection": PUCT(c=3.0)}, "strategy"),
        ({"keep_trees": False}, "keep_trees True, not False"),
    ]
    for change, words in others:
        with pytest.raises(LoadError, match=words):
            write_shards(tmp_path, GAME, judge, **(options | change))
    with pytest.raises(LoadError, match="game"):
        write_shards(tmp_path, games.ConnectFour(), judge, **options)
    with pytest.raises(TypeError, match="needs a seed"):
        write_shards(tmp_path, GAME, judge, **(options | {"seed": None}))


def test_shards_are_checked_as_they_are_read(tmp_path: Path) -> None:
    (path,) = write_shards(tmp_path, GAME, judge, games=3, simulations=4, seed=0)
    with np.load(path) as file:
        whole = dict(file)
    policy = whole["policies"].copy()
    policy[0] *= 2.0
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"moves": whole["moves"][:-1]}, "differ in length"),
        ({"lengths": whole["lengths"] + 1}, "positions"),
        ({"policies": policy}, "add up to one"),
        ({"observations": whole["observations"].astype(np.float64)}, "observations is float64"),
        ({"moves": whole["moves"] + 100}, "not one of the game"),
        ({"outcomes": whole["outcomes"] + 1.0}, "outcome"),
        ({"numbers": np.zeros(3, np.int64)}, "twice"),
        ({"players": np.array([{}], object)}, "no whole shard"),
        ({"settings": np.array("{}")}, "no shard of self-play"),
    ]
    for change, words in wrong:
        np.savez(path, **(whole | change))
        with pytest.raises(LoadError, match=words):
            list(read_shards(tmp_path))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(LoadError, match="no whole shard"):
        write_shards(tmp_path, GAME, judge, games=3, simulations=4, seed=0)
    np.savez(path, **whole)
    np.savez(tmp_path / "shard-9.npz", **whole)
    with pytest.raises(LoadError, match="another shard of the folder has too"):
        list(read_shards(tmp_path))
    with pytest.raises(LoadError, match="no folder"):
        list(read_shards(tmp_path / "nothing"))
