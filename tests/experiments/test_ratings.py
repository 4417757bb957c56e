import pytest

from fastmcts import games
from fastmcts.experiments import play_round_robin, rate
from fastmcts.experiments.elo import SCALE, elo_of
from tests.helpers.picking import HighestPick, Pick

pytest.importorskip("scipy")

#: Wins of each team (row) against the others, American League of 1987 (Agresti, Categorical Data Analysis).
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
#: Log odds against Baltimore and their standard errors, as the R package BradleyTerry2 documents them.
PUBLISHED = {
    "Boston": (1.1077, 0.3339),
    "Cleveland": (0.6839, 0.3319),
    "Detroit": (1.4364, 0.3396),
    "Milwaukee": (1.5814, 0.3433),
    "New York": (1.2476, 0.3359),
    "Toronto": (1.2945, 0.3367),
}


def test_ratings_agree_with_published_ones() -> None:
    results = {
        (TEAMS[one], TEAMS[other]): (WINS[one][other], WINS[one][other] + WINS[other][one])
        for one in range(7)
        for other in range(one)
    }
    ratings = rate(results, prior=0.0)
    assert ratings.names[0] == "Milwaukee"
    assert ratings.games.tolist() == [
        sum(WINS[TEAMS.index(n)]) + sum(row[TEAMS.index(n)] for row in WINS) for n in ratings.names
    ]
    for team, (log_odds, error) in PUBLISHED.items():
        elo, elo_error = ratings.difference(team, "Baltimore")
        assert elo / SCALE == pytest.approx(log_odds, abs=2e-4)
        assert elo_error / SCALE == pytest.approx(error, abs=2e-4)
    assert ratings.elo.mean() == pytest.approx(0.0, abs=1e-9)


def test_two_agents_differ_by_the_elo_of_their_score() -> None:
    ratings = rate({("a", "b"): (30.0, 40.0)}, prior=0.0)
    assert ratings.difference("a", "b")[0] == pytest.approx(elo_of(0.75))
    assert str(ratings).splitlines()[0].startswith("a  ")
    drawn_to_even = rate({("a", "b"): (30.0, 40.0)}, prior=5.0)
    assert 0.0 < drawn_to_even.difference("a", "b")[0] < elo_of(0.75)


def test_who_has_won_everything_has_a_rating_with_a_prior_alone() -> None:
    results = {("a", "b"): (10.0, 10.0), ("b", "c"): (5.0, 10.0)}
    ratings = rate(results)
    assert ratings.names[0] == "a"
    assert 100.0 < ratings.elo[0] < 1000.0
    with pytest.raises(ValueError, match="use a prior above 0"):
        rate(results, prior=0.0)


def test_groups_that_never_met_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="a and c cannot be compared"):
        rate({("a", "b"): (1.0, 2.0), ("c", "d"): (1.0, 2.0)})
    with pytest.raises(ValueError, match="at least two agents"):
        rate({})


def test_a_round_robin_orders_agents_by_strength() -> None:
    result = play_round_robin(
        HighestPick(2), {"low": Pick(0), "high": Pick(2), "middle": Pick(1)}, games=10, opening_moves=0
    )
    assert result.ratings().names == ("high", "middle", "low")
    assert result.score("high", "low") == 1.0
    assert result.score("low", "high") == 0.0
    assert "100.0%" in str(result)
    assert list(result.matches) == [("low", "high"), ("low", "middle"), ("high", "middle")]


def test_agents_of_a_list_are_called_as_they_print() -> None:
    result = play_round_robin(games.TicTacToe(), ["random", "mcts(simulations=5)"], games=2)
    assert list(result.agents) == ["random", "mcts(simulations=5)"]
    with pytest.raises(ValueError, match="two agents are called random"):
        play_round_robin(games.TicTacToe(), ["random", "random"])
    with pytest.raises(ValueError, match="at least two agents"):
        play_round_robin(games.TicTacToe(), ["random"])
