"""Who may keep its children when a tree shrinks."""

import numpy as np
import pytest

from fastmcts.core.tree import MAX_VISITS
from fastmcts.kernels.shrink.threshold import EXACT, NUM_STEPS, fitting_threshold, least_of, step_of


def test_steps_are_exact_for_few_visits_and_fine_for_many() -> None:
    assert [step_of(visits) for visits in range(EXACT)] == list(range(EXACT))
    starts = [least_of(step) for step in range(NUM_STEPS)]
    assert [step_of(visits) for visits in starts] == list(range(NUM_STEPS))
    assert all(step_of(visits - 1) == step - 1 for step, visits in enumerate(starts) if step > 0)
    widths = np.diff(starts)
    assert (widths[EXACT:] / starts[EXACT:-1]).max() < 0.005
    assert step_of(MAX_VISITS) == NUM_STEPS - 1


@pytest.mark.parametrize("scale", [10, 400, 100_000, MAX_VISITS])
def test_as_much_stays_as_fits(scale: int) -> None:
    rng = np.random.default_rng(scale)
    visits = 1 + (scale * rng.random(200) ** 4).astype(np.int64)
    children = rng.integers(1, 8, 200)
    hanging = np.zeros(NUM_STEPS, np.int64)
    for node in range(200):
        hanging[step_of(visits[node])] += children[node]
    some_went = 0
    for most in range(-1, 1 + children.sum()):
        threshold = fitting_threshold(hanging, most)
        assert children[visits >= threshold].sum() <= max(0, most)
        if threshold > 1:
            some_went += 1
            lower = least_of(step_of(min(threshold, MAX_VISITS + 1) - 1))
            assert children[visits >= lower].sum() > most, "with the next lower step it would not fit"
    assert some_went == 1 + children.sum(), "all stay if there is room for all, and never else"
