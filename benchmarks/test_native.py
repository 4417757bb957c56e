"""Beside C++ written by hand for one game: the same rules, the same search, and how fast ours is."""

from collections.abc import Callable
from typing import Any

import native
import native_limit
import one_search
import pytest
import quick

pytestmark = pytest.mark.skipif(native.compiler() is None, reason=f"no C++ compiler: {', '.join(native.COMPILERS)}")

ROUNDS = 5
SEARCHES = [(name, simulations) for name, _, simulations in native_limit.SEARCHES]


@pytest.mark.benchmark(group="native limit")
@pytest.mark.parametrize(("name", "simulations"), quick.thorough_unless({("connect_four", 100_000)}, SEARCHES))
def test_beside_cpp(benchmark: Any, note: Callable[..., None], name: str, simulations: int) -> None:
    native_limit.check(name)
    found = native_limit.compare(name, simulations, ROUNDS)
    ratios = {f"ratio_{scoring}": found.ratio(scoring) for scoring in native.SCORINGS}
    note(**ratios, goal=native_limit.GOAL)
    arguments = name, simulations, 0, native_limit.C
    assert sum(benchmark.pedantic(one_search.search, args=arguments, rounds=3, iterations=1).visits) == simulations


@pytest.mark.parametrize("name", quick.thorough_unless({"connect_four"}, native.GAMES))
def test_the_programs_play_by_our_rules(name: str) -> None:
    lengths = [len(actions) for actions in native.replay(name, count=100, seed=1)]
    assert len(lengths) == 100
    assert max(lengths) <= native.GAMES[name].max_game_length
