"""What was compiled ahead is not compiled again."""

from pathlib import Path
from typing import Any

import pytest

import fastmcts
from fastmcts import ISMCTS, PIMC, UCB1, games
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.compiler.notice import IS_WANTED
from fastmcts.testing.strategies import allowed_strategies, searchable_games
from fastmcts.warmup import DEFAULT_KERNELS, KERNELS, warmup
from tests.subprocesses import run_python
from tests.toys import OneShot

WARM = """
import json
import fastmcts
from tests.toys import TwiceInARow

results = [fastmcts.warmup(TwiceInARow(), kernels=kernels) for kernels in (None, None, ["search", "shared"])]
print(json.dumps([[one.kernel for one in result.compiled] for result in results]))
"""

SEARCH = """
import json
import fastmcts
from fastmcts.compiler.notice import recording
from tests.toys import TwiceInARow

game = TwiceInARow()
start = game.new_initial_state()
with recording() as compiled:
    mcts = fastmcts.MCTS(game, simulations=50, seed=0)
    mcts.advance(mcts.search(start).action)
    fastmcts.search(start, seconds=0.01, seed=0)
    fastmcts.search(start, simulations=5_000, memory_mb=0.1, seed=0)
    fastmcts.search(start, simulations=50, trees=2, threads=2, seed=0)
    fastmcts.search(start, simulations=50, threads=2, parallel="shared")
    fastmcts.search(start, simulations=50, strategy="plain", selection=fastmcts.UCT(c=0.9), seed=0)
    fastmcts.search_batch([start, start], simulations=50, threads=2, seed=0)
    fastmcts.search_batch([start, start], seconds=0.001, seed=0)
print(json.dumps([one.kernel for one in compiled]))
"""


@pytest.mark.jit
def test_the_next_process_compiles_nothing_of_what_a_user_meets(tmp_path: Path) -> None:
    assert run_python(WARM, tmp_path) == [["run", "recycle", "keep_below", "run_batch"], [], ["run_shared"]]
    assert run_python(SEARCH, tmp_path) == []


OPTIONS: list[dict[str, Any]] = [
    {"simulations": 10**6},
    {"seconds": 0.5, "simulations": None},
    {"trees": 3, "threads": 2},
    {"solver": True},
    {"checked": True},
    {"trace": True, "on_interrupt": "return", "final": "robust_max"},
    {"parallel": "shared", "threads": 2},
]


#: What each option leads to is the same with the JIT on, only slow.
logic = pytest.mark.skipif(JIT_ENABLED, reason="would compile for minutes")


@logic
@pytest.mark.parametrize("options", OPTIONS)
def test_all_options_of_searches_are_taken(options: dict[str, Any]) -> None:
    result = warmup(OneShot(), **options)
    assert result.game == OneShot()
    assert result.seconds >= sum(one.seconds for one in result.compiled)


@logic
@pytest.mark.parametrize("name", searchable_games())
def test_every_game_can_be_compiled_ahead_with_every_strategy(name: str) -> None:
    game = fastmcts.load_game(name)
    strategies: list[dict[str, Any]] = [{}, *allowed_strategies(game)]
    for options in strategies:
        warmup(game, **options)


def test_hidden_worlds_and_their_trees_are_taken() -> None:
    assert (
        str(warmup(games.KuhnPoker(), kernels="advance", method=PIMC(worlds=2000))) == "kuhn_poker: nothing to compile"
    )
    assert warmup(games.KuhnPoker(), kernels="advance", method=ISMCTS(observers="all")).compiled == ()


def test_progress_false_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[bool] = []
    monkeypatch.setitem(KERNELS, "batch", lambda mcts, options: wanted.append(IS_WANTED.get()))
    for progress in (None, False):
        warmup(OneShot(), kernels="batch", progress=progress)
    assert wanted == [True, False]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"kernels": ["serch"]}, ValueError, "nothing called 'serch' to compile; there are: search, clock, advance"),
        ({"kernels": []}, ValueError, "there are: search"),
        ({"kernels": ["batch"], "parallel": "shared"}, ValueError, "leave parallel='shared' out"),
        ({"selektion": UCB1()}, TypeError, "did you mean 'selection'"),
        ({"method": PIMC()}, ValueError, "nothing is hidden in"),
        ({"simulations": 0}, ValueError, "simulations must be"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        warmup(OneShot(), **arguments)


def test_something_that_is_no_game_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a Game"):
        warmup("whist")  # pyright: ignore[reportArgumentType]


def test_a_shared_tree_is_refused_where_it_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="which a shared tree has not"):
        warmup(games.Pig(), kernels="shared")


def test_the_default_is_what_most_users_meet() -> None:
    assert [*KERNELS] == [*DEFAULT_KERNELS, "shared"]
