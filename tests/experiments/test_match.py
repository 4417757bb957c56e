import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fastmcts import State, games, search
from fastmcts.experiments import SPRT, Agent, GameRecord, MatchResult, Random, RunError, parse_agent, play_match
from fastmcts.experiments.agents import Asked
from fastmcts.experiments.intervals import share, wilson
from fastmcts.experiments.tables import TABLES, Pairing, play_games
from tests.helpers.failing_agents import Failing
from tests.helpers.picking import HighestPick, Pick


@dataclass(frozen=True)
class FirstLegal(Agent):
    """Always plays the first legal move."""

    def choose(self, state: State, seed: int = 0) -> int:
        return state.legal_actions()[0]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_agent_that_picks_more_wins_every_game_with_any_number_of_players(players: int) -> None:
    game = HighestPick(players)
    won = play_match(game, Pick(2), Pick(0), games=20, opening_moves=0)
    assert won.pairs == [1.0] * 10
    assert won.margins == [2.0] * 10
    assert play_match(game, Pick(0), Pick(2), games=20, opening_moves=0).pairs == [0.0] * 10
    drawn = play_match(game, Pick(1), Pick(1), games=20, opening_moves=0)
    assert (drawn.mean, drawn.draws) == (0.5, 10 if players == 1 else 20)


def test_lengths_moves_and_games_are_counted() -> None:
    result = play_match(HighestPick(2), Pick(2), Pick(0), games=7, opening_moves=1)
    assert result.games == 8
    assert result.lengths == [2] * 8
    assert result.moves == [4, 4]
    assert result.length == 2.0


def test_both_games_of_a_pair_have_the_same_deal_and_pairs_have_others() -> None:
    seen: list[tuple[int, int]] = []

    class Watching(Pick):
        def choose_many(self, states: Sequence[State], seeds: Sequence[int], numbers: Sequence[int] = ()) -> list[int]:
            seen.extend((number, int(state.array[-1])) for number, state in zip(numbers, states, strict=True))
            return [self.action] * len(states)

    result = play_match(HighestPick(2, num_deals=1000), Watching(2), Watching(0), games=40)
    deals = dict(seen)
    assert result.counts == "deals"
    assert sorted(deals) == list(range(40))
    assert all(deals[number] == deals[number + 1] for number in range(0, 40, 2))
    assert len(set(deals.values())) > 10


def test_the_same_openings_are_played_with_changed_seats() -> None:
    result = play_match(games.TicTacToe(), "random", "random", games=60, seed=1)
    assert 0.3 < result.mean < 0.7
    first_wins = play_match(HighestPick(2), Pick(2), Pick(0), games=40, opening_moves=1, seed=5)
    assert set(first_wins.pairs) <= {0.5, 0.75, 1.0}  # in one game of each pair the first agent's pick was random


def test_dice_are_rolled_and_fall_alike_in_both_games_of_a_pair() -> None:
    result = play_match(games.Pig(target=15), FirstLegal(), FirstLegal(), games=20, seed=3)
    assert all(pair == 0.5 for pair in result.pairs)  # the same dice, the same play: each wins once
    assert len({*result.lengths}) > 1


@pytest.mark.parametrize("games_played", [2, 10, 26, 100, 130])
def test_a_game_does_not_depend_on_how_many_are_played(games_played: int) -> None:
    agents = ("mcts(simulations=4)", "random")
    long = play_match(games.TicTacToe(), *agents, games=150, seed=2)
    short = play_match(games.TicTacToe(), *agents, games=games_played, seed=2)
    assert short.games == games_played
    assert long.pairs[: games_played // 2] == short.pairs
    assert long.lengths[:games_played] == short.lengths


@pytest.mark.parametrize("width", [1, 3, 16])
def test_a_game_does_not_depend_on_how_many_are_played_beside_it(width: int) -> None:
    pairing = Pairing(games.TicTacToe(), parse_agent("mcts(simulations=6)"), Random(), seed=4, opening_moves=1)

    def played(entries: list[tuple[int, int]], width: int) -> dict[tuple[int, int], tuple[int, ...]]:
        rounds = play_games(pairing, entries, width)
        return {(record.pair, record.seat): record.actions for ended in rounds for record in ended}

    entries = [(pair, seat) for pair in range(8) for seat in range(2)]
    expected = played(entries, 100)
    assert len({*expected.values()}) > 8
    assert played(entries[::-1], width) == expected
    assert played([(5, 1)], width) == {(5, 1): expected[5, 1]}


def test_processes_play_the_same_games() -> None:
    agents = ("mcts(simulations=6)", "random")
    alone = play_match(games.TicTacToe(), *agents, games=24, seed=2)
    shared = play_match(games.TicTacToe(), *agents, games=24, seed=2, processes=2)
    assert [*map(ignoring_time(alone), shared.records)] == alone.records
    decided = play_match(games.TicTacToe(), *agents, games=1000, seed=2, processes=2, stop=SPRT(0, 200))
    assert decided.verdict == play_match(games.TicTacToe(), *agents, games=1000, seed=2, stop=SPRT(0, 200)).verdict


def test_an_error_in_another_process_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="ValueError: I give up"):
        play_match(games.TicTacToe(), Failing(str(tmp_path / "n"), "raise"), "random", games=8, processes=2)
    with pytest.raises(RunError, match="a process that was playing has ended"):
        play_match(games.TicTacToe(), Failing(str(tmp_path / "m"), "die"), "random", games=8, processes=2)


def test_every_game_can_be_replayed_and_searched_again() -> None:
    game = games.TicTacToe()
    result = play_match(game, "mcts(simulations=12)", "random", games=6, seed=3)
    for record in result.records:
        positions = list(record.replay(game))
        assert positions[-1].returns() == list(record.returns)
        assert [position.current_player() for position in positions[:-1]].count(0) > 0
        first = next(index for index in range(record.opening, len(record.actions)) if (index + record.seat) % 2 == 0)
        found = search(positions[first], simulations=12, seed=record.seed_of_move(first))
        assert found.action == record.actions[first]


def test_dice_are_part_of_what_is_replayed() -> None:
    game = games.Pig(target=15)
    result = play_match(game, "random", "random", games=4, seed=3)
    for record in result.records:
        assert len(record.actions) > record.length
        assert list(record.replay(game))[-1].returns() == list(record.returns)


def test_simulations_are_counted_but_not_where_there_is_only_one_move() -> None:
    result = play_match(games.TicTacToe(), "mcts(simulations=8)", "random", games=10)
    assert result.simulations[1] == 0
    assert 0 < result.simulations[0] <= 8 * result.moves[0]
    assert all(record.simulations[0] % 8 == 0 for record in result.records)
    assert 4.0 < result.simulations_per_move[0] <= 8.0


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("options", ["solver=True", "stop=Decided()", "trees=2", "final='robust_max'"])
def test_a_search_of_any_kind_is_the_same_alone_and_among_others(options: str) -> None:
    agent = parse_agent(f"mcts(simulations=30, {options})")
    start = games.TicTacToe().new_initial_state()
    states = [start, start.child(4), start.child(0), start.child(4).child(0)]
    choices = agent.decide(Asked(states, [5, 6, 7, 8]))
    for state, seed, action in zip(states, (5, 6, 7, 8), choices.actions, strict=True):
        assert agent.choose(state, seed) == action
    assert all(0 < count <= 60 for count in choices.simulations)
    assert parse_agent(f"mcts(simulations=30, {options}, threads=2)").decide(Asked(states, [5, 6, 7, 8])).actions == [
        *choices.actions
    ]


def test_equal_time_is_counted_for_each_move() -> None:
    result = play_match(games.TicTacToe(), "mcts(seconds=0.002)", "mcts(seconds=0.004)", games=2)
    one, other = result.seconds_per_move
    assert 0.0 < one < other < 1.0
    assert min(result.simulations) > 0


def test_a_match_ends_when_its_test_is_decided() -> None:
    result = play_match(HighestPick(2), Pick(2), Pick(0), games=1000, opening_moves=0, stop=SPRT(0, 200))
    assert result.verdict == "better"
    assert 2 < result.games < 200
    assert "better, log likelihood ratio" in str(result)
    shorter = play_match(HighestPick(2), Pick(2), Pick(0), games=result.games, opening_moves=0, stop=SPRT(0, 200))
    assert shorter.records == [*map(ignoring_time(shorter), result.records)]
    worse = play_match(HighestPick(2), Pick(0), Pick(2), games=1000, opening_moves=0, stop=SPRT(0, 200))
    assert worse.verdict == "not better"


def ignoring_time(other: MatchResult) -> Callable[[GameRecord], GameRecord]:
    """Games with the seconds of those of another match."""
    seconds = {(record.pair, record.seat): record.seconds for record in other.records}
    return lambda record: dataclasses.replace(record, seconds=seconds[record.pair, record.seat])


def test_the_seed_decides_everything() -> None:
    def pairs(seed: int) -> list[float]:
        return play_match(games.TicTacToe(), "mcts(simulations=10)", "random", games=12, seed=seed).pairs

    assert pairs(1) == pairs(1)
    assert any(pairs(seed) != pairs(1) for seed in range(2, 6))


def test_search_beats_random_play() -> None:
    result = play_match(games.TicTacToe(), "mcts(simulations=60)", "random", games=30)
    assert result.interval[0] > 0.6
    assert min(result.seconds_per_move) > 0.0
    assert "score of the first" in str(result)
    assert "of 30 games drawn" in str(result)


@pytest.mark.slow_to_compile
def test_agents_for_one_play_the_same_deals() -> None:
    result = play_match(games.Twenty48(max_tile=16), "mcts(simulations=15)", "random", games=12)
    assert result.counts == "deals"
    assert result.mean > 0.5
    assert result.margin > 0.0


def test_ctrl_c_keeps_the_pairs_that_are_over() -> None:
    calls: list[float] = []

    def stop_later(over: float, score: object) -> None:
        calls.append(over)
        if over > 100:
            raise KeyboardInterrupt

    result = play_match(HighestPick(2), Pick(2), Pick(0), games=400, opening_moves=0, progress=stop_later)
    assert result.interrupted
    assert result.games == TABLES
    assert "then interrupted" in str(result)
    assert sorted(calls) == calls


def test_ctrl_c_before_anything_is_over_says_so() -> None:
    class Interrupting(Pick):
        def choose(self, state: State, seed: int = 0) -> int:
            raise KeyboardInterrupt

    result = play_match(HighestPick(2), Interrupting(0), Pick(0), games=4, opening_moves=0)
    assert result.interrupted
    assert "no pair of games" in str(result)
    assert result.as_dictionary()["score"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games must be at least 1"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"processes": 0}, "processes must be at least 1"),
        ({"opening_moves": -1}, "opening_moves must be at least 0"),
        ({"opening_moves": 9}, "always over after 9 random moves"),
        ({"counts": "points"}, "counts must be 'games' or 'deals'"),
        ({"first": "greedy"}, "tic_tac_toe has none"),
        ({"first": "mcts(simulations=5, method=PIMC())"}, "nothing is hidden|cannot share"),
        ({"progress": 3}, "progress must be"),
        ({"game": "tic_tac_toe"}, "takes a Game"),
        ({"stop": 3}, "stop must be an SPRT"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        play_match(**{"game": games.TicTacToe(), "first": "random", "second": Random(), "games": 2, **arguments})


def test_a_pair_is_one_coin_where_deals_count_and_two_where_games_do() -> None:
    by_deal = play_match(HighestPick(2), Pick(2), Pick(0), games=20, opening_moves=0, counts="deals")
    by_game = play_match(HighestPick(2), Pick(2), Pick(0), games=20, opening_moves=0, counts="games")
    assert by_deal.interval == wilson(1.0, 10)
    assert by_game.interval == wilson(1.0, 20)


def test_games_cannot_be_counted_one_by_one_in_a_game_for_one() -> None:
    with pytest.raises(ValueError, match="'deals' in a game for one"):
        play_match(HighestPick(1), Pick(0), Pick(1), counts="games", opening_moves=0)


@pytest.mark.parametrize("mean", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("coins", [1, 3, 47, 400, 12_345])
def test_an_interval_stays_within_0_and_100_percent(mean: float, coins: int) -> None:
    low, high = wilson(mean, coins)
    assert 0.0 <= low <= mean <= high <= 1.0
    assert "-" not in share(mean, (low, high))
    assert "100.0%" in share(1.0, wilson(1.0, coins))


def test_wilson_agrees_with_a_published_example() -> None:
    # 15 of 20: 0.531 to 0.888 (Newcombe 1998 lists the method as score without continuity correction).
    low, high = wilson(0.75, 20)
    assert low == pytest.approx(0.5313, abs=2e-4)
    assert high == pytest.approx(0.8881, abs=2e-4)
