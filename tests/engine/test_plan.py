"""A plan is made once, and not again before something else is asked for or the rules are edited."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import MCTS, PIMC, UCB1, UCT, Options, games
from fastmcts.engine import plan as plans
from fastmcts.engine.plan import Plan, make_plan, plan_for
from tests.toys import TwiceInARow

GAME = games.TicTacToe()
START = GAME.new_initial_state()


def plan(game: fastmcts.Game = GAME, options: Options | None = None, **keywords: Any) -> Plan:
    return plan_for(game, options, keywords)[0]


def test_a_plan_is_made_once_for_equal_games_and_options() -> None:
    first = plan(simulations=10, selection=UCT(c=1.0))
    assert plan(simulations=10, selection=UCT(c=1.0)) is first
    assert plan(simulations=10, selection=UCT(c=1.0), seed=7) is first, "seeds make no difference"
    for other in ({"simulations": 11}, {"simulations": 10, "selection": UCT(c=1.1)}, {"simulations": 10}):
        assert plan(**{"selection": UCB1(), **other}) is not first


def test_what_is_known_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = plan(simulations=12)
    monkeypatch.setattr(plans, "make_plan", lambda *_: pytest.fail("it is made again"))
    assert plan(simulations=12) is known
    for wrong in (1.5, "a", True, 2**64):
        with pytest.raises((TypeError, ValueError), match="seed must be"):
            plan(simulations=12, seed=wrong)


def test_a_number_of_another_type_asks_for_another_plan() -> None:
    plan(simulations=1, trees=1)
    with pytest.raises(TypeError, match="trees must be a whole number, not True"):
        plan(simulations=1, trees=True)


def test_seeds_are_drawn_anew_unless_they_are_said() -> None:
    drawn = {plan_for(GAME, None, {"simulations": 5})[1] for _ in range(4)}
    assert len(drawn) == 4
    assert plan_for(GAME, None, {"simulations": 5, "seed": np.int64(3)})[1] == 3


@dataclass(frozen=True)
class Labelled(TwiceInARow):
    """A game with a field that does not count when games are compared."""

    label: str = field(default="", compare=False)


def test_a_search_is_of_the_very_game_that_is_asked_about() -> None:
    for label in ("a", "b", "a"):
        game = Labelled(label)
        assert MCTS(game, simulations=5, seed=0, strategy="plain").game is game
        assert plan(game, simulations=5).strategy.game is game


def test_a_plan_that_cannot_be_remembered_is_made_each_time() -> None:
    class Unhashable(fastmcts.Stopper):
        __hash__ = None  # pyright: ignore[reportAssignmentType]

        def check(self, snapshot: fastmcts.Snapshot) -> str | None:
            return None

    stopper = Unhashable()
    assert plan(simulations=3, stop=stopper) is not plan(simulations=3, stop=stopper)


def test_remembered_plans_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MOST_PLANS", 5)
    monkeypatch.setattr(plans, "PLANS", {})
    for simulations in range(1, 30):
        plan(simulations=simulations)
        assert len(plans.PLANS) <= 5


# ---- Options as one object


@pytest.mark.slow_to_compile
def test_options_can_be_handed_over_as_one_object_with_keywords_on_top() -> None:
    said: dict[str, Any] = {"simulations": 60, "seed": 4, "selection": UCB1(c=1.0), "strategy": "plain"}
    options = Options(**said)
    expected = fastmcts.search(START, **said)
    for result in (
        fastmcts.search(START, options=options),
        fastmcts.search(START, options),
        MCTS(GAME, options=options).search(START),
        fastmcts.search(START, options=Options(simulations=5, seed=4, selection=UCT(), strategy="plain"), **said),
    ):
        assert result.visits.tolist() == expected.visits.tolist()
        assert (result.seed, result.strategy) == (4, expected.strategy)
    batch = fastmcts.search_batch([START], options=options)
    assert batch.visits.tolist() == fastmcts.search_batch([START], **said).visits.tolist()


def test_options_that_drew_their_seed_keep_it() -> None:
    options = Options(simulations=30)
    assert fastmcts.search(START, options).seed == fastmcts.search(START, options).seed == options.seed


@pytest.mark.parametrize("call", [lambda o: fastmcts.search(START, o), lambda o: MCTS(GAME, o)])
def test_something_else_than_options_is_refused(call: Any) -> None:
    with pytest.raises(TypeError, match=r"options must be Options, such as Options\(simulations=1000\), not 100"):
        call(100)


# ---- Refusals


def test_refusals_depend_on_what_the_plan_is_for() -> None:
    threads = Options(simulations=10, threads=2)
    with pytest.raises(ValueError, match="threads=2 have only one tree to work on"):
        make_plan(GAME, threads, "search")
    assert make_plan(GAME, threads, "batch").options.threads == 2
    trace = Options(simulations=10, trace=True)
    with pytest.raises(ValueError, match="a batch keeps no traces"):
        make_plan(GAME, trace, "batch")
    assert make_plan(GAME, trace, "search").options.trace


def test_worlds_are_refused_what_they_cannot_do_before_anything_is_searched() -> None:
    game = games.KuhnPoker()
    for options, message in (
        ({"simulations": 3}, "cannot share simulations=3"),
        ({"simulations": 9, "trees": 2}, "leave trees=2 out"),
        ({"simulations": 9, "final": "value", "method": PIMC(worlds=8, vote="value")}, "final= goes by visits"),
    ):
        with pytest.raises(ValueError, match=message):
            make_plan(game, Options(**{"method": PIMC(worlds=8), **options}))
    kept = MCTS(game, simulations=9, method=PIMC(worlds=8))
    with pytest.raises(ValueError, match="cannot share simulations=3"):
        kept.search(game.new_initial_state(seed=0), simulations=3)
