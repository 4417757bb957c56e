"""A simulation finds its way back to the root."""

from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import OpenLoop, games
from fastmcts.core import scratch
from fastmcts.testing import check_tree


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (games.TicTacToe(), {}),
        (games.Pig(), {"method": OpenLoop()}),
    ],
)
def test_a_line_that_is_too_short_for_the_way_changes_nothing(
    game: fastmcts.Game, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def search() -> fastmcts.SearchResult:
        return fastmcts.search(game.new_initial_state(), simulations=300, seed=0, strategy="plain", **options)

    whole = search()
    monkeypatch.setattr(scratch, "LINE_SIZE", 3)
    short = search()
    assert whole.max_depth > 3
    check_tree(short.tree)
    assert np.array_equal(whole.tree.visits[: whole.nodes], short.tree.visits[: short.nodes])
    assert np.array_equal(whole.tree.value_sum[: whole.nodes], short.tree.value_sum[: short.nodes])
